/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the passes in their order, each by the cheapest capture that can answer it, and asks its rule before the next: two
 * blocks of the ledger alone for the first two, one block with stacks and the probes that the state calls for, then the arms.
 */
#include "command/investigation.h"

#include "analysis/account.h"
#include "analysis/analysis.h"
#include "base/cleanup.h"
#include "base/directory.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "command/arm_block.h"
#include "format/format.h"
#include "investigate/investigate.h"
#include "packet/packet.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "profile/summary.h"
#include "result/document.h"
#include "runbook/runbook.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_NS 8000000000ull
#define PILOT_NS 3000000000ull
enum { TRIES = 3, PAIRS_MOST = 64 };
static const char *const arm_names[] = { "baseline", "candidate", "restored" };

struct conducting {
	const struct investigation *wanted;
	struct block_config block;
	struct pass_facts facts;
	struct packet *packet;
	struct document *into;
	char largest[DIMENSION_PATH_SIZE];
	double state_ns[2][64];              /* per row of profile/dimension.c */
	uint64_t pairs, seed;
	double lateness;
};

/* --- What a block says ------------------------------------------------------------------------------------------ */

static void note_states(struct conducting *conducting, const struct account *account, int side)
{
	struct pass_facts *facts = &conducting->facts;

	facts->active_ns[side] = 0;
	for (size_t i = 0; i < dimension_row_count && i < ARRAY_LENGTH(conducting->state_ns[0]); i++) {
		const struct dimension_row *row = &dimension_rows[i];
		struct dimension_id id = row->parent ? (struct dimension_id){ 0 } : profile_dimension_find(account->profile, NULL, row->name);
		double total = id.index ? account_state(account, id).total : 0;

		conducting->state_ns[side][i] = account_per_completion(account, isnan(total) ? 0 : total);
		if (!row->parent && row->kind <= DIMENSION_WAITING && row->kind >= DIMENSION_RUNNING)
			facts->active_ns[side] += conducting->state_ns[side][i];
		if (!strcmp(row->name, "oncpu") && !row->parent)
			facts->oncpu_ns[side] = conducting->state_ns[side][i];
	}
}

static int read_block(struct conducting *conducting, const struct block *block, int side, struct error *err)
{
	CLEANUP(profile) struct profile *profile = NULL;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(account) struct account *account = NULL;
	struct pass_facts *facts = &conducting->facts;
	struct question question = { .selection = selection };
	struct summary summary;
	int r = format_read(block->capture, &profile, err);

	if (r < 0)
		return r;
	question.profile = profile;
	account = account_new(&question);
	summary_of(profile, &summary);
	facts->correct[side] = account->correct;
	facts->incorrect[side] = account->incorrect;
	facts->elapsed_ns[side] = block->objective.mean_ns;
	facts->unresolved_fraction = summary.unresolved_fraction;
	facts->lost_fraction = summary.lost_fraction;
	facts->own_cost_fraction = summary.own_cost_fraction;
	note_states(conducting, account, side);
	return 0;
}

static void find_largest(struct conducting *conducting)
{
	struct pass_facts *facts = &conducting->facts;

	facts->largest_growth_ns = 0;
	conducting->largest[0] = '\0';
	for (size_t i = 0; i < dimension_row_count && i < ARRAY_LENGTH(conducting->state_ns[0]); i++) {
		const struct dimension_row *row = &dimension_rows[i];
		double growth = conducting->state_ns[1][i] - conducting->state_ns[0][i];

		if (row->parent || row->kind > DIMENSION_WAITING || !(growth > facts->largest_growth_ns))
			continue;
		facts->largest_growth_ns = growth;
		(void)snprintf(conducting->largest, sizeof(conducting->largest), "%s", row->name);
	}
	facts->largest = conducting->largest;
}

/* --- Passes ----------------------------------------------------------------------------------------------------- */

static void say(const struct conducting *conducting, const char *what, const char *more)
{
	if (conducting->wanted->progress)
		fprintf(stderr, "crosscut: %s: %s\n", what, more);
}

static const struct pass *pass_named(const char *name)
{
	for (const struct pass *const *row = passes; *row; row++)
		if (!strcmp((*row)->name, name))
			return *row;
	return NULL;
}

