/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast a capture file is written and read, and how large it is: slices of made-up cells whose
 *threads, stacks and waits are as unevenly spread as those of a busy server. Prints one line per
 *figure, in CPU time of the process, so that a busy machine does not change them. Not a test: it
 *judges nothing.
 *
 *	bench_native FILE [SLICES [CELLS-PER-SLICE]]
 */
#include "base/error.h"
#include "format/format.h"
#include "format/native.h"
#include "profile/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

enum { THREADS = 256, STACKS = 20000, EVIDENCES = 60, DEPTH = 24 };

static uint64_t random_state = 88172645463325252;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Small numbers often, large ones seldom. */
static uint32_t uneven(uint32_t limit)
{
	return (uint32_t)(pow((double)(random_next() >> 11) / (double)(1ull << 53), 3) * limit);
}

static void dictionaries_fill(struct profile *profile, struct measure_id measures[3])
{
	struct file_id file = profile_file(profile, "/usr/bin/server", "00");
	struct string_id sched = profile_string(profile, "sched");
	struct stack_id stacks[STACKS] = { { 0 } };

	for (uint32_t i = 0; i < THREADS; i++)
		(void)profile_thread(profile, (struct thread){ .tid = 1000 + i });
	for (uint32_t i = 1; i < STACKS; i++)
		stacks[i] = profile_stack(
			profile, i % DEPTH ? stacks[i - 1] : stacks[uneven(i)],
			profile_frame(profile, (struct frame){ file,
							       uneven(8000) * 64ull,
							       { 0 },
							       0,
							       METHOD_FRAME_POINTER }),
			STACK_UNVERIFIED);
	for (uint32_t i = 0; i < EVIDENCES; i++)
		(void)profile_evidence(profile, &(struct wait_evidence){ .syscall = (int16_t)i });
	measures[0] = profile_measure(
		profile, (struct measure){ { 0 }, ROLE_TOTAL, WEIGHTING_EXACT, sched, 0 });
	measures[1] = profile_measure(
		profile, (struct measure){ { 0 }, ROLE_SPLIT, WEIGHTING_SAMPLED, sched, 0 });
	measures[2] = profile_measure(
		profile,
		(struct measure){ profile_dimension(profile, dimension_row_find(NULL, "oncpu")),
				  ROLE_SPLIT, WEIGHTING_SAMPLED, sched, 10101010 });
}

static struct cell cell_made(const struct profile *profile, struct slice_id slice,
			     const struct measure_id measures[3])
{
	uint32_t kind = (uint32_t)random_next() % 3;
	uint64_t length = 1ull << (10 + random_next() % 16);
	struct cell cell = { .slice = slice,
			     .thread = { 1 + uneven(THREADS) },
			     .measure = measures[kind],
			     .count = 1 + uneven(20) };

	if (kind < 2)
		cell.evidence.index = 1 + uneven(EVIDENCES);
	if (kind > 0)
		cell.stack.index = uneven((uint32_t)profile_stack_count(profile));
	if (kind == 1) {
		cell.other.index = 1 + uneven(THREADS);
		cell.other_stack.index = uneven((uint32_t)profile_stack_count(profile));
		cell.p_log2 = (uint8_t)uneven(10);
	}
	cell.length_log2 = (uint8_t)(10 + random_next() % 16);
	cell.value = kind == 2 ? cell.count * 10101010
			       : cell.count * (length + random_next() % length);
	cell.maximum = cell.value / cell.count + random_next() % length;
	cell.variance = cell.p_log2
				? (double)cell.value * (double)cell.value * ((1 << cell.p_log2) - 1)
				: 0;
	return cell;
}

int main(int count, char **arguments)
{
	uint32_t slices = count > 2 ? (uint32_t)atoi(arguments[2]) : 60,
		 per_slice = count > 3 ? (uint32_t)atoi(arguments[3]) : 17000;
	struct profile *profile = profile_new(), *back = NULL;
	struct native *native = native_new();
	uint64_t adding_ns = 0, writing_ns = 0, longest_ns = 0, dictionary_bytes = 0, cells = 0,
		 start;
	struct measure_id measures[3];
	struct rusage usage;
	struct stat status;
	struct error err;

	if (count < 2 || native_create(native, arguments[1], true, 0, &err) < 0)
		return fprintf(stderr, "bench_native FILE [SLICES [CELLS-PER-SLICE]]\n"), 2;
	dictionaries_fill(profile, measures);
	for (uint32_t i = 0; i <= slices; i++) {     /* slice 0 holds the dictionaries only */
		struct slice_id slice = profile_slice(profile, i * 1000000000ull,
						      (i + 1) * 1000000000ull);
		uint64_t begin = cpu_ns(), middle, end;

		for (uint32_t cell = 0; i && cell < per_slice; cell++)
			profile_add_cell(profile, cell_made(profile, slice, measures));
		middle = cpu_ns();
		cells += profile_cell_count(profile);
		if (native_slice(native, profile, slice, &err) < 0)
			return fprintf(stderr, "%s: %s\n", err.what, err.why), 4;
		end = cpu_ns();
		profile_clear_facts(profile);
		if (!i) {
			dictionary_bytes = native_size_bytes(native);
			continue;
		}
		adding_ns += middle - begin;
		writing_ns += end - middle;
		longest_ns = end - middle > longest_ns ? end - middle : longest_ns;
	}
	(void)getrusage(RUSAGE_SELF, &usage);
	(void)printf("cells stored        %llu in %u slices\n", (unsigned long long)cells, slices);
	(void)printf("added and made up   %.2f M cells/s\n",
		     (double)cells * 1e3 / (double)adding_ns);
	(void)printf("stored              %.2f M cells/s, longest slice %.1f ms\n",
		     (double)cells * 1e3 / (double)writing_ns, (double)longest_ns / 1e6);
	(void)printf("peak memory         %ld KiB\n", usage.ru_maxrss);
	if (native_seal(native, profile, &err) < 0 || stat(arguments[1], &status) < 0)
		return fprintf(stderr, "%s: %s\n", err.what, err.why), 4;
	(void)printf("dictionaries        %llu bytes for %d stacks\n",
		     (unsigned long long)dictionary_bytes, STACKS);
	(void)printf("file                %lld bytes, %.2f bytes/cell\n", (long long)status.st_size,
		     (double)((uint64_t)status.st_size - dictionary_bytes) / (double)cells);
	start = cpu_ns();
	if (format_read(arguments[1], &back, &err) < 0)
		return fprintf(stderr, "%s: %s\n", err.what, err.why), 4;
	(void)printf("read and checked    %.3f s, %.2f M cells/s\n",
		     (double)(cpu_ns() - start) / 1e9,
		     (double)cells * 1e3 / (double)(cpu_ns() - start));
	profile_free(back);
	profile_free(profile);
	native_free(native);
	return 0;
}
