/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The profile: what happened, to whom, for how long and on which stack. Probes and importers fill it through the adding
 * functions; profile_freeze() ends that, and from there on everyone holds a const profile. It owns all it holds.
 *
 * It is a set of append-only tables. Dictionaries (strings, threads, stacks …) only grow while a capture runs, save that rows
 * of who ended may go (profile_forget_ended); facts (cells, intervals, links, requests, completions, losses, costs) belong to a
 * slice and are dropped after each by profile_clear_facts(). Row 0 of every dictionary is "none".
 *
 * What always holds: an id in a row is below its table's count; a stack's parent is below the stack itself; a cell with
 * an evidence gets its dimension from the evidence's class (profile_cell_dimension); per thread, the cells whose measure
 * has the role TOTAL and whose dimension's kind is running, ready, waiting or idle add up to the thread's lifetime
 * in the window (the ledger).
 *
 * Time is in ns on the capture's clock (CLOCK_MONOTONIC of the captured host); 0 is unknown.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/dimension.h"
#include "profile/evidence.h"
#include "profile/id.h"

struct profile;

/* Largest tables; an add beyond returns id 0 and counts a loss "profile-limit". */
enum {
	PROFILE_STACK_LIMIT = 16 << 20, PROFILE_FRAME_LIMIT = 8 << 20, PROFILE_EVIDENCE_LIMIT = 64 << 10,
	PROFILE_DIMENSION_LIMIT = 256, PROFILE_THREAD_LIMIT = 4 << 20, PROFILE_CELL_LIMIT = 64 << 20,
};

struct dimension {
	struct string_id name, unit, meaning;
	struct dimension_id parent;                  /* none for a state or an amount */
	enum dimension_kind kind;
};

enum measure_role {
	ROLE_TOTAL = 1,       /* the ledger: the only role that sums */
	ROLE_SPLIT,           /* the same nanoseconds again, split by stack */
	ROLE_DETAIL,          /* the same again, otherwise: histograms, intervals, requests */
};
enum weighting { WEIGHTING_EXACT = 1, WEIGHTING_SAMPLED, WEIGHTING_ESTIMATED };

struct measure {
	struct dimension_id dimension;               /* none: the evidence's class says it (waits) */
	enum measure_role role;
	enum weighting weighting;
	struct string_id source;                     /* "sched", "cpu-clock", an importer's event name */
	uint64_t period;                             /* what one sample stands for, in the dimension's unit; 0 where exact */
};

struct slice { uint64_t start_ns, end_ns; };

struct process {
	uint32_t pid, generation;                    /* a new generation with each exec */
	uint32_t namespace_pid;                      /* as the container sees it; 0 unknown */
	uint32_t parent_pid;
	struct string_id comm, cgroup, executable, runtime, pid_namespace;
	struct string_id arguments;                  /* none unless asked for */
};

struct thread {
	struct process_id process;
	uint32_t tid, namespace_tid;
	uint64_t start_ns, end_ns;                   /* inside the window: later of birth and start, earlier of death and end */
	struct string_id comm;
	bool outside;                                /* not of the population: named only because it woke someone */
	bool born, died;                             /* inside the window */
	uint64_t kernel_runtime_ns;                  /* se.sum_exec_runtime gained in the window, to check oncpu against; 0 unknown */
};

struct file {
	struct string_id path;                       /* "[kernel]", "[vdso]", "[anon:PID]" are files without a path */
	struct string_id build_id;                   /* lower-case hex; none unknown */
};

struct mapping {
	struct process_id process;
	struct file_id file;
	uint64_t start, end, offset;                 /* offset: of start in the file */
	uint64_t since_ns;
};

/* How a frame was found. Append-only, as are the statuses below: both are stored. */
enum frame_method {
	METHOD_NONE, METHOD_LEAF, METHOD_FRAME_POINTER, METHOD_CFI, METHOD_KERNEL, METHOD_INTERPRETER, METHOD_IMPORTED,
	METHOD_GENERATED,                            /* rows that a runtime told of its generated code */
	METHOD_GUESS,                                /* the word at the stack pointer, which follows a call */
	METHOD_SIGNAL,                               /* interrupted by a signal here, or where its handler goes back to: an
						      * exact address, as the leaf's is */
	METHOD_COUNT,
};
const char *frame_method_name(enum frame_method method);     /* "cfi" … */
/* Where execution was, or an address that lies inside the call already, as imported ones do; any other method finds where
 * a call returns to, which lies behind the call. */
