/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1 responses by status, process and local port. Correct is a status below 400, unless --correct says otherwise; a server
 * that answers "too many requests" or "unavailable" has rejected the request where it is followed.
 */
#include "work/work.h"

#include "base/error.h"
#include "base/quantity.h"
#include "work/http_class.h"
#include "work/responses.h"

#include <errno.h>
#include <stdio.h>

static int http_check(const char *argument, struct error *err)
{
	uint64_t port;

	if (!argument)
		return 0;
	if (quantity_parse_count(argument, &port, err) < 0 || !port || port > 65535) {
		fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no port", argument);
		return error_try(err, "--work http:8080");
	}
	return 0;
}

static void http_name(unsigned status, char *text, size_t size)
{
	(void)snprintf(text, size, "%u", status);
}

static enum outcome http_judge(const struct work_state *state, unsigned status)
{
	char class[16];

	http_name(status, class, sizeof(class));
	return (state->correct ? work_class_listed(state->correct, class) : status < 400) ? OUTCOME_CORRECT : OUTCOME_INCORRECT;
}

static enum outcome http_judge_request(const struct work_state *state, unsigned status)
{
	enum outcome outcome = http_judge(state, status);

	return outcome == OUTCOME_INCORRECT && (status == 429 || status == 503) ? OUTCOME_REJECTED : outcome;
}

static int http_open(const struct work_options *options, struct work_state **ret, struct error *err)
{
	(void)err;
	*ret = responses_new(options, http_name, http_judge);
	return 0;
}

extern const struct work work_http;
const struct work work_http = {
	.name = "http", .summary = "HTTP/1 responses by status, counted in the kernel as they are sent",
	.unit = "response", .synopsis = "http[:PORT]",
	.exposes = "the first 12 bytes of what is sent on TCP sockets; only the status number is kept",
	.programs = { { "http_sent", "sock_send_length", 201 } },
	.request_programs = { { "http_received", "sock_recv_length", 230 }, { "http_arrived", "sk_data_ready", 220 },
			      { "http_ended", "inet_sock_set_state", 100 } },
	.class_of = http_class_of, .judge = http_judge_request,
	.check = http_check, .open = http_open, .collect = responses_collect, .close = responses_close,
};
