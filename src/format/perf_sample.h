/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * One sample of a perf.data file, taken apart: its fields follow each other in the order of perf_event_open(2), each there
 * if the event's sample_type has its bit. Whatever points into the record is valid as long as the record.
 */
#include "format/perf_attribute.h"

enum { PERF_MODE_MASK = 7, PERF_MODE_UNKNOWN = 0, PERF_MODE_KERNEL, PERF_MODE_USER, PERF_MODE_HYPERVISOR, PERF_MODE_GUEST_KERNEL,
       PERF_MODE_GUEST_USER };

struct perf_sample {
	uint16_t misc;
	bool has_time, has_period;
	uint32_t pid, tid, cpu;
	uint64_t ip, time_ns, address, id, stream, period;
	const uint8_t *reads;            /* read_format values; NULL where there are none */
	uint64_t read_count;
	const uint8_t *chain;            /* words, leaf first, in the file's byte order */
	uint64_t chain_count;
	const uint8_t *raw;              /* a tracepoint's own fields */
	uint32_t raw_size;
	uint64_t branch_count;
	const uint8_t *user_registers;   /* words, one per bit of the attribute's mask; NULL where there are none */
	uint64_t user_abi;               /* 1: 32 bit, 2: 64 bit */
	const uint8_t *user_stack;       /* copied from the stack pointer upwards */
	uint64_t user_stack_size, user_stack_asked;      /* of what was there to copy; as much would have been copied */
	uint64_t weight, data_source, transaction, physical, cgroup, data_page, code_page;
};

/* 0, or -EBADMSG where a field does not fit its record. */
int perf_sample_read(const struct perf_attribute *attribute, uint16_t misc, struct perf_bytes body, struct perf_sample *ret);
/* What stands behind the fields of all other records, where the file has that: whose, and when. */
void perf_sample_id_read(const struct perf_attribute *attribute, struct perf_bytes body, struct perf_sample *ret);
/* One value of a group's read; false behind the last. */
struct perf_read { uint64_t value, id; };
bool perf_sample_group_value(const struct perf_attribute *attribute, const struct perf_sample *sample, bool swapped,
			     uint64_t index, struct perf_read *ret);
