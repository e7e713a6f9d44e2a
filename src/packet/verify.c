/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds a packet to what it says: digests first, then everything that can be made again is made again and compared, figure by
 * figure. Each failure is named by where it stands. Nothing in the packet is trusted to judge another part of it.
 */
#include "packet/state.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/native.h"
#include "result/document.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { PATH_LIMIT = 400, FAILURE_LIMIT = 1000 };

struct checking {
	const struct packet *packet;
	struct document *into;
	unsigned failures, figures, passed_over;
	unsigned unstated;                   /* captures that hold no hypothesis, where the packet has one */
};

static void failed(struct checking *checking, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void failed(struct checking *checking, const char *format, ...)
{
	struct text text = TEXT(1000);
	va_list arguments;

	va_start(arguments, format);
	text_print_list(&text, format, arguments);
	va_end(arguments);
	if (checking->failures++ < FAILURE_LIMIT)
		document_add_finding(checking->into, SEVERITY_FAILURE, "%s", text_string(&text));
	text_done(&text);
}

/* --- The same? -------------------------------------------------------------------------------------------------- */

/* Of one computation on two machines: the last bits of a logarithm may differ. */
static bool numbers_agree(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static void compare_values(struct checking *checking, const char *path, const json_t *said, const json_t *made);

static void compare_objects(struct checking *checking, const char *path, const json_t *said, const json_t *made)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)made, key, value) {
		CLEANUP_TEXT char *below = xasprintf("%.300s/%.80s", path, key);

		compare_values(checking, below, json_object_get(said, key), value);
	}
	json_object_foreach((json_t *)said, key, value) {
		if (!json_object_get(made, key))
			failed(checking, "%s/%s: is in the packet, and the captures say nothing of it", path, key);
	}
}

static const json_t *entry_named(const json_t *array, const char *name)
{
	for (size_t i = 0; i < json_array_size(array); i++)
		if (!strcmp(packet_text(json_array_get(array, i), "name"), name))
			return json_array_get(array, i);
	return NULL;
}

/* A younger crosscut may compare more, and have more gates: what an older one left out is no failure, unless it hides one. */
static bool may_lack(const char *path, const json_t *made)
{
	const char *last = strrchr(path, '/');
	const char *verdict = packet_text(made, "verdict");

	return last && (!strcmp(last, "/rows") || (!strcmp(last, "/gates") && !strcmp(verdict, "pass")));
}

static void compare_named(struct checking *checking, const char *path, const json_t *said, const json_t *made)
{
	for (size_t i = 0; i < json_array_size(said); i++) {
		const char *name = packet_text(json_array_get(said, i), "name");
		CLEANUP_TEXT char *below = xasprintf("%.300s/%.80s", path, name);

		if (entry_named(made, name))
			compare_values(checking, below, json_array_get(said, i), entry_named(made, name));
		else
			failed(checking, "%s: is in the packet, and does not follow from the captures", below);
	}
	for (size_t i = 0; i < json_array_size(made); i++) {
		const json_t *one = json_array_get(made, i);

		if (!entry_named(said, packet_text(one, "name")) && !may_lack(path, one))
			failed(checking, "%s/%s: follows from the captures, and is not in the packet", path, packet_text(one, "name"));
	}
}

static void compare_arrays(struct checking *checking, const char *path, const json_t *said, const json_t *made)
{
	if (*packet_text(json_array_get(made, 0), "name")) {
		compare_named(checking, path, said, made);
		return;
	}
	if (json_array_size(said) != json_array_size(made)) {
		failed(checking, "%s: the packet has %zu entries, the captures give %zu", path, json_array_size(said), json_array_size(made));
		return;
	}
	for (size_t i = 0; i < json_array_size(made); i++) {
		CLEANUP_TEXT char *below = xasprintf("%.300s/%zu", path, i);

		compare_values(checking, below, json_array_get(said, i), json_array_get(made, i));
	}
}

