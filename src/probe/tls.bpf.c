/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * TLS handshakes of OpenSSL: from the first SSL_do_handshake() of an SSL object to the one that returns 1, or, where a program leaves it
 * to its first read or write, from that call. Such a write returns when the handshake is over; a read waits on for what the peer says then, so that
 * it ends with the last thing that this side sent in it (its Finished, or a server's tickets). Objects whose making was not seen may have shaken hands
 * long ago: their reads and writes count nothing.
 *
 * Whose connection it is shows by what the thread sends and receives inside of the call: one that touches no socket (it was over already, or the program
 * carries the bytes by itself) counts nothing. Nothing of what is sent is read.
 */
#include "probe/connection.bpf.h"

const volatile bool tls_watched = false;

struct handshake_id { __u64 object; __u32 process, reserved; };
struct handshake_state { __u64 began_ns, sent_ns; };            /* 0: not yet */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct handshake_id);
	__type(value, struct handshake_state);
} handshakes SEC(".maps");

struct handshake { __u64 object, sent_ns; struct wire_connection_key key; __u8 touched, call; };
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

HIDDEN void tls_touch(const struct wire_connection_key *key, bool sent)
{
	struct handshake *handshake = bpf_task_storage_get(&handshakes_of_threads, bpf_get_current_task_btf(), NULL, 0);

	if (!handshake || !handshake->object)
		return;
	handshake->key = *key;
	handshake->touched = 1;
	if (sent)
		handshake->sent_ns = bpf_ktime_get_ns();
}

SEC("?uretprobe")
int tls_made(struct pt_regs *ctx)
{
	struct handshake_id id = id_of(ctx->ax);
	struct handshake_state none = {};

	if (ctx->ax && window_is_open() && ledger_of(bpf_get_current_task_btf(), false))
		bpf_map_update_elem(&handshakes, &id, &none, BPF_ANY);
	return 0;
}

/* call: of enum wire_tls_call. */
static int begin(__u64 object, __u8 call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct handshake *handshake;

	if (!window_is_open() || !ledger_of(task, false))
		return 0;
	handshake = bpf_task_storage_get(&handshakes_of_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!handshake)
		return 0;
	handshake->object = object;
	handshake->sent_ns = 0;
	handshake->touched = 0;
	handshake->call = call;
	return 0;
}

SEC("?uprobe")
int tls_begun(struct pt_regs *ctx)
{
	struct handshake_id id = id_of(ctx->di);
	struct handshake_state now = { .began_ns = bpf_ktime_get_ns() }, *state = bpf_map_lookup_elem(&handshakes, &id);

	if (state && !state->began_ns)
		state->began_ns = now.began_ns;
	else if (!state && window_is_open() && ledger_of(bpf_get_current_task_btf(), false))
		bpf_map_update_elem(&handshakes, &id, &now, BPF_NOEXIST);
	return begin(ctx->di, WIRE_TLS_HANDSHAKE);
}

/* A read or a write: in most cases of an object whose handshake is over, of which nothing is known any more. */
SEC("?uprobe")
int tls_used(struct pt_regs *ctx)
{
	struct handshake_id id = id_of(ctx->di);
	struct handshake_state *state = bpf_map_lookup_elem(&handshakes, &id);

	if (!state)
		return 0;
	if (!state->began_ns)
		state->began_ns = bpf_ktime_get_ns();
	return begin(ctx->di, bpf_get_attach_cookie(ctx));
}

SEC("?uretprobe")
int tls_ended(struct pt_regs *ctx)
{
	struct handshake *handshake = bpf_task_storage_get(&handshakes_of_threads, bpf_get_current_task_btf(), NULL, 0);
	struct wire_connection_value *value = NULL;
	struct handshake_state *state;
	struct handshake_id id;
	__u64 end;

	if (!handshake || !handshake->object)
		return 0;
	id = id_of(handshake->object);
	handshake->object = 0;
	state = bpf_map_lookup_elem(&handshakes, &id);
	if (state && handshake->sent_ns)
		state->sent_ns = handshake->sent_ns;
	if ((__s32)ctx->ax <= 0)
		return 0;                               /* it wants to be called again, or failed */
	if (state && handshake->touched && window_is_open())
		value = connection_value(&handshake->key);
	if (value) {
		end = handshake->call == WIRE_TLS_READ && state->sent_ns ? state->sent_ns : bpf_ktime_get_ns();
		if (end > state->began_ns)
			connection_add(value, CONNECTION_HANDSHAKE, end - state->began_ns);
	}
	bpf_map_delete_elem(&handshakes, &id);
	return 0;
}
