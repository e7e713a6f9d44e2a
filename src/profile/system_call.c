/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers are the kernel's promise to programs and never change (arch/x86/entry/syscalls/syscall_64.tbl); new ones are
 * appended there, and to this table.
 */
#include "profile/system_call.h"

#include "base/cleanup.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	"read", "write", "open", "close", "stat", "fstat", "lstat", "poll", "lseek", "mmap", "mprotect",
	"munmap", "brk", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "ioctl", "pread64", "pwrite64",
	"readv", "writev", "access", "pipe", "select", "sched_yield", "mremap", "msync", "mincore",
	"madvise", "shmget", "shmat", "shmctl", "dup", "dup2", "pause", "nanosleep", "getitimer", "alarm",
	"setitimer", "getpid", "sendfile", "socket", "connect", "accept", "sendto", "recvfrom", "sendmsg",
	"recvmsg", "shutdown", "bind", "listen", "getsockname", "getpeername", "socketpair", "setsockopt",
	"getsockopt", "clone", "fork", "vfork", "execve", "exit", "wait4", "kill", "uname", "semget",
	"semop", "semctl", "shmdt", "msgget", "msgsnd", "msgrcv", "msgctl", "fcntl", "flock", "fsync",
	"fdatasync", "truncate", "ftruncate", "getdents", "getcwd", "chdir", "fchdir", "rename", "mkdir",
	"rmdir", "creat", "link", "unlink", "symlink", "readlink", "chmod", "fchmod", "chown", "fchown",
	"lchown", "umask", "gettimeofday", "getrlimit", "getrusage", "sysinfo", "times", "ptrace",
	"getuid", "syslog", "getgid", "setuid", "setgid", "geteuid", "getegid", "setpgid", "getppid",
	"getpgrp", "setsid", "setreuid", "setregid", "getgroups", "setgroups", "setresuid", "getresuid",
	"setresgid", "getresgid", "getpgid", "setfsuid", "setfsgid", "getsid", "capget", "capset",
	"rt_sigpending", "rt_sigtimedwait", "rt_sigqueueinfo", "rt_sigsuspend", "sigaltstack", "utime",
	"mknod", "uselib", "personality", "ustat", "statfs", "fstatfs", "sysfs", "getpriority",
	"setpriority", "sched_setparam", "sched_getparam", "sched_setscheduler", "sched_getscheduler",
	"sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval", "mlock", "munlock",
	"mlockall", "munlockall", "vhangup", "modify_ldt", "pivot_root", "_sysctl", "prctl", "arch_prctl",
	"adjtimex", "setrlimit", "chroot", "sync", "acct", "settimeofday", "mount", "umount2", "swapon",
	"swapoff", "reboot", "sethostname", "setdomainname", "iopl", "ioperm", "create_module",
	"init_module", "delete_module", "get_kernel_syms", "query_module", "quotactl", "nfsservctl",
	"getpmsg", "putpmsg", "afs_syscall", "tuxcall", "security", "gettid", "readahead", "setxattr",
	"lsetxattr", "fsetxattr", "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr",
	"flistxattr", "removexattr", "lremovexattr", "fremovexattr", "tkill", "time", "futex",
	"sched_setaffinity", "sched_getaffinity", "set_thread_area", "io_setup", "io_destroy",
	"io_getevents", "io_submit", "io_cancel", "get_thread_area", "lookup_dcookie", "epoll_create",
	"epoll_ctl_old", "epoll_wait_old", "remap_file_pages", "getdents64", "set_tid_address",
	"restart_syscall", "semtimedop", "fadvise64", "timer_create", "timer_settime", "timer_gettime",
	"timer_getoverrun", "timer_delete", "clock_settime", "clock_gettime", "clock_getres",
	"clock_nanosleep", "exit_group", "epoll_wait", "epoll_ctl", "tgkill", "utimes", "vserver",
	"mbind", "set_mempolicy", "get_mempolicy", "mq_open", "mq_unlink", "mq_timedsend",
	"mq_timedreceive", "mq_notify", "mq_getsetattr", "kexec_load", "waitid", "add_key", "request_key",
	"keyctl", "ioprio_set", "ioprio_get", "inotify_init", "inotify_add_watch", "inotify_rm_watch",
	"migrate_pages", "openat", "mkdirat", "mknodat", "fchownat", "futimesat", "newfstatat",
	"unlinkat", "renameat", "linkat", "symlinkat", "readlinkat", "fchmodat", "faccessat", "pselect6",
	"ppoll", "unshare", "set_robust_list", "get_robust_list", "splice", "tee", "sync_file_range",
	"vmsplice", "move_pages", "utimensat", "epoll_pwait", "signalfd", "timerfd_create", "eventfd",
	"fallocate", "timerfd_settime", "timerfd_gettime", "accept4", "signalfd4", "eventfd2",
	"epoll_create1", "dup3", "pipe2", "inotify_init1", "preadv", "pwritev", "rt_tgsigqueueinfo",
	"perf_event_open", "recvmmsg", "fanotify_init", "fanotify_mark", "prlimit64", "name_to_handle_at",
	"open_by_handle_at", "clock_adjtime", "syncfs", "sendmmsg", "setns", "getcpu", "process_vm_readv",
	"process_vm_writev", "kcmp", "finit_module", "sched_setattr", "sched_getattr", "renameat2",
	"seccomp", "getrandom", "memfd_create", "kexec_file_load", "bpf", "execveat", "userfaultfd",
	"membarrier", "mlock2", "copy_file_range", "preadv2", "pwritev2", "pkey_mprotect", "pkey_alloc",
	"pkey_free", "statx", "io_pgetevents", "rseq", "uretprobe", "uprobe", [424] = "pidfd_send_signal",
	"io_uring_setup", "io_uring_enter", "io_uring_register", "open_tree", "move_mount", "fsopen",
	"fsconfig", "fsmount", "fspick", "pidfd_open", "clone3", "close_range", "openat2", "pidfd_getfd",
	"faccessat2", "process_madvise", "epoll_pwait2", "mount_setattr", "quotactl_fd",
	"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "memfd_secret",
	"process_mrelease", "futex_waitv", "set_mempolicy_home_node", "cachestat", "fchmodat2",
	"map_shadow_stack", "futex_wake", "futex_wait", "futex_requeue", "statmount", "listmount",
	"lsm_get_self_attr", "lsm_set_self_attr", "lsm_list_modules", "mseal", "setxattrat", "getxattrat",
	"listxattrat", "removexattrat", "open_tree_attr", "file_getattr", "file_setattr", "listns",
};

