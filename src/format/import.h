/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What readers of foreign formats share, so that each says only what its file means. An import turns
 * names into frames, processes and threads by their numbers, event names into dimensions with a unit
 * and a weighting; it counts what could not be read, and keeps what the format cannot say.
 *
 *	CLEANUP(import) struct import *import = import_new(into, input, &pprof_format);
 *	struct import_measure cycles = import_measure(import, &(struct import_event){ .name = "cycles", … });
 *	struct stack_id stack = import_stack(import, stack, import_frame(import, &(struct import_name){ … }));
 *	import_sample(import, &(struct import_sample){ .measure = cycles, .stack = stack, .count = 1, .value = 1 });
 *	…
 *	return import_finish(import, err);
 *
 * The same weight is kept twice: per thread with the role TOTAL, and per stack with the role SPLIT.
 * Count and value stay apart: 3980 samples of a period of a million cycles are 3980 events, and 3980
 * million cycles; where no period is known the unit is "samples", never guessed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/profile.h"

struct error;
struct format;
struct import;
struct input;

struct import *import_new(struct profile *into, struct input *input, const struct format *format);
void import_free(struct import *import);             /* NULL is fine */
DEFINE_CLEANUP(import)
struct profile *import_profile(struct import *import);

/* --- Names ------------------------------------------------------------------------------------------------------- */
/* Texts may be NULL. A size of 0 asks strlen. */
struct import_name {
	const char *function;
	size_t function_size;
	const char *module;                          /* the mapped file: "/usr/lib/libc.so.6", "[kernel]" */
	size_t module_size;
	const char *build_id;                        /* lower-case hex */
	const char *path;                            /* of the source */
	uint64_t address;                            /* in the module's file where that is known, else in memory */
	uint32_t line, column;
	bool kernel;                                 /* the frame is the kernel's */
	/* Where these are set, the texts are not looked at: a file that names one long text a million times costs a million
	 * numbers. From import_text() and import_file(). */
	struct string_id function_id, path_id;
	struct file_id file_id;
};
enum { IMPORT_NAME_LIMIT = 1 << 20 };                /* as a line: a longer one is cut and it is said */
/* Says so of a name that fills what readers keep of one. Returns it. */
const char *import_name_whole(struct import *import, const char *name);
/* A size of 0 asks strlen. None for what tools write where they know no name. */
struct string_id import_text(struct import *import, const char *text, size_t size);
struct file_id import_file(struct import *import, const char *module, const char *build_id);
struct frame_id import_frame(struct import *import, const struct import_name *name);
/* Calls that were inlined at a frame, innermost first; names[0] is the frame's own function. For one frame, once. */
void import_inlined(struct import *import, struct frame_id frame, const struct import_name *names, size_t count);
/* One frame further from the root; the leaf is the last. Nobody knows of a foreign file whether its stacks reach their roots. */
struct stack_id import_stack(struct import *import, struct stack_id parent, struct frame_id frame);
struct stack_id import_stack_leaf_first(struct import *import, const struct frame_id *frames, size_t count);

/* The same numbers and name give the same thread: 0 where unknown, comm may be NULL. */
struct thread_id import_thread(struct import *import, uint32_t pid, uint32_t tid, const char *comm);
/* What a process is called where no thread of it says so. */
struct process_id import_process(struct import *import, uint32_t pid, const char *comm);

/* --- Weights ----------------------------------------------------------------------------------------------------- */
struct import_event {
	const char *name;                            /* "cycles", "alloc_space": the dimension's name; '/' is kept apart */
	const char *unit;                            /* as the file says it: "microseconds", "bytes"; NULL: "samples" */
	enum dimension_kind kind;                    /* 0: what the name and the unit usually are, else an amount */
	enum weighting weighting;                    /* 0: sampled */
	uint64_t period;                             /* what one sample stands for, in the file's unit; 0 unknown */
	const char *source;                          /* NULL: the name */
	const char *meaning;                         /* NULL: "as the file counts it" */
};
/* multiply: values of the file's unit times this are values of the dimension's ("microseconds" → ns, 1000). */
struct import_measure { struct measure_id total, split; struct dimension_id dimension; uint64_t multiply, divide; };
/* The same event gives the same measure; at most 256 differ, beyond that one is counted as skipped. */
struct import_measure import_measure(struct import *import, const struct import_event *event);
/* The unit to show for what a file calls it, and the factor (multiply or divide; one of them is 1). */
const char *import_unit(const char *unit, uint64_t *ret_multiply, uint64_t *ret_divide);

