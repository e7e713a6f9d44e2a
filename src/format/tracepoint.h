/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * How the fields of tracepoints lie in their records, as the kernel that wrote them described it: the "format" texts which
 * perf.data and trace.dat keep, since they differ from kernel to kernel.
 *
 *	name: sched_waking
 *	ID: 318
 *	format:
 *		field:pid_t pid;	offset:24;	size:4;	signed:1;
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracepoint_field {
	char name[32];
	uint32_t offset, size;
	bool is_signed;
};

enum { TRACEPOINT_FIELD_LIMIT = 32, TRACEPOINT_LIMIT = 16384 };

struct tracepoint {
	uint64_t id;
	char system[32], name[64];
	struct tracepoint_field fields[TRACEPOINT_FIELD_LIMIT];
	size_t field_count;
};

struct tracepoints;

/* What of it can be read, which may be nothing. */
struct tracepoints *tracepoints_read(const void *tracing_data, size_t size);
void tracepoints_free(struct tracepoints *tracepoints);      /* NULL is fine */
struct tracepoint *tracepoints_find(struct tracepoints *tracepoints, uint64_t id);
size_t tracepoints_count(const struct tracepoints *tracepoints);

/* One description; false where it has no id. */
bool tracepoint_parse(const char *text, size_t size, struct tracepoint *ret);
const struct tracepoint_field *tracepoint_field(const struct tracepoint *tracepoint, const char *name);      /* NULL: none */
/* The number in a field of a record; 0 where the record does not reach that far. swapped: of the other byte order. */
int64_t tracepoint_number(const struct tracepoint_field *field, const uint8_t *record, size_t size, bool swapped);
/* The text in an array of characters; "" where there is none. Returns its size. */
size_t tracepoint_text(const struct tracepoint_field *field, const uint8_t *record, size_t size, const char **ret);
