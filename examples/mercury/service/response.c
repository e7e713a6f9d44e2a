/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renders answers. Old and new write the same bytes:
 *
 *   ETag: "0badcafe"                     the checksum of the body
 *
 *   {"id":7,"version":3,"fields":[
 *   {"name":"warehouse.inventory.current.dublin.on_hand","label":"Lager","value":1,
 *    "share":0.000002},
 *   ...]}
 *
 * The old renderer formats with sprintf, once to learn the length and once to send, and sums bit
 * by bit; the new one writes digits itself, once, and sums from tables. The longest body is below
 * its limit: a field takes at most 160 bytes beside its label, and the labels, doubled by escapes,
 * at most twice a record in all.
 */
#include "response.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "../common/checksum.h"
#include "arm.h"
#include "document.h"
#include "request.h"

static char *put_text(char *to, const char *text, size_t length)
{
	memcpy(to, text, length);
	return to + length;
}

#define PUT(to, literal) put_text((to), (literal), sizeof(literal) - 1)

static char *put_escaped(char *to, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"' || text[i] == '\\')
			*to++ = '\\';
		*to++ = text[i];
	}
	return to;
}

static char *put_number(char *to, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	return put_text(to, digits + at, sizeof(digits) - at);
}

/* value / total in six decimals; value is below total. */
static char *put_share(char *to, uint64_t value, uint64_t total)
{
	uint64_t millionths = (value * 1000000 + total / 2) / total;

	to = PUT(to, "0.");
	for (uint64_t unit = 100000; unit; unit /= 10)
		*to++ = (char)('0' + millionths / unit % 10);
	return to;
}

static char *put_field_new(char *to, const char *name, const struct document_field *field,
			   uint64_t total)
{
	to = PUT(to, "{\"name\":\"");
	to = put_text(to, name, strlen(name));
	to = PUT(to, "\",\"label\":\"");
	to = put_escaped(to, field->label, field->label_length);
	to = PUT(to, "\",\"value\":");
	to = put_number(to, field->value);
	to = PUT(to, ",\"share\":");
	to = put_share(to, field->value, total);
	return PUT(to, "}");
}

static char *put_field_old(char *to, const char *name, const struct document_field *field,
			   uint64_t total)
{
	to += sprintf(to, "{\"name\":\"%s\"", name);
	to += sprintf(to, ",\"label\":\"");
	to = put_escaped(to, field->label, field->label_length);
	to += sprintf(to, "\",\"value\":%u", field->value);
	return to + sprintf(to, ",\"share\":%.6f}", (double)field->value / (double)total);
}

static uint32_t checksum_bitwise(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint32_t crc = ~0u;

	for (; size; size--, at++) {
		crc ^= *at;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
	}
	return ~crc;
}

static uint32_t checksum_chosen(const void *bytes, size_t size)
{
	return ARM_NEW_RENDERER ? checksum(bytes, size) : checksum_bitwise(bytes, size);
}

static const char *reason_of(int status)
{
	switch (status) {
	case 200: return "OK";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 413: return "Content Too Large";
	case 431: return "Request Header Fields Too Large";
	case 500: return "Internal Server Error";
	case 503: return "Service Unavailable";
	default: return "Bad Request";
	}
}

static void head_write(struct response *response, int status, const char *type)
{
	response->status = status;
	response->head_length = (size_t)snprintf(response->head, sizeof(response->head),
		"HTTP/1.1 %d %s\r\nServer: mercury\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
		"ETag: \"%08x\"\r\nConnection: %s\r\n\r\n", status, reason_of(status), type,
		response->body_length, checksum_chosen(response->body, response->body_length),
		response->keep_alive ? "keep-alive" : "close");
}

void response_status(struct response *response, int status, bool keep_alive)
{
	response->keep_alive = keep_alive;
	response->body_length = (size_t)sprintf(response->body, "%s\n",
						status == 200 ? "ok" : "refused");
	head_write(response, status, "text/plain");
}

/* Writes the whole body; its length. */
static size_t body_write(char *body, const struct request *request,
			 const struct document *document)
{
	int first = request->warehouse < 0 ? 0 : request->warehouse * WAREHOUSE_FIELDS;
	int count = request->warehouse < 0 ? FIELD_COUNT : WAREHOUSE_FIELDS;
	char *to = body;

	to += sprintf(to, "{\"id\":%u,\"version\":%u,\"fields\":[", document->id,
		      document->version);
	for (int i = first; i < first + count; i++) {
		const struct document_field *field = &document->fields[i];

		if (!field->present)
			continue;
		if (ARM_NEW_RENDERER)
			to = put_field_new(to, field_names[i], field, document->total);
		else
			to = put_field_old(to, field_names[i], field, document->total);
		*to++ = ',';
	}
	to -= to[-1] == ',';
	to = PUT(to, "]}\n");
	return (size_t)(to - body);
}

void response_item(struct response *response, const struct request *request,
		   const struct document *document)
{
	response->keep_alive = request->keep_alive;
	response->body_length = body_write(response->body, request, document);
	head_write(response, 200, "application/json");
	if (!ARM_NEW_RENDERER)               /* the first time, for the length in the head */
		body_write(response->body, request, document);
}

/* A slow reader took a part: go on from there. */
static void message_advance(struct msghdr *message, size_t gone)
{
	while (gone) {
		struct iovec *part = message->msg_iov;
		size_t step = gone < part->iov_len ? gone : part->iov_len;

		part->iov_base = (char *)part->iov_base + step;
		part->iov_len -= step;
		gone -= step;
		if (!part->iov_len && message->msg_iovlen > 1)
			message->msg_iov++, message->msg_iovlen--;
	}
}

int response_send(struct response *response, int fd)
{
	struct iovec parts[2] = {
		{ response->head, response->head_length },
		{ response->body, response->body_length },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	size_t left = response->head_length + response->body_length;

	while (left) {
		ssize_t n = sendmsg(fd, &message, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		left -= (size_t)n;
		message_advance(&message, (size_t)n);
	}
	return 0;
}