/* 1 where the pass stops the investigation, with the reason in the packet and in the answer. */
static int ask_pass(struct conducting *conducting, const char *name)
{
	const struct pass *pass = pass_named(name);
	char why[300] = "";

	if (!pass->stop(&conducting->facts, why, sizeof(why))) {
		packet_note(conducting->packet, "pass %s: goes on%s%s", name, !strcmp(name, "classify") ? ": most grew " : "",
			    !strcmp(name, "classify") ? conducting->largest : "");
		return 0;
	}
	packet_note(conducting->packet, "pass %s: stopped: %s", name, why);
	packet_refuse(conducting->packet, why);
	document_add_finding(conducting->into, SEVERITY_WARNING, "stopped in the pass '%s': %s", name, why);
	return 1;
}

static int pilot(struct conducting *conducting, int side, const char *name, struct error *err)
{
	struct block block;
	int r;

	say(conducting, name, arm_names[side]);
	conducting->block.duration_ns = PILOT_NS;
	r = block_run(&conducting->block, arm_names[side], 0, name, &block, err);
	if (r < 0)
		return r;
	r = read_block(conducting, &block, side, err);
	block_done(&block);
	return r;
}

static int pass_population(struct conducting *conducting, struct error *err)
{
	int r;

	conducting->block.cheap = true;
	r = pilot(conducting, 0, "pilot-baseline", err);
	if (r >= 0)
		r = pilot(conducting, 1, "pilot-candidate", err);
	if (r < 0)
		return r;
	find_largest(conducting);
	r = ask_pass(conducting, "confirm");
	return r ? r : ask_pass(conducting, "classify");
}

/* Only what the state calls for: a lock needs its contention, a device its requests. */
static int pass_waits(struct conducting *conducting, struct error *err)
{
	int r;

	conducting->block.cheap = false;
	conducting->block.with_block = !strcmp(conducting->largest, "disk");
	conducting->block.with_contention = !strcmp(conducting->largest, "lock");
	r = pilot(conducting, 0, "waits-baseline", err);
	if (r >= 0)
		r = pilot(conducting, 1, "waits-candidate", err);
	return r < 0 ? r : ask_pass(conducting, "attribute");
}

/* --- The test --------------------------------------------------------------------------------------------------- */

static int keep_block(struct conducting *conducting, const struct block *block, struct error *err)
{
	int r = packet_add(conducting->packet, block->arm, block->pair, block->capture, block->objective_path, err);

	(void)unlink(block->capture);           /* the packet has its own copy */
	(void)unlink(block->objective_path);
	return r;
}

static void note_void(struct conducting *conducting, const struct block *block)
{
	const struct objective *objective = &block->objective;

	conducting->facts.voided++;
	packet_note(conducting->packet, "void: %s %u: the load was late by %.3g ms (p99), its p99 is %.3g ms", block->arm, block->pair,
		    objective->late_p99_ns / 1e6, objective->p99_ns / 1e6);
	(void)unlink(block->capture);
	(void)unlink(block->objective_path);
}

/* 1 where the block was kept, 0 where each try was void. */
static int run_block(struct conducting *conducting, unsigned arm, unsigned pair, struct error *err)
{
	CLEANUP_TEXT char *name = xasprintf("%s-%u", arm_names[arm], pair);
	int r = 0;

	for (int i = 0; i < TRIES && !r; i++) {
		struct block block;

		say(conducting, "block", name);
		r = block_run(&conducting->block, arm_names[arm], pair, name, &block, err);
		if (r < 0)
			return r;
		if (block_is_void(block.objective.late_p99_ns, block.objective.p99_ns, conducting->lateness)) {
			note_void(conducting, &block);
		} else {
			r = keep_block(conducting, &block, err);
			conducting->facts.blocks += r >= 0;
			r = r < 0 ? r : 1;
		}
		block_done(&block);
		if (!r && ask_pass(conducting, "test"))
			return 0;
	}
	return r;
}

static int pass_arms(struct conducting *conducting, struct error *err)
{
	unsigned order[ARRAY_LENGTH(arm_names)];
	int r = 0;

	/* States are exact without stacks, and the arms of a pair then differ in nothing that a budget may have cut. */
	conducting->block.without_wait_stacks = true;
	conducting->block.with_block = conducting->block.with_contention = false;
	conducting->block.duration_ns = conducting->wanted->block_ns;
	for (unsigned pair = 1; pair <= conducting->pairs && r >= 0; pair++) {
		schedule_order(conducting->seed, pair, ARRAY_LENGTH(arm_names), order);
		for (unsigned i = 0; i < ARRAY_LENGTH(order) && r >= 0; i++)
			r = run_block(conducting, order[i], pair, err);
		if (!conducting->facts.blocks && !r)
			break;                  /* the rule of the pass stopped it */
	}
	return r < 0 ? r : 0;
}

