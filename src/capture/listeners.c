/* SPDX-License-Identifier: Apache-2.0 */
/* Listening ports through the sock_diag netlink family (see man 7 sock_diag). */
#include "capture/listeners.h"

#include "base/cleanup.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STATE_LISTEN = 10 };

static bool ask(int fd, int family)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 body;
	} request = {
		.head = { .nlmsg_len = sizeof(request), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.body = { .sdiag_family = (uint8_t)family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1 << STATE_LISTEN },
	};

	return send(fd, &request, sizeof(request), 0) == (ssize_t)sizeof(request);
}

static size_t take_answers(int fd, uint16_t *ports, size_t count, size_t room)
{
	union {
		struct nlmsghdr align;
		char bytes[16384];
	} buffer;

	for (;;) {
		ssize_t size = recv(fd, &buffer, sizeof(buffer), 0);
		struct nlmsghdr *head = &buffer.align;
		unsigned left = size > 0 ? (unsigned)size : 0;

		if (size <= 0)
			return count;
		for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
			const struct inet_diag_msg *message = NLMSG_DATA(head);

			if (head->nlmsg_type == NLMSG_DONE || head->nlmsg_type == NLMSG_ERROR)
				return count;
			if (head->nlmsg_len >= NLMSG_LENGTH(sizeof(*message)) && count < room)
				ports[count++] = ntohs(message->id.idiag_sport);
		}
	}
}

size_t listeners_read(uint16_t *ports, size_t room)
{
	CLEANUP_FD int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	const struct timeval limit = { .tv_sec = 1 };
	size_t count = 0;

	if (fd < 0)
		return 0;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (ask(fd, AF_INET))
		count = take_answers(fd, ports, count, room);
	if (ask(fd, AF_INET6))
		count = take_answers(fd, ports, count, room);
	return count;
}
