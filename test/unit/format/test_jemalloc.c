/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "unit/format/imported.h"

static const char heap[] = "heap_v2/524288\n"
			   "  t*: 2: 9232 [0: 0]\n"
			   "  t3: 2: 9232 [0: 0]\n"
			   "@ 0x11 0x21\n"
			   "  t*: 1: 9216 [0: 0]\n"
			   "  t3: 1: 9216 [0: 0]\n"
			   "\nMAPPED_LIBRARIES:\n"
			   "00000010-00000018 r-xp 00000000 08:01 7 /bin/app\n";

TEST(the_row_of_all_threads_is_divided_by_its_probability)
{
	imported_text_is("jemalloc", heap,
			 "inuse_objects=57 (57) [bytes=9216] app+0x0 < 0x20\n"
			 "inuse_space=528909 (57) [bytes=9216] app+0x0 < 0x20\n");
}

TEST(counts_of_all_allocations_are_kept_where_there_are_any)
{
	imported_text_is("jemalloc",
			 "heap_v2/1\n  t*: 1: 8 [3: 24]\n@ 0x11\n  t*: 1: 8 [3: 24]\n",
			 "alloc_objects=3 (3) [bytes=8] 0x10\nalloc_space=24 (3) [bytes=8] 0x10\n"
			 "inuse_objects=1 (1) [bytes=8] 0x10\ninuse_space=8 (1) [bytes=8] 0x10\n");
}

TEST(weights_say_that_they_are_estimates)
{
	struct profile *profile = imported("jemalloc", heap, sizeof(heap) - 1);

	for (uint32_t i = 1; i < profile_measure_count(profile); i++)
		assert_int_equal(profile_measure_at(profile, i)->weighting, WEIGHTING_ESTIMATED);
	assert_string_equal(profile_meta(profile, "pprof.period"), "524288");
	profile_free(profile);
}

TEST(heaps_that_make_no_sense_are_refused)
{
	imported_refused("jemalloc", "heap_v2/0\n", "at line 1");
	imported_refused("jemalloc", "heap_v2/524288\n@ 0x1\nnonsense\n", "at line 3");
	imported_refused("jemalloc", "heap_v2/524288\n", "nothing");
}

TEST(a_file_that_holds_less_than_it_says_is_told_to_be_cut)
{
	static const char text[] = "heap_v2/524288\n  t*: 3: 24 [0: 0]\n@ 0x11\n  t*: 1: 8 [0: 0]\n";
	struct profile *profile = imported("jemalloc", text, sizeof(text) - 1);

	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "the file may be cut"));
	profile_free(profile);
}
