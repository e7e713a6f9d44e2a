/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same samples unwound by us and by libdw: the kernel dumps the registers and 64 KiB of the stack of a process' first
 * thread, and both walk that. compare_libdw PID SECONDS goes on until a thousand are identical, for at most so long, and
 * says how many are. Ours is the walk in user space, with the rows and the step that the kernel half compiles as well.
 * Ends with 1 where of those that both completed more than one in a thousand differ (one of fewer), or there are fewer than 50.
 */
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "../unwind/process_mappings.h"

enum { ENOUGH = 1000, RING_BYTES = 8 << 20, STACK_BYTES = 65528, REGISTER_COUNT = 17 };

/* perf's order of registers: ax bx cx dx si di bp sp ip, then flags and segments, then r8 to r15. */
static const uint64_t wanted_registers = 0x1ff | 0xff0000ull;
static const int dwarf_of_perf[REGISTER_COUNT] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15 };

struct sample {
	pid_t pid;
	uint64_t registers[REGISTER_COUNT];     /* DWARF's numbers; 16 is the pc */
	const char *stack;
	uint64_t size;
};
struct chain { uint64_t pcs[DEPTH]; size_t count; };
struct tally { uint64_t samples, complete, identical, libdw_short, different; };

static int read_dump(void *context, void *to, __u32 size, __u64 address)
{
	const struct sample *sample = context;
	uint64_t sp = sample->registers[7];
	struct unwind_process space = { .mappings = mappings, .count = mapping_count };
	pid_t pid = sample->pid;

	if (address >= sp && size <= sample->size && address - sp <= sample->size - size) {
		memcpy(to, sample->stack + (address - sp), size);
		return 0;
	}
	return unwind_mapping_at(&space, address) ? read_memory(&pid, to, size, address) : -1;
}

static bool walk_ours(struct sample *sample, struct chain *ret)
{
	struct unwind_process process = { .mappings = mappings, .count = mapping_count, .memory = { read_dump, sample } };
	struct unwind_state state = { .pc = sample->registers[16], .sp = sample->registers[7], .bp = sample->registers[6],
				      .pc_is_exact = 1, .registers_known = 1, .bp_known = 1, .method = UNWIND_BY_LEAF };
	struct unwind_frame frames[DEPTH];
	enum unwind_status status;

	memcpy(state.registers, sample->registers, sizeof(state.registers));
	status = unwind_walk(&process, state, DEPTH, frames, &ret->count);
	for (size_t i = 0; i < ret->count; i++)
		ret->pcs[i] = frames[i].address;
	return status == UNWIND_COMPLETE;
}

static pid_t next_thread(Dwfl *dwfl, void *argument, void **thread)
{
	struct sample *sample = argument;

	(void)dwfl;
	if (*thread)
		return 0;
	*thread = sample;
	return sample->pid;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *argument)
{
	(void)dwfl;
	return !read_dump(argument, ret, sizeof(*ret), address);
}

static bool set_registers(Dwfl_Thread *thread, void *argument)
{
	const struct sample *sample = argument;

	return dwfl_thread_state_registers(thread, 0, REGISTER_COUNT, sample->registers);
}

static int add_frame(Dwfl_Frame *frame, void *argument)
{
	struct chain *chain = argument;

	if (chain->count == DEPTH || !dwfl_frame_pc(frame, &chain->pcs[chain->count], NULL))
		return DWARF_CB_ABORT;
	chain->count++;
	return DWARF_CB_OK;
}

static struct sample at_hand;

static void walk_theirs(Dwfl *dwfl, struct chain *ret)
{
	ret->count = 0;
	(void)dwfl_getthread_frames(dwfl, at_hand.pid, add_frame, ret);
}

