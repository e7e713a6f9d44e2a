/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write that waits for its device, as a direct one does, and the write-back that kernel threads
 * do. In iowait only: a write() of any other file (a pipe, a socket, a device) runs through the
 * same functions.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_has(seen, EVIDENCE_IOWAIT) && !wait_in_fault(seen) &&
	       wait_calls_any(seen, "vfs_write", "vfs_iter_write", "vfs_iocb_iter_write",
			      "io_write", "aio_write", "__kernel_write", "__kernel_write_iter",
			      "ext4_file_write_iter", "xfs_file_write_iter", "blkdev_write_iter",
			      "btrfs_file_write_iter", "f2fs_file_write_iter",
			      "generic_file_write_iter", "generic_perform_write", "wb_workfn",
			      "wb_writeback", "do_writepages", "writeback_sb_inodes",
			      "__writeback_single_inode");
}

const struct rule rule_disk_write = {
	.name = "disk-write",
	.summary = "a write to a device",
	.state = "disk", .part = "write",
	.matches = matches,
};
