/* SPDX-License-Identifier: Apache-2.0 */
/* The lanes of a small capture: who has one, what stands on it, and how requests share theirs. */
#include "unit/analysis/asking.h"

#include "profile/lock.h"
#include "result/timeline.h"
#include "unit/view/rendered.h"

static void runs(struct profile *profile, struct thread_id thread, uint64_t start, uint64_t end)
{
	profile_add_interval(profile, (struct interval){ .thread = thread, .start_ns = BUILDER_START + start, .end_ns = BUILDER_START + end,
							 .dimension = built_dimension(profile, "oncpu") });
}

static void waits(struct profile *profile, struct thread_id thread, uint64_t start, uint64_t end, const char *class,
		  enum wake_context context, struct thread_id waker)
{
	profile_add_interval(profile, (struct interval){
		.thread = thread, .start_ns = BUILDER_START + start, .end_ns = BUILDER_START + end,
		.evidence = built_evidence(profile, class, 0, context), .waker = waker });
}

static void asks(struct profile *profile, struct thread_id thread, uint64_t start, uint64_t end, const char *outcome)
{
	profile_add_request(profile, (struct request){
		.thread = thread, .class = profile_string(profile, "GET /a"), .outcome = profile_string(profile, outcome), .one_in = 1,
		.opened_ns = BUILDER_START + start, .closed_ns = BUILDER_START + end });
}

static struct asking staged(void)
{
	struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 1, "shop");
	struct object_id orders = profile_object(profile, (struct object){ .kind = profile_string(profile, LOCK_IN_PROGRAM),
									   .name = profile_string(profile, "orders") });
	struct thread_id one, two, idler;

	(void)built_slice(profile, BUILDER_START, BUILDER_START + 1000);
	one = built_thread(profile, process, 1, "one", BUILDER_START, BUILDER_START + 1000);
	two = built_thread(profile, process, 2, "two", BUILDER_START + 1, BUILDER_START + 1000);
	idler = built_thread(profile, process, 3, "idler", BUILDER_START + 2, BUILDER_START + 1000);
	runs(profile, one, 0, 100);
	waits(profile, one, 100, 400, "lock/mutex", WAKE_TASK, two);
	profile_add_link(profile, (struct link){ .interval = 1, .kind = profile_string(profile, LOCK_LINK), .object = orders, .by = two,
						 .start_ns = BUILDER_START + 100, .end_ns = BUILDER_START + 400 });
	runs(profile, two, 0, 400);
	waits(profile, two, 400, 1000, "disk/read", WAKE_SOFTIRQ, one);
	waits(profile, idler, 0, 1000, "idle/queue", WAKE_TASK, one);
	asks(profile, one, 0, 500, "correct");
	asks(profile, one, 200, 300, "incorrect");
	asks(profile, two, 300, 600, "correct");
	return asking(profile);
}

static const struct timeline *timeline_of(const struct asking *it)
{
	const struct section *section = document_find(it->document, "timeline");

	assert_non_null(section);
	assert_int_equal(section->kind, SECTION_TIMELINE);
	return section->timeline;
}

static const struct timeline_span *span_at(const struct timeline *timeline, const char *lane, uint64_t time)
{
	for (size_t i = 0; i < timeline->span_count; i++)
		if (!strcmp(timeline->lanes[timeline->spans[i].lane].name, lane) && timeline->spans[i].start <= BUILDER_START + time &&
		    BUILDER_START + time < timeline->spans[i].end)
			return &timeline->spans[i];
	broken("nothing on '%s' at %llu", lane, (unsigned long long)time);
	return NULL;
}

TEST(each_thread_has_a_lane_with_what_it_did_who_ended_it_and_for_what)
{
	struct asking it = staged();
	const struct timeline *timeline;
	const struct timeline_span *span;

	assert_int_equal(ask(&it, "timeline"), 0);
	timeline = timeline_of(&it);
	assert_int_equal(timeline->end - timeline->start, 1000);
	span = span_at(timeline, "one (1)", 200);
	assert_string_equal(timeline->states[span->state].name, "lock/mutex");
	assert_string_equal(timeline->states[span->state].kind, "waiting");
	assert_string_equal(timeline->texts[span->by - 1], "two (2)");
	assert_string_equal(timeline->lanes[span->by_lane - 1].name, "two (2)");
	assert_string_equal(timeline->texts[span->text - 1], "orders");
	span = span_at(timeline, "two (2)", 500);
	assert_string_equal(timeline->states[span->state].state, "disk");
	assert_int_equal(span->by, 0);                  /* an interrupt: whoever ran is a bystander */
	assert_string_equal(timeline->states[span_at(timeline, "idler (3)", 0)->state].name, "idle/queue");
	asked(&it);
}

