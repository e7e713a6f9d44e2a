/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read that waits for its device: through the page cache (also where another thread already
 * reads the page), around it, or of the rest of a block that is written in part. Where no stack
 * was taken, a read call on a file or a block device that sleeps in iowait is one: faults in its
 * buffer are storage too, and rarer.
 */
#include "classify/seen.h"

static bool reads(const struct wait_seen *seen)
{
	return wait_calls_any(seen, "vfs_read", "vfs_iter_read", "vfs_iocb_iter_read", "io_read",
			      "__io_read", "aio_read", "__kernel_read", "kernel_read",
			      "ext4_file_read_iter", "xfs_file_read_iter", "blkdev_read_iter",
			      "btrfs_file_read_iter", "f2fs_file_read_iter",
			      "generic_file_read_iter");
}

static bool matches(const struct wait_seen *seen)
{
	if (wait_in_fault(seen))
		return false;
	if (wait_calls_any(seen, "filemap_get_pages", "filemap_read", "filemap_read_folio",
			   "filemap_update_page", "filemap_splice_read", "page_cache_ra_*",
			   "page_cache_sync_ra", "read_pages", "read_cache_folio",
			   "do_read_cache_folio", "__block_write_begin_int",
			   "ext4_block_write_begin", "iomap_write_begin"))
		return true;
	if (!wait_has(seen, EVIDENCE_IOWAIT))
		return false;
	if (wait_has_stack(seen))
		return reads(seen);
	return wait_reads(seen) && wait_on_storage(seen);
}

const struct rule rule_disk_read = {
	.name = "disk-read",
	.summary = "a read from a device",
	.state = "disk", .part = "read",
	.matches = matches,
};
