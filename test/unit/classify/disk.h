/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Storage, and what only looks like it. */
#include "fixture.h"

#define DISK .task_state = BLOCKED, .flags = EVIDENCE_IOWAIT | EVIDENCE_OWN_BIO, .file_type = REGULAR

static const struct fixture disk_fixtures[] = {
	{ "an O_DIRECT read", .rule = "disk-read", .near = "disk-write",
	  .seen = { DISK, .syscall = 17 }, .release = "ext4_release_file",
	  .frames = "schedule schedule_timeout io_schedule_timeout __iomap_dio_rw iomap_dio_rw ext4_file_read_iter "
		    "vfs_read __x64_sys_pread64" },
	{ "a cold buffered read", .rule = "disk-read", .near = "paging-major-fault",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = 17, .file_type = REGULAR,
		    .flags = EVIDENCE_IOWAIT | EVIDENCE_OWN_BIO | EVIDENCE_OWN_BIO_DONE,
		    .wake_context = WAKE_SOFTIRQ },
	  .frames = "schedule io_schedule folio_wait_bit_common filemap_get_pages filemap_read ext4_file_read_iter "
		    "vfs_read __x64_sys_pread64" },
	{ "a read of a page that another thread is reading has no I/O of its own", .rule = "disk-read",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = 0, .flags = EVIDENCE_IOWAIT, .file_type = REGULAR },
	  .frames = "schedule io_schedule folio_wait_bit_common filemap_update_page filemap_get_pages filemap_read" },
	{ "an exec that reads its header", .rule = "disk-read",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = 59, .flags = EVIDENCE_IOWAIT },
	  .frames = "schedule io_schedule folio_wait_bit_common filemap_get_pages filemap_read __kernel_read "
		    "bprm_execve" },
	{ "the rest of a block that is written in part", .rule = "disk-read", .near = "disk-metadata",
	  .seen = { DISK, .syscall = 18 },
	  .frames = "schedule io_schedule bit_wait_io __wait_on_bit out_of_line_wait_on_bit __wait_on_buffer "
		    "ext4_block_write_begin ext4_da_write_begin generic_perform_write ext4_buffered_write_iter "
		    "vfs_write" },
	{ "a direct read by a worker of io_uring", .rule = "disk-read", .near = "idle-kernel-thread",
	  .seen = { .task_state = BLOCKED, .syscall = SYSCALL_NONE,
		    .flags = EVIDENCE_IOWAIT | EVIDENCE_KERNEL_THREAD },
	  .frames = "schedule io_schedule_timeout __iomap_dio_rw iomap_dio_rw ext4_file_read_iter __io_read io_read "
		    "io_wq_submit_work io_worker_handle_work io_wq_worker" },
	{ "a read whose stack was not taken", .rule = "disk-read", .beats = "disk-other",
	  .seen = { DISK, .syscall = 0 } },
	{ "a read of a block device that began before the window", .rule = "disk-read",
	  .seen = { .task_state = BLOCKED, .syscall = 17, .file_type = BLOCK_DEVICE,
		    .flags = EVIDENCE_IOWAIT | EVIDENCE_CUT_START | EVIDENCE_ITERATED } },
	{ "a read of a device that is no storage", .rule = NULL, .near = "disk-read",
	  .seen = { .task_state = BLOCKED, .syscall = 0, .file_type = CHARACTER_DEVICE },
	  .frames = "schedule schedule_timeout driver_read vfs_read" },
	{ "a write whose stack was not taken may be throttled: the state alone", .rule = "disk-other",
	  .seen = { DISK, .syscall = 1 }, .near = "disk-read" },

	{ "an O_DIRECT write", .rule = "disk-write", .near = "disk-read",
	  .seen = { DISK, .syscall = 18 },
	  .frames = "schedule schedule_timeout io_schedule_timeout __iomap_dio_rw iomap_dio_rw ext4_file_write_iter "
		    "vfs_write __x64_sys_pwrite64" },
	{ "a write to a device that is no storage", .rule = NULL, .near = "disk-write",
	  .seen = { .task_state = BLOCKED, .syscall = 1, .file_type = CHARACTER_DEVICE },
	  .frames = "schedule schedule_timeout driver_write vfs_write ksys_write" },
	{ "write-back by a kernel worker", .rule = "disk-write", .near = "idle-kernel-thread",
	  .seen = { .task_state = BLOCKED, .syscall = SYSCALL_NONE,
		    .flags = EVIDENCE_IOWAIT | EVIDENCE_KERNEL_THREAD },
	  .frames = "schedule io_schedule folio_wait_bit_common __folio_lock write_cache_pages do_writepages "
		    "__writeback_single_inode writeback_sb_inodes wb_writeback wb_workfn process_one_work" },
	{ "a direct read that lets write-back finish first", .rule = "disk-writeback", .beats = "disk-read",
	  .seen = { DISK, .syscall = 17 },
	  .frames = "schedule io_schedule folio_wait_bit folio_wait_writeback __filemap_fdatawait_range "
		    "filemap_write_and_wait_range kiocb_write_and_wait __iomap_dio_rw iomap_dio_rw "
		    "ext4_file_read_iter vfs_read" },
	{ "a direct read that waits for no write-back", .rule = "disk-read", .near = "disk-writeback",
	  .seen = { DISK, .syscall = 17 },
	  .frames = "schedule io_schedule_timeout __iomap_dio_rw kiocb_write_and_wait ext4_file_read_iter vfs_read" },
	{ "a rewrite of a page that must be stable", .rule = "disk-writeback", .beats = "disk-write",
	  .seen = { DISK, .syscall = 1 },
	  .frames = "schedule io_schedule folio_wait_bit folio_wait_writeback folio_wait_stable ext4_da_write_begin "
		    "generic_perform_write vfs_write" },

	{ "fdatasync, its pages", .rule = "disk-flush", .beats = "disk-writeback",
	  .seen = { DISK, .syscall = 75 },
	  .frames = "schedule io_schedule folio_wait_bit folio_wait_writeback __filemap_fdatawait_range "
		    "file_write_and_wait_range generic_buffers_fsync_noflush ext4_fsync_nojournal.constprop.0 "
		    "ext4_sync_file do_fsync __x64_sys_fdatasync" },
	{ "fdatasync, its inode", .rule = "disk-flush", .beats = "disk-metadata",
	  .seen = { DISK, .syscall = 75 },
	  .frames = "schedule io_schedule bit_wait_io __wait_on_bit out_of_line_wait_on_bit __sync_dirty_buffer "
		    "ext4_write_inode ext4_fsync_nojournal.constprop.0 ext4_sync_file do_fsync" },
	{ "fdatasync, the device's cache", .rule = "disk-flush",
	  .seen = { DISK, .syscall = 75 },
	  .frames = "schedule schedule_timeout io_schedule_timeout wait_for_completion_io_timeout submit_bio_wait "
		    "blkdev_issue_flush ext4_sync_file do_fsync" },
	{ "fsync, the journal, which is not in iowait", .rule = "disk-flush",
	  .seen = { .task_state = BLOCKED, .syscall = 74, .file_type = REGULAR },
	  .frames = "schedule jbd2_log_wait_commit ext4_fsync_journal ext4_sync_file do_fsync" },
	{ "an O_SYNC write does what fsync does", .rule = "disk-flush", .beats = "disk-write",
	  .seen = { DISK, .syscall = 18 },
	  .frames = "schedule schedule_timeout io_schedule_timeout wait_for_completion_io_timeout submit_bio_wait "
		    "blkdev_issue_flush ext4_sync_file ext4_buffered_write_iter vfs_write __x64_sys_pwrite64" },
	{ "a sync whose stack was not taken", .rule = "disk-flush", .beats = "disk-other",
	  .seen = { .task_state = BLOCKED, .syscall = 162, .flags = EVIDENCE_IOWAIT } },
	{ "a sync outside I/O that the iterator found may be a lock", .rule = NULL, .near = "disk-flush",
	  .seen = { .task_state = BLOCKED, .syscall = 74, .flags = EVIDENCE_CUT_START | EVIDENCE_ITERATED } },
	{ "a sync by ways unknown, outside I/O, still is one by its number", .rule = "disk-flush",
	  .seen = { .task_state = BLOCKED, .syscall = 306, .flags = EVIDENCE_CUT_START | EVIDENCE_ITERATED },
	  .frames = "schedule driver_sync_fs __x64_sys_syncfs" },
	{ "a sync seen at its switch was no lock, or the flag would say so", .rule = "disk-flush",
	  .seen = { .task_state = BLOCKED, .syscall = 74, .file_type = REGULAR } },
	{ "the journal's thread commits", .rule = "disk-flush",
	  .seen = { .task_state = BLOCKED, .syscall = SYSCALL_NONE,
		    .flags = EVIDENCE_IOWAIT | EVIDENCE_KERNEL_THREAD },
	  .frames = "schedule io_schedule bit_wait_io __wait_on_bit out_of_line_wait_on_bit "
		    "jbd2_journal_commit_transaction kjournald2 kthread" },

	{ "an extent looked up for a write", .rule = "disk-metadata", .beats = "disk-write",
	  .seen = { DISK, .syscall = 18 },
	  .frames = "schedule io_schedule bit_wait_io __wait_on_bit out_of_line_wait_on_bit ext4_read_bh "
		    "__read_extent_tree_block ext4_find_extent ext4_ext_map_blocks ext4_map_query_blocks "
		    "ext4_da_get_block_prep ext4_block_write_begin ext4_da_write_begin generic_perform_write vfs_write" },
	{ "a transaction that must close first", .rule = "disk-metadata", .near = "disk-other",
	  .seen = { .task_state = BLOCKED, .syscall = 87 },
	  .frames = "schedule wait_transaction_locked add_transaction_credits start_this_handle "
		    "jbd2__journal_start ext4_unlink vfs_unlink" },
	{ "blocks discarded by a truncation", .rule = "disk-metadata", .beats = "disk-other",
	  .seen = { .task_state = BLOCKED, .syscall = 257, .flags = EVIDENCE_IOWAIT | EVIDENCE_OWN_BIO },
	  .frames = "schedule schedule_timeout io_schedule_timeout wait_for_completion_io_timeout submit_bio_wait "
		    "blkdev_issue_discard ext4_free_blocks ext4_ext_remove_space ext4_ext_truncate ext4_truncate "
		    "ext4_setattr notify_change do_truncate path_openat" },
	{ "a log of XFS without room", .rule = "disk-metadata",
	  .seen = { .task_state = BLOCKED, .syscall = 82 },
	  .frames = "schedule xlog_grant_head_wait xlog_grant_head_check xfs_log_reserve xfs_trans_reserve" },

	{ "a writer above the limit of dirty pages", .rule = "disk-throttled", .beats = "disk-write",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = 1, .flags = EVIDENCE_IOWAIT, .file_type = REGULAR },
	  .frames = "schedule schedule_timeout io_schedule_timeout balance_dirty_pages "
		    "balance_dirty_pages_ratelimited_flags generic_perform_write ext4_buffered_write_iter vfs_write" },
	{ "a mapped page dirtied above the limit", .rule = "disk-throttled", .beats = "paging-major-fault",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = SYSCALL_NONE,
		    .flags = EVIDENCE_FAULT | EVIDENCE_IOWAIT },
	  .frames = "schedule schedule_timeout io_schedule_timeout balance_dirty_pages "
		    "balance_dirty_pages_ratelimited fault_dirty_shared_page do_wp_page handle_mm_fault "
		    "exc_page_fault" },
	{ "write-back throttled for the readers' sake", .rule = "disk-throttled", .beats = "disk-flush",
	  .seen = { DISK, .syscall = 74 },
	  .frames = "schedule io_schedule rq_qos_wait wbt_wait __rq_qos_throttle blk_mq_submit_bio do_writepages "
		    "file_write_and_wait_range ext4_sync_file" },
	{ "a cgroup that owes for its swapping, on the way out of a call", .rule = "disk-throttled",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = 232, .flags = EVIDENCE_IOWAIT },
	  .near = "idle-poll",
	  .frames = "schedule io_schedule blkcg_maybe_throttle_current exit_to_user_mode_loop do_syscall_64" },
	{ "no free request in the queue", .rule = "disk-throttled", .beats = "disk-read",
	  .seen = { DISK, .syscall = 17 },
	  .frames = "schedule io_schedule blk_mq_get_tag __blk_mq_alloc_requests blk_mq_submit_bio "
		    "iomap_dio_bio_iter __iomap_dio_rw iomap_dio_rw ext4_file_read_iter vfs_read" },
	{ "a read that passes the throttle", .rule = "disk-read", .near = "disk-throttled",
	  .seen = { DISK, .syscall = 17 },
	  .frames = "schedule io_schedule_timeout __iomap_dio_rw __rq_qos_throttle ext4_file_read_iter vfs_read" },

	{ "iowait on an unknown way", .rule = "disk-other", .near = "disk-write",
	  .seen = { .task_state = BLOCKED, .syscall = 16, .flags = EVIDENCE_IOWAIT },
	  .frames = "schedule io_schedule blk_execute_rq nvme_ioctl __x64_sys_ioctl" },
	{ "a truncation that waits for direct I/O in flight", .rule = "disk-other",
	  .seen = { .task_state = BLOCKED, .syscall = 77 },
	  .frames = "schedule inode_dio_wait ext4_setattr notify_change do_truncate" },
	{ "an uninterruptible wait outside I/O", .rule = NULL, .near = "disk-other",
	  .seen = { .task_state = BLOCKED, .syscall = 16 },
	  .frames = "schedule schedule_timeout msleep driver_ioctl __x64_sys_ioctl" },

	{ "completions of an io_uring, which look like disk", .rule = "ipc-io-uring", .beats = "disk-other",
	  .seen = { .task_state = BLOCKED, .syscall = 426, .flags = EVIDENCE_IOWAIT },
	  .frames = "schedule io_cqring_wait __x64_sys_io_uring_enter do_syscall_64" },
	{ "completions of an io_uring whose stack was not taken", .rule = "ipc-io-uring",
	  .seen = { .task_state = BLOCKED, .syscall = 426,
		    .flags = EVIDENCE_IOWAIT | EVIDENCE_CUT_START | EVIDENCE_ITERATED } },
	{ "completions of an io_uring on an older kernel", .rule = "ipc-io-uring",
	  .seen = { .task_state = ASLEEP, .syscall = 426 } },
	{ "completions of libaio", .rule = "ipc-io-uring",
	  .seen = { .task_state = ASLEEP, .syscall = 208 } },
	{ "a submission to an io_uring that is held up", .rule = "disk-throttled", .near = "ipc-io-uring",
	  .seen = { .task_state = BLOCKED, .syscall = 426, .flags = EVIDENCE_IOWAIT },
	  .frames = "schedule io_schedule blk_mq_get_tag blk_mq_submit_bio io_submit_sqes __x64_sys_io_uring_enter" },
	{ "a submission to an io_uring that waits for an unknown thing", .rule = NULL, .near = "ipc-io-uring",
	  .seen = { .task_state = BLOCKED, .syscall = 426 },
	  .frames = "schedule schedule_timeout driver_uring_cmd io_submit_sqes __x64_sys_io_uring_enter" },
};
#undef DISK
