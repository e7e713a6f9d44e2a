/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Whose block requests those of a device were, and of which file. Who queues a piece leaves its origin under the disk and the
 * sector; when the request that begins there completes, its bytes and times are the origin's. So requests of an io_uring or
 * of libaio are led back to the thread that submitted them, whoever waits for what.
 *
 * The file is that of the pages, for all I/O through the page cache; a direct request's pages are the program's, so its file
 * is that of the system call in progress, or of the request that an io_uring submits. Write-back is done by the kernel's
 * workers: beside their requests stands who made pages of the file dirty, and the user half infers shares from that.
 */
#include "probe/files.bpf.h"

enum { ORIGINS = 16384, MODE_BITS = 0170000, MODE_BLOCK = 0060000, MODE_REGULAR = 0100000, OPERATION_BITS = 0xff };
enum { CALL_READ = 0, CALL_WRITE = 1, CALL_PREAD = 17, CALL_PWRITE = 18, CALL_READV = 19, CALL_WRITEV = 20, CALL_IO_SUBMIT = 209,
       CALL_PREADV = 295, CALL_PWRITEV = 296, CALL_PREADV2 = 327, CALL_PWRITEV2 = 328, CALL_IO_URING_ENTER = 426, IOCB_FILE = 20, RING_FIXED_FILE = 1 };

struct origin_key { __u64 disk, sector; };
struct origin { struct wire_file file; __u64 queued_ns; __u32 thread, reserved; };
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, ORIGINS);
	__type(key, struct origin_key);
	__type(value, struct origin);
} file_origins SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, FILE_ENTRIES);
	__type(key, struct wire_file);
	__type(value, __u8);
} files_named SEC(".maps");             /* who is forgotten is named again */

/* What the io_uring of a thread submits now. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} ring_files SEC(".maps");

PAIR_OF_FILE_MAPS(file_ios);
PAIR_OF_FILE_MAPS(dirtied);

static void name_of(struct dentry *dentry, char *text)
{
	const unsigned char *name = READ(dentry, d_name.name);

	if (name)
		bpf_probe_read_kernel_str(text, WIRE_FILE_TEXT, name);
}

HIDDEN void file_announce(const struct wire_file *file, struct inode *inode)
{
	struct wire_file_name record = { .head = { .size = sizeof(record), .kind = WIRE_FILE_NAME, .time_ns = bpf_ktime_get_ns() },
					 .file = *file };
	struct hlist_node *link = READ(inode, i_dentry.first);
	struct dentry *dentry = NULL, *parent;
	__u8 named = 1;

	if (bpf_map_lookup_elem(&files_named, file))
		return;
	record.mode = READ(inode, i_mode) & MODE_BITS;
	if (link && bpf_core_field_exists(dentry->d_u)) {
		dentry = (void *)link - bpf_core_field_offset(struct dentry, d_u);
		parent = READ(dentry, d_parent);
		name_of(dentry, record.name);
		if (parent && parent != dentry)
			name_of(parent, record.folder);
	}
	if (record_send(&record, sizeof(record)))
		bpf_map_update_elem(&files_named, file, &named, BPF_ANY);
}

HIDDEN void file_of(struct inode *inode, struct wire_file *ret)
{
	struct super_block *super = inode ? READ(inode, i_sb) : NULL;

	*ret = (struct wire_file){};
	if (!super)
		return;
	ret->inode = READ(inode, i_ino);
	ret->device = READ(super, s_dev);
	if ((READ(inode, i_mode) & MODE_BITS) != MODE_BLOCK)
		return;
	ret->inode = READ(inode, i_rdev);       /* by whatever node it was opened, it is the device */
	ret->device = 0;
}

/* Of the page cache; NULL for pages that are a program's own. A page within a larger one says where that begins. */
static struct inode *inode_of_page(struct page *page)
{
	unsigned long head = READ(page, compound_head);
	struct address_space *mapping;

	if (head & 1)
		page = (struct page *)(head - 1);
	mapping = READ(page, mapping);
	if (!mapping || (unsigned long)mapping & 3)
		return NULL;
	return READ(mapping, host);
}

static struct inode *inode_of_descriptor(struct task_struct *task, __u32 descriptor)
{
	struct files_struct *files = READ(task, files);
	struct fdtable *table = files ? READ(files, fdt) : NULL;
	struct file **array, *file = NULL;

	if (!table || descriptor >= READ(table, max_fds))
		return NULL;
	array = READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), &array[descriptor]);
	return file ? READ(file, f_inode) : NULL;
}

/* libaio: where several are submitted at once, the call does not say which of them this is. */
static struct inode *inode_of_iocb(struct task_struct *task, const struct pt_regs *regs)
{
	__u64 iocb = 0;
	__u32 descriptor = 0;

	if (regs->si != 1 || bpf_probe_read_user(&iocb, sizeof(iocb), (void *)regs->dx) ||
	    bpf_probe_read_user(&descriptor, sizeof(descriptor), (void *)(iocb + IOCB_FILE)))
		return NULL;
	return inode_of_descriptor(task, descriptor);
}