static void compare_values(struct checking *checking, const char *path, const json_t *said, const json_t *made)
{
	if (json_is_object(made) && json_is_object(said)) {
		compare_objects(checking, path, said, made);
	} else if (json_is_array(made) && json_is_array(said)) {
		compare_arrays(checking, path, said, made);
	} else if (json_is_number(made) && json_is_number(said)) {
		checking->figures++;
		if (!numbers_agree(json_number_value(said), json_number_value(made)))
			failed(checking, "%s: the packet says %.9g, the captures give %.9g", path, json_number_value(said),
			       json_number_value(made));
	} else if (!said || json_typeof(said) != json_typeof(made)) {
		failed(checking, "%s: %s", path, said ? "is of another kind than the captures give" : "is missing");
	} else if (json_is_string(made) && strcmp(json_string_value(said), json_string_value(made))) {
		failed(checking, "%s: the packet says '%s', the captures give '%s'", path, json_string_value(said), json_string_value(made));
	}
}

/* --- Digests ---------------------------------------------------------------------------------------------------- */

static void check_root(struct checking *checking, const char *kept)
{
	char digest[DIGEST_TEXT_SIZE];

	packet_digest_root(checking->packet->root, digest);
	if (strcmp(digest, packet_root(checking->packet)))
		failed(checking, "root: the packet was changed after it was sealed (its digest is %s)", digest);
	if (kept && strcmp(kept, packet_root(checking->packet)))
		failed(checking, "root: it is not the one that was kept (%.70s)", kept);
}

static bool is_inside(const char *name)
{
	return *name && *name != '/' && !strstr(name, "..");
}

/* False where the file is not there, or not what it was. */
static bool check_file(struct checking *checking, const json_t *entry, const char *key, const char *digest_key)
{
	const char *name = packet_text(entry, key);
	CLEANUP_TEXT char *path = packet_path(checking->packet, name);
	char digest[DIGEST_TEXT_SIZE];
	struct error err = { 0 };

	if (!is_inside(name)) {
		failed(checking, "'%s': is not a file of the packet", name);
		return false;
	}
	if (packet_digest_file(path, digest, &err) < 0) {
		failed(checking, "%s: %s: %s", name, err.what, err.why);
		return false;
	}
	if (!strcmp(digest, packet_text(entry, digest_key)))
		return true;
	failed(checking, "%s: the file was changed (its SHA-256 is %s)", name, digest);
	return false;
}

static void check_objective(struct checking *checking, const json_t *capture)
{
	const char *name = packet_text(capture, "objective");
	CLEANUP_TEXT char *path = packet_path(checking->packet, name), *label = xasprintf("%.200s/load", packet_text(capture, "file"));
	json_t *load;

	(void)check_file(checking, capture, "objective", "objective_sha256");
	load = is_inside(name) ? packet_load(path) : NULL;
	if (!load && json_object_get(capture, "load"))
		failed(checking, "%s: is in the packet, and the load generator's file says nothing of it", label);
	else if (load)
		compare_values(checking, label, json_object_get(capture, "load"), load);
	json_decref(load);
}

/* What was stated before a capture was taken is under that capture's digests: it cannot be fitted to what came out. */
static void check_stated(struct checking *checking, const char *name, const json_t *stated)
{
	const json_t *root = checking->packet->root, *bounds = json_object_get(root, "bounds");
	json_t *hypothesis = packet_hypothesis(json_object_get(stated, "hypothesis")), *value;
	const char *key;

	if (json_is_true(json_object_get(stated, "simulated")) && !json_is_true(json_object_get(root, "simulated")))
		failed(checking, "simulated: %s is no measurement, and the packet does not say so", name);
	json_object_foreach(json_object_get(stated, "bounds"), key, value) {
		if (strcmp(json_string_value(value), packet_text(bounds, key)))
			failed(checking, "bounds/%s: the packet says '%s', %s was taken under '%s'", key, packet_text(bounds, key), name,
			       json_string_value(value));
	}
	if (hypothesis)
		compare_values(checking, "hypothesis", json_object_get(root, "hypothesis"), hypothesis);
	else
		checking->unstated += json_object_get(root, "hypothesis") != NULL;
	json_decref(hypothesis);
}

