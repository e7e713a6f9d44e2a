/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Lines of `perf script`, taken apart where they lie: nothing is copied. Private to perf_script.c
 * and its tests.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event {
	const char *comm, *name, *rest;          /* name NULL: the line names no event */
	size_t comm_size, name_size, rest_size;  /* rest: what stands behind the event on its line */
	uint32_t pid, tid;                       /* pid 0: only one number was printed */
	uint64_t time_ns, period;                /* 0: not printed */
};

struct perf_frame {
	uint64_t address;
	const char *function, *module;
	size_t function_size, module_size;
	bool kernel;
};

/* Lines without their blanks at both ends. Indented: it began with blanks, as frames do; then more is asked of it. */
bool perf_event_parse(const char *line, size_t size, bool indented, struct perf_event *ret);
bool perf_frame_parse(const char *line, size_t size, struct perf_frame *ret);
bool perf_is_source_line(const char *line, size_t size);         /* "main.c:17", "libc.so[1635a]" */
bool perf_is_process_name(const char *line, size_t size);        /* "7fff5a (java)": a frame without a symbol field */
