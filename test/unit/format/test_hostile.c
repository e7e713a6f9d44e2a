/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small files that ask for much: each line cheap to write, and dear to a reader that looks at all lines before it for each.
 * Of some ten megabytes each, they are read in seconds even with sanitizers; a reader that is quadratic would take hours,
 * and meets the limit on the processor's time that is set here, far above what the others need.
 */
#include "unit/format/reading.h"

#include <sys/resource.h>

enum { MANY = 300000, LONG_NAME = 60000, VERY_LONG_NAME = 1000000, CPU_SECONDS = 100, FILE_LIMIT = 64 << 20 };

static struct text file_new(void)
{
	struct rlimit limit = { CPU_SECONDS, CPU_SECONDS };

	assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
	return (struct text)TEXT(FILE_LIMIT);
}

static void many(struct text *file, const char *text)
{
	for (size_t i = 0; i < MANY; i++)
		text_print(file, "%s", text);
}

static void long_name(struct text *file, int size)
{
	text_print(file, "n%0*d", size, 0);
}

static uint64_t cells_sum(const struct profile *profile, const char *dimension)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		struct dimension_id id = profile_cell_dimension(profile, cell);

		if (profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL &&
		    !strcmp(profile_text(profile, profile_dimension_at(profile, id.index)->name), dimension))
			sum += cell->value;
	}
	return sum;
}

static struct profile *read_all(const char *format, struct text *file)
{
	struct profile *profile = reading(format, text_string(file));

	text_done(file);
	return profile;
}

TEST(callgrind_with_more_threads_than_anyone_has)
{
	struct text file = file_new();

	text_print(&file, "events: Ir\nfn=f\n");
	for (unsigned i = 1; i <= MANY; i++)
		text_print(&file, "thread: %u\n1 1\n", i);
	CLEANUP(profile) struct profile *profile = read_all("callgrind", &file);
	assert_int_equal(cells_sum(profile, "Ir"), MANY);
	assert_true(remarked(profile, "costs of more than 65536 threads were added to the first"));
}

TEST(callgrind_with_a_long_name_on_many_costs)
{
	struct text file = file_new();

	text_print(&file, "events: Ir\nob=");
	long_name(&file, VERY_LONG_NAME);
	text_print(&file, "\nfl=");
	long_name(&file, VERY_LONG_NAME);
	text_print(&file, "\nfn=");
	long_name(&file, VERY_LONG_NAME);
	text_print(&file, "\n");
	many(&file, "1 1\n");
	CLEANUP(profile) struct profile *profile = read_all("callgrind", &file);
	assert_int_equal(cells_sum(profile, "Ir"), MANY);
}

/* Each function calls all the others, and claims that each call cost as much as all of it. */
TEST(callgrind_whose_graph_allows_more_stacks_than_there_is_room)
{
	struct text file = file_new();

	text_print(&file, "events: A B C D E F G H\n");
	for (unsigned caller = 0; caller < 200; caller++) {
		text_print(&file, "fn=f%u\n1 1 1 1 1 1 1 1 1\n", caller);
		for (unsigned callee = 0; callee < 200; callee++)
			text_print(&file, "cfn=f%u\ncalls=1 1\n1 9 9 9 9 9 9 9 9\n", callee);
	}
	text_print(&file, "fn=main\ncfn=f0\ncalls=1 1\n1 9 9 9 9 9 9 9 9\n");
	CLEANUP(profile) struct profile *profile = read_all("callgrind", &file);
	assert_int_equal(cells_sum(profile, "H"), 200);
	assert_true(remarked(profile, "small or recursive calls were added"));
}

#define TABLES "\"stackTable\":{\"frame\":[0],\"prefix\":[null]},\"funcTable\":{\"name\":[0]},"

TEST(firefox_with_markers_that_never_meet)
{
	struct text file = file_new();

	text_print(&file, "{\"meta\":{\"preprocessedProfileVersion\":50},\"threads\":[{\"name\":\"T\",\"tid\":1,"
			  "\"samples\":{\"stack\":[0]}," TABLES "\"frameTable\":{\"func\":[0]},\"stringArray\":[\"f\"],"
			  "\"markers\":{\"name\":[0");
	for (unsigned i = 1; i <= 2 * MANY; i++)
		text_print(&file, ",%u", i);
	text_print(&file, "],\"phase\":[2");
	many(&file, ",2");
	many(&file, ",3");
	text_print(&file, "],\"startTime\":[0],\"endTime\":[0],\"data\":[0");
	many(&file, ",0");
	many(&file, ",0");
	text_print(&file, "]}}]}");
	CLEANUP(profile) struct profile *profile = read_all("firefox", &file);
	assert_int_equal(cells_sum(profile, "samples"), 1);
	assert_true(remarked(profile, "markers without a duration are left out"));
}

