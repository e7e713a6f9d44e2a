/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the functions on a kernel stack to the evidence that a capture of ours reads elsewhere: the system
 * call by the name of its entry (__x64_sys_read), the kind of file by the function that serves it, and
 * whether it is a kernel thread, a fault or a wait for a device. The rules then decide as for a capture.
 *
 * What no function tells is left unread: whose the word of a futex is, and whether a TCP connection was
 * accepted (its next bytes may be a request, or an answer). Such waits stay unknown.
 */
#include "classify/stack_evidence.h"

#include "classify/seen.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct call_row { const char *name; int16_t number; };
static const struct call_row calls[] = {
	{ "accept", CALL_ACCEPT },	{ "accept4", CALL_ACCEPT4 },	{ "clock_nanosleep", CALL_CLOCK_NANOSLEEP },
	{ "clone", CALL_CLONE },	{ "clone3", CALL_CLONE3 },	{ "connect", CALL_CONNECT },
	{ "epoll_pwait", CALL_EPOLL_PWAIT }, { "epoll_pwait2", CALL_EPOLL_PWAIT2 }, { "epoll_wait", CALL_EPOLL_WAIT },
	{ "fcntl", CALL_FCNTL },	{ "fdatasync", CALL_FDATASYNC }, { "flock", CALL_FLOCK },
	{ "fork", CALL_FORK },		{ "fsync", CALL_FSYNC },	{ "io_getevents", CALL_IO_GETEVENTS },
	{ "io_pgetevents", CALL_IO_PGETEVENTS }, { "io_uring_enter", CALL_IO_URING_ENTER },
	{ "mq_timedreceive", CALL_MQ_TIMEDRECEIVE }, { "mq_timedsend", CALL_MQ_TIMEDSEND }, { "msgrcv", CALL_MSGRCV },
	{ "msgsnd", CALL_MSGSND },	{ "msync", CALL_MSYNC },	{ "nanosleep", CALL_NANOSLEEP },
	{ "pause", CALL_PAUSE },	{ "poll", CALL_POLL },		{ "ppoll", CALL_PPOLL },
	{ "pread64", CALL_PREAD },	{ "preadv", CALL_PREADV },	{ "preadv2", CALL_PREADV2 },
	{ "pselect6", CALL_PSELECT },	{ "pwrite64", CALL_PWRITE },	{ "pwritev", CALL_PWRITEV },
	{ "pwritev2", CALL_PWRITEV2 },	{ "read", CALL_READ },		{ "readv", CALL_READV },
	{ "recvfrom", CALL_RECVFROM },	{ "recvmmsg", CALL_RECVMMSG },	{ "recvmsg", CALL_RECVMSG },
	{ "rt_sigsuspend", CALL_SIGSUSPEND }, { "rt_sigtimedwait", CALL_SIGTIMEDWAIT }, { "select", CALL_SELECT },
	{ "semop", CALL_SEMOP },	{ "semtimedop", CALL_SEMTIMEDOP }, { "sendfile64", CALL_SENDFILE },
	{ "sendmmsg", CALL_SENDMMSG },	{ "sendmsg", CALL_SENDMSG },	{ "sendto", CALL_SENDTO },
	{ "sync", CALL_SYNC },		{ "sync_file_range", CALL_SYNC_FILE_RANGE }, { "syncfs", CALL_SYNCFS },
	{ "vfork", CALL_VFORK },	{ "wait4", CALL_WAIT4 },	{ "waitid", CALL_WAITID },
	{ "write", CALL_WRITE },	{ "writev", CALL_WRITEV },
};
static const char *const entries[] = { "__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_" };

