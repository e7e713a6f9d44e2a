/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call graph says what a function cost and what its calls cost, but not which of its callers' calls cost how much. So its
 * stacks are an estimate: each call of a function is taken to be like the average of them. Exact are the totals, each
 * function's own cost, and the calls (kept with the role DETAIL, on a stack of caller and callee).
 *
 * The estimate goes down from the functions that nothing calls. A call that leads back into the stack, or that weighs less
 * than a ten-thousandth of the heaviest function, is not followed; what a function's stacks do not hold of its own cost
 * is added to the heaviest of them, so that sums by function are exact all the same. A small graph may allow more stacks
 * than anyone can look at, so their number, and the calls that are looked at on the way, have limits.
 */
#include "format/callgrind.h"

#include "base/memory.h"
#include "profile/profile.h"

#include <stdlib.h>

enum { NO_CALL = UINT32_MAX };
#define LEAST_SHARE 1e-4
enum { NODES_ALWAYS = 4096, NODES_PER_ROW = 16 };       /* a row: a function or a call */

void callgrind_graph_init(struct callgrind_graph *graph, size_t events, struct thread_id thread)
{
	*graph = (struct callgrind_graph){ .thread = thread, .events = events, .function_ids = map_new(sizeof(uint32_t)),
					   .call_ids = map_new(2 * sizeof(uint32_t)) };
}

void callgrind_graph_done(struct callgrind_graph *graph)
{
	free(graph->functions);
	free(graph->calls);
	free(graph->own);
	free(graph->inclusive);
	map_free(graph->function_ids);
	map_free(graph->call_ids);
	*graph = (struct callgrind_graph){ 0 };
}

/* Room for one more row of costs, all 0. */
static void costs_grow(uint64_t **costs, size_t rows, size_t *room, size_t events)
{
	if (rows >= *room) {
		*room = *room ? 2 * *room : 16;
		*costs = xreallocarray(*costs, *room, events * sizeof(**costs));
	}
	for (size_t i = 0; i < events; i++)
		(*costs)[rows * events + i] = 0;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a > INT64_MAX - (b & INT64_MAX) ? INT64_MAX : a + b;
}

uint32_t callgrind_function(struct callgrind_graph *graph, struct frame_id frame)
{
	bool added;
	uint32_t *known = map_put(graph->function_ids, &frame, &added);

	if (added) {
		*known = (uint32_t)graph->function_count;
		costs_grow(&graph->own, graph->function_count, &graph->own_room, graph->events);
		grow(graph->functions, graph->function_count, graph->function_room);
		graph->functions[graph->function_count++] = (struct callgrind_function){ frame, NO_CALL, NO_CALL };
	}
	return *known;
}

void callgrind_cost(struct callgrind_graph *graph, uint32_t function, const uint64_t *costs)
{
	for (size_t i = 0; i < graph->events; i++)
		graph->own[function * graph->events + i] = sum_of(graph->own[function * graph->events + i], costs[i]);
}

/* A function's calls stay in the order in which they came. */
static void call_append(struct callgrind_graph *graph, uint32_t caller, uint32_t call)
{
	struct callgrind_function *function = &graph->functions[caller];

	if (function->first_call == NO_CALL)
		function->first_call = call;
	else
		graph->calls[function->last_call].next = call;
	function->last_call = call;
}

void callgrind_called(struct callgrind_graph *graph, uint32_t caller, uint32_t callee, uint64_t times,
		      const uint64_t *costs)
{
	uint32_t key[2] = { caller, callee }, *known;
	bool added;

	known = map_put(graph->call_ids, key, &added);
	if (added) {
		*known = (uint32_t)graph->call_count;
		costs_grow(&graph->inclusive, graph->call_count, &graph->inclusive_room, graph->events);
		grow(graph->calls, graph->call_count, graph->call_room);
		graph->calls[graph->call_count++] = (struct callgrind_call){ caller, callee, NO_CALL, 0 };
		call_append(graph, caller, *known);
	}
	graph->calls[*known].times = sum_of(graph->calls[*known].times, times);
	for (size_t i = 0; i < graph->events; i++) {
		uint64_t *sum = &graph->inclusive[*known * graph->events + i];

		*sum = sum_of(*sum, costs[i]);
	}
}

/* --- To stacks ------------------------------------------------------------------------------------ */

struct placing {
	const struct callgrind_graph *graph;
	struct import *import;
	struct import_measure measure;
	size_t event, nodes;                         /* nodes: stacks that may still be made */
	size_t *steps;
	double *total, least;                        /* by function: its own cost and its calls' */
	uint64_t *placed, *most;                     /* of its own cost: in all stacks, in the heaviest */
	struct stack_id *heaviest;
	bool *open;                                  /* it is on the stack */
	bool cut;
};

static double call_cost(const struct placing *placing, uint32_t call)
{
	return (double)placing->graph->inclusive[call * placing->graph->events + placing->event];
}

static void stack_put(struct placing *placing, uint32_t function, struct stack_id stack, uint64_t value)
{
	import_sample(placing->import, &(struct import_sample){ .measure = placing->measure,
								.thread = placing->graph->thread, .stack = stack,
								.count = 0, .value = value });
	placing->placed[function] += value;
	if (value >= placing->most[function]) {
		placing->most[function] = value;
		placing->heaviest[function] = stack;
	}
}