TEST(requests_that_overlap_take_rows_of_their_own_and_share_where_they_do_not)
{
	struct asking it = staged();
	const struct timeline *timeline;

	assert_int_equal(ask(&it, "timeline"), 0);
	timeline = timeline_of(&it);
	assert_string_equal(timeline->lanes[0].name, "requests");
	assert_string_equal(timeline->lanes[1].name, "requests (2)");
	assert_int_equal(timeline->lane_count, 5);
	assert_string_equal(timeline->states[span_at(timeline, "requests (2)", 250)->state].name, "request incorrect");
	assert_int_equal(span_at(timeline, "requests (2)", 300)->end, BUILDER_START + 600);
	asked(&it);
}

TEST(the_busiest_threads_get_the_lanes_and_the_others_are_counted)
{
	struct asking it = staged();

	it.question.most = 2;
	assert_int_equal(ask(&it, "timeline"), 0);
	assert_int_equal(timeline_of(&it)->lane_count, 4);
	assert_int_equal(timeline_of(&it)->left_out, 1);
	(void)span_at(timeline_of(&it), "two (2)", 10);
	asked(&it);
}

TEST(a_selection_leaves_its_threads)
{
	struct asking it = staged();

	assert_int_equal(selection_where(it.selection, "comm=idler", &it.err), 0);
	assert_int_equal(ask(&it, "timeline"), 0);
	assert_int_equal(timeline_of(&it)->lane_count, 1);
	asked(&it);
}

TEST(as_text_each_lane_is_a_strip_of_letters)
{
	struct asking it = staged();
	char *text;

	assert_int_equal(ask(&it, "timeline"), 0);
	text = rendered(it.document, "text", (struct view_style){ .width = 81 });       /* 50 letters of 20 ns */
	assert_non_null(strstr(text, "one (1)                      #####LLLLLLLLLLLLLLL\n"));
	assert_non_null(strstr(text, "two (2)                      ####################DDDDDDDDDDDDDDDDDDDDDDDDDDDDDD\n"));
	assert_non_null(strstr(text, "idler (3)                    ..................................................\n"));
	assert_non_null(strstr(text, "one letter is 20 ns"));
	free(text);
	text = rendered(it.document, "json", (struct view_style){ 0 });
	assert_non_null(strstr(text, "\"kind\":\"timeline\""));
	assert_non_null(strstr(text, "\"begin\":[0,200,300,0,100,"));
	free(text);
	asked(&it);
}

TEST(without_intervals_it_is_said_how_to_get_them_where_they_were_asked_for)
{
	struct asking it = asking(mercury(&mercury_candidate));

	assert_int_equal(ask(&it, "timeline"), 0);
	assert_int_equal(it.document->section_count, 0);
	it.question.alone = true;
	assert_int_equal(ask(&it, "timeline"), 0);
	assert_non_null(strstr(it.document->sections[0].finding, "--timeline"));
	asked(&it);
}

TEST(intervals_that_are_no_states_are_not_drawn_as_empty_lanes)
{
	struct profile *profile = profile_new();
	struct thread_id thread = built_thread(profile, built_process(profile, 1, "shop"), 1, "one", BUILDER_START, BUILDER_START + 1000);
	struct dimension_id marker = profile_dimension(profile, &(struct dimension_row){
		.name = "marker", .unit = "ns", .kind = DIMENSION_AMOUNT, .meaning = "marked" });
	struct asking it;

	(void)built_slice(profile, BUILDER_START, BUILDER_START + 1000);
	profile_add_interval(profile, (struct interval){ .thread = thread, .start_ns = BUILDER_START, .end_ns = BUILDER_START + 10,
							 .dimension = marker });
	it = asking(profile);
	it.question.alone = true;
	assert_int_equal(ask(&it, "timeline"), 0);
	assert_int_equal(it.document->section_count, 1);
	assert_non_null(strstr(it.document->sections[0].finding, "states of threads"));
	asked(&it);
}
