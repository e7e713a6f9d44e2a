/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * TLS handshakes of OpenSSL: from the first SSL_do_handshake() of an SSL object to the one that returns 1. Whose connection it is
 * shows by what the thread sends and receives inside of it: a call that touches no socket (it was over already, or the program
 * carries the bytes by itself) counts nothing. Nothing of what is sent is read.
 */
#include "probe/connection.bpf.h"

const volatile bool tls_watched = false;

struct handshake_id { __u64 object; __u32 process, reserved; };
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct handshake_id);
	__type(value, __u64);                           /* when it began */
} handshakes SEC(".maps");

struct handshake { __u64 object; struct wire_connection_key key; __u8 touched; };
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct handshake);
} handshakes_of_threads SEC(".maps");

static struct handshake_id id_of(__u64 object)
{
	return (struct handshake_id){ .object = object, .process = bpf_get_current_pid_tgid() >> 32 };
}

HIDDEN void tls_touch(const struct wire_connection_key *key)
{
	struct handshake *handshake = bpf_task_storage_get(&handshakes_of_threads, bpf_get_current_task_btf(), NULL, 0);

	if (!handshake || !handshake->object)
		return;
	handshake->key = *key;
	handshake->touched = 1;
}

SEC("?uprobe")
int tls_begun(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct handshake_id id = id_of(ctx->di);
	struct handshake *handshake;
	__u64 now = bpf_ktime_get_ns();

	if (!window_is_open() || !ledger_of(task, false))
		return 0;
	handshake = bpf_task_storage_get(&handshakes_of_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!handshake)
		return 0;
	handshake->object = ctx->di;
	handshake->touched = 0;
	bpf_map_update_elem(&handshakes, &id, &now, BPF_NOEXIST);
	return 0;
}

SEC("?uretprobe")
int tls_ended(struct pt_regs *ctx)
{
	struct handshake *handshake = bpf_task_storage_get(&handshakes_of_threads, bpf_get_current_task_btf(), NULL, 0);
	struct wire_connection_value *value;
	struct handshake_id id;
	__u64 *began;

	if (!handshake || !handshake->object)
		return 0;
	id = id_of(handshake->object);
	handshake->object = 0;
	if ((__s32)ctx->ax != 1)
		return 0;                               /* it wants to be called again, or failed */
	began = bpf_map_lookup_elem(&handshakes, &id);
	value = began && handshake->touched && window_is_open() ? connection_value(&handshake->key) : NULL;
	if (value)
		connection_add(value, CONNECTION_HANDSHAKE, bpf_ktime_get_ns() - *began);
	bpf_map_delete_elem(&handshakes, &id);
	return 0;
}
