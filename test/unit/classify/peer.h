/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Sockets, pipes, queues, children and the kernel's own work: waits for somebody else. */
#include "fixture.h"

#define TCP .task_state = ASLEEP, .file_type = SOCKET, .socket_family = INET, .socket_type = STREAM
#define UDP .task_state = ASLEEP, .file_type = SOCKET, .socket_family = INET, .socket_type = DATAGRAM
#define LOCAL .task_state = ASLEEP, .file_type = SOCKET, .socket_family = UNIX, .socket_type = STREAM
#define PIPE .task_state = ASLEEP, .file_type = FIFO

static const struct fixture peer_fixtures[] = {
	{ "a connection being made", .rule = "network-connect", .release = "sock_close",
	  .seen = { TCP, .syscall = 42, .socket_state = CONNECTING } },
	{ "a connect on a socket that could not be read", .rule = NULL, .near = "network-connect",
	  .seen = { .task_state = ASLEEP, .syscall = 42, .file_type = SOCKET } },
	{ "an answer over TCP", .rule = "network-receive", .release = "sock_close", .near = "idle-receive",
	  .seen = { TCP, .syscall = 45, .socket_state = CONNECTED } },
	{ "an answer over TCP, by read", .rule = "network-receive", .release = "sock_close",
	  .seen = { TCP, .syscall = 0, .socket_state = CONNECTED } },
	{ "an answer over IPv6, by recvmsg", .rule = "network-receive",
	  .seen = { .task_state = ASLEEP, .file_type = SOCKET, .socket_family = INET6, .syscall = 47,
		    .socket_type = STREAM, .socket_state = CONNECTED } },
	{ "an answer over UDP on a connected socket", .rule = "network-receive", .near = "idle-receive",
	  .seen = { UDP, .syscall = 45, .socket_state = CONNECTED } },
	{ "the next packet of anybody, over UDP", .rule = "idle-receive", .beats = "network-receive",
	  .seen = { UDP, .syscall = 45, .socket_state = CLOSED } },
	{ "the next request of a client, over TCP", .rule = "idle-receive", .beats = "network-receive",
	  .seen = { TCP, .syscall = 45, .socket_state = CONNECTED, .flags = EVIDENCE_ACCEPTED } },
	{ "the next request of a client, over a unix socket", .rule = "idle-receive", .beats = "ipc-unix-socket",
	  .seen = { LOCAL, .syscall = 45, .socket_state = CONNECTED, .flags = EVIDENCE_ACCEPTED } },
	{ "the kernel's next message", .rule = "idle-receive", .near = "network-receive",
	  .seen = { .task_state = ASLEEP, .file_type = SOCKET, .socket_family = NETLINK, .syscall = 47 } },
	{ "a copy of the traffic", .rule = "idle-receive", .near = "network-receive",
	  .seen = { .task_state = ASLEEP, .file_type = SOCKET, .socket_family = PACKET, .syscall = 45 } },
	{ "room in a send buffer", .rule = "network-send", .near = "network-receive",
	  .seen = { TCP, .syscall = 44, .socket_state = CONNECTED } },
	{ "room in the send buffer of a server", .rule = "network-send", .near = "idle-receive",
	  .seen = { TCP, .syscall = 20, .socket_state = CONNECTED, .flags = EVIDENCE_ACCEPTED } },
	{ "sendfile to a socket", .rule = "network-send",
	  .seen = { TCP, .syscall = 40, .socket_state = CONNECTED } },
	{ "a send whose thread cannot be interrupted", .rule = NULL, .near = "network-send",
	  .seen = { .task_state = BLOCKED, .syscall = 44, .file_type = SOCKET, .socket_family = INET },
	  .frames = "schedule schedule_timeout driver_xmit tcp_sendmsg" },

	{ "a connect to a full queue of a unix socket", .rule = "ipc-unix-socket", .near = "network-connect",
	  .seen = { LOCAL, .syscall = 42, .socket_state = CLOSED } },
	{ "an answer over a unix socket", .rule = "ipc-unix-socket", .near = "network-receive",
	  .seen = { LOCAL, .syscall = 0, .socket_state = CONNECTED } },
	{ "room in a unix socket", .rule = "ipc-unix-socket", .near = "network-send",
	  .seen = { LOCAL, .syscall = 44, .socket_state = CONNECTED } },
	{ "a connection to a unix socket that is awaited", .rule = "idle-accept", .near = "ipc-unix-socket",
	  .seen = { LOCAL, .syscall = 43, .socket_state = LISTENING } },

	{ "data from a pipe", .rule = "idle-pipe", .release = "pipe_release", .near = "ipc-pipe",
	  .seen = { PIPE, .syscall = 0 } },
	{ "room in a pipe", .rule = "ipc-pipe", .release = "pipe_release", .near = "idle-pipe",
	  .seen = { PIPE, .syscall = 1 } },
	{ "data from a pipe whose type alone was read", .rule = "idle-pipe", .seen = { PIPE, .syscall = 19 } },
	{ "data from a pipe whose release alone was read", .rule = "idle-pipe", .release = "pipe_release",
	  .seen = { .task_state = ASLEEP, .syscall = 0 } },
	{ "a splice, which has a pipe on one side or on both", .rule = NULL, .near = "ipc-pipe",
	  .seen = { PIPE, .syscall = 275 } },
	{ "an event", .rule = "idle-event", .release = "eventfd_release", .near = "idle-pipe",
	  .seen = { .task_state = ASLEEP, .syscall = 0, .file_type = 0 } },
	{ "an event counter without room", .rule = "ipc-message", .release = "eventfd_release", .near = "idle-event",
	  .seen = { .task_state = ASLEEP, .syscall = 1 } },
	{ "a change of a watched file", .rule = "idle-event", .release = "inotify_release",
	  .seen = { .task_state = ASLEEP, .syscall = 0 } },
	{ "a request to a file system in user space", .rule = "idle-event", .release = "fuse_dev_release",
	  .seen = { .task_state = ASLEEP, .syscall = 19, .file_type = CHARACTER_DEVICE } },
	{ "an answer of a file system in user space", .rule = NULL, .near = "idle-event",
	  .release = "fuse_release", .seen = { .task_state = ASLEEP, .syscall = 0, .file_type = REGULAR } },
	{ "a message of a System V queue", .rule = "idle-message", .near = "ipc-message",
	  .seen = { .task_state = ASLEEP, .syscall = 70 } },
	{ "a message of a POSIX queue", .rule = "idle-message",
	  .seen = { .task_state = ASLEEP, .syscall = 243, .flags = EVIDENCE_TIMEOUT } },
	{ "a System V semaphore", .rule = "idle-message",
	  .seen = { .task_state = ASLEEP, .syscall = 220 } },
	{ "room in a System V queue", .rule = "ipc-message", .near = "idle-message",
	  .seen = { .task_state = ASLEEP, .syscall = 69 } },
	{ "room in a POSIX queue", .rule = "ipc-message",
	  .seen = { .task_state = ASLEEP, .syscall = 242 } },
	{ "input from a terminal", .rule = "idle-terminal", .release = "tty_release", .near = "ipc-terminal",
	  .seen = { .task_state = ASLEEP, .syscall = 0, .file_type = CHARACTER_DEVICE } },
	{ "a terminal that does not take output", .rule = "ipc-terminal", .release = "tty_release",
	  .seen = { .task_state = ASLEEP, .syscall = 1, .file_type = CHARACTER_DEVICE }, .near = "idle-terminal" },

	{ "a child", .rule = "child-process", .seen = { .task_state = ASLEEP, .syscall = 61 } },
	{ "a child, by waitid, since before the window", .rule = "child-process",
	  .seen = { .task_state = ASLEEP, .syscall = 247, .flags = EVIDENCE_CUT_START | EVIDENCE_ITERATED } },
	{ "a wait for a child that cannot be interrupted is for something else", .rule = NULL,
	  .seen = { .task_state = BLOCKED, .syscall = 61 }, .near = "child-process",
	  .frames = "schedule schedule_timeout release_task wait_task_zombie do_wait" },
	{ "a vfork", .rule = "child-vfork", .near = "child-process",
	  .seen = { .task_state = BLOCKED_KILLABLE_FREEZABLE, .syscall = 58 },
	  .frames = "schedule schedule_timeout __wait_for_common wait_for_completion_state kernel_clone "
		    "__x64_sys_vfork" },
	{ "posix_spawn", .rule = "child-vfork",
	  .seen = { .task_state = BLOCKED_KILLABLE_FREEZABLE, .syscall = 435 },
	  .frames = "schedule schedule_timeout __wait_for_common wait_for_completion_state kernel_clone "
		    "__do_sys_clone3" },
	{ "a vfork whose stack was not taken", .rule = "child-vfork",
	  .seen = { .task_state = BLOCKED_KILLABLE_FREEZABLE, .syscall = 58 } },
	{ "a clone whose stack was not taken may be held up while it copies", .rule = NULL, .near = "child-vfork",
	  .seen = { .task_state = BLOCKED_KILLABLE_FREEZABLE, .syscall = 56 } },
	{ "a clone that is held up while it copies", .rule = NULL, .near = "child-vfork",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = 56 },
	  .frames = "schedule schedule_timeout __wait_for_common wait_for_completion_killable copy_process "
		    "kernel_clone" },

	{ "a grace period of RCU", .rule = "ipc-kernel",
	  .seen = { .task_state = BLOCKED, .syscall = 324 },
	  .frames = "schedule schedule_timeout __wait_for_common __wait_rcu_gp synchronize_rcu "
		    "__x64_sys_membarrier" },
	{ "a kernel thread in a grace period", .rule = "ipc-kernel", .near = "idle-kernel-thread",
	  .seen = { .task_state = BLOCKED, .syscall = SYSCALL_NONE, .flags = EVIDENCE_KERNEL_THREAD },
	  .frames = "schedule synchronize_rcu_expedited rcu_tasks_wait_gp rcu_tasks_one_gp rcu_tasks_kthread" },
	{ "a thread that has itself moved to another CPU", .rule = "ipc-kernel",
	  .seen = { .task_state = BLOCKED, .syscall = 203 },
	  .frames = "schedule schedule_timeout __wait_for_common wait_for_completion affine_move_task "
		    "__set_cpus_allowed_ptr __sched_setaffinity" },
	{ "a completion of which nobody says whose", .rule = NULL, .near = "ipc-kernel",
	  .seen = { .task_state = BLOCKED, .syscall = 16 },
	  .frames = "schedule schedule_timeout __wait_for_common wait_for_completion driver_ioctl" },
};
#undef TCP
#undef UDP
#undef LOCAL
#undef PIPE
