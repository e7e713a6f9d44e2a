/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata of a file system: a block of it being read or written, room in the journal or a
 * transaction that must close first, freed blocks being discarded. It stands before reads and
 * writes, in which most of these waits happen: the inner function says what is waited for. Waits
 * in a journal are not in iowait, so iowait is not asked for.
 */
#include "classify/seen.h"

static bool journal(const struct wait_seen *seen)
{
	return wait_calls_any(seen, "wait_transaction_locked", "start_this_handle",
			      "add_transaction_credits", "__jbd2_log_wait_for_space",
			      "jbd2_journal_wait_updates", "do_get_write_access",
			      "jbd2_journal_get_create_access", "xlog_grant_head_wait",
			      "xfs_log_reserve", "wait_current_trans*", "btrfs_commit_transaction",
			      "wait_reserve_ticket");
}

static bool block(const struct wait_seen *seen)
{
	return wait_calls_any(seen, "ext4_read_bh*", "__ext4_read_bh*", "ext4_bread*",
			      "ext4_sb_bread*", "__ext4_sb_bread_gfp", "__ext4_get_inode_loc*",
			      "__read_extent_tree_block", "ext4_wait_block_bitmap",
			      "ext4_read_block_bitmap*", "ext4_read_inode_bitmap",
			      "__ext4_find_entry", "__bread_gfp", "__sync_dirty_buffer",
			      "sync_mapping_buffers", "ext4_write_inode", "xfs_buf_iowait",
			      "xfs_buf_read_map", "read_extent_buffer_pages*",
			      "btrfs_read_extent_buffer", "f2fs_get_meta_*", "__get_meta_*",
			      "f2fs_get_node_*");
}

static bool matches(const struct wait_seen *seen)
{
	return journal(seen) || block(seen) || wait_calls(seen, "blkdev_issue_discard");
}

const struct rule rule_disk_metadata = {
	.name = "disk-metadata",
	.summary = "file-system metadata: an inode, an extent, a journal's room",
	.state = "disk", .part = "metadata",
	.matches = matches,
};
