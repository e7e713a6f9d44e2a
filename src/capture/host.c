/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the host from uname, sysconf, /proc/cpuinfo and the first line of /proc/stat. */
#include "capture/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "symbol/elf_file.h"

/* x86 says "model name"; arm64 only numbers, of which the part is kept. */
static void read_processor(char *processor, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512], *value;

	while (file && !processor[0] && fgets(line, sizeof(line), file)) {
		value = strchr(line, ':');
		if (!value || (strncmp(line, "model name", 10) != 0 && strncmp(line, "CPU part", 8) != 0))
			continue;
		value += 1 + strspn(value + 1, " \t");
		value[strcspn(value, "\n")] = '\0';
		(void)snprintf(processor, size, "%.*s", (int)size - 1, value);
	}
	if (file)
		(void)fclose(file);
}

static void read_kernel_build_id(char hex[BUILD_ID_SIZE])
{
	FILE *file = fopen("/sys/kernel/notes", "re");
	char notes[4096];

	if (!file)
		return;
	(void)elf_build_id_of_notes(notes, fread(notes, 1, sizeof(notes), file), hex);
	(void)fclose(file);
}

/* "0-127", or a list of such: the last number, and the first is 0. Sizes of per-CPU maps go by it. */
static uint32_t read_possible(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	unsigned int last = 0;
	bool any = false;

	if (!file)
		return 0;
	while (fscanf(file, "%u", &last) == 1 && (any = true) && fgetc(file) != EOF)
		;
	(void)fclose(file);
	return any ? last + 1 : 0;
}

static uint32_t count_of(long value)
{
	return value > 0 ? (uint32_t)value : 0;
}

void host_read(struct host *ret)
{
	struct utsname names;
	long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);

	_Static_assert(sizeof(ret->kernel_build_id) == BUILD_ID_SIZE, "one size for a build id");
	*ret = (struct host){ .processors_online = count_of(sysconf(_SC_NPROCESSORS_ONLN)),
			      .processors_possible = read_possible() };
	if (pages > 0 && page_size > 0)
		ret->memory_bytes = (uint64_t)pages * (uint64_t)page_size;
	read_processor(ret->processor, sizeof(ret->processor));
	read_kernel_build_id(ret->kernel_build_id);
	if (uname(&names) < 0)
		return;
	(void)snprintf(ret->name, sizeof(ret->name), "%s", names.nodename);
	(void)snprintf(ret->kernel, sizeof(ret->kernel), "%s", names.release);
	(void)snprintf(ret->kernel_build, sizeof(ret->kernel_build), "%s", names.version);
	(void)snprintf(ret->architecture, sizeof(ret->architecture), "%s", names.machine);
}

/* "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; user holds guest already. */
int host_time_read(struct host_time *ret)
{
	uint64_t ticks[8] = { 0 }, tick_ns = 1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK);
	FILE *file = fopen("/proc/stat", "re");
	int got;

	if (!file)
		return -errno;
	got = fscanf(file, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		     &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
	(void)fclose(file);
	if (got != 8)
		return -EBADMSG;
	*ret = (struct host_time){ .user_ns = (ticks[0] + ticks[1]) * tick_ns, .system_ns = ticks[2] * tick_ns,
				   .idle_ns = ticks[3] * tick_ns, .iowait_ns = ticks[4] * tick_ns, .irq_ns = ticks[5] * tick_ns,
				   .softirq_ns = ticks[6] * tick_ns, .steal_ns = ticks[7] * tick_ns };
	return 0;
}

/* idle and iowait are estimates and may run backwards. */
static uint64_t gained(uint64_t earlier, uint64_t later)
{
	return later > earlier ? later - earlier : 0;
}

struct host_time host_time_between(const struct host_time *earlier, const struct host_time *later)
{
	return (struct host_time){ .user_ns = gained(earlier->user_ns, later->user_ns),
				   .system_ns = gained(earlier->system_ns, later->system_ns),
				   .idle_ns = gained(earlier->idle_ns, later->idle_ns),
				   .iowait_ns = gained(earlier->iowait_ns, later->iowait_ns),
				   .irq_ns = gained(earlier->irq_ns, later->irq_ns),
				   .softirq_ns = gained(earlier->softirq_ns, later->softirq_ns),
				   .steal_ns = gained(earlier->steal_ns, later->steal_ns) };
}
