/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Faults, swap, reclaim and compaction. */
#include "fixture.h"

#define FAULT .task_state = BLOCKED_KILLABLE, .syscall = SYSCALL_NONE

static const struct fixture paging_fixtures[] = {
	{ "a cold page of a mapped file", .rule = "paging-major-fault", .near = "paging-swap",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_IOWAIT | EVIDENCE_OWN_BIO },
	  .frames = "schedule io_schedule folio_wait_bit_common filemap_read_folio filemap_fault __do_fault do_fault "
		    "__handle_mm_fault handle_mm_fault exc_page_fault asm_exc_page_fault" },
	{ "the same fault inside a write", .rule = "paging-major-fault", .near = "disk-write",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = 18, .flags = EVIDENCE_IOWAIT | EVIDENCE_OWN_BIO,
		    .file_type = REGULAR },
	  .frames = "schedule io_schedule folio_wait_bit_common filemap_read_folio filemap_fault __do_fault do_fault "
		    "__handle_mm_fault handle_mm_fault exc_page_fault asm_exc_page_fault fault_in_readable "
		    "fault_in_iov_iter_readable generic_perform_write shmem_file_write_iter vfs_write "
		    "__x64_sys_pwrite64" },
	{ "the same fault inside a read, on the reader's buffer", .rule = "paging-major-fault", .near = "disk-read",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = 0, .flags = EVIDENCE_IOWAIT, .file_type = REGULAR },
	  .frames = "schedule io_schedule folio_wait_bit_common filemap_fault __do_fault do_fault __handle_mm_fault "
		    "handle_mm_fault exc_page_fault asm_exc_page_fault copyout copy_page_to_iter filemap_read "
		    "ext4_file_read_iter vfs_read" },
	{ "a page that another thread already reads", .rule = "paging-major-fault",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_IOWAIT },
	  .frames = "schedule io_schedule folio_wait_bit_common filemap_fault __do_fault do_fault handle_mm_fault "
		    "exc_page_fault asm_exc_page_fault" },
	{ "an exec that faults in its image", .rule = "paging-major-fault",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = 59, .flags = EVIDENCE_IOWAIT },
	  .frames = "schedule io_schedule folio_wait_bit_common filemap_fault __do_fault do_fault __handle_mm_fault "
		    "handle_mm_fault exc_page_fault asm_exc_page_fault elf_load load_elf_binary bprm_execve" },
	{ "a page that becomes dirty waits for the journal, not for a read", .rule = "disk-metadata",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT }, .near = "paging-major-fault",
	  .frames = "schedule wait_transaction_locked add_transaction_credits start_this_handle jbd2__journal_start "
		    "ext4_page_mkwrite do_page_mkwrite do_shared_fault __handle_mm_fault handle_mm_fault "
		    "exc_page_fault" },
	{ "a page that becomes dirty waits until it is written", .rule = "disk-writeback",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_IOWAIT }, .near = "paging-major-fault",
	  .frames = "schedule io_schedule folio_wait_bit_common folio_wait_writeback folio_wait_stable "
		    "ext4_page_mkwrite do_page_mkwrite do_wp_page handle_mm_fault exc_page_fault" },
	{ "a fault in iowait of which no stack was taken", .rule = "paging-fault", .beats = "disk-other",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_IOWAIT }, .near = "paging-major-fault" },
	{ "a fault outside I/O of which no stack was taken", .rule = NULL, .near = "paging-fault",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT } },

	{ "a page in swap, of a limited memory cgroup", .rule = "paging-swap", .beats = "paging-major-fault",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_IOWAIT | EVIDENCE_OWN_BIO },
	  .frames = "schedule io_schedule folio_wait_bit_common __folio_lock_or_retry do_swap_page __handle_mm_fault "
		    "handle_mm_fault exc_page_fault asm_exc_page_fault" },
	{ "a swap device that reads at once", .rule = "paging-swap",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_IOWAIT },
	  .frames = "schedule io_schedule submit_bio_wait swap_read_folio swapin_readahead do_swap_page "
		    "handle_mm_fault exc_page_fault" },
	{ "a read of a file in shared memory that was swapped out", .rule = "paging-swap", .beats = "disk-read",
	  .seen = { .task_state = BLOCKED, .syscall = 0, .flags = EVIDENCE_IOWAIT, .file_type = REGULAR },
	  .frames = "schedule io_schedule folio_wait_bit_common __folio_lock shmem_swapin_folio shmem_get_folio_gfp "
		    "shmem_file_read_iter vfs_read" },

	{ "direct reclaim", .rule = "paging-reclaim", .near = "paging-compaction",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_RECLAIM },
	  .frames = "schedule schedule_timeout reclaim_throttle shrink_node do_try_to_free_pages "
		    "try_to_free_pages __alloc_pages_slowpath.constprop.0 alloc_pages handle_mm_fault" },
	{ "reclaim of a memory cgroup, during a swap-in, waiting for the disk", .rule = "paging-reclaim",
	  .beats = "paging-swap",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_RECLAIM | EVIDENCE_IOWAIT },
	  .frames = "schedule io_schedule rq_qos_wait wbt_wait __swap_writepage pageout shrink_folio_list "
		    "shrink_lruvec shrink_node do_try_to_free_pages try_to_free_mem_cgroup_pages try_charge_memcg "
		    "do_swap_page handle_mm_fault exc_page_fault" },
	{ "a lock taken in reclaim is reclaim", .rule = "paging-reclaim", .beats = "lock-kernel",
	  .seen = { .task_state = BLOCKED, .syscall = 9, .flags = EVIDENCE_RECLAIM | EVIDENCE_CONTENDED } },
	{ "a cgroup above its high limit, on the way out of a call", .rule = "paging-reclaim",
	  .seen = { .task_state = BLOCKED_KILLABLE, .syscall = 202, .futex_word = FUTEX_WORD_TWO },
	  .near = "lock-mutex",
	  .frames = "schedule schedule_timeout __mem_cgroup_handle_over_high exit_to_user_mode_loop" },
	{ "an allocation that retries, found by its stack", .rule = "paging-reclaim",
	  .seen = { .task_state = BLOCKED, .syscall = 9, .flags = EVIDENCE_ITERATED | EVIDENCE_CUT_START },
	  .frames = "schedule schedule_timeout __alloc_pages_slowpath.constprop.0 __alloc_pages vm_mmap_pgoff" },
	{ "an allocation that did not have to wait for memory", .rule = NULL, .near = "paging-reclaim",
	  .seen = { .task_state = BLOCKED, .syscall = 9 },
	  .frames = "schedule schedule_timeout __alloc_pages_noprof vm_mmap_pgoff" },

	{ "compaction for a huge page", .rule = "paging-compaction", .near = "paging-reclaim",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_COMPACTION } },
	{ "compaction comes before the reclaim around it", .rule = "paging-compaction", .beats = "paging-reclaim",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_COMPACTION },
	  .frames = "schedule io_schedule folio_wait_bit_common migrate_pages_batch compact_zone compact_zone_order "
		    "try_to_compact_pages __alloc_pages_slowpath.constprop.0 handle_mm_fault exc_page_fault" },
	{ "a page that is being moved", .rule = "paging-compaction", .beats = "paging-swap",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT | EVIDENCE_IOWAIT },
	  .frames = "schedule io_schedule migration_entry_wait_on_locked migration_entry_wait do_swap_page "
		    "handle_mm_fault exc_page_fault" },

	{ "a page that a thread has to provide", .rule = "ipc-userfault", .near = "paging-major-fault",
	  .seen = { .task_state = ASLEEP, .syscall = SYSCALL_NONE, .flags = EVIDENCE_FAULT },
	  .frames = "schedule handle_userfault do_anonymous_page __handle_mm_fault handle_mm_fault exc_page_fault" },
	{ "an anonymous page that waits for something unknown", .rule = NULL, .near = "ipc-userfault",
	  .seen = { FAULT, .flags = EVIDENCE_FAULT },
	  .frames = "schedule do_anonymous_page __handle_mm_fault handle_mm_fault exc_page_fault" },
};
#undef FAULT
