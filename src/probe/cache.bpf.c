/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Reads that needed no device, beside those that did. The kernel tells of each look into the page cache when it ends well, and of each page that
 * is put there before it is read:
 *
 *	read() ── page 7 is not there ── pages 7 to 38 are added ── … wait … ── found 7      had to be read
 *	read() ── page 8 is there ─────────────────────────────────────────── found 8        found
 *	read() ── page 24 is there, and asks for more ── 39 to 70 added ────── found 24       found: what was added lies ahead
 *
 * So a look had to read what it found where its own thread added a page that is no further on. What another thread's read has
 * under way counts as found, though it may be waited for: that is in the ledger. Pages that a write or a fault adds
 * are no read's. One look is one read of up to 64 KiB; longer ones make several.
 */
#include "probe/files.bpf.h"

enum { CALL_NONE = -1, CALL_WRITE = 1, CALL_PWRITE = 18, CALL_WRITEV = 20, CALL_PWRITEV = 296, CALL_PWRITEV2 = 328 };
enum { FOUND = 0, MISSED = 1 };

/* The first page that the thread put there since its last look. */
struct cache_added { __u64 mapping, first; };
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct cache_added);
} caches_added SEC(".maps");

PAIR_OF_FILE_MAPS(cache_reads);

static __always_inline bool is_of_read(struct task_struct *task)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	long call = regs->orig_ax;

	return call != CALL_NONE && call != CALL_WRITE && call != CALL_PWRITE && call != CALL_WRITEV && call != CALL_PWRITEV &&
	       call != CALL_PWRITEV2;
}

SEC("?tp_btf/mm_filemap_add_to_page_cache")
int BPF_PROG(cache_page_added, struct folio *folio)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct cache_added *added;
	__u64 mapping, index;

	if (!ledger_of(task, false) || !is_of_read(task))
		return 0;
	added = bpf_task_storage_get(&caches_added, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!added)
		return 0;
	mapping = (__u64)READ(folio, mapping);
	index = READ(folio, index);
	if (added->mapping != mapping || index < added->first)
		added->first = index;
	added->mapping = mapping;
	return 0;
}

VERIFIED_ONCE int cache_add(__u32 thread, const struct wire_file *file, __u32 what)
{
	struct wire_file_key key = { .thread = thread, .operation = what };
	struct wire_file_value *value;

	if (!file)
		return 0;
	key.file = *file;
	count(COUNT_CACHE_READS);
	value = PAIR_VALUE(cache_reads, &key);
	if (value)
		value->count++;                         /* by its own thread alone: no race */
	else
		count(COUNT_CACHE_READS_LOST);
	return 0;
}

SEC("?tp_btf/mm_filemap_get_pages")
int BPF_PROG(cache_looked, struct address_space *mapping, unsigned long first, unsigned long last)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_ledger *ledger = ledger_of(task, false);
	struct inode *inode = mapping ? READ(mapping, host) : NULL;
	struct cache_added *added;
	struct wire_file file;
	__u32 what = FOUND;

	if (!ledger || !ledger->serial || !inode || !window_is_open())
		return 0;
	added = bpf_task_storage_get(&caches_added, task, NULL, 0);
	if (added && added->mapping) {
		what = added->mapping == (__u64)mapping && added->first <= last ? MISSED : FOUND;
		added->mapping = 0;
	}
	file_of(inode, &file);
	file_announce(&file, inode);
	return cache_add(ledger->serial, &file, what);
}
