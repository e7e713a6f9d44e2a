/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Runtimes whose stacks the machine's own rules do not tell: code that a virtual machine generates, and functions that an
 * evaluator runs. A row knows one runtime by the symbols it exports, and reads its structures from the memory of the
 * living process. It never stops, attaches to, or writes to anybody.
 *
 * The process changes while it is read: every pointer may be stale and every loop has a limit. What does not hold together
 * is left out; a wrong name would be worse than none.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "unwind/step.h"

enum { INTERPRETER_WHY = 128, INTERPRETER_TEXT = 256, INTERPRETER_FILE = 512, INTERPRETER_FRAME_LIMIT = 1024 };

struct crosscut_bpf;
struct interpreter_state;                            /* a row's own knowledge of one process */

struct interpreter_process {
	pid_t pid;
	const struct unwind_memory *memory;          /* borrowed, as long as the state lives */
	const char *maps;                            /* /proc/PID/maps, ended by a zero byte; borrowed during the call */
};

struct interpreter_frame {
	char function[INTERPRETER_TEXT];             /* as the runtime qualifies it: "Cart.total" */
	char name[INTERPRETER_TEXT];                 /* without what qualifies it: "total" */
	char file[INTERPRETER_FILE];
	uint32_t line;                               /* 0 unknown */
};

/* Code of [start, end), and its rows, whose pc counts from start. */
typedef void interpreter_code_function(void *context, uint64_t start, uint64_t end, const struct unwind_row *rows, size_t count);
/* One frame of a thread, innermost first; entry: the evaluator was entered anew for it, so a native caller lies between it
 * and the next. code and instruction are what name_of() takes. */
struct interpreter_walked { uint64_t code, instruction; bool entry; };
typedef void interpreter_thread_function(void *context, pid_t tid, const struct interpreter_walked *frames, size_t count);

struct interpreter {
	const char *name;                            /* "hotspot" */
	const char *summary;                         /* below 72 columns, for `list` */
	/* 0 and a state; -ENOENT where the process runs none; -ENOTSUP where it does, but its stacks cannot be read: why says
	 * the reason. */
	int (*recognise)(const struct interpreter_process *process, struct interpreter_state **ret, char why[INTERPRETER_WHY]);
	void (*describe)(const struct interpreter_state *state, char text[INTERPRETER_WHY]);     /* "CPython 3.11.2" */
	void (*forget)(struct interpreter_state *state);
	/* Generated code as it is now: a call per range, or a negative errno. NULL: it generates none. */
	int (*code)(struct interpreter_state *state, interpreter_code_function *call, void *context);
	/* Every thread that runs or waits inside the evaluator: their count, or a negative errno. NULL: no evaluator. */
	int (*threads)(struct interpreter_state *state, interpreter_thread_function *call, void *context);
	/* Where the evaluator's own code lies: its native frames give way to those it runs. */
	bool (*evaluator)(const struct interpreter_state *state, uint64_t *ret_start, uint64_t *ret_end);
	/* Tells the kernel half of the process and its threads as they are now, so that it walks them itself; retract: takes
	 * all of it back. NULL where the kernel half has nothing of this row. */
	void (*publish)(struct interpreter_state *state, pid_t pid, struct crosscut_bpf *bpf);
	void (*retract)(struct interpreter_state *state, pid_t pid, struct crosscut_bpf *bpf);
	/* 0, or a negative errno where this code is gone. */
	int (*name_of)(struct interpreter_state *state, uint64_t code, uint64_t instruction, struct interpreter_frame *ret);
};

extern const struct interpreter *const interpreters[];               /* NULL-terminated, sorted by name */

/* The memory of a living process, by process_vm_readv: init and no done. */
void interpreter_memory_of(pid_t pid, struct unwind_memory *ret);
/* The first row that knows the process: 0 and its state; -ENOENT, or -ENOTSUP where one does in vain. */
int interpreter_recognise(const struct interpreter_process *process, const struct interpreter **ret_row,
			  struct interpreter_state **ret_state, char why[INTERPRETER_WHY]);