static inline bool frame_is_exact(enum frame_method method)
{
	return method == METHOD_LEAF || method == METHOD_SIGNAL || method == METHOD_IMPORTED;
}

struct frame {                                       /* no padding: there can be millions */
	struct file_id file;
	struct string_id name;                       /* where there is no address (imports), or a name that dies with the kernel */
	uint64_t offset;                             /* in the file; for "[kernel]" and "[anon:PID]" the address */
	uint32_t line, column;                       /* 0 unknown */
	struct string_id path;                       /* of the source, where an import tells it; captures have it in symbols */
	enum frame_method method;
};

enum stack_status {
	STACK_UNVERIFIED = 1,                        /* walked by frame pointers, or of a foreign file: nobody checked it */
	STACK_COMPLETE, STACK_TRUNCATED, STACK_FAILED,
	/* Why the walk failed, where that is known. */
	STACK_NO_MAPPING, STACK_NO_TABLE, STACK_NO_ROW, STACK_UNSUPPORTED_ROW, STACK_FAULT, STACK_STUCK, STACK_ZERO_PC,
	STACK_NO_PROCESS, STACK_COMPATIBLE,
	STACK_STATUS_COUNT,
};
const char *stack_status_name(enum stack_status status);     /* "complete", "no-row" … */

struct stack {                                       /* a path from the root; the leaf is the stack's own frame */
	struct stack_id parent;
	struct frame_id frame;
	enum stack_status status;
};

struct object { struct string_id kind, name; uint64_t address; };      /* lock, file, device, connection */

struct evidence {
	struct wait_evidence seen;
	struct dimension_id class;                   /* a state or one of its parts */
	struct string_id rule;                       /* the row of classify/ that decided; none: no rule fitted */
	bool ambiguous;                              /* what it means depends on outstanding work */
};

struct cell {
	struct slice_id slice;
	struct thread_id thread;
	struct measure_id measure;
	struct evidence_id evidence;
	struct stack_id stack;
	struct object_id object;
	struct thread_id other;                      /* the waker or holder; none unknown */
	struct stack_id other_stack;
	uint8_t p_log2;                              /* included with probability 2^-p_log2: weight = value << p_log2 */
	uint8_t length_log2;                         /* each event's length lies in [2^n, 2^(n+1)) ns; 0 where mixed or unknown */
	uint64_t count;                              /* events seen */
	uint64_t value;                              /* in the dimension's unit, not yet divided by the probability */
	uint64_t maximum;                            /* of one event */
	double variance;                             /* of the weight, from sampling; 0 where exact */
};

struct interval { struct thread_id thread; uint64_t start_ns, end_ns; struct evidence_id evidence; struct stack_id stack;
		  struct thread_id waker; struct stack_id waker_stack; struct dimension_id dimension; };
struct link { uint32_t interval; struct string_id kind; uint64_t start_ns, end_ns; struct object_id object;
	      struct thread_id by; struct stack_id stack; };
/* One that was decomposed stands for one_in of them. Its latency is closed - opened; arrived (0 unknown) says since when it
 * was there to be read. Overlap: its thread had others open meanwhile. */
struct request { struct thread_id thread; struct string_id class, outcome, trace_id; bool overlap; uint32_t one_in, status;
		 uint64_t arrived_ns, opened_ns, closed_ns; };
/* The parts of a request sum to its latency. A wait has an evidence, its stack, and who ended it. */
struct part { uint32_t request; struct evidence_id evidence; struct dimension_id dimension; struct stack_id stack;
	      struct thread_id other; uint64_t ns; };

/* Of an attempt. Rejected: turned away before it was tried; retried: another attempt of the same operation followed;
 * abandoned: nobody waited for its answer. Attempts less retried ones are logical operations. Append-only: stored by name. */
enum outcome { OUTCOME_CORRECT = 1, OUTCOME_INCORRECT, OUTCOME_UNJUDGED, OUTCOME_REJECTED, OUTCOME_RETRIED, OUTCOME_ABANDONED,
	       OUTCOME_COUNT };
const char *outcome_name(enum outcome outcome);      /* "correct" … */

struct completion {
	struct slice_id slice;
	struct string_id source;                     /* "http" */
	struct process_id process;                   /* none unknown */
	uint32_t port;
	struct string_id class;                      /* "200" */
	enum outcome outcome;
	uint64_t count;
};

