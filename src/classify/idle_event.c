/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read of a descriptor that hands out events or requests one by one. To the reader it is a
 * queue, whatever is behind.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	static const char *const queues[] = {
		"eventfd_release", "inotify_release", "fanotify_release", "userfaultfd_release",
		"seccomp_notify_release", "fuse_dev_release", "tun_chr_close", "evdev_release",
		"devkmsg_release", NULL,
	};

	if (!wait_sleeps(seen) || !wait_reads(seen))
		return false;
	for (const char *const *queue = queues; *queue; queue++)
		if (wait_on(seen, *queue))
			return true;
	return false;
}

const struct rule rule_idle_event = {
	.name = "idle-event",
	.summary = "an event: eventfd, inotify, a device that hands out requests",
	.state = "idle", .part = "queue", .ambiguous = true,
	.matches = matches,
};
