/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of rules, in order of precedence, and how a profile's evidence goes through it.
 *
 * Three things order the table. What a state bit or a flag proves comes before what a stack shows,
 * and that before what a call's number suggests. Of several functions on one stack the inner one
 * is what is waited for, and a cause (short memory) stands before its means (the disk that frees
 * it). Rules that say less than others (a state without a part) come after those.
 *
 * What has no row on purpose, because the evidence does not tell: restart_syscall (a sleep, a poll
 * or a timed lock that was interrupted: the call that goes on is gone), futex_waitv and what
 * futex.h says of foreign futexes, splice (from or to a pipe, either may be waited for), an exiting
 * or core-dumping process, FUSE, and drivers. They are unknown, with their stacks.
 */
#include "classify/classify.h"

#include "classify/stack_evidence.h"
#include "profile/profile.h"

#include <string.h>

extern const struct rule rule_stopped_traced, rule_stopped_signal, rule_stopped_frozen;
extern const struct rule rule_paging_compaction, rule_paging_reclaim, rule_disk_throttled;
extern const struct rule rule_lock_mutex_pi, rule_lock_kernel;
extern const struct rule rule_paging_swap, rule_ipc_userfault, rule_paging_major_fault;
extern const struct rule rule_ipc_io_uring;
extern const struct rule rule_disk_flush, rule_disk_metadata, rule_disk_writeback, rule_disk_read;
extern const struct rule rule_disk_write, rule_paging_fault, rule_disk_other;
extern const struct rule rule_child_vfork, rule_ipc_kernel, rule_child_process, rule_lock_file;
extern const struct rule rule_lock_mutex, rule_child_join, rule_lock_rwlock, rule_lock_unread;
extern const struct rule rule_ipc_barrier, rule_idle_queue;
extern const struct rule rule_timer_sleep, rule_timer_descriptor, rule_timer_poll;
extern const struct rule rule_idle_signal, rule_idle_poll, rule_idle_accept;
extern const struct rule rule_network_connect, rule_idle_receive, rule_network_receive;
extern const struct rule rule_network_send, rule_ipc_unix_socket;
extern const struct rule rule_idle_pipe, rule_ipc_pipe, rule_idle_event, rule_idle_message;
extern const struct rule rule_ipc_message, rule_idle_terminal, rule_ipc_terminal;
extern const struct rule rule_idle_kernel_thread;

const struct rule *const rules[] = {
	/* Whoever stops a thread stops it anywhere: all else in its evidence is chance. */
	&rule_stopped_traced,
	&rule_stopped_signal,
	&rule_stopped_frozen,

	/* Causes that make a thread wait for a disk or a lock that it never asked for. */
	&rule_paging_compaction,        /* before reclaim: the inner of the two */
	&rule_paging_reclaim,
	&rule_disk_throttled,

	/* Locks of the kernel, which are taken on the way to all that follows. */
	&rule_lock_mutex_pi,            /* the program's own, though the kernel implements it */
	&rule_lock_kernel,

	/* Faults before disk: to serve one, the kernel reads as read() does. */
	&rule_paging_swap,              /* before major faults: a swap-in mostly is one */
	&rule_ipc_userfault,
	&rule_paging_major_fault,

	/* Storage. By number first what only looks like it; then the inner functions. */
	&rule_ipc_io_uring,
	&rule_disk_flush,               /* before metadata, which a sync writes */
	&rule_disk_metadata,            /* before read and write, which look up extents */
	&rule_disk_writeback,           /* before read: a direct one lets write-back finish first */
	&rule_disk_read,
	&rule_disk_write,
	&rule_paging_fault,             /* before disk-other: a fault is known, if not of what */
	&rule_disk_other,

	/* Other sleeps that a signal does not end, by their functions. */
	&rule_child_vfork,
	&rule_ipc_kernel,

	/* What is left sleeps in a call whose number and arguments say why. */
	&rule_child_process,
	&rule_lock_file,
	&rule_lock_mutex,
	&rule_child_join,               /* after mutexes: a robust one holds an id too */
	&rule_lock_rwlock,
	&rule_lock_unread,
	&rule_ipc_barrier,
	&rule_idle_queue,               /* the futexes that are left */
	&rule_timer_sleep,
	&rule_timer_descriptor,
	&rule_timer_poll,
	&rule_idle_signal,
	&rule_idle_poll,                /* the polls that are neither sleep nor pause */
	&rule_idle_accept,
	&rule_network_connect,
	&rule_idle_receive,             /* before the receives of clients */
	&rule_network_receive,
	&rule_network_send,
	&rule_ipc_unix_socket,
	&rule_idle_pipe,
	&rule_ipc_pipe,
	&rule_idle_event,
	&rule_idle_message,
	&rule_ipc_message,
	&rule_idle_terminal,
	&rule_ipc_terminal,

	/* Kernel threads have no call; those at work were found by their stacks or flags. */
	&rule_idle_kernel_thread,
	NULL,
};

