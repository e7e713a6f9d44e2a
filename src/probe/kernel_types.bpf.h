/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * The kernel's types, as far as the programs read them: names and fields only. Offsets come from the running kernel's
 * BTF at load (CO-RE), so this builds where no BTF is and loads where a field moved. A field that some supported kernel
 * lacks is tested with bpf_core_field_exists() where it is read.
 */
typedef signed char __s8;
typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

/* From the kernel's uapi: numbers that never change. */
enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_PERCPU_ARRAY = 6, BPF_MAP_TYPE_LRU_HASH = 9,
       BPF_MAP_TYPE_ARRAY_OF_MAPS = 12, BPF_MAP_TYPE_SK_STORAGE = 24, BPF_MAP_TYPE_RINGBUF = 27, BPF_MAP_TYPE_TASK_STORAGE = 29 };
enum { BPF_ANY = 0, BPF_NOEXIST = 1, BPF_F_NO_PREALLOC = 1, BPF_F_USER_STACK = 1 << 8, BPF_RB_NO_WAKEUP = 1, BPF_RB_AVAIL_DATA = 0,
       BPF_LOCAL_STORAGE_GET_F_CREATE = 1, BPF_SK_STORAGE_GET_F_CREATE = 1, BPF_F_MMAPABLE = 1 << 10, BPF_F_INNER_MAP = 1 << 12 };

/* The context of a perf_event program on x86-64: a uapi struct, its offsets are fixed. */
struct bpf_perf_event_data { __u64 regs[21]; __u64 sample_period; __u64 addr; };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs { unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, sp; };

struct upid { int nr; };
struct pid { unsigned int level; struct upid numbers[1]; };

struct rq { unsigned int cpu; __u64 clock; };
struct cfs_rq { struct rq *rq; int throttle_count; };
struct sched_entity { __u64 sum_exec_runtime; struct cfs_rq *cfs_rq; };
struct sched_info { unsigned long long last_arrival; };

struct file_operations { void *release; };
struct hlist_node { struct hlist_node *next; };
struct hlist_head { struct hlist_node *first; };
struct super_block { __u32 s_dev; };
struct inode { unsigned short i_mode; unsigned long i_ino; __u32 i_rdev; struct super_block *i_sb; struct hlist_head i_dentry; };
struct file { const struct file_operations *f_op; struct inode *f_inode; void *private_data; };
struct qstr { const unsigned char *name; };
struct dentry { struct qstr d_name; struct dentry *d_parent; union { struct hlist_node d_alias; } d_u; };
struct address_space { struct inode *host; };
struct page { struct address_space *mapping; unsigned long compound_head; };
struct folio { struct address_space *mapping; unsigned long index; };
struct bio_vec { struct page *bv_page; };
struct io_cqe { int fd; };
struct io_kiocb { struct file *file; struct io_cqe cqe; __u64 flags; };
struct fdtable { unsigned int max_fds; struct file **fd; };
struct files_struct { struct fdtable *fdt; };

struct in6_addr { __u8 bytes[16]; };            /* the kernel's has a union of that size */
struct sock_common {
	unsigned short skc_family;
	volatile unsigned char skc_state;
	__u16 skc_num;
	__be16 skc_dport;
	__be32 skc_daddr;
	struct in6_addr skc_v6_daddr;
};
struct sock { struct sock_common __sk_common; __u32 sk_max_ack_backlog; __u16 sk_type, sk_protocol; };
struct inet_connection_sock { __u8 icsk_ca_state : 5; };
struct tcp_sock { __u32 srtt_us, snd_wnd, rcv_nxt, copied_seq, chrono_start, chrono_stat[3]; __u8 chrono_type : 2; };
struct sk_buff { char cb[48]; };
struct tcp_skb_cb { __u16 tcp_gso_segs; };
struct inet_sock { __u16 inet_sport; };         /* in network order */
struct socket { short type; struct sock *sk; };
struct unix_address;
struct unix_sock { struct unix_address *addr; };

struct thread_info { __u32 status; };

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	unsigned int on_cpu;            /* unsigned, so that a kernel where it is one byte (7.2) can be fitted */
	unsigned in_iowait : 1;
	unsigned in_execve : 1;
	unsigned frozen : 1;            /* 5.17 and later, with CONFIG_CGROUP_FREEZER */
	int pid, tgid;
	char comm[16];
	struct sched_entity se;
	struct sched_info sched_info;   /* empty without CONFIG_SCHED_INFO */
	struct files_struct *files;
	void *mm;
	struct task_struct *real_parent, *group_leader;
	struct pid *thread_pid;
	bool throttled;                 /* 6.18 and later */
};

struct rw_semaphore { long count; };
struct mm_struct { struct rw_semaphore mmap_lock; };

struct seq_file;
struct bpf_iter_meta { struct seq_file *seq; };
struct bpf_iter__task { struct bpf_iter_meta *meta; struct task_struct *task; };

struct bvec_iter { __u64 bi_sector; };
struct gendisk { int major, first_minor; };
struct block_device { struct gendisk *bd_disk; };
struct bio { struct bvec_iter bi_iter; struct block_device *bi_bdev; __u32 bi_opf; struct bio_vec *bi_io_vec; };
struct request_queue { struct gendisk *disk; };
struct request { struct request_queue *q; __u32 cmd_flags; __u32 __data_len; __u64 __sector; __u64 start_time_ns; };

#pragma clang attribute pop