TEST(firefox_with_many_threads_and_much_that_they_share)
{
	struct text file = file_new();

	text_print(&file, "{\"meta\":{\"preprocessedProfileVersion\":58},\"libs\":[{}");
	many(&file, ",{}");
	text_print(&file, "],\"shared\":{\"sources\":{\"filename\":[0");
	many(&file, ",0");
	text_print(&file, "]},\"stringArray\":[\"f\"");
	many(&file, ",0");
	text_print(&file, "]},\"threads\":[{\"samples\":{\"stack\":[0]}," TABLES "\"frameTable\":{\"func\":[0]}}");
	many(&file, ",{}");
	text_print(&file, "]}");
	CLEANUP(profile) struct profile *profile = read_all("firefox", &file);
	folded_is(profile, "samples", "f 1\n");
}

TEST(firefox_with_a_long_name_for_many_frames)
{
	struct text file = file_new();

	text_print(&file, "{\"meta\":{\"preprocessedProfileVersion\":50},\"threads\":[{\"name\":\"T\",\"tid\":1,"
			  "\"samples\":{\"stack\":[0]}," TABLES "\"stringArray\":[\"");
	long_name(&file, LONG_NAME);
	text_print(&file, "\"],\"frameTable\":{\"func\":[0");
	many(&file, ",0");
	text_print(&file, "]}}]}");
	CLEANUP(profile) struct profile *profile = read_all("firefox", &file);
	assert_int_equal(cells_sum(profile, "samples"), 1);
}

TEST(gecko_with_many_libraries_and_many_addresses)
{
	struct text file = file_new();

	text_print(&file, "{\"meta\":{\"stackwalk\":1},\"libs\":[{\"name\":\"l\",\"start\":4096,\"end\":8192}");
	for (unsigned i = MANY / 3; i > 0; i--)
		text_print(&file, ",{\"start\":%u,\"end\":%u}", i << 13, (i << 13) + 1);
	text_print(&file, "],\"threads\":[{\"samples\":{\"schema\":{\"stack\":0},\"data\":[[0]]},\"stackTable\":{\"schema\":"
			  "{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]");
	for (unsigned i = 1; i < MANY / 3; i++)
		text_print(&file, ",[%u]", i);
	text_print(&file, "]},\"stringTable\":[\"0x1010\"");
	for (unsigned i = 1; i < MANY / 3; i++)
		text_print(&file, ",\"0x%x\"", (i << 13) + 4096);
	text_print(&file, "]}],\"processes\":[]}");
	CLEANUP(profile) struct profile *profile = read_all("firefox", &file);
	folded_is(profile, "samples", "l+0x10 1\n");
}

TEST(heaptrack_with_many_modules_between_many_traces)
{
	struct text file = file_new();

	text_print(&file, "v 1 3\nx 1 p\nm 1 m 1000 0 10\nt 1004 0\n+ 5 1 ff\n");
	for (unsigned i = MANY; i > 0; i--)
		text_print(&file, "m 1 m %x 0 1\nt %x 0\n", i << 8, (i << 8) + 1);
	CLEANUP(profile) struct profile *profile = read_all("heaptrack", &file);
	folded_is(profile, "allocated", "m+0x4 5\n");
}

TEST(heaptrack_with_a_long_name_at_many_addresses)
{
	struct text file = file_new();

	text_print(&file, "v 1 2\ns ");
	long_name(&file, VERY_LONG_NAME);
	text_print(&file, "\n");
	for (unsigned i = 1; i <= MANY; i++)
		text_print(&file, "i %x 1 1 1 1 1 1 1\n", i);
	text_print(&file, "t 1 0\na 5 1\n+ 0\n");
	CLEANUP(profile) struct profile *profile = read_all("heaptrack", &file);
	assert_int_equal(cells_sum(profile, "allocated"), 5);
}

TEST(speedscope_that_closes_what_is_not_open)
{
	struct text file = file_new();

	text_print(&file, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":"
			  "[{\"name\":\"f\"},{\"name\":\"g\"}]},\"profiles\":[{\"type\":\"evented\",\"startValue\":0,\"events\":[");
	for (unsigned i = 0; i < 65535; i++)
		text_print(&file, "{\"type\":\"O\",\"at\":0,\"frame\":0},");
	many(&file, "{\"type\":\"C\",\"at\":0,\"frame\":1},");
	text_print(&file, "{\"type\":\"C\",\"at\":7,\"frame\":1}]}]}");
	CLEANUP(profile) struct profile *profile = read_all("speedscope", &file);
	assert_int_equal(cells_sum(profile, "weight"), 7);
	assert_true(remarked(profile, "a frame closes that is not the innermost"));
}

TEST(speedscope_with_many_profiles_and_many_frames)
{
	struct text file = file_new();

	text_print(&file, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":"
			  "[{\"name\":\"f\"}");
	many(&file, ",{}");
	text_print(&file, "]},\"profiles\":[{\"type\":\"evented\",\"startValue\":0,\"events\":[{\"type\":\"O\",\"at\":0,\"frame\":0},"
			  "{\"type\":\"C\",\"at\":7,\"frame\":0}]}");
	many(&file, ",{\"type\":\"evented\"}");
	text_print(&file, "]}");
	CLEANUP(profile) struct profile *profile = read_all("speedscope", &file);
	folded_is(profile, "weight", "f 7\n");
}