/* Functions that serve one kind of file or socket. Those of TCP that receive have no row, as said above. */
struct server_row { const char *function, *release; uint16_t family; uint8_t type; };
static const struct server_row servers[] = {
	{ "pipe_read", "pipe_release", 0, 0 },		{ "anon_pipe_read", "pipe_release", 0, 0 },
	{ "fifo_pipe_read", "pipe_release", 0, 0 },	{ "pipe_write", "pipe_release", 0, 0 },
	{ "anon_pipe_write", "pipe_release", 0, 0 },	{ "fifo_pipe_write", "pipe_release", 0, 0 },
	{ "eventfd_read", "eventfd_release", 0, 0 },	{ "eventfd_write", "eventfd_release", 0, 0 },
	{ "timerfd_read", "timerfd_release", 0, 0 },	{ "timerfd_read_iter", "timerfd_release", 0, 0 },
	{ "signalfd_read", "signalfd_release", 0, 0 },	{ "signalfd_read_iter", "signalfd_release", 0, 0 },
	{ "inotify_read", "inotify_release", 0, 0 },	{ "fanotify_read", "fanotify_release", 0, 0 },
	{ "tty_read", "tty_release", 0, 0 },		{ "tty_write", "tty_release", 0, 0 },
	{ "file_tty_write*", "tty_release", 0, 0 },	{ "n_tty_read", "tty_release", 0, 0 },
	{ "unix_stream_read_generic", "sock_close", AF_UNIX, SOCK_STREAM },
	{ "unix_stream_sendmsg", "sock_close", AF_UNIX, SOCK_STREAM },
	{ "unix_stream_connect", "sock_close", AF_UNIX, SOCK_STREAM },
	{ "unix_dgram_sendmsg", "sock_close", AF_UNIX, SOCK_DGRAM },
	{ "__unix_dgram_recvmsg", "sock_close", AF_UNIX, SOCK_DGRAM },
	{ "tcp_sendmsg*", "sock_close", AF_INET, SOCK_STREAM },	{ "inet_stream_connect", "sock_close", AF_INET, SOCK_STREAM },
	{ "netlink_recvmsg", "sock_close", AF_NETLINK, SOCK_RAW }, { "packet_recvmsg", "sock_close", AF_PACKET, SOCK_RAW },
};

static bool calls_entry(const struct wait_seen *seen, const char *name)
{
	char function[64];

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		(void)snprintf(function, sizeof(function), "%s%s", entries[i], name);
		if (wait_calls(seen, function))
			return true;
	}
	return false;
}

static int16_t call_of(const struct wait_seen *seen)
{
	bool any = false;

	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries) && !any; i++)
		any = wait_calls_prefix(seen, entries[i]);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls) && any; i++)
		if (calls_entry(seen, calls[i].name))
			return calls[i].number;
	return SYSCALL_NONE;
}

static void context_fill(const struct wait_seen *seen, struct wait_evidence *evidence)
{
	if (wait_calls_any(seen, "io_schedule", "io_schedule_timeout", "blk_io_schedule"))
		evidence->flags |= EVIDENCE_IOWAIT;
	evidence->syscall = call_of(seen);
	if (evidence->syscall != SYSCALL_NONE)
		return;
	if (wait_calls_any(seen, "asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault", "do_page_fault"))
		evidence->flags |= EVIDENCE_FAULT;
	else if (wait_calls_any(seen, "ret_from_fork*") && wait_calls_any(seen, "kthread", "io_wq_worker", "io_sq_thread"))
		evidence->flags |= EVIDENCE_KERNEL_THREAD;
}

static void file_fill(const struct wait_seen *seen, struct wait_evidence *evidence, const char **ret_file_release)
{
	for (size_t i = 0; i < sizeof(servers) / sizeof(*servers); i++) {
		const char *const name[] = { servers[i].function, NULL };

		if (!wait_calls_list(seen, name))
			continue;
		*ret_file_release = servers[i].release;
		evidence->socket_family = servers[i].family;
		evidence->socket_type = servers[i].type;
		return;
	}
}

void stack_evidence_fill(const struct wait_seen *seen, struct wait_evidence *evidence, const char **ret_file_release)
{
	const uint32_t known = EVIDENCE_KERNEL_THREAD | EVIDENCE_FAULT | EVIDENCE_LOST | EVIDENCE_CUT_START;

	if (!seen->kernel_frame_count)
		return;
	if (evidence->syscall == SYSCALL_NONE && !(evidence->flags & known))
		context_fill(seen, evidence);
	if (!**ret_file_release && !evidence->file_type && !evidence->socket_family)
		file_fill(seen, evidence, ret_file_release);
}
