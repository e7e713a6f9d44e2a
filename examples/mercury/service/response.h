/* SPDX-License-Identifier: Apache-2.0 */
/* Makes an answer: an item as JSON, or a status with a line of text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct document;
struct request;

enum { RESPONSE_HEAD_MAX = 512, RESPONSE_BODY_MAX = 65536 };

struct response {
	int status;
	bool keep_alive;
	size_t head_length, body_length;
	char head[RESPONSE_HEAD_MAX];
	char body[RESPONSE_BODY_MAX];
};

void response_item(struct response *response, const struct request *request,
		   const struct document *document);
void response_status(struct response *response, int status, bool keep_alive);

/* Head and body leave in one system call. Negative errno on failure. */
int  response_send(struct response *response, int fd);