const char *system_call_name(uint32_t call, char text[SYSTEM_CALL_NAME_SIZE])
{
	uint32_t number = call & ~SYSTEM_CALL_COMPATIBLE;
	const char *name = number < ARRAY_LENGTH(names) ? names[number] : NULL;

	if (call & SYSTEM_CALL_COMPATIBLE)
		(void)snprintf(text, SYSTEM_CALL_NAME_SIZE, "i386-%u", number);
	else if (name)
		(void)snprintf(text, SYSTEM_CALL_NAME_SIZE, "%s", name);
	else
		(void)snprintf(text, SYSTEM_CALL_NAME_SIZE, "call-%u", number);
	return text;
}

/* The last four never reach a program: the kernel makes EINTR of them, or calls again. */
const char *system_call_error(uint32_t error, char text[SYSTEM_CALL_NAME_SIZE])
{
	static const char *const restarts[] = { "ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD",
						"ERESTART_RESTARTBLOCK" };
	const char *name = error >= 512 && error < 512 + ARRAY_LENGTH(restarts) ? restarts[error - 512] : strerrorname_np((int)error);

	if (name)
		(void)snprintf(text, SYSTEM_CALL_NAME_SIZE, "%s", name);
	else
		(void)snprintf(text, SYSTEM_CALL_NAME_SIZE, "error-%u", error);
	return text;
}

bool system_call_moves_bytes(const char *name)
{
	static const char *const moving[] = {
		"read", "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev", "preadv2", "pwritev2", "sendto",
		"recvfrom", "sendmsg", "recvmsg", "sendfile", "splice", "tee", "vmsplice", "copy_file_range", "getrandom",
		"process_vm_readv", "process_vm_writev", "getdents", "getdents64", "readlink", "readlinkat",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(moving); i++)
		if (!strcmp(moving[i], name))
			return true;
	return false;
}
