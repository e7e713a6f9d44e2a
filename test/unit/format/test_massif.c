/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/format/reading.h"

#define SNAPSHOT(n, heap, tree) \
	"#-----------\nsnapshot=" n "\n#-----------\ntime=1\nmem_heap_B=" heap "\nmem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=" tree "\n"
#define HEAD "desc: x\ncmd: ./m\ntime_unit: i\n"
#define TREE \
	"n3: 100 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n n1: 70 0x10: leaf (m.c:3)\n  n0: 60 0x20: main (m.c:9)\n" \
	" n0: 20 0x30: other (in /bin/m)\n n0: 10 in 3 places, all below massif's threshold (1.00%)\n"

TEST(the_tree_of_the_peak_becomes_stacks)
{
	CLEANUP(profile) struct profile *profile = reading("massif",
		HEAD SNAPSHOT("0", "0", "empty") SNAPSHOT("1", "100", "peak") TREE SNAPSHOT("2", "50", "detailed") "n0: 50 (heap)\n");

	folded_is(profile, "heap", "leaf 10\nmain;leaf 60\nother 20\n[below massif's threshold] 10\n");
	folded_is(profile, "heap-overhead", "[unknown] 8\n");
	assert_string_equal(profile_meta(profile, "import.bias"), "allocation");
	assert_true(remarked(profile, "snapshots beside the peak's"));
}

TEST(without_a_peak_the_last_tree_is_read_and_without_a_tree_the_largest_snapshot)
{
	CLEANUP(profile) struct profile *detailed = reading("massif", HEAD SNAPSHOT("0", "100", "detailed") TREE SNAPSHOT("1", "90", "empty"));
	CLEANUP(profile) struct profile *bare = reading("massif", HEAD SNAPSHOT("0", "7", "empty") SNAPSHOT("1", "9", "empty") SNAPSHOT("2", "8", "empty"));

	folded_is(detailed, "heap", "leaf 10\nmain;leaf 60\nother 20\n[below massif's threshold] 10\n");
	folded_is(bare, "heap", "[unknown] 9\n");
}

TEST(damaged_recordings_are_counted_or_refused)
{
	CLEANUP(profile) struct profile *odd = reading("massif", HEAD SNAPSHOT("0", "7", "peak") "n0: 7 (heap)\n    n0: 3 0x1: deep (m.c:1)\nwhat\n");
	CLEANUP(profile) struct profile *whole = reading("massif", HEAD SNAPSHOT("0", "100", "peak") TREE);
	CLEANUP(profile) struct profile *cut = reading("massif", HEAD SNAPSHOT("0", "100", "peak") "n2: 100 (heap)\n n0: 30 0x30: other (in /bin/m)\n");
	CLEANUP(profile) struct profile *bare = reading("massif", HEAD SNAPSHOT("0", "7", "empty") "#-----------\nsnapshot=1\n#-----------\ntime=2\n");

	assert_false(remarked(whole, "a snapshot ends before"));
	assert_true(remarked(cut, "a snapshot ends before"));
	assert_true(remarked(bare, "a snapshot ends before"));
	assert_true(remarked(odd, "1 skipped") || remarked(odd, "a line is of no known kind"));
	refused("massif", HEAD, "holds nothing");
	assert_int_equal(format_find("massif")->recognise(HEAD SNAPSHOT("0", "1", "empty"), strlen(HEAD SNAPSHOT("0", "1", "empty"))), 95);
}
