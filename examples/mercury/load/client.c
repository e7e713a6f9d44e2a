/* SPDX-License-Identifier: Apache-2.0 */
/* Speaks as much HTTP as it takes to ask and to read an answer with a Content-Length. */
#define _GNU_SOURCE 1
#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../common/checksum.h"
#include "../common/field.h"

int client_connect(struct client *client, uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1, r;

	client->filled = 0;
	client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		return -errno;
	(void)setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(client->fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	r = -errno;
	client_close(client);
	return r;
}

void client_close(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	client->fd = -1;
}

int client_send(struct client *client, uint32_t item, int32_t warehouse)
{
	const char *query = warehouse < 0 ? "" : "?warehouse=";
	const char *name = warehouse < 0 ? "" : warehouse_names[warehouse];
	char request[512];
	int length = snprintf(request, sizeof(request),
		"GET /item/%u%s%s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: mercury-load\r\n"
		"Accept: application/json\r\nAccept-Encoding: identity\r\n\r\n", item,
		query, name);
	ssize_t n = send(client->fd, request, (size_t)length, MSG_NOSIGNAL);

	client->item = item;
	client->warehouse = warehouse;
	if (n < 0)
		return -errno;
	return n == length ? 0 : -EIO;
}

/* The value of Content-Length in a head that ends with an empty line, or -1. */
static long content_length(const char *head, size_t length)
{
	static const char name[] = "\r\nContent-Length: ";
	const char *at = memmem(head, length, name, sizeof(name) - 1);

	return at ? strtol(at + sizeof(name) - 1, NULL, 10) : -1;
}

/* Is the tag of the answer the checksum of its body? */
static bool tag_fits(const char *head, size_t length, const char *body, size_t body_length)
{
	static const char name[] = "\r\nETag: \"";
	const char *at = memmem(head, length, name, sizeof(name) - 1);

	return at && strtoul(at + sizeof(name) - 1, NULL, 16) == checksum(body, body_length);
}

static int answer_find(const struct client *client, int *status, const char **body,
		       size_t *body_length)
{
	const char *end = memmem(client->bytes, client->filled, "\r\n\r\n", 4);
	size_t head_length;
	long length;

	if (!end)
		return client->filled < sizeof(client->bytes) ? 0 : -EPROTO;
	head_length = (size_t)(end + 4 - client->bytes);
	length = content_length(client->bytes, head_length);
	if (memcmp(client->bytes, "HTTP/1.1 ", 9) || length < 0 ||
	    (size_t)length > sizeof(client->bytes) - head_length)
		return -EPROTO;
	if (client->filled < head_length + (size_t)length)
		return 0;
	if (!tag_fits(client->bytes, head_length, end + 4, (size_t)length))
		return -EBADMSG;
	*status = atoi(client->bytes + 9);
	*body = end + 4;
	*body_length = (size_t)length;
	return 1;
}

int client_receive(struct client *client, int *status, const char **body, size_t *body_length)
{
	ssize_t n = recv(client->fd, client->bytes + client->filled,
			 sizeof(client->bytes) - client->filled, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (n == 0)
		return -ECONNRESET;
	client->filled += (size_t)n;
	return answer_find(client, status, body, body_length);
}
