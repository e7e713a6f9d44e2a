/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "unit/format/imported.h"

TEST(goroutines_are_counted_by_stack_and_named_by_the_comments)
{
	static const char text[] = "goroutine profile: total 5\n"
				   "4 @ 0x43a1d6 0x61c1b5\n"
				   "#\t0x61c1b4\tmain.work+0x34\t\t/src/main.go:14\n\n"
				   "1 @ 0x99\n";
	struct profile *profile = imported("gocount", text, sizeof(text) - 1);
	char *cells = imported_cells(profile);

	assert_string_equal(cells, "goroutine=1 (1) 0x98\ngoroutine=4 (4) 0x43a1d5 < main.work\n");
	assert_int_equal(profile_measure_at(profile, 1)->weighting, WEIGHTING_EXACT);
	free(cells);
	profile_free(profile);
}

TEST(what_is_no_count_is_refused_by_line)
{
	imported_refused("gocount", "goroutine profile: total 5\nfour @ 0x1\n", "at line 2");
	imported_refused("gocount", "goroutine profile: total x\n", "at line 1");
	imported_refused("gocount", "goroutine profile: total 0\n", "nothing");
}

TEST(a_file_that_holds_less_than_it_says_is_told_to_be_cut)
{
	static const char text[] = "goroutine profile: total 5\n4 @ 0x11\n";
	struct profile *profile = imported("gocount", text, sizeof(text) - 1);

	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "the file may be cut"));
	profile_free(profile);
}
