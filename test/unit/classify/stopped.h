/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Stopped, traced and frozen threads. */
#include "fixture.h"

static const struct fixture stopped_fixtures[] = {
	{ "a thread that a debugger holds", .rule = "stopped-traced",
	  .seen = { .task_state = TRACED, .syscall = 35 } },
	{ "a traced thread that was in a futex wait is traced, not locked", .rule = "stopped-traced",
	  .seen = { .task_state = TRACED, .syscall = 202, .futex_word = FUTEX_WORD_TWO },
	  .near = "stopped-signal" },
	{ "a thread stopped by SIGSTOP while it ran", .rule = "stopped-signal",
	  .seen = { .task_state = STOPPED, .syscall = SYSCALL_NONE, .flags = EVIDENCE_FAULT },
	  .near = "stopped-traced" },
	{ "a thread frozen with its cgroup, first version", .rule = "stopped-frozen",
	  .seen = { .task_state = FROZEN, .syscall = 35 } },
	{ "a thread frozen by a kernel that had no state for it", .rule = "stopped-frozen",
	  .seen = { .task_state = BLOCKED, .syscall = 35 },
	  .frames = "schedule __refrigerator get_signal arch_do_signal_or_restart syscall_exit_to_user_mode" },
	{ "a thread frozen by the second version while it ran", .rule = "stopped-frozen",
	  .seen = { .task_state = ASLEEP_FREEZABLE, .syscall = SYSCALL_NONE, .flags = EVIDENCE_FAULT },
	  .frames = "schedule get_signal arch_do_signal_or_restart irqentry_exit_to_user_mode "
		    "asm_sysvec_apic_timer_interrupt" },
	{ "a thread frozen by the second version on its way out of a sleep", .rule = "stopped-frozen",
	  .seen = { .task_state = ASLEEP_FREEZABLE, .syscall = 230, .flags = EVIDENCE_FROZEN },
	  .beats = "timer-sleep" },
	{ "a thread that dies of a signal is not frozen", .rule = NULL, .near = "stopped-frozen",
	  .seen = { .task_state = ASLEEP, .syscall = SYSCALL_NONE, .flags = EVIDENCE_FAULT },
	  .frames = "schedule sk_stream_wait_close __tcp_close do_exit do_group_exit get_signal" },
	{ "a sleep that could be frozen but is not", .rule = "timer-sleep", .near = "stopped-frozen",
	  .seen = { .task_state = ASLEEP_FREEZABLE, .syscall = 230 } },
};
