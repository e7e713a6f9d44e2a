/* SPDX-License-Identifier: Apache-2.0 */
#include "format/import.h"

#include "test.h"
#include "unit/format/imported.h"

static const char two_stacks[] =
	"Attaching 2 probes...\n\n\n"
	"@usecs[\n    __schedule+1576\n    entry_SYSCALL_64_after_hwframe+118\n, \n    read+16\n    0x7f1365f2580c\n, make]: 12\n"
	"@usecs[, \n    main+4\n, make]: 3\n";

TEST(a_map_by_kernel_and_user_stack_becomes_one_stack)
{
	imported_text_is("bpftrace", two_stacks,
			 "usecs=12 (12) __schedule < entry_SYSCALL_64_after_hwframe < read < 0x7f1365f2580c\n"
			 "usecs=3 (3) main\n");
}

TEST(a_user_stack_that_stands_first_still_calls_the_kernel)
{
	imported_text_is("bpftrace",
			 "@[\n    read+16\n    main+9\n, \n    vfs_read+1\n    entry_SYSCALL_64+118\n, 7, a]: b]: 4\n",
			 "count=4 (4) vfs_read < entry_SYSCALL_64 < read < main\n");
}

TEST(two_stacks_of_which_none_is_the_kernels_are_remarked)
{
	CLEANUP(profile) struct profile *profile = NULL;
	static const char text[] = "@[\n    a+1\n, \n    b+1\n]: 4\n";
	CLEANUP_TEXT char *cells = NULL;

	profile = imported("bpftrace", text, strlen(text));
	cells = imported_cells(profile);
	assert_string_equal(cells, "count=4 (4) a < b\n");
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "which of two stacks"));
}

TEST(the_words_of_a_key_name_the_thread)
{
	static const char text[] = "@[bash, 12, \n    main+1\n]: 4\n@[x]: 2\n";
	CLEANUP(profile) struct profile *profile = imported("bpftrace", text, strlen(text));

	assert_string_equal(profile_text(profile, profile_thread_at(profile, 1)->comm), "bash, 12");
	assert_string_equal(profile_text(profile, profile_thread_at(profile, 2)->comm), "x");
}

TEST(histograms_and_words_are_left_out_and_counted)
{
	static const char text[] = "@h[bash]: \n[1]   5 |@@@|\n[2, 4)  6 |@@@|\n\n@last: make\n@s[make]: count 2, average 8, total 17\n"
				   "@neg[\n    f+1\n]: -3\n@open[\n    g+1\n";
	CLEANUP(profile) struct profile *profile = imported("bpftrace", text, strlen(text));

	assert_string_equal(profile_meta(profile, "import.remark.1"), "1 skipped: histograms are not read, at line 1");
	assert_non_null(strstr(profile_meta(profile, "import.remark.2"), "2 skipped: the value of a map is no number"));
	assert_non_null(strstr(profile_meta(profile, "import.remark.3"), "has no end"));
	assert_int_equal(profile_cell_count(profile), 1);
	assert_int_equal(profile_cell_at(profile, 0)->count, 2);
	assert_int_equal(profile_cell_at(profile, 0)->value, 17);
}

TEST(a_map_that_is_printed_again_is_remarked)
{
	static const char text[] = "@[\n    f+1\n]: 3\n\n@[\n    f+1\n]: 5\n";
	CLEANUP(profile) struct profile *profile = imported("bpftrace", text, strlen(text));

	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "printed more than once"));
}

static struct profile *told(const char *format, const char *text, const char *counts)
{
	struct input *input = input_memory(text, strlen(text), "test");
	struct profile *profile = NULL;
	struct error err = { 0 };

	input_tell_counts(input, counts);
	assert_int_equal(format_read_as(format_find(format), input, &profile, &err), 0);
	input_free(input);
	return profile;
}

TEST(what_is_counted_can_be_told_and_is_kept_as_told)
{
	CLEANUP(profile) struct profile *profile = told("bpftrace", two_stacks, "off-cpu:us");
	const struct dimension *dimension = profile_dimension_at(profile, profile_dimension_find(profile, NULL, "off-cpu").index);

	assert_string_equal(profile_text(profile, dimension->unit), "ns");
	assert_int_equal(dimension->kind, DIMENSION_WAITING);
	assert_int_equal(profile_cell_at(profile, 0)->value, 15000);
	assert_string_equal(profile_meta(profile, "import.counts_as_told"), "off-cpu:us");
	assert_null(profile_meta(profile, "import.remark.1"));
}