const struct rule *rule_find(const char *name)
{
	for (const struct rule *const *rule = rules; *rule; rule++)
		if (!strcmp((*rule)->name, name))
			return *rule;
	return NULL;
}

const struct rule *classify_wait(const struct wait_seen *seen)
{
	if (seen->evidence->flags & EVIDENCE_LOST)      /* only its length is known */
		return NULL;
	for (const struct rule *const *rule = rules; *rule; rule++)
		if ((*rule)->matches(seen))
			return *rule;
	return NULL;
}

enum { FRAME_LIMIT = 128 };     /* as deep as a capture takes stacks */

/* Kernel frames keep the names they had while capturing: the addresses die with the kernel. Those of an import may have been
 * named afterwards, on the machine that it was made on. */
static const char *kernel_name(const struct profile *profile, struct frame_id id)
{
	const struct frame *frame = profile_frame_at(profile, id.index);
	const struct symbol *symbols;
	size_t count;

	if (frame->name.index)
		return profile_text(profile, frame->name);
	symbols = profile_frame_symbols(profile, id, &count);
	return profile_text(profile, count ? symbols->name : frame->name);
}

static size_t kernel_frames(const struct profile *profile, struct stack_id id,
			    const char *frames[static FRAME_LIMIT])
{
	size_t count = 0;

	while (id.index && count < FRAME_LIMIT) {
		struct stack stack = profile_stack_at(profile, id.index);

		frames[count++] = kernel_name(profile, stack.frame);
		id = stack.parent;
	}
	return count;
}

static const struct rule *rule_of(const struct profile *profile,
				  const struct wait_evidence *evidence)
{
	const char *frames[FRAME_LIMIT];
	struct wait_evidence filled = *evidence;
	struct wait_seen seen = {
		.evidence = evidence,
		.file_release = profile_text(profile, evidence->file_release),
		.kernel_frames = frames,
		.kernel_frame_count = kernel_frames(profile, evidence->kernel_stack, frames),
	};

	stack_evidence_fill(&seen, &filled, &seen.file_release);
	seen.evidence = &filled;
	return classify_wait(&seen);
}

/* What a wait that may mean idling is while its thread has a request open. */
static const struct { const char *idle, *state, *part; } serving[] = {
	{ "accept", "network", "connect" },
	{ "poll", "network", NULL },    /* on an event loop: the answer of whatever it asked */
	{ "queue", "ipc", "peer" },
	{ "receive", "network", "receive" },
};

static const struct dimension_row *row_of(const struct rule *rule, uint32_t flags)
{
	if (!rule)
		return dimension_row_find(NULL, "unknown");
	for (size_t i = 0; rule->ambiguous && (flags & EVIDENCE_IN_REQUEST) && i < ARRAY_LENGTH(serving); i++)
		if (rule->part && !strcmp(rule->part, serving[i].idle))
			return serving[i].part ? dimension_row_find(serving[i].state, serving[i].part)
					       : dimension_row_find(NULL, serving[i].state);
	return rule->part ? dimension_row_find(rule->state, rule->part) : dimension_row_find(NULL, rule->state);
}

void classify_profile(struct profile *profile, bool again)
{
	size_t count = profile_evidence_count(profile);

	for (uint32_t i = 1; i < count; i++) {
		const struct evidence *evidence = profile_evidence_at(profile, i);
		struct wait_evidence seen = evidence->seen;
		const struct rule *rule;

		if (evidence->class.index && !again)
			continue;
		rule = rule_of(profile, &seen);
		profile_evidence_class(profile, (struct evidence_id){ i }, profile_dimension(profile, row_of(rule, seen.flags)),
				       profile_string(profile, rule ? rule->name : NULL),
				       rule && rule->ambiguous && !(seen.flags & EVIDENCE_SERVES));
	}
}
