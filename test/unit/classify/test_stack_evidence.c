/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of which nothing is known but the kernel's stack. */
#include "classify/classify.h"

#include "base/memory.h"
#include "profile/profile.h"
#include "test.h"

#include <string.h>

enum { FRAMES = 12 };

/* frames: leaf first, one a word; names are symbols, as for addresses that were named afterwards. */
static char *class_of(const char *frames, unsigned state, int call)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	CLEANUP_TEXT char *text = xstrdup(frames);
	struct wait_evidence seen = { .task_state = (uint16_t)state, .syscall = (int16_t)call };
	const char *words[FRAMES];
	struct evidence_id id;
	size_t count = 0;

	for (char *word = strtok(text, " "); word && count < FRAMES; word = strtok(NULL, " "))
		words[count++] = word;
	while (count-- > 0) {
		struct frame_id frame = profile_frame(profile, (struct frame){ .offset = 0xffffffff81000000 + count, .method = METHOD_KERNEL });

		profile_add_symbol(profile, (struct symbol){ .frame = frame, .name = profile_string(profile, words[count]) });
		seen.kernel_stack = profile_stack(profile, seen.kernel_stack, frame, STACK_COMPLETE);
	}
	id = profile_evidence(profile, &seen);
	profile_show_symbols(profile);
	classify_profile(profile, false);
	return xstrdup(profile_text(profile, profile_evidence_at(profile, id.index)->rule));
}

static void decides(const char *frames, unsigned state, const char *rule)
{
	CLEANUP_TEXT char *decided = class_of(frames, state, SYSCALL_NONE);

	assert_string_equal(decided, rule);
}

TEST(the_entry_of_a_call_tells_the_call)
{
	decides("__schedule do_wait kernel_wait4 __do_sys_wait4 do_syscall_64", 1, "child-process");
	decides("schedule ep_poll do_epoll_wait __x64_sys_epoll_wait do_syscall_64", 1, "idle-poll");
	decides("schedule do_nanosleep hrtimer_nanosleep __arm64_sys_clock_nanosleep el0_svc", 1, "timer-sleep");
}

TEST(who_serves_the_call_tells_the_file)
{
	decides("schedule anon_pipe_read vfs_read ksys_read __x64_sys_read", 1, "idle-pipe");
	decides("schedule pipe_write vfs_write __x64_sys_write", 1, "ipc-pipe");
	decides("schedule unix_stream_read_generic sock_recvmsg __x64_sys_recvmsg", 1, "ipc-unix-socket");
	decides("schedule sk_stream_wait_memory tcp_sendmsg_locked tcp_sendmsg __x64_sys_sendto", 1, "network-send");
}

TEST(a_device_a_fault_and_a_thread_of_the_kernels_are_seen)
{
	decides("io_schedule folio_wait_bit_common filemap_update_page vfs_read __x64_sys_read", 2, "disk-read");
	decides("io_schedule folio_wait_bit filemap_fault __do_fault handle_mm_fault exc_page_fault asm_exc_page_fault", 2,
		"paging-major-fault");
	decides("schedule worker_thread kthread ret_from_fork ret_from_fork_asm", 0x402, "idle-kernel-thread");
}

TEST(what_no_function_tells_stays_unknown)
{
	decides("schedule futex_wait_queue futex_wait __x64_sys_futex do_syscall_64", 1, "");
	decides("schedule wait_woken sk_wait_data tcp_recvmsg_locked tcp_recvmsg __x64_sys_recvfrom", 1, "");
	decides("schedule some_driver_ioctl __x64_sys_ioctl", 1, "");
	decides("schedule", 1, "");
}

TEST(a_call_that_was_recorded_is_believed_before_a_stack)
{
	CLEANUP_TEXT char *decided = class_of("schedule do_wait __x64_sys_wait4", 1, 35);

	assert_string_equal(decided, "timer-sleep");
}
