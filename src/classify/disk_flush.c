/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything a sync waits for: the pages, the inode, the journal, the device's cache. It goes by
 * the functions first, since a write() to a file opened with O_SYNC does the same. Where no stack
 * was taken the call's number proves it, unless the wait was found by the iterator outside I/O:
 * then it may as well be a lock. Before metadata, which a sync writes.
 */
#include "classify/seen.h"

static bool sync_call(const struct wait_seen *seen)
{
	return !(seen->evidence->task_state & STATE_INTERRUPTIBLE) &&
	       wait_in(seen, CALL_FSYNC, CALL_FDATASYNC, CALL_MSYNC, CALL_SYNC, CALL_SYNCFS,
		       CALL_SYNC_FILE_RANGE);
}

static bool matches(const struct wait_seen *seen)
{
	if (wait_calls_any(seen, "vfs_fsync_range", "vfs_fsync", "generic_file_fsync",
			   "__generic_file_fsync", "ext4_sync_file", "xfs_file_fsync",
			   "xfs_log_force*", "btrfs_sync_file", "btrfs_sync_log", "f2fs_sync_file",
			   "f2fs_do_sync_file", "blkdev_fsync", "blkdev_issue_flush",
			   "jbd2_log_wait_commit", "jbd2_complete_transaction",
			   "jbd2_journal_commit_transaction", "sync_inodes_sb", "sync_filesystem",
			   "ksys_sync", "wb_wait_for_completion"))
		return true;
	if (!sync_call(seen))
		return false;
	return wait_has_stack(seen) || wait_has(seen, EVIDENCE_IOWAIT) ||
	       !wait_has(seen, EVIDENCE_ITERATED);
}

const struct rule rule_disk_flush = {
	.name = "disk-flush",
	.summary = "a flush, a journal commit or a sync",
	.state = "disk", .part = "flush",
	.matches = matches,
};
