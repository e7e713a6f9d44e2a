/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "unit/format/imported.h"

TEST(everything_that_is_in_use_is_read_with_its_block_size)
{
	imported_text_is("heapz",
			 "heap profile: 3: 30 [ 3: 30] @ heapprofile\n"
			 "     2:  20 [ 2: 20] @ 0x101 0x201\n"
			 "     1:  10 [ 1: 10] @ 0x301\n"
			 "\nMAPPED_LIBRARIES:\n"
			 "00000100-00000180 r-xp 00000000 08:01 7 /bin/app\n"
			 "00000200-00000280 r-xp 00001000 08:01 8 /lib/libx.so\n"
			 "00000280-00000290 rw-p 00001080 08:01 8 /lib/libx.so\n",
			 "objects=1 (1) [bytes=10] 0x300\n"
			 "objects=2 (2) [bytes=10] app+0x0 < libx.so+0x1000\n"
			 "space=10 (1) [bytes=10] 0x300\n"
			 "space=20 (2) [bytes=10] app+0x0 < libx.so+0x1000\n");
}

TEST(sampled_heaps_are_divided_by_their_probability_as_upstream_does)
{
	/* 9216 of 524288: one sample stands for 57 objects of 528909 bytes (pprof's own golden) */
	imported_text_is("heapz",
			 "heap profile: 1: 9216 [ 1: 9216] @ heapz_v2/524288\n"
			 "1: 9216 [1: 9216] @ 0x11\n",
			 "objects=57 (57) [bytes=9216] 0x10\nspace=528909 (57) [bytes=9216] 0x10\n");
}

TEST(what_was_allocated_in_all_stands_apart_where_it_differs)
{
	imported_text_is("heapz",
			 "heap profile: 1: 8 [ 4: 64] @ growthz\r\n"
			 "1: 8 [4: 64] @ 0x11\r\n",
			 "alloc_objects=4 (4) [bytes=8] 0x10\nalloc_space=64 (4) [bytes=8] 0x10\n"
			 "inuse_objects=1 (1) [bytes=8] 0x10\ninuse_space=8 (1) [bytes=8] 0x10\n");
}

TEST(a_heap_that_is_estimated_says_so_and_that_it_sees_allocations_only)
{
	static const char text[] = "heap profile: 1: 8 [ 1: 8] @ heap_v2/524288\n1: 8 [1: 8] @ 0x11\n";
	struct profile *profile = imported("heapz", text, sizeof(text) - 1);

	assert_int_equal(profile_measure_at(profile, 1)->weighting, WEIGHTING_ESTIMATED);
	assert_string_equal(profile_meta(profile, "import.bias"), "allocation");
	assert_string_equal(profile_meta(profile, "pprof.period_unit"), "bytes");
	profile_free(profile);
}

TEST(a_file_that_holds_less_than_it_says_is_told_to_be_cut)
{
	static const char text[] = "heap profile: 3: 24 [ 3: 24] @ heapprofile\n1: 8 [1: 8] @ 0x11\n";
	struct profile *profile = imported("heapz", text, sizeof(text) - 1);

	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "the file may be cut"));
	profile_free(profile);
	assert_int_equal(format_find("heapz")->recognise(text, 20), 60);
	imported_refused("heapz", "heap profile: 1: 8 [ 4: 64] @ ", "at line 1");
}

TEST(rows_that_make_no_sense_are_refused_by_line)
{
	imported_refused("heapz", "heap profile: 1: 8 [ 1: 8] @ heapprofile\n\n1: 8 [1 8] @ 0x11\n",
			 "at line 3");
	imported_refused("heapz", "heap profile: 1: 8 [ 1: 8] @ heapprofile\n0: 8 [0: 8] @ 0x11\n",
			 "at line 2");
	imported_refused("heapz",
			 "heap profile: 1: 8 [ 1: 8] @ heapprofile\n1: 8 [1: 8] @ 0x11111111111111111\n",
			 "at line 2");
	imported_refused("heapz", "heap profile: 0: 0 [ 0: 0] @ heapprofile\n", "nothing");
}