static void check_capture(struct checking *checking, const json_t *capture)
{
	const char *name = packet_text(capture, "file");
	CLEANUP_TEXT char *path = packet_path(checking->packet, name);
	CLEANUP_TEXT char *figures_path = xasprintf("%.200s/figures", name), *gates_path = xasprintf("%.200s/gates", name);
	char chain[NATIVE_DIGEST_SIZE];
	json_t *figures, *read, *stated;
	struct error err = { 0 };

	if (json_object_get(capture, "expired")) {
		failed(checking, "%s: was deleted when its retention was over; its figures cannot be made again", name);
		return;
	}
	(void)check_file(checking, capture, "file", "sha256");
	if (*packet_text(capture, "objective"))
		check_objective(checking, capture);
	if (!is_inside(name))
		return;
	if (native_digest(path, chain, &err) < 0 || packet_figures(path, &figures, &read, &stated, &err) < 0) {
		failed(checking, "%s: %s: %s", name, err.what, err.why);
		return;
	}
	if (strcmp(chain, packet_text(capture, "chain")))
		failed(checking, "%s: its own chain of digests ends in %.16s…, and it was added with %.16s…", name, chain,
		       packet_text(capture, "chain"));
	compare_values(checking, figures_path, json_object_get(capture, "figures"), figures);
	compare_values(checking, gates_path, json_object_get(capture, "gates"), read);
	check_stated(checking, name, stated);
	json_decref(stated);
	json_decref(figures);
	json_decref(read);
}

/* --- What must be there ----------------------------------------------------------------------------------------- */

static void check_selectors(struct checking *checking)
{
	static const struct { const char *selector, *keys[6]; } selectors[] = {
		{ "population", { "workload", "build", "tenant", "endpoint", "outcome" } }, { "useful-work unit", { "unit" } },
		{ "operating state", { "state" } }, { "suspected dimension", { "suspected" } }, { "decision", { "decision" } },
	};
	static const char *const states[] = { "nominal", "overload", "partial-failure", "recovery" };
	const json_t *contract = json_object_get(checking->packet->root, "contract"),
		     *bounds = json_object_get(checking->packet->root, "bounds");
	bool known = false;

	for (size_t i = 0; i < ARRAY_LENGTH(selectors); i++)
		for (const char *const *key = selectors[i].keys; *key; key++)
			if (!*packet_text(contract, *key))
				failed(checking, "contract/%s: the selector '%s' is missing", *key, selectors[i].selector);
	for (size_t i = 0; i < ARRAY_LENGTH(states); i++)
		known |= !strcmp(states[i], packet_text(contract, "state"));
	if (!known)
		failed(checking, "contract/state: '%s' is no operating state", packet_text(contract, "state"));
	if (!*packet_text(checking->packet->root, "falsified_by"))
		failed(checking, "falsified_by: nothing would falsify the claim");
	else if (strcmp(packet_text(checking->packet->root, "falsified_by"), packet_text(bounds, "falsified-by")))
		failed(checking, "falsified_by: it is not what the bounds say would falsify the claim");
}

/* The captures carry the contract they were taken under, and that is under their digests. The build is what arms differ in. */
static void check_contract(struct checking *checking, const json_t *capture)
{
	const json_t *held = json_object_get(json_object_get(capture, "figures"), "contract"),
		     *contract = json_object_get(checking->packet->root, "contract");
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)held, key, value) {
		if (strcmp(key, "build") && strcmp(json_string_value(value), packet_text(contract, key)))
			failed(checking, "contract/%s: the packet says '%s', %s was taken under '%s'", key, packet_text(contract, key),
			       packet_text(capture, "file"), json_string_value(value));
	}
}

static bool has_row(const struct checking *checking, const char *name)
{
	const json_t *rows = json_object_get(json_object_get(checking->packet->root, "comparison"), "rows");

	for (size_t i = 0; i < json_array_size(rows); i++)
		if (!strcmp(packet_text(json_array_get(rows, i), "name"), name))
			return true;
	return false;
}

