/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings and the kernel's own code. A file that can be found again keeps its path, its build and offsets into it; code
 * that a runtime made up lies in "[anon:PID]" by its address, as in our own captures; the kernel is one file.
 */
#include "base/map.h"
#include "format/perf_session.h"
#include "format/perf_space.h"
#include "profile/profile.h"

#include <stdio.h>

enum { MISC_DATA = 1 << 13, MISC_BUILD_ID = 1 << 14, BUILD_ID_BYTES = 20, PROTECT_EXECUTE = 4, KERNEL_PID = -1 };

struct mapped {
	uint32_t pid, protection;
	uint64_t start, size, offset;
	const char *name;
	size_t name_size;
	char build_id[2 * BUILD_ID_BYTES + 1];
};

static void build_id_take(struct perf_bytes *body, struct mapped *ret)
{
	const uint8_t *at = perf_take(body, 24);

	for (size_t i = 0; at && i < at[0] && i < BUILD_ID_BYTES; i++)
		(void)snprintf(ret->build_id + 2 * i, 3, "%02x", at[4 + i]);
}

static bool mapped_read(unsigned type, uint16_t misc, struct perf_bytes body, struct mapped *ret)
{
	*ret = (struct mapped){ .pid = perf_u32(&body), .protection = misc & MISC_DATA ? 0 : PROTECT_EXECUTE };
	(void)perf_u32(&body);
	ret->start = perf_u64(&body);
	ret->size = perf_u64(&body);
	ret->offset = perf_u64(&body);
	if (type == PERF_MMAP2) {
		if (misc & MISC_BUILD_ID)
			build_id_take(&body, ret);
		else
			(void)perf_take(&body, 24);
		ret->protection = perf_u32(&body);
		(void)perf_u32(&body);
	}
	ret->name_size = perf_text_size(&body, &ret->name);
	return !body.failed && ret->start + ret->size > ret->start;
}

static bool starts(const struct mapped *mapped, const char *prefix)
{
	size_t size = strlen(prefix);

	return mapped->name_size >= size && !memcmp(mapped->name, prefix, size);
}

static void kernel_map(struct perf_session *session, const struct mapped *mapped)
{
	if (!starts(mapped, "[kernel.kallsyms]"))
		return;
	if (*mapped->build_id && !session->stacks.kernel_file.index)
		session->stacks.kernel_file = profile_file(session->profile, "[kernel]", mapped->build_id);
	/* where the first function lay: a kernel moves at every start */
	if (mapped->offset)
		profile_set_meta_number(session->profile, "import.kernel_text", mapped->offset);
}

/* What no file backs: a runtime's code, or a program that maps what it made itself. */
static bool is_anonymous(const struct mapped *mapped)
{
	static const char *const prefixes[] = { "//anon", "/dev/zero", "/anon_hugepage", "/memfd:", "/SYSV", "[anon", "[heap]",
						"[stack" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (starts(mapped, prefixes[i]))
			return true;
	return !mapped->name_size;
}

static struct file_id anonymous_of(struct perf_session *session, struct perf_process *process)
{
	char name[32];

	if (!process->anonymous.index) {
		(void)snprintf(name, sizeof(name), "[anon:%u]", process->pid);
		process->anonymous = profile_file(session->profile, name, NULL);
	}
	return process->anonymous;
}

static struct file_id file_of(struct perf_session *session, const struct mapped *mapped)
{
	struct string_id path = profile_string_size(session->profile, mapped->name, mapped->name_size);
	const char *build_id = mapped->build_id;

	if (!*build_id)
		build_id = profile_text(session->profile, perf_build_id_of(session, mapped->name, mapped->name_size));
	return profile_file(session->profile, profile_text(session->profile, path), build_id);
}

void perf_map_record(struct perf_session *session, unsigned type, uint16_t misc, struct perf_bytes body)
{
	unsigned mode = misc & PERF_MODE_MASK;
	struct perf_process *process;
	struct perf_map map;
	struct mapped mapped;

	if (!mapped_read(type, misc, body, &mapped)) {
		session->damaged++;
		return;
	}
	if (mode == PERF_MODE_KERNEL || mapped.pid == (uint32_t)KERNEL_PID) {
		kernel_map(session, &mapped);
		return;
	}
	if (mode == PERF_MODE_GUEST_KERNEL || mode == PERF_MODE_GUEST_USER)
		return;
	process = perf_tasks_process(&session->tasks, mapped.pid);
	map = (struct perf_map){ .start = mapped.start, .end = mapped.start + mapped.size, .offset = mapped.offset };
	if (is_anonymous(&mapped)) {
		map.file = anonymous_of(session, process);
		map.offset = map.start;
	} else {
		map.file = file_of(session, &mapped);
	}
	if (mapped.protection & PROTECT_EXECUTE)
		profile_mapping(session->profile, (struct mapping){ .process = process->id, .file = map.file, .start = map.start,
								    .end = map.end, .offset = map.offset });
	if (!perf_space_put(&process->space, map))
		session->damaged++;
}

/* A BPF program, a trampoline: named by the record alone, since it may be gone when anybody asks. */
void perf_symbol_record(struct perf_session *session, struct perf_bytes body)
{
	enum { IS_GONE = 1 };
	uint64_t address = perf_u64(&body);
	uint32_t size = perf_u32(&body);
	uint16_t flags;
	const char *name;
	size_t name_size;

	(void)perf_u16(&body);
	flags = perf_u16(&body);
	name_size = perf_text_size(&body, &name);
	if (body.failed || flags & IS_GONE)
		return;
	(void)perf_space_put(&session->stacks.kernel, (struct perf_map){
		.start = address, .end = address + size, .name = profile_string_size(session->profile, name, name_size) });
}
