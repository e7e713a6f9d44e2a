/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/kernel_field.h"

#include "base/cleanup.h"
#include "profile/profile.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

enum { NESTING_LIMIT = 8 };

/* An optional field; where another tells the same, it is missing only if that is missing too. */
static const struct { const char *type, *member, *other_type, *other_member, *without; } fields[] = {
	{ "task_struct", "in_iowait", NULL, NULL, "waits for a disk are told by the kernel stack alone" },
	{ "task_struct", "files", NULL, NULL, "files and sockets that are waited for are unknown" },
	{ "task_struct", "thread_pid", NULL, NULL, "thread ids inside of containers are unknown" },
	{ "task_struct", "throttled", "cfs_rq", "throttle_count", "waits for a CPU quota count as preempted" },
	{ "sched_info", "last_arrival", NULL, NULL, "what a thread did before a switch that was not seen is unknown" },
	{ "rq", "clock", NULL, NULL, "what a thread did before a switch that was not seen is unknown" },
	{ "unix_sock", "addr", NULL, NULL, "accepted unix sockets cannot be told from connected ones" },
	{ "sock", "sk_max_ack_backlog", NULL, NULL, "sockets accepted since the last slice cannot be told from connected ones" },
	{ "tcp_sock", "srtt_us", NULL, NULL, "round trips of connections are unknown" },
	{ "tcp_sock", "chrono_stat", NULL, NULL, "waits for a peer's window cannot be told from others" },
	{ "inet_connection_sock", "icsk_ca_state", NULL, NULL, "waits while a loss is repaired cannot be told from others" },
	{ "bio", "bi_iter", NULL, NULL, "disk waits are not matched to the thread's own requests" },
	{ "request", "__sector", NULL, NULL, "disk waits are not matched to the thread's own requests" },
};

static long variable_offset(const struct btf *btf, const char *name)
{
	for (unsigned id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *section = btf__type_by_id(btf, id);
		const struct btf_var_secinfo *variables;

		if (!btf_is_datasec(section))
			continue;
		variables = btf_var_secinfos(section);
		for (int i = 0; i < btf_vlen(section); i++) {
			const struct btf_type *variable = btf__type_by_id(btf, variables[i].type);

			if (!strcmp(btf__name_by_offset(btf, variable->name_off), name))
				return (long)variables[i].offset;
		}
	}
	return -1;
}

/* Members of unnamed structs and unions are members of what holds those. */
static long member_bits(const struct btf *btf, const struct btf_type *type, const char *member, unsigned nesting)
{
	for (int i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *at = &btf_members(type)[i];
		long bits = (long)btf_member_bit_offset(type, (unsigned)i), below;
		const struct btf_type *inner;

		if (!strcmp(btf__name_by_offset(btf, at->name_off), member))
			return bits;
		inner = at->name_off ? NULL : btf__type_by_id(btf, at->type);
		if (!inner || !btf_is_composite(inner) || nesting >= NESTING_LIMIT)
			continue;
		below = member_bits(btf, inner, member, nesting + 1);
		if (below >= 0)
			return bits + below;
	}
	return -1;
}

/* In bytes; negative where there is no such type or member. */
static long member_offset(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	long bits = id > 0 ? member_bits(btf, btf__type_by_id(btf, (unsigned)id), member, 0) : -1;

	return bits < 0 ? -1 : bits / 8;
}

long kernel_preempt_count_distance(const struct btf *btf)
{
	long queue = variable_offset(btf, "runqueues"), count = variable_offset(btf, "__preempt_count"), hot, member;

	if (queue < 0 || member_offset(btf, "sched_entity", "cfs_rq") < 0 || member_offset(btf, "cfs_rq", "rq") < 0)
		return 0;
	if (count >= 0)
		return count - queue;
	hot = variable_offset(btf, "pcpu_hot");
	member = member_offset(btf, "pcpu_hot", "preempt_count");
	return hot >= 0 && member >= 0 ? hot + member - queue : 0;
}

void kernel_note_missing_fields(const struct btf *btf, struct profile *profile)
{
	for (size_t i = 0; i < ARRAY_LENGTH(fields); i++) {
		char key[96];

		if (member_offset(btf, fields[i].type, fields[i].member) >= 0)
			continue;
		if (fields[i].other_type && member_offset(btf, fields[i].other_type, fields[i].other_member) >= 0)
			continue;
		(void)snprintf(key, sizeof(key), "probe.missing.%s.%s", fields[i].type, fields[i].member);
		profile_set_meta(profile, key, fields[i].without);
	}
	if (!kernel_preempt_count_distance(btf))
		profile_set_meta(profile, "probe.missing.preempt_count", "interrupts cannot be told from tasks as wakers");
}