static void check_claims(struct checking *checking)
{
	json_t *claim;
	size_t i;

	json_array_foreach(json_object_get(checking->packet->root, "claims"), i, claim) {
		const json_t *evidence = json_object_get(claim, "evidence");

		if (!json_array_size(evidence))
			failed(checking, "claims/%zu: '%s' has no evidence", i, packet_text(claim, "text"));
		for (size_t j = 0; j < json_array_size(evidence); j++) {
			const char *name = json_string_value(json_array_get(evidence, j));

			if (!name || !has_row(checking, name))
				failed(checking, "claims/%zu: its evidence '%s' is no figure of the comparison", i, name ? name : "?");
		}
	}
}

static bool is_decided(const struct packet *packet)
{
	const char *judgement = packet_judgement(packet);

	return judgement && (!strcmp(judgement, "supported") || !strcmp(judgement, "rejected"));
}

/* A verdict stands on gates that passed; what only describes may rest on less. */
static void check_gates(struct checking *checking, const json_t *capture)
{
	json_t *gate;
	size_t i;

	json_array_foreach(json_object_get(capture, "gates"), i, gate) {
		const char *name = packet_text(gate, "name");

		if (strcmp(packet_text(gate, "verdict"), "fail") != 0 || !is_decided(checking->packet))
			continue;
		if (packet_verdict_needs(name))
			failed(checking, "%s: the gate %s failed, and the packet has a verdict", packet_text(capture, "file"), name);
		else
			checking->passed_over++;
	}
}

static int check_conclusion(struct checking *checking, struct error *err)
{
	const json_t *root = checking->packet->root;
	json_t *made, *said;
	int r;

	if (!json_object_get(root, "verdict")) {
		failed(checking, "verdict: the packet was not judged (crosscut packet report)");
		return 0;
	}
	r = packet_conclude(checking->packet, &made, err);
	if (r < 0)
		return r;
	said = json_pack("{s:O?,s:O?,s:O?}", "comparison", json_object_get(root, "comparison"), "verdict", json_object_get(root, "verdict"),
			 "claims", json_object_get(root, "claims"));
	compare_values(checking, "packet", said, made);
	json_decref(said);
	json_decref(made);
	return 0;
}

int packet_verify(const struct packet *packet, const char *root, struct document *into, struct error *err)
{
	struct checking checking = { .packet = packet, .into = into };
	unsigned unreadable;
	json_t *entry;
	size_t i;

	check_root(&checking, root);
	check_selectors(&checking);
	if (!json_array_size(json_object_get(packet->root, "captures")))
		failed(&checking, "captures: there are none, so that nothing is shown");
	json_array_foreach(json_object_get(packet->root, "captures"), i, entry) {
		check_capture(&checking, entry);
		check_contract(&checking, entry);
		check_gates(&checking, entry);
	}
	json_array_foreach(json_object_get(packet->root, "traces"), i, entry) {
		(void)check_file(&checking, entry, "file", "sha256");
	}
	check_claims(&checking);
	if (checking.passed_over)
		document_add_finding(into, SEVERITY_WARNING, "%u times a capture's gate on its stacks or on its own cost failed: the verdict "
				     "rests on neither, claims about stacks do", checking.passed_over);
	unreadable = checking.failures;
	if (check_conclusion(&checking, err) < 0) {
		failed(&checking, "the comparison cannot be made again: %s: %s", err->what, err->why);
		if (!unreadable)
			return err->code;
	}
	if (checking.unstated && !checking.failures)
		document_add_finding(into, SEVERITY_WARNING, "%u captures do not hold the hypothesis: that it was stated before they were "
				     "taken is the packet's word alone (record --runbook; verify --root)", checking.unstated);
	if (!checking.failures)
		document_add_finding(into, SEVERITY_NOTE, "all digests hold, and %u figures follow from the captures", checking.figures);
	return (int)checking.failures;
}