static struct inode *inode_of_call(struct task_struct *task)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	__u64 *ring;

	switch (regs->orig_ax) {
	case CALL_READ: case CALL_WRITE: case CALL_PREAD: case CALL_PWRITE: case CALL_READV: case CALL_WRITEV: case CALL_PREADV:
	case CALL_PWRITEV: case CALL_PREADV2: case CALL_PWRITEV2:
		return inode_of_descriptor(task, (__u32)regs->di);
	case CALL_IO_SUBMIT:
		return inode_of_iocb(task, regs);
	case CALL_IO_URING_ENTER:
		ring = bpf_task_storage_get(&ring_files, task, NULL, 0);
		return ring ? (struct inode *)*ring : NULL;
	}
	return NULL;
}

SEC("?tp_btf/io_uring_submit_req")
int BPF_PROG(file_ring_submitted, struct io_kiocb *request)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct inode *inode = NULL;
	__u64 *ring;

	if (!ledger_of(task, false))
		return 0;
	/* It has no file yet; a registered one is known by its place in the ring's own table alone. */
	if (!(READ(request, flags) & RING_FIXED_FILE) && bpf_core_field_exists(request->cqe.fd))
		inode = inode_of_descriptor(task, BPF_CORE_READ(request, cqe.fd));
	ring = bpf_task_storage_get(&ring_files, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (ring)
		*ring = (__u64)inode;
	return 0;
}

SEC("?tp_btf/block_bio_queue")
int BPF_PROG(file_bio_queued, struct bio *bio)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_ledger *ledger = ledger_of(task, false);
	struct bio_vec *pieces = READ(bio, bi_io_vec);
	struct origin_key key = {};
	struct origin origin = {};
	struct inode *inode = NULL;
	struct page *page;

	if (!window_is_open())
		return 0;
	page = pieces ? READ(pieces, bv_page) : NULL;
	if (page)
		inode = inode_of_page(page);
	if (!inode && ledger)
		inode = inode_of_call(task);
	if (!inode && !ledger)
		return 0;
	file_of(inode, &origin.file);
	if (ledger && inode)
		file_announce(&origin.file, inode);
	else if (!ledger && !bpf_map_lookup_elem(&files_named, &origin.file))
		return 0;                               /* a worker's, of a file that nobody of the population touched */
	key.disk = READ(bio, bi_bdev) ? (__u64)BPF_CORE_READ(bio, bi_bdev, bd_disk) : 0;
	key.sector = READ(bio, bi_iter.bi_sector);
	origin.thread = ledger ? ledger->serial : 0;
	origin.queued_ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&file_origins, &key, &origin, BPF_ANY);
	return 0;
}

#define ADD(value, field, amount) __sync_fetch_and_add(&(value)->field, amount)

SEC("?tp_btf/block_rq_complete")
int BPF_PROG(file_request_completed, struct request *request, int error, unsigned int bytes)
{
	struct origin_key key = { .sector = READ(request, __sector) };
	struct wire_file_key into = {};
	struct wire_file_value *value;
	struct origin *origin;
	__u64 ns;

	if (READ(request, q))
		key.disk = (__u64)BPF_CORE_READ(request, q, disk);
	origin = bpf_map_lookup_elem(&file_origins, &key);
	if (!origin || !window_is_open())
		return 0;
	count(COUNT_FILE_IOS);
	into.file = origin->file;
	into.thread = origin->thread;
	into.operation = READ(request, cmd_flags) & OPERATION_BITS;
	ns = bpf_ktime_get_ns() - origin->queued_ns;
	bpf_map_delete_elem(&file_origins, &key);
	value = PAIR_VALUE(file_ios, &into);
	if (!value) {
		count(COUNT_FILE_IOS_LOST);
		return 0;
	}
	ADD(value, count, 1);
	ADD(value, bytes, bytes);
	ADD(value, device_ns, ns);
	if (ns > value->device_maximum_ns)
		value->device_maximum_ns = ns;
	return 0;
}

/* Only a page that was clean: so pages are counted as often as they are written back, not as often as they are written to. */
SEC("?tp_btf/writeback_dirty_folio")
int BPF_PROG(file_dirtied, struct folio *folio, struct address_space *mapping)
{
	struct task_ledger *ledger = ledger_of(bpf_get_current_task_btf(), false);
	struct inode *inode = mapping ? READ(mapping, host) : NULL;
	struct wire_file_key key = {};
	struct wire_file_value *value;

	if (!ledger || !inode || !window_is_open())
		return 0;
	count(COUNT_DIRTIED);
	file_of(inode, &key.file);
	file_announce(&key.file, inode);
	key.thread = ledger->serial;
	value = PAIR_VALUE(dirtied, &key);
	if (value)
		ADD(value, count, 1);
	else
		count(COUNT_FILE_IOS_LOST);
	return 0;
}
