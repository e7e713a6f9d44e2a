/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stream sockets, TCP on the loopback and unix, from both sides. A thread that is not judged plays
 * the other side: it acts once a millisecond, and never waits for the judged one, so that each wait
 * is ended by it and by nothing else.
 *
 * connect waits where the queue of the listener is full. A unix socket is let in as soon as there
 * is room; TCP drops the request and sends it again after a second, which is how long those waits
 * are.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "truth/stage.h"

enum {
	CHUNK_BYTES = 65536,
	ROOM_BYTES = 65536,             /* what may lie between sender and receiver */
	CONNECTORS = 6,
	CONNECT_AFTER_NS = 500000000,   /* room is made in the middle of TCP's first second */
};

struct sockets {
	union {
		struct sockaddr head;
		struct sockaddr_in tcp;
		struct sockaddr_un local;
	} address;
	socklen_t address_size;
	int listener;
	int client, server;             /* the ends of one connection */
};

static char chunk[CHUNK_BYTES] = { 1 };

static int open_socket(const struct sockets *sockets, int flags)
{
	return socket(sockets->address.head.sa_family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
}

/* No trace is left of a connection that is reset: none waits for a minute to be forgotten. */
static void close_socket(int fd)
{
	const struct linger at_once = { 1, 0 };

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	(void)close(fd);
}

static int open_listener(struct sockets *sockets, int family, int backlog, struct error *err)
{
	memset(sockets, 0, sizeof(*sockets));
	sockets->address.head.sa_family = (sa_family_t)family;
	if (family == AF_INET) {
		sockets->address.tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		sockets->address_size = sizeof(sockets->address.tcp);
	} else {
		sockets->address_size = sizeof(sa_family_t);    /* the kernel names it */
	}
	sockets->listener = open_socket(sockets, 0);
	if (sockets->listener < 0 ||
	    bind(sockets->listener, &sockets->address.head, sockets->address_size) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot bind a socket");
	sockets->address_size = sizeof(sockets->address);
	if (getsockname(sockets->listener, &sockets->address.head, &sockets->address_size) < 0 ||
	    listen(sockets->listener, backlog) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot listen");
	return 0;
}

static int connect_to(const struct sockets *sockets, int fd)
{
	return connect(fd, &sockets->address.head, sockets->address_size);
}

static int open_connection(struct sockets *sockets, int family, struct error *err)
{
	const int one = 1, room = ROOM_BYTES;
	int r = open_listener(sockets, family, 1, err);

	if (r < 0)
		return r;
	(void)setsockopt(sockets->listener, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	sockets->client = open_socket(sockets, 0);
	(void)setsockopt(sockets->client, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (sockets->client < 0 || connect_to(sockets, sockets->client) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot connect to ourselves");
	sockets->server = accept4(sockets->listener, NULL, NULL, SOCK_CLOEXEC);
	if (sockets->server < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot accept a connection");
	if (family == AF_INET) {
		(void)setsockopt(sockets->client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		(void)setsockopt(sockets->server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	return 0;
}

static void close_connection(struct sockets *sockets)
{
	close_socket(sockets->client);
	close_socket(sockets->server);
	close_socket(sockets->listener);
}

/* The client asks, then waits for the answer. */
static void ask(struct actor *actor)
{
	const struct sockets *sockets = actor->prop;
	char byte = 1;

	do {
		(void)send(sockets->client, &byte, 1, MSG_NOSIGNAL);
		stage_wait_begin(actor->self);
		(void)recv(sockets->client, &byte, 1, 0);
		stage_wait_end(actor->self);
	} while (!stage_over(actor->context));
}

static void answer(void *prop)
{
	const struct sockets *sockets = prop;
	char byte;

	if (recv(sockets->server, &byte, 1, MSG_DONTWAIT) == 1)
		(void)send(sockets->server, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The server waits for the next request, then answers it. */
static void serve(struct actor *actor)
{
	const struct sockets *sockets = actor->prop;
	char byte;

	do {
		stage_wait_begin(actor->self);
		(void)recv(sockets->server, &byte, 1, 0);
		stage_wait_end(actor->self);
		(void)send(sockets->server, &byte, 1, MSG_NOSIGNAL);
	} while (!stage_over(actor->context));
}

static void request(void *prop)
{
	const struct sockets *sockets = prop;
	char byte = 1;

	(void)recv(sockets->client, &byte, 1, MSG_DONTWAIT);
	(void)send(sockets->client, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void send_chunks(struct actor *actor)
{
	const struct sockets *sockets = actor->prop;

	do {
		stage_wait_begin(actor->self);
		(void)send(sockets->client, chunk, CHUNK_BYTES, MSG_NOSIGNAL);
		stage_wait_end(actor->self);
	} while (!stage_over(actor->context));
}

static void drain(void *prop)
{
	static char spare[CHUNK_BYTES];

	(void)recv(((const struct sockets *)prop)->server, spare, CHUNK_BYTES, MSG_DONTWAIT);
}

static void accept_one(struct actor *actor)
{
	const struct sockets *sockets = actor->prop;
	int fd;

	do {
		stage_wait_begin(actor->self);
		fd = accept4(sockets->listener, NULL, NULL, SOCK_CLOEXEC);
		stage_wait_end(actor->self);
		close_socket(fd);
	} while (!stage_over(actor->context));
}

/*
 * On the loopback, and with room in the queue, a connection is there when the call returns,
 * whatever it returns.
 */
static void knock(void *prop)
{
	int fd = open_socket(prop, SOCK_NONBLOCK);

	(void)connect_to(prop, fd);
	close_socket(fd);
}

static void connect_again(struct actor *actor)
{
	int fd;

	do {
		fd = open_socket(actor->prop, 0);
		stage_wait_begin(actor->self);
		(void)connect_to(actor->prop, fd);
		stage_wait_end(actor->self);
		close_socket(fd);
	} while (!stage_over(actor->context));
}

static void let_in(void *prop)
{
	const struct sockets *sockets = prop;
	int fd = accept4(sockets->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0)
		close_socket(fd);
}

static void connect_once(struct actor *actor)
{
	int fd = open_socket(actor->prop, 0);

	stage_wait_begin(actor->self);
	(void)connect_to(actor->prop, fd);
	stage_wait_end(actor->self);
	close_socket(fd);
}

/* A longer queue is as good as an emptied one, and it has room for all of them at once. */
static void lengthen_queue(struct truth_context *context, void *prop)
{
	(void)context;
	stage_sleep_ns(CONNECT_AFTER_NS);
	(void)listen(((const struct sockets *)prop)->listener, 2 * CONNECTORS);
}

#define MEANWHILE(wake)                                                            \
	static void wake##_all(struct truth_context *context, void *prop)          \
	{                                                                          \
		stage_wake(context, wake, prop);                                   \
	}
MEANWHILE(answer)
MEANWHILE(request)
MEANWHILE(drain)
MEANWHILE(knock)
MEANWHILE(let_in)

static int stage_connection(struct truth_context *context, int family, void (*body)(struct actor *),
			    void (*meanwhile)(struct truth_context *, void *), struct error *err)
{
	struct sockets sockets;
	int r = open_connection(&sockets, family, err);

	if (r < 0)
		return r;
	memset(chunk, 1, sizeof(chunk));
	r = stage_threads(context, 1, body, meanwhile, &sockets, err);
	close_connection(&sockets);
	return r;
}

static int stage_accept(struct truth_context *context, int family, struct error *err)
{
	struct sockets sockets;
	int r = open_listener(&sockets, family, 64, err);

	return r < 0 ? r : stage_threads(context, 1, accept_one, knock_all, &sockets, err);
}

static int stage_tcp_accept(struct truth_context *context, struct error *err)
{
	return stage_accept(context, AF_INET, err);
}

static int stage_tcp_connect(struct truth_context *context, struct error *err)
{
	struct sockets sockets;
	int r = open_listener(&sockets, AF_INET, 0, err);

	if (r < 0)
		return r;
	knock(&sockets);                /* one is let into a queue of none */
	return stage_threads(context, CONNECTORS, connect_once, lengthen_queue, &sockets, err);
}

static int stage_tcp_receive(struct truth_context *context, struct error *err)
{
	return stage_connection(context, AF_INET, ask, answer_all, err);
}

static int stage_tcp_send(struct truth_context *context, struct error *err)
{
	return stage_connection(context, AF_INET, send_chunks, drain_all, err);
}

static int stage_tcp_serve(struct truth_context *context, struct error *err)
{
	return stage_connection(context, AF_INET, serve, request_all, err);
}

static int stage_unix_accept(struct truth_context *context, struct error *err)
{
	return stage_accept(context, AF_UNIX, err);
}

static int stage_unix_connect(struct truth_context *context, struct error *err)
{
	struct sockets sockets;
	int r = open_listener(&sockets, AF_UNIX, 0, err);

	return r < 0 ? r : stage_threads(context, 1, connect_again, let_in_all, &sockets, err);
}

static int stage_unix_receive(struct truth_context *context, struct error *err)
{
	return stage_connection(context, AF_UNIX, ask, answer_all, err);
}

static int stage_unix_send(struct truth_context *context, struct error *err)
{
	return stage_connection(context, AF_UNIX, send_chunks, drain_all, err);
}

static int stage_unix_serve(struct truth_context *context, struct error *err)
{
	return stage_connection(context, AF_UNIX, serve, request_all, err);
}

/*
 * Without a network namespace's loopback up, nothing can be bound to its address, or nothing comes
 * back.
 */
static int possible_tcp(const struct truth_context *context, struct error *err)
{
	struct sockets sockets;
	int r = open_connection(&sockets, AF_INET, err);

	(void)context;
	if (r < 0)
		err->kind = FAILURE_CANNOT;
	else
		close_connection(&sockets);
	return r;
}

#define SERVER_WHY "on an accepted connection the next request is work: idle, marked ambiguous"

const struct truth truth_tcp_accept = {
	.name = "tcp-accept",
	.summary = "accept on a TCP socket",
	.state = "idle", .part = "accept", .thread = "t-tcp-accept", .default_ms = 600,
	.possible = possible_tcp, .stage = stage_tcp_accept,
};

const struct truth truth_tcp_connect = {
	.name = "tcp-connect",
	.summary = "connect to a TCP listener whose queue is full",
	.state = "network", .part = "connect", .thread = "t-tcp-connect", .default_ms = 1100,
	.possible = possible_tcp, .stage = stage_tcp_connect,
};

const struct truth truth_tcp_receive = {
	.name = "tcp-receive",
	.summary = "a TCP client that waits for its answer",
	.state = "network", .part = "receive", .thread = "t-tcp-receive", .default_ms = 600,
	.possible = possible_tcp, .stage = stage_tcp_receive,
};

const struct truth truth_tcp_send = {
	.name = "tcp-send",
	.summary = "send on a TCP socket whose buffer is full",
	.state = "network", .part = "send", .thread = "t-tcp-send", .default_ms = 800,
	.possible = possible_tcp, .stage = stage_tcp_send,
};

const struct truth truth_tcp_serve = {
	.name = "tcp-serve",
	.summary = "a TCP server that waits for the next request",
	.why = SERVER_WHY,
	.state = "idle", .part = "receive", .thread = "t-tcp-serve", .default_ms = 600,
	.possible = possible_tcp, .stage = stage_tcp_serve,
};

const struct truth truth_unix_accept = {
	.name = "unix-accept",
	.summary = "accept on a unix socket",
	.state = "idle", .part = "accept", .thread = "t-unix-accept", .default_ms = 600,
	.stage = stage_unix_accept,
};

const struct truth truth_unix_connect = {
	.name = "unix-connect",
	.summary = "connect to a unix listener whose queue is full",
	.state = "ipc", .part = "unix-socket", .thread = "t-unix-connect", .default_ms = 600,
	.stage = stage_unix_connect,
};

const struct truth truth_unix_receive = {
	.name = "unix-receive",
	.summary = "a client on a unix socket that waits for its answer",
	.state = "ipc", .part = "unix-socket", .thread = "t-unix-receive", .default_ms = 600,
	.stage = stage_unix_receive,
};

const struct truth truth_unix_send = {
	.name = "unix-send",
	.summary = "send on a unix socket whose buffer is full",
	.state = "ipc", .part = "unix-socket", .thread = "t-unix-send", .default_ms = 600,
	.stage = stage_unix_send,
};

const struct truth truth_unix_serve = {
	.name = "unix-serve",
	.summary = "a server on a unix socket that waits for the next request",
	.why = SERVER_WHY,
	.state = "idle", .part = "receive", .thread = "t-unix-serve", .default_ms = 600,
	.stage = stage_unix_serve,
};
