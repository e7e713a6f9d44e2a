/* SPDX-License-Identifier: Apache-2.0 */
/* Breaks one thing after the other from inside, because the adding functions let nobody do it from
 * outside. */
#include "profile/storage.h"

#include "base/pages.h"
#include "test.h"

#include <string.h>

static struct profile *whole(void)
{
	struct profile *profile = profile_new();
	struct dimension_id dimension = profile_dimension(profile,
							  dimension_row_find("oncpu", "user"));
	struct frame_id frame = profile_frame(profile, (struct frame){ .offset = 1 });

	(void)profile_slice(profile, 1, 2);
	(void)profile_process(profile, (struct process){ .pid = 1 });
	(void)profile_thread(profile, (struct thread){ .process = { 1 } });
	(void)profile_file(profile, "/a", NULL);
	profile_mapping(profile, (struct mapping){ { 1 }, { 1 }, 1, 2, 0, 0 });
	(void)profile_measure(profile, (struct measure){ .dimension = dimension,
							 .role = ROLE_TOTAL,
							 .weighting = WEIGHTING_EXACT });
	(void)profile_stack(profile, (struct stack_id){ 0 }, frame, STACK_COMPLETE);
	(void)profile_stack(profile, (struct stack_id){ 0 }, frame, STACK_TRUNCATED);
	(void)profile_evidence(profile, &(struct wait_evidence){ .syscall = 1 });
	profile_add_cell(profile,
			 (struct cell){ .slice = { 1 }, .thread = { 1 }, .measure = { 1 } });
	profile_add_interval(profile, (struct interval){ .thread = { 1 } });
	profile_add_link(profile, (struct link){ .interval = 0 });
	profile_add_request(profile, (struct request){ .thread = { 1 } });
	profile_add_part(profile, (struct part){ .request = 0 });
	profile_add_completion(profile, (struct completion){ .outcome = OUTCOME_CORRECT });
	profile_add_loss(profile, (struct loss){ .lost = 1 });
	profile_add_own_cost(profile, (struct own_cost){ .ns = 1 });
	profile_add_symbol(profile, (struct symbol){ .frame = frame });
	return profile;
}

#define BREAKS(place, with)                               \
	do {                                              \
		CLEANUP(profile) struct profile *p = whole(); \
		assert_null(profile_broken(p));           \
		p->place = with;                          \
		assert_non_null(profile_broken(p));       \
	} while (0)

/* The same of one that lies in a page. */
#define BREAKS_ROW(noun, row, place, with)                                              \
	do {                                                                            \
		CLEANUP(profile) struct profile *p = whole();                           \
		assert_null(profile_broken(p));                                         \
		((struct noun *)pages_at(p->noun##_pages, row))->place = with;          \
		assert_non_null(profile_broken(p));                                     \
	} while (0)

TEST(whatever_does_not_hold_is_said)
{
	BREAKS(dimension_rows[1].kind, 0);
	BREAKS(dimension_rows[1].name.index, 0);
	BREAKS(dimension_rows[1].parent.index, 1);
	BREAKS(dimension_rows[2].parent.index, 9);
	BREAKS(measure_rows[1].dimension.index, 9);
	BREAKS(measure_rows[1].role, 9);
	BREAKS(measure_rows[1].weighting, 0);
	BREAKS(slice_rows[1].end_ns, 0);
	BREAKS_ROW(thread, 1, process.index, 9);
	BREAKS_ROW(mapping, 0, file.index, 9);
	BREAKS_ROW(mapping, 0, end, 0);
	BREAKS(frame_rows[1].file.index, 9);
	BREAKS(frame_rows[1].method, 99);
	BREAKS(stacks.parents[1], 2);
	BREAKS(stacks.words[1], p->stacks.words[1] + 8);
	BREAKS(stacks.words[1], 1);
	BREAKS(evidence_rows[1].class.index, 9);
	BREAKS(evidence_rows[1].seen.kernel_stack.index, 9);
	BREAKS(symbol_rows[0].frame.index, 9);
	BREAKS(cell_rows[0].slice.index, 9);
	BREAKS(cell_rows[0].thread.index, 9);
	BREAKS(cell_rows[0].measure.index, 0);
	BREAKS(cell_rows[0].evidence.index, 9);
	BREAKS(cell_rows[0].stack.index, 9);
	BREAKS(cell_rows[0].object.index, 9);
	BREAKS(cell_rows[0].other.index, 9);
	BREAKS(cell_rows[0].other_stack.index, 9);
	BREAKS(cell_rows[0].p_log2, 64);
	BREAKS(cell_rows[0].length_log2, 64);
	BREAKS(measure_rows[1].dimension.index, 0);
	BREAKS(interval_rows[0].thread.index, 9);
	BREAKS(interval_rows[0].start_ns, 9);
	BREAKS(link_rows[0].interval, 1);
	BREAKS(link_rows[0].by.index, 9);
	BREAKS(request_rows[0].thread.index, 9);
	BREAKS(part_rows[0].request, 1);
	BREAKS(part_rows[0].dimension.index, 9);
	BREAKS(completion_rows[0].outcome, 9);
	BREAKS(loss_rows[0].slice.index, 9);
	BREAKS(own_cost_rows[0].slice.index, 9);
}