struct loss { struct slice_id slice; struct string_id source; uint64_t seen, lost; };
struct own_cost { struct slice_id slice; struct string_id source; uint64_t ns, events; };
struct guard_step { uint64_t at_ns; struct string_id action, reason; };

/* Names of a frame, innermost inlined call first (depth 0). Rewritable: not part of what happened. */
struct symbol {
	struct frame_id frame;
	uint32_t depth;
	struct string_id name, path, origin;         /* origin: "symtab", "kallsyms" … */
	uint32_t line;
};

struct profile *profile_new(void);
void profile_free(struct profile *profile);          /* NULL is fine */
DEFINE_CLEANUP(profile)

/* --- Producing: before the freeze; strings and symbols also after it, since names can be made again --------------- */
struct string_id profile_string(struct profile *profile, const char *text);             /* NULL and "" give none */
struct string_id profile_string_size(struct profile *profile, const char *text, size_t size);
/* The same name, parent and unit give the same id. */
struct dimension_id profile_dimension(struct profile *profile, const struct dimension_row *row);
struct measure_id profile_measure(struct profile *profile, struct measure measure);     /* equal measures, one id */
struct slice_id profile_slice(struct profile *profile, uint64_t start_ns, uint64_t end_ns);
struct process_id profile_process(struct profile *profile, struct process process);     /* (pid, generation) is the key */
struct thread_id profile_thread(struct profile *profile, struct thread thread);         /* always a new row */
struct file_id profile_file(struct profile *profile, const char *path, const char *build_id);
void profile_mapping(struct profile *profile, struct mapping mapping);
/* Nothing more is mapped by it, nor asked for by address: profile_mapping_of() finds nothing from now on. */
void profile_process_unmapped(struct profile *profile, struct process_id process);
/* A recorder whose rows are in its file does not need those of what ended. From the first call on, rows of which the others say
 * that they ended go, some time later: nothing is told of them any more, and every slice in which something was is stored. Their
 * ids stay valid; a thread reads as an outsider that died then, a process as none, and mappings go with their process. */
void profile_forget_ended(struct profile *profile);
void profile_thread_ended(struct profile *profile, struct thread_id thread);
void profile_process_ended(struct profile *profile, struct process_id process);
/* For whoever stores only the end of what was seen: rows that went leave no gaps, those that are there are numbered from 1 on, and what
 * the profile holds but facts follows. Facts are the caller's to renumber, by the old numbers; 0 of what went. He frees both. */
struct profile_numbers { uint32_t *threads, *processes; };
void profile_close_gaps(struct profile *profile, struct profile_numbers *ret);
struct frame_id profile_frame(struct profile *profile, struct frame frame);
struct stack_id profile_stack(struct profile *profile, struct stack_id parent, struct frame_id frame, enum stack_status status);
struct object_id profile_object(struct profile *profile, struct object object);
struct evidence_id profile_evidence(struct profile *profile, const struct wait_evidence *seen);
void profile_evidence_class(struct profile *profile, struct evidence_id id, struct dimension_id class,
			    struct string_id rule, bool ambiguous);
/* Threads and processes change while they live, and an importer learns its window at the end; the row is the caller's to
 * change until the freeze. */
struct thread *profile_thread_edit(struct profile *profile, struct thread_id id);
struct process *profile_process_edit(struct profile *profile, struct process_id id);
struct slice *profile_slice_edit(struct profile *profile, struct slice_id id);

/* Cells with equal keys (all fields before count) in one slice are added up. */
void profile_add_cell(struct profile *profile, struct cell cell);
void profile_add_interval(struct profile *profile, struct interval interval);
void profile_add_link(struct profile *profile, struct link link);
void profile_add_request(struct profile *profile, struct request request);
void profile_add_part(struct profile *profile, struct part part);
void profile_add_completion(struct profile *profile, struct completion completion);
void profile_add_loss(struct profile *profile, struct loss loss);
void profile_add_own_cost(struct profile *profile, struct own_cost cost);
void profile_add_guard_step(struct profile *profile, struct guard_step step);
void profile_add_symbol(struct profile *profile, struct symbol symbol);
void profile_clear_symbols(struct profile *profile);
void profile_show_symbols(struct profile *profile);          /* what was added is found before the freeze, too */
void profile_clear_facts(struct profile *profile);