/* libdw goes one further than us: it notes what lies above the outermost frame, a pc of 0. */
static void compare(Dwfl *dwfl, struct tally *tally)
{
	static struct chain ours, theirs;
	bool complete = walk_ours(&at_hand, &ours);
	size_t common = 0;

	tally->samples++;
	tally->complete += complete;
	if (!complete)
		return;
	walk_theirs(dwfl, &theirs);
	while (theirs.count && !theirs.pcs[theirs.count - 1])
		theirs.count--;
	while (common < ours.count && common < theirs.count && ours.pcs[common] == theirs.pcs[common])
		common++;
	if (common == ours.count && common == theirs.count) {
		tally->identical++;
	} else if (common == theirs.count) {
		tally->libdw_short++;
	} else {
		if (tally->different++ < 3)
			for (size_t i = 0; i < ours.count || i < theirs.count; i++)
				printf("  %#18" PRIx64 " %#18" PRIx64 "\n", i < ours.count ? ours.pcs[i] : 0, i < theirs.count ? theirs.pcs[i] : 0);
	}
}

static void take_record(const char *record, Dwfl *dwfl, struct tally *tally)
{
	const struct perf_event_header *header = (const void *)record;
	const uint64_t *word = (const void *)(header + 1);

	if (header->type != PERF_RECORD_SAMPLE || *word++ != PERF_SAMPLE_REGS_ABI_64)
		return;
	for (int i = 0; i < REGISTER_COUNT; i++)
		at_hand.registers[dwarf_of_perf[i]] = *word++;
	at_hand.size = *word++;
	at_hand.stack = (const char *)word;
	if (at_hand.size)                       /* what was really copied stands behind the dump */
		memcpy(&at_hand.size, at_hand.stack + at_hand.size, sizeof(at_hand.size));
	compare(dwfl, tally);
}

static void drain_ring(struct perf_event_mmap_page *page, Dwfl *dwfl, struct tally *tally)
{
	static char record[1 << 17];
	const char *data = (const char *)page + 4096;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;

	while (tail < head) {
		const struct perf_event_header *header = (const void *)(data + tail % RING_BYTES);
		size_t size = header->size, first = RING_BYTES - tail % RING_BYTES;

		memcpy(record, header, first < size ? first : size);
		if (first < size)
			memcpy(record + first, data, size - first);
		take_record(record, dwfl, tally);
		tail += size;
		__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	}
}

int main(int count, char **arguments)
{
	static const Dwfl_Callbacks files = { .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo };
	static const Dwfl_Thread_Callbacks threads = { .next_thread = next_thread, .memory_read = read_word,
						       .set_initial_registers = set_registers };
	pid_t pid = count == 3 ? atoi(arguments[1]) : 0;
	struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attributes), .config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1, .sample_freq = 499, .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, .exclude_kernel = 1,
		.sample_regs_user = wanted_registers, .sample_stack_user = STACK_BYTES };
	int fd = pid > 0 ? (int)syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC) : -1;
	void *ring = fd < 0 ? MAP_FAILED : mmap(NULL, 4096 + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	Dwfl *dwfl = dwfl_begin(&files);
	time_t end = time(NULL) + (count == 3 ? atoi(arguments[2]) : 0);
	struct tally tally = { 0 };

	at_hand.pid = pid;
	if (ring == MAP_FAILED || !dwfl || dwfl_linux_proc_report(dwfl, pid) || dwfl_report_end(dwfl, NULL, NULL) ||
	    !dwfl_attach_state(dwfl, NULL, pid, &threads, &at_hand)) {
		perror("compare_libdw");
		return 2;
	}
	read_mappings(pid);
	while (time(NULL) < end && tally.identical < ENOUGH) {
		drain_ring(ring, dwfl, &tally);
		(void)usleep(10000);
	}
	printf("%" PRIu64 " samples, ours complete %" PRIu64 ", identical %" PRIu64 ", libdw gave up %" PRIu64 ", different %" PRIu64 "\n",
	       tally.samples, tally.complete, tally.identical, tally.libdw_short, tally.different);
	return tally.identical < 50 || (tally.different > 1 && tally.different * 1000 > tally.identical + tally.different);
}
