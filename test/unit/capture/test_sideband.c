/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/error.h"
#include "capture/sideband.h"
#include "child.h"
#include "symbol/elf_file.h"

struct seen {
	pid_t pid;
	int forks, execs, exits, mappings, anonymous, unordered, others;
	uint64_t last_ns, exec_ns, exit_ns;
	char build_id[HARVEST_BUILD_ID], comm[16];
};

static void look(void *context, const struct sideband_record *record)
{
	struct seen *seen = context;

	seen->unordered += record->time_ns < seen->last_ns;
	seen->last_ns = record->time_ns;
	if (record->pid != (uint32_t)seen->pid) {
		seen->others++;
		return;
	}
	seen->forks += record->kind == SIDEBAND_FORK && record->parent_pid == (uint32_t)getpid();
	if (record->kind == SIDEBAND_EXEC) {
		seen->execs++;
		seen->exec_ns = record->time_ns;
		memcpy(seen->comm, record->comm, sizeof(seen->comm));
	}
	if (record->kind == SIDEBAND_EXIT) {
		seen->exits++;
		seen->exit_ns = record->time_ns;
	}
	if (record->kind != SIDEBAND_MAPPING)
		return;
	seen->anonymous += !strcmp(record->mapping->path, "[anon]") && record->mapping->offset == record->mapping->start;
	if (!strstr(record->mapping->path, "/bin/true"))
		return;
	seen->mappings++;
	memcpy(seen->build_id, record->mapping->build_id, sizeof(seen->build_id));
}

static struct sideband *open_or_skip(void)
{
	struct error err;
	struct sideband *sideband = sideband_open(&err);

	if (!sideband && err.kind == FAILURE_CANNOT) {
		print_message("%s: %s\n", err.what, err.why);
		skip();
	}
	assert_non_null(sideband);
	return sideband;
}

TEST(a_process_of_a_millisecond_is_seen_from_birth_to_death)
{
	CLEANUP(sideband) struct sideband *sideband = open_or_skip();
	struct sideband_statistics statistics;
	struct seen seen = { 0 };
	char build_id[BUILD_ID_SIZE];
	uint64_t before_ns = clock_now_ns();

	seen.pid = fork();
	if (seen.pid == 0) {
		(void)execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(seen.pid, NULL, 0), seen.pid);
	assert_true(sideband_read(sideband, look, &seen) > 0);
	sideband_statistics(sideband, &statistics);
	assert_int_equal(seen.forks, 1);
	assert_int_equal(seen.execs, 1);
	assert_int_equal(seen.exits, 1);
	assert_int_equal(seen.mappings, 1);
	assert_int_equal(seen.unordered, 0);
	assert_string_equal(seen.comm, "true");
	assert_true(before_ns < seen.exec_ns && seen.exec_ns < seen.exit_ns && seen.exit_ns < clock_now_ns());
	assert_int_equal(elf_build_id("/bin/true", build_id), 0);
	if (seen.build_id[0])                        /* from kernel 5.12 */
		assert_string_equal(seen.build_id, build_id);
	assert_int_equal(statistics.lost, 0);
	assert_true(statistics.records > 0 && statistics.ring_bytes > 0);
}

TEST(only_executable_mappings_are_told)
{
	CLEANUP(sideband) struct sideband *sideband = open_or_skip();
	struct seen before = { .pid = getpid() }, after = { .pid = getpid() };
	void *data, *code;

	(void)sideband_read(sideband, look, &before);
	data = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	(void)sideband_read(sideband, look, &after);
	assert_int_equal(after.anonymous, 1);
	(void)munmap(data, 4096);
	(void)munmap(code, 4096);
}

TEST(a_full_ring_is_counted)
{
	CLEANUP(sideband) struct sideband *sideband = open_or_skip();
	struct sideband_statistics statistics = { 0 };
	struct seen seen = { .pid = getpid() };
	cpu_set_t before, here;

	/* Each processor has a ring and a count of its own: all mappings are made on one. */
	(void)sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	(void)sched_setaffinity(0, sizeof(here), &here);
	for (int i = 0; i < 20000; i++) {
		void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		(void)munmap(code, 4096);
	}
	(void)sideband_read(sideband, look, &seen);
	/* What was lost is told with the next record that finds room on that processor. */
	for (int i = 0; i < 200 && !statistics.lost; i++) {
		void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		(void)munmap(code, 4096);
		(void)sideband_read(sideband, look, &seen);
		sideband_statistics(sideband, &statistics);
	}
	(void)sched_setaffinity(0, sizeof(before), &before);
	assert_true(seen.anonymous > 100);
	assert_true(statistics.lost > 0);
	assert_true(seen.anonymous + statistics.lost >= 20000);
}

static size_t put(unsigned char *to, size_t at, const void *bytes, size_t size)
{
	memcpy(to + at, bytes, size);
	return at + size;
}

TEST(a_damaged_record_is_left_out)
{
	static struct harvested_mapping mapping;
	struct sideband_record record;
	struct perf_event_header header = { .type = PERF_RECORD_MMAP2 };
	unsigned char bytes[256] = { 0 };
	uint64_t numbers[3] = { 0x1000, 0x2000, 0x3000 }, time_ns = 77;
	uint32_t ids[2] = { 5, 6 }, protection[2] = { PROT_READ | PROT_EXEC, 0 };
	size_t size = put(bytes, sizeof(header), ids, sizeof(ids));

	size = put(bytes, size, numbers, sizeof(numbers)) + 24;
	size = put(bytes, size, protection, sizeof(protection));
	size = put(bytes, size, "/bin/x\0\0", 8) + 8;
	size = put(bytes, size, &time_ns, sizeof(time_ns));
	header.size = (uint16_t)size;
	memcpy(bytes, &header, sizeof(header));
	assert_int_equal(sideband_decode(bytes, size, &record, &mapping), 1);
	assert_int_equal(record.kind, SIDEBAND_MAPPING);
	assert_int_equal(record.time_ns, 77);
	assert_string_equal(mapping.path, "/bin/x");
	assert_int_equal(mapping.start, 0x1000);
	assert_int_equal(mapping.end, 0x3000);
	assert_int_equal(mapping.offset, 0x3000);
	for (size_t cut = 0; cut < size; cut++) {
		header.size = (uint16_t)cut;
		memcpy(bytes, &header, sizeof(header));
		(void)sideband_decode(bytes, cut, &record, &mapping);       /* the sanitizer watches */
		assert_int_equal(sideband_decode(bytes, cut + 1, &record, &mapping), 0);
	}
	header.size = (uint16_t)size;
	for (uint32_t type = 0; type < 32; type++) {
		header.type = type;
		memcpy(bytes, &header, sizeof(header));
		(void)sideband_decode(bytes, size, &record, &mapping);
	}
	numbers[1] = UINT64_MAX;
	(void)put(bytes, sizeof(header) + 8, numbers, sizeof(numbers));
	header.type = PERF_RECORD_MMAP2;
	memcpy(bytes, &header, sizeof(header));
	assert_int_equal(sideband_decode(bytes, size, &record, &mapping), 0);
}
