/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread asked something of the kernel that another part of the kernel does: all readers of a
 * structure must pass (membarrier, unloading, namespaces), a worker must finish, a CPU must be
 * stopped to move a thread. It is a peer on this host with work outstanding, hence ipc; a lock it
 * is not, as nobody holds one. Only by functions that say so: any other uninterruptible wait stays
 * unknown.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_calls_any(seen, "synchronize_rcu*", "synchronize_srcu*", "__wait_rcu_gp",
			      "rcu_exp_wait_wake", "rcu_barrier", "__flush_work",
			      "__flush_workqueue", "flush_workqueue", "drain_workqueue",
			      "affine_move_task", "stop_one_cpu", "stop_two_cpus", "__stop_cpus",
			      "stop_machine*", "kthread_stop", "kthread_park",
			      "kthread_flush_work*", "__kthread_create_on_node",
			      "call_usermodehelper_exec", "devtmpfs_submit_req", "exit_aio",
			      "__do_sys_io_destroy", "__x64_sys_io_destroy");
}

const struct rule rule_ipc_kernel = {
	.name = "ipc-kernel",
	.summary = "work handed to the kernel: a worker, a grace period",
	.state = "ipc", .part = "kernel",
	.matches = matches,
};