/* --- The whole -------------------------------------------------------------------------------------------------- */

static uint64_t number_of(const struct runbook *runbook, const char *key, uint64_t otherwise)
{
	const char *value = runbook_value(runbook, "test", key);
	uint64_t number = otherwise;
	struct error ignored;

	if (value)
		(void)(strcmp(key, "block") ? quantity_parse_count(value, &number, &ignored)
					    : quantity_parse_duration(value, &number, &ignored));
	return number;
}

static bool expects_cpu(const struct runbook *runbook)
{
	const char *must = runbook_value(runbook, "hypothesis", "must-move"), *mechanism = runbook_value(runbook, "hypothesis", "mechanism");

	return (must && strstr(must, "oncpu")) || (mechanism && !strcmp(mechanism, "cpu-cost"));
}

static int open_blocks(struct conducting *conducting, char **ret, struct error *err)
{
	int r;

	*ret = xasprintf("%s/blocks", conducting->wanted->directory);
	r = directory_make(*ret);
	if (r < 0)
		return fail(err, FAILURE_WORK, r, "cannot make '%.200s'", *ret);
	conducting->block.directory = *ret;
	return 0;
}

static int conduct(struct conducting *conducting, struct error *err)
{
	int r = pass_population(conducting, err);

	if (!r)
		r = pass_waits(conducting, err);
	if (!r)
		r = pass_arms(conducting, err);
	if (r >= 0)
		r = packet_judge(conducting->packet, err);
	if (r >= 0)
		r = packet_save(conducting->packet, err);
	return r;
}

int investigation_run(const struct investigation *investigation, struct packet **ret, struct document *into, struct error *err)
{
	static const char *const needed[] = { "baseline", "candidate", "restored", "load", "objective", NULL };
	struct investigation wanted = *investigation;
	const char *lateness = runbook_value(wanted.runbook, "test", "lateness");
	struct conducting conducting = { .wanted = &wanted, .into = into, .lateness = lateness ? strtod(lateness, NULL) : 0.01 };
	CLEANUP_TEXT char *blocks = NULL;
	int r = runbook_require(wanted.runbook, "arms", needed, err);

	if (!r)
		r = runbook_require(wanted.runbook, "hypothesis", (const char *const[]){ "mechanism", NULL }, err);
	if (r < 0)
		return r;
	wanted.block_ns = wanted.block_ns ? wanted.block_ns : number_of(wanted.runbook, "block", BLOCK_NS);
	conducting.pairs = wanted.pairs ? wanted.pairs : number_of(wanted.runbook, "pairs", PACKET_PAIRS_LEAST);
	conducting.seed = number_of(wanted.runbook, "seed", 1);
	conducting.facts.expects_cpu = expects_cpu(wanted.runbook);
	conducting.block = (struct block_config){ .runbook = wanted.runbook, .programs = wanted.programs, .progress = wanted.progress,
						  .workers = wanted.workers, .rate = wanted.rate, .scratch = wanted.scratch };
	if (conducting.pairs > PAIRS_MOST)
		return fail(err, FAILURE_USAGE, -EINVAL, "more than %d pairs", PAIRS_MOST);
	r = packet_new(wanted.directory, wanted.runbook, false, &conducting.packet, err);
	if (!r)
		r = open_blocks(&conducting, &blocks, err);
	if (!r)
		r = conduct(&conducting, err);
	if (r < 0)
		packet_free(conducting.packet);
	else
		*ret = conducting.packet;
	return r < 0 ? r : 0;
}

int investigation_programs(char **ret, struct error *err)
{
	CLEANUP_TEXT char *installed = NULL;
	char self[4096] = "";

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot find our own folder");
	*strrchr(self, '/') = '\0';
	installed = xasprintf("%s/mercury-load", self);
	*ret = access(installed, X_OK) ? xasprintf("%s/../lib/crosscut", self) : xstrdup(self);
	return 0;
}
