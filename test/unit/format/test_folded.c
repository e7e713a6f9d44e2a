/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/output.h"
#include "base/text.h"
#include "test.h"
#include "unit/format/reading.h"
#include "unit/format/sample.h"

#include <errno.h>

static char *folded(const struct profile *profile, const char *dimension, int *ret,
		    struct error *err)
{
	struct format_options options = { .dimension = dimension };
	struct text text = TEXT(1 << 20);
	struct output to;

	output_to_text(&to, &text);
	*ret = format_find("folded")->write(profile, &options, &to, err);
	assert_int_equal(output_finish(&to, &(struct error){ 0 }), 0);
	return text_take(&text);
}

static char *folded_well(const struct profile *profile, const char *dimension)
{
	struct error err;
	int r;
	char *text = folded(profile, dimension, &r, &err);

	assert_int_equal(r, 0);
	return text;
}

static struct stack_id stack_of(struct profile *profile, struct stack_id parent, const char *name,
				enum stack_status status)
{
	return profile_stack(
		profile, parent,
		profile_frame(profile, (struct frame){ .name = profile_string(profile, name) }),
		status);
}

/* One thread with exact cells and, where asked for, sampled stacks of the same waits. */
static struct sample small_sample(bool split)
{
	struct sample sample = sample_start();
	struct profile *profile = sample.profile;
	struct slice_id slice = profile_slice(profile, 0, SAMPLE_SECOND);
	struct cell cell = { .slice = slice,
			     .thread = sample.thread,
			     .measure = sample.waits,
			     .evidence = sample.evidence[0],
			     .count = 10,
			     .value = 1000 };

	profile_add_cell(profile, cell);
	cell.measure = sample.split;
	cell.stack = stack_of(profile,
			      stack_of(profile, (struct stack_id){ 0 }, "main", STACK_COMPLETE),
			      "a;b\nc", STACK_COMPLETE);
	cell.p_log2 = 3;
	cell.value = 120;
	if (split)
		profile_add_cell(profile, cell);
	cell.p_log2 = 0;
	cell.value = 40;
	cell.thread = profile_thread(
		profile, (struct thread){ .comm = profile_string(profile, "new"), .tid = 1 });
	if (split)
		profile_add_cell(profile, cell);
	return sample;
}

TEST(sampled_stacks_are_weighted_by_their_probability_and_added_up_by_name)
{
	struct sample sample = small_sample(true);
	CLEANUP_TEXT char *disk = folded_well(sample.profile, "disk"),
			  *part = folded_well(sample.profile, "disk/read");

	assert_string_equal(disk, "new;main;a:b c 1000\n");
	assert_string_equal(part, disk);
	profile_free(sample.profile);
}

TEST(without_sampled_stacks_the_exact_waits_go_out_with_their_kernel_stack)
{
	struct sample sample = small_sample(false);
	CLEANUP_TEXT char *disk = folded_well(sample.profile, "disk");

	assert_string_equal(disk, "new;io_schedule 1000\n");
	profile_free(sample.profile);
}

TEST(a_stack_without_its_root_is_rooted_under_the_cause)
{
	struct sample sample = small_sample(true);
	struct cell cell = { .slice = { 1 },
			     .thread = sample.thread,
			     .measure = sample.split,
			     .evidence = sample.evidence[1],
			     .count = 1,
			     .value = 5 };

	cell.stack = stack_of(sample.profile, (struct stack_id){ 0 }, "deep", STACK_TRUNCATED);
	profile_add_cell(sample.profile, cell);
	cell.stack = stack_of(sample.profile, (struct stack_id){ 0 }, "lost", STACK_FAILED);
	profile_add_cell(sample.profile, cell);
	CLEANUP_TEXT char *idle = folded_well(sample.profile, "idle");

	assert_string_equal(idle, "new;[truncated];deep 5\nnew;[failed];lost 5\n");
	profile_free(sample.profile);
}

TEST(inlined_calls_are_written_outermost_first)
{
	struct sample sample = small_sample(true);
	struct profile *profile = sample.profile;
	struct stack_id leaf = profile_cell_at(profile, 1)->stack;
	struct frame_id frame = profile_stack_at(profile, leaf.index).frame;

	profile_add_symbol(
		profile,
		(struct symbol){ frame, 0, profile_string(profile, "inner"), { 0 }, { 0 }, 0 });
	profile_add_symbol(
		profile,
		(struct symbol){ frame, 1, profile_string(profile, "outer"), { 0 }, { 0 }, 0 });
	profile_freeze(profile);
	CLEANUP_TEXT char *disk = folded_well(profile, "disk");

	assert_string_equal(disk, "new;main;outer;inner 1000\n");
	profile_free(profile);
}