static void place(struct placing *placing, uint32_t function, double weight, struct stack_id above, size_t depth)
{
	const struct callgrind_graph *graph = placing->graph;
	uint64_t own = graph->own[function * graph->events + placing->event], left;
	struct stack_id stack;
	double share;

	if (weight < placing->least || placing->open[function] || depth == CALLGRIND_DEPTH_LIMIT ||
	    !placing->nodes || !*placing->steps) {
		placing->cut |= weight > 0;
		return;
	}
	placing->nodes--;
	share = placing->total[function] > 0 ? weight / placing->total[function] : 0;
	share = share > 1 ? 1 : share;
	stack = import_stack(placing->import, above, graph->functions[function].frame);
	placing->open[function] = true;
	for (uint32_t call = graph->functions[function].first_call; call != NO_CALL && *placing->steps;
	     call = graph->calls[call].next) {
		--*placing->steps;
		place(placing, graph->calls[call].callee, share * call_cost(placing, call), stack, depth + 1);
	}
	placing->open[function] = false;
	left = own - placing->placed[function];
	own = (uint64_t)(share * (double)own + 0.5);
	stack_put(placing, function, stack, own > left ? left : own);
}

static void placing_init(struct placing *placing)
{
	const struct callgrind_graph *graph = placing->graph;
	size_t count = graph->function_count;

	placing->nodes = NODES_ALWAYS + NODES_PER_ROW * (count + graph->call_count);
	if (placing->nodes > CALLGRIND_NODE_LIMIT)
		placing->nodes = CALLGRIND_NODE_LIMIT;
	placing->total = xcalloc(count + 1, sizeof(*placing->total));
	placing->placed = xcalloc(count + 1, sizeof(*placing->placed));
	placing->most = xcalloc(count + 1, sizeof(*placing->most));
	placing->heaviest = xcalloc(count + 1, sizeof(*placing->heaviest));
	placing->open = xcalloc(count + 1, sizeof(*placing->open));
	for (size_t i = 0; i < count; i++)
		placing->total[i] = (double)graph->own[i * graph->events + placing->event];
	for (uint32_t i = 0; i < graph->call_count; i++)
		if (graph->calls[i].caller != graph->calls[i].callee)
			placing->total[graph->calls[i].caller] += call_cost(placing, i);
	for (size_t i = 0; i < count; i++)
		placing->least = placing->total[i] * LEAST_SHARE > placing->least ? placing->total[i] * LEAST_SHARE
										  : placing->least;
}

static void placing_done(struct placing *placing)
{
	free(placing->total);
	free(placing->placed);
	free(placing->most);
	free(placing->heaviest);
	free(placing->open);
}

/* What no stack holds: rounding, calls that were not followed, functions that are only reached through these. */
static void remainders_place(struct placing *placing)
{
	const struct callgrind_graph *graph = placing->graph;

	for (uint32_t i = 0; i < graph->function_count; i++) {
		uint64_t left = graph->own[i * graph->events + placing->event] - placing->placed[i];

		if (!left)
			continue;
		if (!placing->heaviest[i].index)
			placing->heaviest[i] = import_stack(placing->import, (struct stack_id){ 0 },
							    graph->functions[i].frame);
		stack_put(placing, i, placing->heaviest[i], left);
	}
}

static void roots_place(struct placing *placing)
{
	const struct callgrind_graph *graph = placing->graph;
	bool *called = xcalloc(graph->function_count + 1, sizeof(*called));

	for (size_t i = 0; i < graph->call_count; i++)
		called[graph->calls[i].callee] |= graph->calls[i].caller != graph->calls[i].callee;
	for (uint32_t i = 0; i < graph->function_count; i++)
		if (!called[i] && placing->total[i] > 0)
			place(placing, i, placing->total[i], (struct stack_id){ 0 }, 0);
	free(called);
}

/* The calls as they are, so that writing the graph again gives the same. */
static void calls_keep(const struct placing *placing)
{
	const struct callgrind_graph *graph = placing->graph;
	struct profile *into = import_profile(placing->import);
	struct measure measure = *profile_measure_at(into, placing->measure.total.index);

	measure.role = ROLE_DETAIL;
	for (uint32_t i = 0; i < graph->call_count; i++) {
		const struct callgrind_call *call = &graph->calls[i];
		struct stack_id caller = import_stack(placing->import, (struct stack_id){ 0 },
						      graph->functions[call->caller].frame);
		struct cell cell = { .slice = import_slice(placing->import, 0), .thread = graph->thread,
				     .measure = profile_measure(into, measure), .count = call->times,
				     .value = graph->inclusive[i * graph->events + placing->event] };

		cell.stack = import_stack(placing->import, caller, graph->functions[call->callee].frame);
		profile_add_cell(into, cell);
	}
}

void callgrind_stacks(const struct callgrind_graph *graph, size_t event, const struct import_event *name,
		      size_t *steps, struct import *import)
{
	struct placing placing = { .graph = graph, .import = import, .event = event, .steps = steps,
				   .measure = import_measure(import, name) };
	struct measure split;

	if (!placing.measure.total.index)
		return;
	split = *profile_measure_at(import_profile(import), placing.measure.split.index);
	split.weighting = WEIGHTING_ESTIMATED;
	placing.measure.split = profile_measure(import_profile(import), split);
	placing_init(&placing);
	roots_place(&placing);
	remainders_place(&placing);
	if (placing.cut)
		import_warn(import, "small or recursive calls were added to their callees' heaviest stacks", NULL, 0);
	calls_keep(&placing);
	placing_done(&placing);
}