/* Where the file does not say what its numbers are, but the user does (--counts): changes the event's unit to that, and
 * keeps with the profile that it was told. `name` is what the file calls these numbers, NULL where it has no word for them;
 * where they are the only ones (`alone`), the event is called as the user calls it. */
bool import_told(struct import *import, const char *name, bool alone, struct import_event *event);
/* Refuses what was told by a name that is none of those that the file has. */
int import_told_fits(struct import *import, const char *const *names, size_t count, struct error *err);
/* How many events a number stands for: itself where events are counted, one where something is summed. */
uint64_t import_told_count(const struct import_event *event, uint64_t value);
/* Is "off-cpu:us", "us" or "usecs:us,sizes:bytes" such a thing, with units that are known? */
bool import_counts_valid(const char *counts);

struct import_sample {
	struct import_measure measure;
	struct thread_id thread;
	struct stack_id stack;                       /* none: counted in the total only */
	uint64_t count;                              /* events, or samples, that this stands for */
	uint64_t value;                              /* in the file's unit */
	uint64_t time_ns;                            /* 0 unknown */
	struct object_id object;
	bool more;                                   /* says more of a record that was counted already */
	bool stackless;                              /* kept among the stacks although it has none: its walk found nothing */
};
void import_sample(struct import *import, const struct import_sample *sample);
/* An interval and its time as an exact total of its dimension, in the slice in which it ends. */
void import_interval(struct import *import, struct interval interval, const char *source);
/* When the recording began, before anything of it: its seconds are counted from there, and not from the clock's. The first
 * time that is told counts. */
void import_began(struct import *import, uint64_t time_ns);
/* The slice (of one second) that a time falls into; times may come in any order. */
struct slice_id import_slice(struct import *import, uint64_t time_ns);
/* The same where the time says nothing of when the recording began and ended: that of a sum. */
struct slice_id import_slice_of(struct import *import, uint64_t time_ns);

/* --- What is missing --------------------------------------------------------------------------------------------- */
/* What could not be read and is left out: "a line is no stack", "line", input_line_number(). Kept by text, counted, with
 * its first place; it is a loss of the profile, too. `what` and `unit` are borrowed: literals. */
void import_skipped(struct import *import, const char *what, const char *unit, uint64_t place);
/* Something the reader wants said that loses no sample: "histograms are not read". */
void import_warn(struct import *import, const char *what, const char *unit, uint64_t place);
/* What the file itself says was lost while it was recorded. */
void import_lost(struct import *import, const char *source, uint64_t seen, uint64_t lost);

enum import_lack {
	IMPORT_LACKS_STACKS = 1, IMPORT_LACKS_LINES = 2, IMPORT_LACKS_TIME = 4, IMPORT_LACKS_THREADS = 8,
	IMPORT_LACKS_ADDRESSES = 16,
};
/* What the format can say and this file does not is found out by itself: nothing needs to be told. This is for what a
 * reader knows better. */
void import_lacks(struct import *import, unsigned lacks);
/* "safepoint", "signal", "allocation": where alone this profile could look. May be told again. */
void import_bias(struct import *import, const char *bias);
/* What made the file: "perf script", "async-profiler 3.0". */
void import_source(struct import *import, const char *source);

/* Ends: stores what was counted. An error where nothing was read: no file is silently nothing. */
int import_finish(struct import *import, struct error *err);
/* "nothing that could be read", with the first of what was skipped; FAILURE_WORK. For readers that see it earlier. */
int import_nothing(struct import *import, struct error *err);
/* One clear refusal: why, and where. Returns a negative errno. */
int import_refuse(struct import *import, struct error *err, const char *unit, uint64_t place, const char *why, ...)
	__attribute__((format(printf, 5, 6)));
