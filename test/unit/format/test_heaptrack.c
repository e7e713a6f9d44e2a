/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/format/reading.h"

#define HEAD "v 10250 2\nX ./app --now\nI 1000 7d09\ns /lib/a.so\ns main\ns leaf\ns a.c\ni 10 1 2 4 a\ni 20 1 3 4 b 2 4 c\nt 1 0\nt 2 1\n"
#define TWO "a 10 2\na 20 1\n+ 0\n- 0\n+ 1\n+ 0\n- 1\n"

TEST(costs_of_traces_are_allocations_temporary_leaked_and_peak)
{
	CLEANUP(profile) struct profile *profile = reading("heaptrack", HEAD TWO);

	folded_is(profile, "allocations", "main 1\nmain;main;leaf 2\n");
	folded_is(profile, "allocated", "main 32\nmain;main;leaf 32\n");
	folded_is(profile, "temporary", "main;main;leaf 1\n");
	folded_is(profile, "leaked", "main;main;leaf 16\n");
	folded_is(profile, "peak", "main 32\nmain;main;leaf 16\n");
	assert_string_equal(profile_meta(profile, "import.bias"), "allocation");
	assert_string_equal(profile_meta(profile, "capture.command"), "./app --now");
}

TEST(raw_files_have_pointers_and_modules)
{
	CLEANUP(profile) struct profile *profile = reading("heaptrack",
		"v 10550 3\nx 6 /bin/x\nX ./x\nm 1 -\nm 1 x 1000 0 100\nm 9 /lib/l.so 5000 0 100 200 100\nt 1010 0\nt 5210 1\n"
		"+ 8 2 ff0\n+ 8 2 ff8\n- ff0\n- abc\n- ff0\n");

	folded_is(profile, "allocations", "x+0x10;l.so+0x210 2\n");
	folded_is(profile, "leaked", "x+0x10;l.so+0x210 8\n");
	folded_is(profile, "peak", "x+0x10;l.so+0x210 16\n");
}

TEST(strings_of_version_3_have_their_size_in_front)
{
	CLEANUP(profile) struct profile *profile = reading("heaptrack", "v 10550 3\ns 5 a b c\ni 1 0 1 0 0\nt 1 0\na 1 1\n+ 0\n");

	folded_is(profile, "allocations", "a b c 1\n");
}

TEST(damaged_recordings_are_counted_or_refused)
{
	CLEANUP(profile) struct profile *odd = reading("heaptrack", HEAD "a 1 1\n+ 0\n+ 9\n+ zz\nt 1 99\n? what\n");

	assert_true(remarked(odd, "2 skipped: an allocation is not whole"));
	assert_true(remarked(odd, "a trace is not whole"));
	assert_true(remarked(odd, "a line is of no known kind"));
	refused("heaptrack", "v 10550 9\ns 1 a\n", "its version is 9");
	refused("heaptrack", HEAD, "holds nothing");
}

TEST(its_first_lines_are_recognised)
{
	assert_int_equal(format_find("heaptrack")->recognise(HEAD, strlen(HEAD)), 95);
	assert_int_equal(format_find("heaptrack")->recognise("v hello there\n", 14), 0);
}
