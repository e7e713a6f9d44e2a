/* SPDX-License-Identifier: Apache-2.0 */
/* Accepts connections and hands them to the pool, or answers 503 when its queue is full. */
#define _GNU_SOURCE 1
#include "listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pool.h"
#include "response.h"

int listener_open(uint16_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(*port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1, r;

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, SOMAXCONN) < 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &size) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	*port = ntohs(address.sin_port);
	return fd;
}

/* Kept half open for a while: if it were closed at once, what the client sends meanwhile would
 * reset it, and the answer be lost. Only the listening thread refuses. */
static void connection_refuse(int fd)
{
	static int lingering[256];
	static size_t next, count;
	static struct response response;

	response_status(&response, 503, false);
	(void)response_send(&response, fd);  /* best effort: the client may be gone already */
	(void)shutdown(fd, SHUT_WR);
	if (count == sizeof(lingering) / sizeof(*lingering))
		close(lingering[next]);
	else
		count++;
	lingering[next] = fd;
	next = (next + 1) % (sizeof(lingering) / sizeof(*lingering));
}

/* Takes all that wait. Negative errno only if it can never succeed again. */
static int connections_accept(int listener, struct pool *pool)
{
	int fd, one = 1;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		if (!pool_offer(pool, fd))
			connection_refuse(fd);
	}
	return errno == EBADF || errno == EINVAL || errno == ENOTSOCK ? -errno : 0;
}

int listener_run(int listener, int stop, struct pool *pool)
{
	struct pollfd ready[2] = { { .fd = listener, .events = POLLIN },
				   { .fd = stop, .events = POLLIN } };

	for (;;) {
		int r;

		if (poll(ready, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (ready[1].revents)
			return 0;
		r = connections_accept(listener, pool);
		if (r < 0)
			return r;
	}
}
