/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

#include "test.h"

#include <string.h>

static const char *name_of(const struct profile *profile, struct frame frame_row,
			   struct profile *adding)
{
	static char text[32];

	return profile_frame_name(profile, profile_frame(adding, frame_row), text, sizeof(text));
}

/* A stack's walk finds where a caller goes on; pprof and others say where it calls. It is one frame. */
TEST(a_caller_without_a_name_is_called_alike_whichever_way_it_came)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct file_id program = profile_file(profile, "/bin/burn", NULL);
	static const enum frame_method behind[] = { METHOD_FRAME_POINTER, METHOD_CFI, METHOD_GENERATED, METHOD_GUESS };
	static const enum frame_method exact[] = { METHOD_IMPORTED, METHOD_LEAF, METHOD_SIGNAL, METHOD_KERNEL };

	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(name_of(profile, (struct frame){ .file = program, .offset = 0x119c, .method = behind[i] }, profile),
				    "burn+0x119b");
		assert_string_equal(name_of(profile, (struct frame){ .file = program, .offset = 0x119b, .method = exact[i] }, profile),
				    "burn+0x119b");
	}
	assert_string_equal(name_of(profile, (struct frame){ .offset = 0xabc, .method = METHOD_CFI }, profile), "0xabb");
}

TEST(a_frame_is_shown_by_the_best_name_there_is)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct file_id library = profile_file(profile, "/usr/lib/libc.so.6", NULL);
	struct frame frame = { .file = library, .offset = 0x1234 };
	struct frame_id id = profile_frame(profile, frame);
	char text[8];

	assert_string_equal(name_of(profile, frame, profile), "libc.so.6+0x1234");
	assert_string_equal(name_of(profile, (struct frame){ .offset = 0xabc }, profile), "0xabc");
	assert_string_equal(name_of(profile, (struct frame){ 0 }, profile), "[unknown]");
	assert_string_equal(name_of(profile,
				    (struct frame){ .file = profile_file(profile, "[vdso]", NULL),
						    .offset = 1 },
				    profile),
			    "[vdso]+0x1");
	assert_string_equal(
		name_of(profile,
			(struct frame){ .file = library, .name = profile_string(profile, "own") },
			profile),
		"own");
	profile_add_symbol(
		profile,
		(struct symbol){ id, 1, profile_string(profile, "caller"), { 0 }, { 0 }, 0 });
	profile_add_symbol(
		profile,
		(struct symbol){ id, 0, profile_string(profile, "inlined_call"), { 0 }, { 0 }, 0 });
	profile_freeze(profile);
	assert_string_equal(profile_frame_name(profile, id, text, sizeof(text)), "inlined");
}

TEST(symbols_come_by_frame_innermost_first_and_can_be_made_again)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct frame_id frames[5];
	const struct symbol *symbols;
	size_t count;

	for (uint32_t i = 0; i < 5; i++)
		frames[i] = profile_frame(profile, (struct frame){ .offset = i + 1 });
	for (uint32_t depth = 3; depth-- > 0;)
		profile_add_symbol(profile,
				   (struct symbol){ frames[3], depth, { 0 }, { 0 }, { 0 }, depth });
	profile_add_symbol(profile, (struct symbol){ frames[1], 0, { 0 }, { 0 }, { 0 }, 9 });
	profile_freeze(profile);
	symbols = profile_frame_symbols(profile, frames[3], &count);
	assert_int_equal(count, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(symbols[i].depth, i);
	assert_int_equal(profile_frame_symbols(profile, frames[1], &count)->line, 9);
	assert_null(profile_frame_symbols(profile, frames[0], &count));
	assert_null(profile_frame_symbols(profile, frames[4], &count));
	assert_int_equal(count, 0);

	profile_clear_symbols(profile);
	profile_add_symbol(profile, (struct symbol){ frames[4], 0, { 0 }, { 0 }, { 0 }, 4 });
	assert_null(profile_frame_symbols(profile, frames[4], &count));
	profile_freeze(profile);
	assert_int_equal(profile_frame_symbols(profile, frames[4], &count)->line, 4);
}

TEST(a_cell_counts_towards_its_evidences_class_or_its_measures_dimension)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct dimension_id user = profile_dimension(profile, dimension_row_find("oncpu", "user"));
	struct dimension_id disk = profile_dimension(profile, dimension_row_find(NULL, "disk"));
	struct evidence_id evidence = profile_evidence(profile,
						       &(struct wait_evidence){ .syscall = 1 });
	struct cell cell = { .measure = profile_measure(
				     profile, (struct measure){ .dimension = user,
								.role = ROLE_TOTAL,
								.weighting = WEIGHTING_EXACT }) };

	assert_int_equal(profile_cell_dimension(profile, &cell).index, user.index);
	cell.evidence = evidence;
	assert_int_equal(profile_cell_dimension(profile, &cell).index, user.index);
	profile_evidence_class(profile, evidence, disk, (struct string_id){ 0 }, false);
	assert_int_equal(profile_cell_dimension(profile, &cell).index, disk.index);
}

TEST(dimensions_are_found_by_name_and_parent)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct dimension_id user = profile_dimension(profile, dimension_row_find("oncpu", "user"));
	struct dimension_id signal = profile_dimension(profile,
						       dimension_row_find("idle", "signal"));
	struct dimension_id stopped = profile_dimension(profile,
							dimension_row_find("stopped", "signal"));

	assert_int_equal(profile_dimension_find(profile, "oncpu", "user").index, user.index);
	assert_int_equal(profile_dimension_find(profile, "idle", "signal").index, signal.index);
	assert_int_equal(profile_dimension_find(profile, "stopped", "signal").index, stopped.index);
	assert_int_equal(profile_dimension_find(profile, NULL, "user").index, 0);
	assert_int_equal(profile_dimension_find(profile, "oncpu", "signal").index, 0);
	assert_int_equal(profile_dimension_find(profile, "nothing", "user").index, 0);
	assert_int_equal(profile_dimension_find(profile, "", "oncpu").index, 0);
	assert_int_not_equal(profile_dimension_find(profile, NULL, "oncpu").index, 0);
}

TEST(outcomes_have_names)
{
	assert_string_equal(outcome_name(OUTCOME_CORRECT), "correct");
	assert_string_equal(outcome_name(OUTCOME_UNJUDGED), "unjudged");
	assert_string_equal(outcome_name(0), "?");
}