/* Contract, labels ("label.build"), provenance ("host.kernel"): a flat map. Setting again replaces. */
void profile_set_meta(struct profile *profile, const char *key, const char *value);
/* With a process' number behind it: why the map of its generated code was refused, or what part of it was read. */
#define META_GENERATED "symbol.generated."
void profile_set_meta_number(struct profile *profile, const char *key, uint64_t value);

void profile_freeze(struct profile *profile);        /* ends producing: adding afterwards is a mistake (assert) */

/* --- Reading ---------------------------------------------------------------------------------------------------- */
const char *profile_text(const struct profile *profile, struct string_id id);           /* "" for none; stays valid */
const char *profile_meta(const struct profile *profile, const char *key);               /* NULL where absent */
uint64_t profile_meta_number(const struct profile *profile, const char *key, uint64_t otherwise);
/* Of the recording: the same in every copy of it. False where it has none (an import). */
enum { PROFILE_IDENTITY_SIZE = 100 };
bool profile_identity(const struct profile *profile, char ret[PROFILE_IDENTITY_SIZE]);
size_t profile_meta_count(const struct profile *profile);
void profile_meta_at(const struct profile *profile, size_t index, const char **ret_key, const char **ret_value);

/* Counts include row 0 for dictionaries (loop from 1) and do not for facts and mappings (loop from 0). */
#define PROFILE_TABLE(noun)                                                                    \
	size_t profile_##noun##_count(const struct profile *profile);                          \
	const struct noun *profile_##noun##_at(const struct profile *profile, size_t index);
PROFILE_TABLE(dimension)
PROFILE_TABLE(measure)
PROFILE_TABLE(slice)
PROFILE_TABLE(process)
PROFILE_TABLE(thread)
PROFILE_TABLE(file)
PROFILE_TABLE(mapping)
PROFILE_TABLE(frame)
PROFILE_TABLE(object)
PROFILE_TABLE(evidence)
PROFILE_TABLE(cell)
PROFILE_TABLE(interval)
PROFILE_TABLE(link)
PROFILE_TABLE(request)
PROFILE_TABLE(part)
PROFILE_TABLE(completion)
PROFILE_TABLE(loss)
PROFILE_TABLE(own_cost)
PROFILE_TABLE(guard_step)
PROFILE_TABLE(symbol)
#undef PROFILE_TABLE
size_t profile_stack_count(const struct profile *profile);
struct stack profile_stack_at(const struct profile *profile, size_t index);
/* The first row from this one on that was not let go, or the count. */
size_t profile_process_next(const struct profile *profile, size_t index);
size_t profile_thread_next(const struct profile *profile, size_t index);
size_t profile_mapping_next(const struct profile *profile, size_t index);
size_t profile_string_count(const struct profile *profile);

/* The dimension a cell counts towards: its evidence's class, or its measure's dimension. */
struct dimension_id profile_cell_dimension(const struct profile *profile, const struct cell *cell);
/* Who ended the wait: nobody where an interrupt did, since whoever ran then is a bystander, save one who was just sending to it. */
struct thread_id profile_interval_waker(const struct profile *profile, const struct interval *interval);
/* The state above a part; a dimension without a parent is its own. */
struct dimension_id profile_dimension_root(const struct profile *profile, struct dimension_id id);
/* None where absent; parent NULL for a state. */
struct dimension_id profile_dimension_find(const struct profile *profile, const char *parent, const char *name);
static inline double cell_weight(const struct cell *cell)
{
	return (double)cell->value * (double)(1ull << (cell->p_log2 & 63));
}
/* The symbols of a frame, depth 0 first; *ret_count 0 where it has none. Valid after the freeze. */
const struct symbol *profile_frame_symbols(const struct profile *profile, struct frame_id frame, size_t *ret_count);
/* The innermost symbol of a frame, or its own name, however long; NULL where it has neither. */
const char *profile_frame_known_name(const struct profile *profile, struct frame_id frame);
/* Name to show for a frame: its innermost symbol, its own name, or "module+0x1234"; written into text, cut to size. */
const char *profile_frame_name(const struct profile *profile, struct frame_id frame, char *text, size_t size);
/* Where a process' address lies at a time: the newest mapping that holds it. NULL where none does. */
const struct mapping *profile_mapping_of(const struct profile *profile, struct process_id process, uint64_t address);
/* Checks what always holds; NULL, or a text that says what is broken. For tests, fuzzers and readers. */
const char *profile_broken(const struct profile *profile);
