/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the kernel itself whether BPF works here, with the bpf() system call and the smallest objects that need what a
 * capture needs. Nothing is attached, and everything is gone when its descriptor is closed.
 */
#include "base/cleanup.h"
#include "command/doctor.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <string.h>
#include <sys/syscall.h>

static int bpf(enum bpf_cmd command, union bpf_attr *attributes)
{
	int r = (int)syscall(SYS_bpf, command, attributes, sizeof(*attributes));

	return r < 0 ? -errno : r;
}

int doctor_bpf_map(void)
{
	union bpf_attr attributes = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 1,
	};
	CLEANUP_FD int fd = bpf(BPF_MAP_CREATE, &attributes);

	return fd < 0 ? fd : 0;
}

/* Type information that holds one type: int. A task's storage is not to be had without. */
static int load_types(void)
{
	static const char strings[] = "\0int";
	struct {
		struct btf_header head;
		struct btf_type type;
		uint32_t encoding;
		char strings[sizeof(strings)];
	} types = {
		.head = { .magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(struct btf_header),
			  .type_len = sizeof(struct btf_type) + 4, .str_off = sizeof(struct btf_type) + 4,
			  .str_len = sizeof(strings) },
		.type = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
		.encoding = BTF_INT_SIGNED << 24 | 32,
	};
	union bpf_attr attributes = { .btf = (uintptr_t)&types };

	memcpy(types.strings, strings, sizeof(strings));
	attributes.btf_size = offsetof(__typeof__(types), strings) + sizeof(strings);
	return bpf(BPF_BTF_LOAD, &attributes);
}

static int create_task_storage(void)
{
	CLEANUP_FD int types = load_types();
	union bpf_attr attributes = {
		.map_type = BPF_MAP_TYPE_TASK_STORAGE, .key_size = 4, .value_size = 4, .map_flags = BPF_F_NO_PREALLOC,
		.btf_fd = (uint32_t)types, .btf_key_type_id = 1, .btf_value_type_id = 1,
	};

	return types < 0 ? types : bpf(BPF_MAP_CREATE, &attributes);
}

/* bpf_task_storage_get(map, bpf_get_current_task_btf(), NULL, 0) at sched_switch: what the ledger does. */
int doctor_bpf_task_storage(uint32_t sched_switch_id)
{
	CLEANUP_FD int map = create_task_storage();
	const struct bpf_insn program[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task_btf },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 2, .src_reg = 0 },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 4 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_task_storage_get },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attributes = {
		.prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = BPF_TRACE_RAW_TP,
		.attach_btf_id = sched_switch_id, .insn_cnt = ARRAY_LENGTH(program), .insns = (uintptr_t)program,
		.license = (uintptr_t) "GPL",
	};
	CLEANUP_FD int fd = map < 0 ? map : bpf(BPF_PROG_LOAD, &attributes);

	return fd < 0 ? fd : 0;
}
