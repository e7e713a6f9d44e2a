/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel half counts walks by a quarter of a power of two of their length: a percentile is right to an eighth. */
#include "capture/unwind_cost.h"

#include <bpf/libbpf.h>
#include <stdio.h>

#include "base/error.h"
#include "capture/maps.h"
#include "capture/unwinding.h"
#include "profile/profile.h"

#include "crosscut.skel.h"

struct costs { struct wire_unwind_cost buckets[WIRE_UNWIND_COST_BUCKETS], sum; };

static void read_costs(struct bpf_map *map, uint32_t scratch, struct costs *ret)
{
	*ret = (struct costs){ 0 };
	for (uint32_t i = 0; i < WIRE_UNWIND_COST_BUCKETS; i++) {
		maps_take_sum(map, scratch * WIRE_UNWIND_COST_BUCKETS + i, (uint64_t *)&ret->buckets[i], 3);
		ret->sum.count += ret->buckets[i].count;
		ret->sum.ns += ret->buckets[i].ns;
		ret->sum.frames += ret->buckets[i].frames;
	}
}

/* The middle of a bucket: its power of two, and which quarter of it. */
static uint64_t bucket_ns(uint32_t bucket)
{
	uint64_t quarter = 1ull << (bucket / 4 > 2 ? bucket / 4 - 2 : 0);

	return (1ull << (bucket / 4)) + quarter * (bucket % 4) + quarter / 2;
}

static uint64_t percentile_ns(const struct costs *costs, double fraction)
{
	double wanted = fraction * (double)costs->sum.count, seen = 0;

	for (uint32_t i = 0; i < WIRE_UNWIND_COST_BUCKETS; i++) {
		seen += (double)costs->buckets[i].count;
		if (costs->buckets[i].count && seen >= wanted)
			return bucket_ns(i);
	}
	return 0;
}

static void note(struct profile *profile, const char *where, const char *what, uint64_t value)
{
	char key[64];

	(void)snprintf(key, sizeof(key), "unwind.%s.%s", where, what);
	profile_set_meta_number(profile, key, value);
}

static void note_walks(struct crosscut_bpf *bpf, struct profile *profile)
{
	static const char *const where[] = { "wait", "oncpu" };         /* by enum stack_scratch of the kernel half */

	for (uint32_t i = 0; i < ARRAY_LENGTH(where); i++) {
		struct costs costs;

		read_costs(bpf->maps.unwind_costs, i, &costs);
		note(profile, where[i], "walks", costs.sum.count);
		note(profile, where[i], "ns", costs.sum.ns);
		note(profile, where[i], "frames", costs.sum.frames);
		note(profile, where[i], "p50_ns", percentile_ns(&costs, 0.5));
		note(profile, where[i], "p99_ns", percentile_ns(&costs, 0.99));
	}
}

void unwind_cost_note(struct crosscut_bpf *bpf, const struct unwinding *unwinding, struct profile *profile)
{
	struct unwinding_statistics statistics;

	note_walks(bpf, profile);
	unwinding_statistics(unwinding, &statistics);
	note(profile, "tables", "files", statistics.catalogue.files);
	note(profile, "tables", "files_without", statistics.catalogue.files_without);
	note(profile, "tables", "files_refused", statistics.catalogue.files_refused);
	note(profile, "tables", "files_put_off", statistics.catalogue.files_put_off);
	note(profile, "tables", "rows", statistics.rows);
	note(profile, "tables", "bytes", statistics.bytes);
	note(profile, "tables", "build_ns", statistics.catalogue.build_ns);
	note(profile, "tables", "processes", statistics.processes);
	note(profile, "copies", "walked", statistics.copies_walked);
}
