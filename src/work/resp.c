/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replies of Redis' protocol (https://redis.io/docs/latest/develop/reference/protocol-spec/), as its servers and those that
 * speak like them send. What is sent in one piece counts once: a client that sends one command at a time gets one reply a piece;
 * of a pipeline the pieces are counted. A request's class is its command, as far as that is a word.
 */
#include "work/work.h"

#include "base/error.h"
#include "base/quantity.h"
#include "work/responses.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { STATUS_ERROR = 400, COMMAND_LIMIT = 24 };

static int resp_check(const char *argument, struct error *err)
{
	uint64_t port;

	if (!argument)
		return 0;
	if (quantity_parse_count(argument, &port, err) < 0 || !port || port > 65535) {
		fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no port", argument);
		return error_try(err, "--work resp:6379");
	}
	return 0;
}

static void resp_name(unsigned status, char *text, size_t size)
{
	(void)snprintf(text, size, "%s", status < STATUS_ERROR ? "ok" : "error");
}

static enum outcome resp_judge(const struct work_state *state, unsigned status)
{
	char class[8];

	resp_name(status, class, sizeof(class));
	return (state->correct ? work_class_listed(state->correct, class) : status < STATUS_ERROR) ? OUTCOME_CORRECT : OUTCOME_INCORRECT;
}

/* "*3\r\n$3\r\nSET\r\n…", or inline: "PING\r\n". */
static void resp_class_of(const char *prefix, size_t size, struct work_class *ret)
{
	size_t at = 0, length = 0;

	*ret = (struct work_class){ .name = "" };
	for (int line = 0; size && *prefix == '*' && line < 2; line++) {
		const char *end = memchr(prefix + at, '\n', size - at);

		if (!end)
			return;
		at = (size_t)(end - prefix) + 1;
	}
	for (; at < size && length < COMMAND_LIMIT && isalpha((unsigned char)prefix[at]); at++)
		ret->name[length++] = (char)toupper((unsigned char)prefix[at]);
}

static int resp_open(const struct work_options *options, struct work_state **ret, struct error *err)
{
	(void)err;
	*ret = responses_new(options, resp_name, resp_judge);
	return 0;
}

extern const struct work work_resp;
const struct work work_resp = {
	.name = "resp", .summary = "replies of Redis' protocol as they are sent, errors apart",
	.unit = "reply", .synopsis = "resp[:PORT]",
	.exposes = "the first byte of what is sent on TCP sockets, and the command of requests that are decomposed",
	.programs = { { "http_sent", "sock_send_length", 201 } },
	.request_programs = { { "http_received", "sock_recv_length", 230 }, { "http_arrived", "sk_data_ready", 220 },
			      { "http_ended", "inet_sock_set_state", 100 } },
	.class_of = resp_class_of, .judge = resp_judge,
	.check = resp_check, .open = resp_open, .collect = responses_collect, .close = responses_close,
};
