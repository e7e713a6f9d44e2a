/* SPDX-License-Identifier: Apache-2.0 */
/* What each format says it keeps is what comes back: no more, and no less. */
#include "test.h"

#include "format/content.h"
#include "unit/format/imported.h"
#include "unit/format/sample.h"

/* The sample, with what it lacks of contents. */
static struct profile *full(void)
{
	struct sample sample = sample_start();
	struct profile *profile = sample.profile;
	struct frame frame = { .file = sample.program, .offset = 0x2000, .name = profile_string(profile, "ma;in(int)"), .line = 12,
			       .path = profile_string(profile, "main.c"), .method = METHOD_CFI };
	struct cell cell = { .thread = sample.thread, .measure = sample.split, .evidence = sample.evidence[0], .count = 7,
			     .value = 1000, .object = sample.object, .other = sample.waker };

	for (uint32_t i = 1; i <= SAMPLE_SLICES; i++)
		cell.slice = sample_slice(&sample, i);
	cell.stack = profile_stack(profile, (struct stack_id){ 0 }, profile_frame(profile, frame), STACK_TRUNCATED);
	profile_add_cell(profile, cell);
	frame = (struct frame){ .file = sample.kernel, .offset = 0xffffffff81012345, .method = METHOD_KERNEL,
				.name = profile_string(profile, "io_schedule") };
	cell.stack = profile_stack(profile, cell.stack, profile_frame(profile, frame), STACK_TRUNCATED);
	profile_add_cell(profile, cell);
	(void)profile_dimension(profile, &(struct dimension_row){ .name = "swap", .unit = "ns", .kind = DIMENSION_WAITING, .meaning = "never" });
	profile_set_meta(profile, "import.format", "perf_script");
	profile_set_meta(profile, "import.bias", "allocation");
	sample_end(&sample);
	profile_freeze(profile);
	return profile;
}

static struct profile *written_and_read(const struct profile *profile, const struct format *format)
{
	struct format_options options = { .dimension = NULL };
	struct text bytes = TEXT(64 << 20);
	struct profile *again = NULL;
	struct error err = { 0 };
	struct output to;

	output_to_text(&to, &bytes);
	if (format->write(profile, &options, &to, &err) < 0) {
		options.dimension = "disk";
		text_clear(&bytes);
		assert_int_equal(format->write(profile, &options, &to, &err), 0);
	}
	assert_int_equal(output_finish(&to, &err), 0);
	if (imported_as(format->name, bytes.bytes, bytes.size, &again, &err) < 0)
		print_error("%s: %s %s\n", format->name, err.what, err.why);
	assert_non_null(again);
	text_done(&bytes);
	return again;
}

TEST(a_full_profile_has_some_of_every_content)
{
	struct profile *profile = full();

	for (size_t i = 0; i < CONTENT_COUNT; i++)
		assert_true(contents[i].amount(profile) > 0);
	profile_free(profile);
}

/* Sampled is what formats are taken to be that say nothing, other than those whose numbers are sums of all there was. */
TEST(that_weights_are_sampled_is_lost_where_they_come_back_as_exact)
{
	struct profile *profile = profile_new();
	struct dimension_id id = profile_dimension(profile, &(struct dimension_row){
		.name = "oncpu", .unit = "ns", .kind = DIMENSION_RUNNING, .meaning = "test" });

	(void)profile_measure(profile, (struct measure){ .dimension = id, .role = ROLE_SPLIT, .weighting = WEIGHTING_SAMPLED });
	assert_int_equal(content_amount(profile, CONTENT_WEIGHTING, format_find("folded")->keeps), 0);
	assert_int_equal(content_amount(profile, CONTENT_WEIGHTING, format_find("callgrind")->keeps), 1);
	assert_true(format_find("firefox")->keeps & KEEPS(WEIGHTING));
	profile_free(profile);
}

/* Written for others to see; our own reader makes nothing of it. */
static bool is_not_read_back(const struct format *format, size_t kind)
{
	return !strcmp(format->name, "chrome") && kind == CONTENT_WAKERS;
}

/* Some of it is kept, as a line of each function is where a frame is a function: said to be lost, since it is not all. */
static bool is_partly_kept(const struct format *format, size_t kind)
{
	bool calls = !strcmp(format->name, "callgrind");

	/* a sum of calls and a slice of time are exact, whatever was written as such */
	bool weighs_itself = calls || !strcmp(format->name, "chrome");

	return kind == CONTENT_ARGUMENTS || (kind == CONTENT_COUNTS && !(format->keeps & KEEPS(COUNTS))) || (calls && kind == CONTENT_TOTALS) || (kind == CONTENT_WEIGHTING && weighs_itself) || (kind == CONTENT_LINES && (calls || !strcmp(format->name, "speedscope"))) || (calls && kind == CONTENT_STACKS) ||
	       kind == CONTENT_NAMES;
}

TEST(what_a_format_says_it_keeps_comes_back_and_nothing_else_does)
{
	struct profile *profile = full();
	bool wrong = false;

	for (size_t i = 0; formats[i]; i++) {
		struct profile *again;

		if (!formats[i]->write || !formats[i]->read)
			continue;
		again = written_and_read(profile, formats[i]);
		for (size_t kind = 0; kind < CONTENT_COUNT; kind++) {
			bool has = contents[kind].amount(again) != 0, says = formats[i]->keeps & 1u << kind;

			if (is_not_read_back(formats[i], kind))
				has = true;
			if (is_partly_kept(formats[i], kind))
				has = says;
			if (has != says)
				print_error("%s: %s %s\n", formats[i]->name, contents[kind].name, has ? "comes back" : "is lost");
			wrong |= has != says;
		}
		profile_free(again);
	}
	assert_false(wrong);
	profile_free(profile);
}