TEST(a_dimension_that_is_not_there_is_refused_with_those_that_are)
{
	static const char *const wrong[] = {
		"disc", "disk/raed", "disk/", "/read", "read", ""
	};
	struct sample sample = small_sample(true);

	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		struct error err = { 0 };
		int r;
		CLEANUP_TEXT char *text = folded(sample.profile, wrong[i], &r, &err);

		assert_int_equal(r, -EINVAL);
		assert_int_equal(err.kind, FAILURE_USAGE);
		assert_non_null(strstr(err.why, "disk, idle, oncpu"));
		assert_string_equal(text, "");
	}
	profile_free(sample.profile);
}

TEST(the_only_dimension_that_has_cells_needs_no_name)
{
	struct sample sample = small_sample(true);
	struct sample two = sample_start();
	struct error err = { 0 };
	int r;
	CLEANUP_TEXT char *named = folded_well(sample.profile, "disk");
	CLEANUP_TEXT char *only = folded_well(sample.profile, NULL);

	assert_string_equal(only, named);
	for (size_t i = 0; i < 2; i++)
		profile_add_cell(two.profile, (struct cell){ .slice = profile_slice(two.profile, 0, SAMPLE_SECOND),
							     .thread = two.thread,
							     .measure = i ? two.oncpu : two.waits,
							     .evidence = i ? (struct evidence_id){ 0 } : two.evidence[0],
							     .value = 10 });
	CLEANUP_TEXT char *neither = folded(two.profile, NULL, &r, &err);

	assert_int_equal(r, -EINVAL);
	assert_string_equal(neither, "");
	profile_free(sample.profile);
	profile_free(two.profile);
}

static struct profile *read_text(const char *text, int expected, struct error *err)
{
	char path[] = "/tmp/crosscut-test-XXXXXX";
	struct profile *profile = NULL;
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");
	int r;

	assert_int_equal(fputs(text, file) < 0, 0);
	(void)fclose(file);
	r = format_read(path, &profile, err);
	(void)unlink(path);
	assert_int_equal(r, expected);
	return profile;
}

TEST(what_is_read_is_written_again_alike)
{
	static const char text[] =
		"main;parse;read 12\nmain;parse 3\nmain;a b::c(int, char) 9000000000\nidle 1\n";
	struct error err;
	CLEANUP(profile) struct profile *profile = read_text(text, 0, &err);
	CLEANUP_TEXT char *named = folded_well(profile, "samples"),
			  *only = folded_well(profile, NULL);

	assert_null(profile_broken(profile));
	assert_string_equal(named, text);
	assert_string_equal(only, text);
	assert_int_equal(profile_cell_at(profile, 0)->value, 9000000016);
	assert_int_equal(
		profile_measure_at(profile, profile_cell_at(profile, 0)->measure.index)->role,
		ROLE_TOTAL);
}

TEST(lines_of_other_systems_are_read_and_equal_stacks_added_up)
{
	struct error err;
	CLEANUP(profile) struct profile *profile = read_text("a;b 1\r\n\na;b 2\na;;b 4", 0, &err);
	CLEANUP_TEXT char *text = folded_well(profile, "samples");

	assert_string_equal(text, "a;b 7\n");
}

TEST(a_line_that_is_no_stack_is_counted_and_the_first_is_named)
{
	CLEANUP_TEXT char *many = calloc(1, 200000);
	CLEANUP(profile) struct profile *profile = NULL;
	struct error err = { 0 };

	for (size_t i = 0; i < 10000; i++)
		memcpy(many + i * 6, "a;b 1\n", 6);
	memcpy(many + 60000, "a;b x\nprose\na;b 2\n", 18);
	profile = read_text(many, 0, &err);
	assert_string_equal(profile_meta(profile, "import.remark.1"),
			    "2 skipped: a line is no 'frame;frame;frame number', first at line 10001");
	assert_int_equal(profile_cell_at(profile, 0)->value, 10002);
	assert_int_equal(profile_loss_at(profile, 0)->lost, 2);
	(void)read_text("this is prose 5\nand more of it\n", -EBADMSG, &err);
	assert_non_null(strstr(err.why, "looks like text"));
}

TEST(counts_that_nothing_can_hold_are_cut_and_it_is_said)
{
	CLEANUP(profile) struct profile *profile = reading("folded", "main;a 18446744073709551615\nmain;b 99999999999999999999999\n");

	folded_is(profile, "samples", "main;a 9223372036854775807\nmain;b 9223372036854775807\n");
	assert_true(remarked(profile, "larger than can be kept"));
}

TEST(lines_that_only_a_carriage_return_ends_are_not_read_as_one)
{
	refused("folded", "main;a 5\rmain;b 6\r", "nothing that could be read");
}

TEST(a_deep_stack_is_written_to_its_root)
{
	CLEANUP(profile) struct profile *profile = reading_deep();

	assert_int_equal(profile_stack_count(profile) , 2 + 2 * 2501);
}

TEST(long_names_are_written_whole)
{
	CLEANUP(profile) struct profile *profile = reading_long(70000);

	assert_int_equal(profile_frame_count(profile), 1 + 3);
}
