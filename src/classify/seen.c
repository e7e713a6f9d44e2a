/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions that many rules ask of the evidence. Each is answered from the evidence alone,
 * without a table that a kernel or a process would have to be asked for, so that an old capture
 * can be classified again anywhere.
 */
#include "classify/seen.h"

#include <string.h>
#include <sys/stat.h>

bool wait_has(const struct wait_seen *seen, uint32_t flags)
{
	return seen->evidence->flags & flags;
}

bool wait_sleeps(const struct wait_seen *seen)
{
	return (seen->evidence->task_state & STATE_INTERRUPTIBLE) && seen->evidence->syscall >= 0 &&
	       !wait_has(seen, EVIDENCE_KERNEL_THREAD | EVIDENCE_FAULT);
}

bool wait_has_stack(const struct wait_seen *seen)
{
	return seen->kernel_frame_count > 0;
}

bool wait_in_list(const struct wait_seen *seen, const int16_t *calls)
{
	if (seen->evidence->syscall < 0)
		return false;
	for (; *calls != SYSCALL_NONE; calls++)
		if (*calls == seen->evidence->syscall)
			return true;
	return false;
}

/* The same name, up to what a compiler (".isra.0") or an offset ("+0x1f") adds; or nothing does. */
static bool name_is(const char *frame, const char *function)
{
	size_t length = strlen(function);

	return !strncmp(frame, function, length) && strchr(".+", frame[length]);
}

static bool name_starts(const char *frame, const char *prefix)
{
	return !strncmp(frame, prefix, strlen(prefix));
}

static bool any_frame(const struct wait_seen *seen, bool (*fits)(const char *, const char *),
		      const char *name)
{
	for (size_t i = 0; i < seen->kernel_frame_count; i++)
		if (fits(seen->kernel_frames[i], name))
			return true;
	return false;
}

bool wait_calls(const struct wait_seen *seen, const char *function)
{
	return any_frame(seen, name_is, function);
}

bool wait_calls_prefix(const struct wait_seen *seen, const char *prefix)
{
	return any_frame(seen, name_starts, prefix);
}

static bool name_fits(const char *frame, const char *name)
{
	size_t length = strlen(name);

	if (length && name[length - 1] == '*')
		return !strncmp(frame, name, length - 1);
	return name_is(frame, name);
}

bool wait_calls_list(const struct wait_seen *seen, const char *const *names)
{
	for (; *names; names++)
		if (any_frame(seen, name_fits, *names))
			return true;
	return false;
}

bool wait_reads(const struct wait_seen *seen)
{
	return wait_in(seen, CALL_READ, CALL_PREAD, CALL_READV, CALL_PREADV, CALL_PREADV2,
		       CALL_RECVFROM, CALL_RECVMSG, CALL_RECVMMSG);
}

bool wait_writes(const struct wait_seen *seen)
{
	return wait_in(seen, CALL_WRITE, CALL_PWRITE, CALL_WRITEV, CALL_PWRITEV, CALL_PWRITEV2,
		       CALL_SENDTO, CALL_SENDMSG, CALL_SENDMMSG, CALL_SENDFILE);
}

bool wait_polls(const struct wait_seen *seen)
{
	return wait_in(seen, CALL_POLL, CALL_PPOLL, CALL_SELECT, CALL_PSELECT);
}

bool wait_on(const struct wait_seen *seen, const char *release)
{
	return name_is(seen->file_release, release);
}

bool wait_on_pipe(const struct wait_seen *seen)
{
	return S_ISFIFO(seen->evidence->file_type) || wait_on(seen, "pipe_release");
}

bool wait_on_storage(const struct wait_seen *seen)
{
	mode_t type = seen->evidence->file_type;

	return S_ISREG(type) || S_ISBLK(type) || S_ISDIR(type);
}

bool wait_in_fault(const struct wait_seen *seen)
{
	return wait_calls_any(seen, "handle_mm_fault", "exc_page_fault", "asm_exc_page_fault",
			      "do_user_addr_fault", "do_page_fault", "faultin_page",
			      "fixup_user_fault");
}