static const char two_maps[] = "@n[\n    main+4\n]: 7\n\n@usecs[\n    main+4\n]: 12\n@usecs[\n    g+1\n]: count 2, average 5, total 10\n";

TEST(each_of_several_maps_is_told_by_its_name)
{
	CLEANUP(profile) struct profile *one = told("bpftrace", two_maps, "usecs:us");
	CLEANUP(profile) struct profile *both = told("bpftrace", two_maps, "@usecs:us,n:bytes");
	CLEANUP(profile) struct profile *rest = told("bpftrace", two_maps, "us,n:count");
	CLEANUP(profile) struct profile *single = told("bpftrace", two_stacks, "usecs:us");
	CLEANUP_TEXT char *of_one = imported_cells(one), *of_both = imported_cells(both), *of_rest = imported_cells(rest);

	assert_string_equal(of_one, "n=7 (7) main\nusecs=10000 (2) g\nusecs=12000 (1) main\n");
	assert_string_equal(of_both, "n=7 (1) main\nusecs=10000 (2) g\nusecs=12000 (1) main\n");
	assert_string_equal(of_rest, of_one);
	assert_true(profile_dimension_find(single, NULL, "usecs").index > 0);
}

static void is_refused(const char *format, const char *text, const char *counts, const char *why)
{
	struct input *input = input_memory(text, strlen(text), "test");
	struct profile *profile = NULL;
	struct error err = { 0 };

	input_tell_counts(input, counts);
	assert_true(format_read_as(format_find(format), input, &profile, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_non_null(strstr(err.why, why));
	input_free(input);
}

TEST(what_is_told_of_none_of_several_maps_is_refused)
{
	is_refused("bpftrace", two_maps, "off-cpu:us", "none is called so: n, usecs");
	is_refused("bpftrace", two_maps, "usecs:us,off-cpu:us", "none is called so");
	is_refused("bpftrace", "@h[bash]: \n[1]   5 |@@@|\n\n@n[bash]: 3\n", "off-cpu:us", "h, n");
	is_refused("folded", "a;b 1\n", "a:us,b:us", "of one kind");
}

TEST(folded_stacks_are_told_their_unit_too)
{
	CLEANUP(profile) struct profile *profile = told("folded", "a;b 1.5\n", "us");
	CLEANUP_TEXT char *cells = imported_cells(profile);

	assert_string_equal(cells, "samples=1500 (1) b < a\n");
	assert_string_equal(profile_meta(profile, "import.counts_as_told"), "us");
}

TEST(what_a_file_says_itself_is_not_overruled)
{
	CLEANUP(profile) struct profile *profile =
		told("jemalloc", "heap_v2/1\n  t*: 1: 8 [0: 0]\n@ 0x10\n  t*: 1: 8 [0: 0]\n", "us");

	assert_null(profile_meta(profile, "import.counts_as_told"));
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "told in vain"));
}

TEST(what_is_counted_has_one_name_and_one_unit)
{
	assert_true(import_counts_valid("us"));
	assert_true(import_counts_valid("off-cpu:us"));
	assert_false(import_counts_valid("us:us:us"));
	assert_false(import_counts_valid("off-cpu:"));
	assert_false(import_counts_valid(":us"));
	assert_true(import_counts_valid("usecs:us,sizes:bytes"));
	assert_false(import_counts_valid("usecs:us,"));
	assert_false(import_counts_valid("usecs:us,usecs:ms"));
	assert_false(import_counts_valid("us,bytes"));
}

TEST(the_maps_name_is_the_event)
{
	CLEANUP(profile) struct profile *profile = imported("bpftrace", two_stacks, strlen(two_stacks));

	assert_string_equal(profile_text(profile, profile_dimension_at(profile, profile_dimension_find(
				    profile, NULL, "usecs").index)->unit), "count");
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "not said"));
}

TEST(it_recognises_itself)
{
	const struct format *format = format_find("bpftrace");

	assert_int_equal(format->recognise(two_stacks, strlen(two_stacks)), 80);
	assert_int_equal(format->recognise("\n@a[\n", 5), 75);
	assert_int_equal(format->recognise("@ 0x1 0x2\n", 10), 0);
	assert_int_equal(format->recognise("a;b 1\n@[\n", 9), 0);
}

TEST(a_file_without_a_number_is_refused)
{
	imported_refused("bpftrace", "Attaching 1 probe...\n", "nothing that could be read");
}
