/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers per cell whether it counts. Matching a regular expression against every stack of every
 * cell would be slow, so the answer is kept per stack the first time it is asked; a selection is
 * therefore for one thread of the program and asks one profile at a time.
 */
#include "profile/selection.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "profile/profile.h"
#include "profile/selection_key.h"

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

enum { CLAUSE_LIMIT = 256, PATTERN_LIMIT = 64, FRAME_NAME_SIZE = 1024, REPETITION_LIMIT = 2 };

struct clause {
	const struct selection_key *key;
	char *value;
};

struct pattern {
	char *text;
	regex_t regex;
};

struct patterns {
	struct pattern rows[PATTERN_LIMIT];
	size_t count;
};

enum { ANSWER_UNASKED, ANSWER_NO, ANSWER_YES };

/* What was found out about the profile asked last. */
struct answers {
	const struct profile *profile;
	uint8_t *focus_frames, *ignore_frames;       /* by frame: ANSWER_* */
	uint8_t *stacks, *slices, *processes;        /* by stack, by slice; by process: has it a selected thread? */
	bool window_known, whole_known, counted_whole;
	uint64_t start_ns, end_ns;                   /* of the selected slices */
};

struct selection {
	struct clause clauses[CLAUSE_LIMIT];
	size_t clause_count;
	uint64_t from_ns, to_ns;                     /* to_ns 0: open */
	struct patterns focus, ignore;
	struct answers *answers;
};

/* --- Making ----------------------------------------------------------------------------------- */

struct selection *selection_new(void)
{
	return xcalloc(1, sizeof(struct selection));
}

static void patterns_done(struct patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++) {
		regfree(&patterns->rows[i].regex);
		free(patterns->rows[i].text);
	}
}

static void answers_free(struct answers *answers)
{
	if (!answers)
		return;
	free(answers->focus_frames);
	free(answers->ignore_frames);
	free(answers->stacks);
	free(answers->slices);
	free(answers->processes);
	free(answers);
}

void selection_free(struct selection *selection)
{
	if (!selection)
		return;
	for (size_t i = 0; i < selection->clause_count; i++)
		free(selection->clauses[i].value);
	patterns_done(&selection->focus);
	patterns_done(&selection->ignore);
	answers_free(selection->answers);
	free(selection);
}

static void answers_forget(struct selection *selection)
{
	answers_free(selection->answers);
	selection->answers = NULL;
}

int selection_where(struct selection *selection, const char *key_value, struct error *err)
{
	const char *equals = strchr(key_value, '=');
	const struct selection_key *key;

	if (!equals || equals == key_value || !equals[1]) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "--where '%.128s' is not a key and a value",
			   key_value);
		(void)error_because(err, "it takes KEY=VALUE");
		return error_try(err, "--where comm=nginx");
	}
	key = selection_key_find(key_value, (size_t)(equals - key_value), err);
	if (!key)
		return err->code;
	if (key->number &&
	    (strspn(equals + 1, "0123456789") != strlen(equals + 1) || strlen(equals + 1) > 10)) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "--where '%.128s' does not name a number",
			   key_value);
		return error_because(err, "%s is a number", key->name);
	}
	if (selection->clause_count == CLAUSE_LIMIT) {
		(void)fail(err, FAILURE_USAGE, -E2BIG, "too many --where");
		return error_because(err, "at most %d are taken", CLAUSE_LIMIT);
	}
	answers_forget(selection);
	selection->clauses[selection->clause_count++] =
		(struct clause){ .key = key, .value = xstrdup(equals + 1) };
	return 0;
}

int selection_window(struct selection *selection, uint64_t from_ns, uint64_t to_ns, struct error *err)
{
	char from[QUANTITY_SIZE], to[QUANTITY_SIZE];

	if (to_ns && to_ns <= from_ns) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "--from %s is not before --to %s", quantity_print(from, (double)from_ns, "ns"),
			   quantity_print(to, (double)to_ns, "ns"));
		(void)error_because(err, "no time lies between them, which both count from the capture's start");
		return error_try(err, "--from 5s --to 10s");
	}
	selection->from_ns = from_ns;
	selection->to_ns = to_ns;
	return 0;
}

/* Counted repetitions are expanded when a pattern is compiled: a few inside each other would fill the memory. */
static bool repeats_too_often(const char *regex)
{
	unsigned count = 0;

	for (; *regex; regex++)
		count += *regex == '{';
	return count > REPETITION_LIMIT;
}

static int patterns_add(struct patterns *patterns, const char *option, const char *regex,
			struct error *err)
{
	struct pattern *pattern = &patterns->rows[patterns->count];
	char why[256];
	int r;

	if (patterns->count == PATTERN_LIMIT) {
		(void)fail(err, FAILURE_USAGE, -E2BIG, "too many %s", option);
		return error_because(err, "at most %d are taken", PATTERN_LIMIT);
	}
	if (repeats_too_often(regex)) {
		(void)fail(err, FAILURE_USAGE, -E2BIG, "too many repetitions in %s", option);
		return error_because(err, "at most %d of the form {N,M} are taken", REPETITION_LIMIT);
	}
	r = regcomp(&pattern->regex, regex, REG_EXTENDED | REG_NOSUB);
	if (r) {
		(void)regerror(r, &pattern->regex, why, sizeof(why));
		(void)fail(err, FAILURE_USAGE, -EINVAL, "%s '%.128s' is not a regular expression",
			   option, regex);
		return error_because(err, "%s", why);
	}
	pattern->text = xstrdup(regex);
	patterns->count++;
	return 0;
}

int selection_focus(struct selection *selection, const char *regex, struct error *err)
{
	answers_forget(selection);
	return patterns_add(&selection->focus, "--focus", regex, err);
}

int selection_ignore(struct selection *selection, const char *regex, struct error *err)
{
	answers_forget(selection);
	return patterns_add(&selection->ignore, "--ignore", regex, err);
}

/* --- Asking ----------------------------------------------------------------------------------- */

bool selection_by_time(const struct selection *selection)
{
	return selection->from_ns || selection->to_ns;
}

bool selection_by_stack(const struct selection *selection)
{
	return selection->focus.count || selection->ignore.count;
}

bool selection_by_cell(const struct selection *selection)
{
	for (size_t i = 0; i < selection->clause_count; i++)
		if (selection->clauses[i].key->of_cell)
			return true;
	return selection_by_stack(selection);
}

bool selection_is_whole(const struct selection *selection)
{
	return !selection->clause_count && !selection_by_time(selection) &&
	       !selection_by_stack(selection);
}

static struct answers *answers_of(const struct selection *selection, const struct profile *profile)
{
	/* What is remembered is not part of what is selected. */
	struct selection *writable = (struct selection *)(uintptr_t)selection;
	struct answers *answers = selection->answers;

	if (answers && answers->profile == profile)
		return answers;
	answers_free(answers);
	answers = xcalloc(1, sizeof(*answers));
	answers->profile = profile;
	answers->focus_frames = xcalloc(profile_frame_count(profile), 1);
	answers->ignore_frames = xcalloc(profile_frame_count(profile), 1);
	answers->stacks = xcalloc(profile_stack_count(profile), 1);
	answers->slices = xcalloc(profile_slice_count(profile), 1);
	writable->answers = answers;
	return answers;
}

static bool patterns_match(const struct patterns *patterns, const char *text)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (!regexec(&patterns->rows[i].regex, text, 0, NULL, 0))
			return true;
	return false;
}

static bool frame_matches(const struct patterns *patterns, const struct profile *profile,
			  struct frame_id frame, uint8_t *answers)
{
	uint8_t *answer = &answers[frame.index];
	char name[FRAME_NAME_SIZE];
	size_t count = 0;
	const struct symbol *symbols;
	bool yes;

	if (*answer != ANSWER_UNASKED)
		return *answer == ANSWER_YES;
	symbols = profile_frame_symbols(profile, frame, &count);
	yes = !count &&
	      patterns_match(patterns, profile_frame_name(profile, frame, name, sizeof(name)));
	for (size_t i = 0; i < count && !yes; i++)
		yes = patterns_match(patterns, profile_text(profile, symbols[i].name));
	*answer = yes ? ANSWER_YES : ANSWER_NO;
	return yes;
}

static bool has_frame(const struct patterns *patterns, const struct profile *profile,
		      struct stack_id stack, uint8_t *answers)
{
	while (stack.index) {
		struct stack row = profile_stack_at(profile, stack.index);

		if (frame_matches(patterns, profile, row.frame, answers))
			return true;
		stack = row.parent;
	}
	return false;
}

static bool has_stack(const struct selection *selection, const struct profile *profile,
		      struct stack_id stack)
{
	struct answers *answers;
	uint8_t *answer;
	bool yes;

	if (!selection_by_stack(selection))
		return true;
	if (!stack.index)
		return false;
	answers = answers_of(selection, profile);
	answer = &answers->stacks[stack.index];
	if (*answer == ANSWER_UNASKED) {
		yes = (!selection->focus.count ||
		       has_frame(&selection->focus, profile, stack, answers->focus_frames)) &&
		      !has_frame(&selection->ignore, profile, stack, answers->ignore_frames);
		*answer = yes ? ANSWER_YES : ANSWER_NO;
	}
	return *answer == ANSWER_YES;
}

static uint64_t capture_start(const struct profile *profile)
{
	uint64_t start = profile_meta_number(profile, "capture.start_ns", 0);

	if (!start && profile_slice_count(profile) > 1)
		start = profile_slice_at(profile, 1)->start_ns;
	return start;
}

void selection_clip(const struct selection *selection, const struct profile *profile, uint64_t *from_ns, uint64_t *to_ns)
{
	uint64_t start = capture_start(profile);

	if (selection->from_ns && *from_ns < start + selection->from_ns)
		*from_ns = start + selection->from_ns;
	if (selection->to_ns && *to_ns > start + selection->to_ns)
		*to_ns = start + selection->to_ns;
}

static bool slice_overlaps(const struct selection *selection, const struct profile *profile,
			   const struct slice *slice)
{
	uint64_t start = capture_start(profile);

	return slice->end_ns > start + selection->from_ns &&
	       (!selection->to_ns || slice->start_ns < start + selection->to_ns);
}

static bool has_slice(const struct selection *selection, const struct profile *profile,
		      size_t slice)
{
	uint8_t *answer;

	if (!selection_by_time(selection))
		return true;
	answer = &answers_of(selection, profile)->slices[slice];
	if (*answer == ANSWER_UNASKED)
		*answer = slice_overlaps(selection, profile, profile_slice_at(profile, slice)) ? ANSWER_YES : ANSWER_NO;
	return *answer == ANSWER_YES;
}

static int refuse_window(const struct selection *selection, const struct profile *profile, const char *name, struct error *err)
{
	char from[QUANTITY_SIZE], last[QUANTITY_SIZE];
	uint64_t start = capture_start(profile), end = 0;

	for (size_t i = 1; i < profile_slice_count(profile); i++)
		end = profile_slice_at(profile, i)->end_ns > end ? profile_slice_at(profile, i)->end_ns : end;
	(void)fail(err, FAILURE_USAGE, -EINVAL, "'%s' holds nothing of that time", name);
	return error_because(err, "it ends %s after its start, and --from is %s", quantity_print(last, end > start ? (double)(end - start) : 0, "ns"),
			     quantity_print(from, (double)selection->from_ns, "ns"));
}

int selection_check(const struct selection *selection, const struct profile *profile, const char *name, struct error *err)
{
	bool timed = false, chosen = false;

	if (!selection_by_time(selection))
		return 0;
	for (size_t i = 1; i < profile_slice_count(profile); i++) {
		timed |= profile_slice_at(profile, i)->end_ns > 0;
		chosen |= has_slice(selection, profile, i);
	}
	if (timed && !chosen)
		return refuse_window(selection, profile, name, err);
	if (timed)
		return 0;
	(void)fail(err, FAILURE_USAGE, -EINVAL, "cannot select a part of the time of '%s'", name);
	(void)error_because(err, "it does not say when anything happened");
	return error_try(err, "without --from and --to");
}

/* Every key that is named must hold; of the values given for one key, one must. */
static bool clauses_hold(const struct selection *selection, const struct selection_subject *subject)
{
	for (size_t i = 0; i < selection_key_count; i++) {
		bool asked = false, holds = false;

		if (selection_keys[i].of_cell ? !subject->cell : !subject->thread)
			continue;
		for (size_t j = 0; j < selection->clause_count && !holds; j++) {
			if (selection->clauses[j].key != &selection_keys[i])
				continue;
			asked = true;
			holds = selection_keys[i].matches(subject, selection->clauses[j].value);
		}
		if (asked && !holds)
			return false;
	}
	return true;
}

bool selection_has_cell(const struct selection *selection, const struct profile *profile,
			const struct cell *cell)
{
	const struct selection_subject subject = { profile,
						   profile_thread_at(profile, cell->thread.index),
						   cell };

	return has_slice(selection, profile, cell->slice.index) &&
	       (!selection->clause_count || clauses_hold(selection, &subject)) &&
	       has_stack(selection, profile, cell->stack);
}

bool selection_has_thread(const struct selection *selection, const struct profile *profile,
			  const struct thread *thread)
{
	const struct selection_subject subject = { profile, thread, NULL };

	return clauses_hold(selection, &subject);
}

static void answer_processes(const struct selection *selection, const struct profile *profile,
			     struct answers *answers)
{
	answers->processes = xcalloc(profile_process_count(profile), 1);
	for (size_t i = 1; i < profile_thread_count(profile); i++) {
		const struct thread *thread = profile_thread_at(profile, i);

		if (!thread->outside && selection_has_thread(selection, profile, thread))
			answers->processes[thread->process.index] = ANSWER_YES;
	}
}

/* The first --work is the denominator; what other sources counted is kept beside it, for a look across. */
static bool is_denominator(const struct profile *profile, const struct completion *completion)
{
	const char *source = profile_meta(profile, "work.source");
	const char *counted_by = profile_text(profile, completion->source);
	size_t size = source ? strcspn(source, ":") : 0;

	return !source || (strlen(counted_by) == size && !strncmp(source, counted_by, size));
}

static bool all_in_one_slice(const struct profile *profile)
{
	size_t count = profile_completion_count(profile);
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += profile_completion_at(profile, i)->count;
		if (profile_completion_at(profile, i)->slice.index != profile_completion_at(profile, 0)->slice.index)
			return false;
	}
	return sum > 1 && profile_slice_count(profile) > 2;
}

/* Told once, at the end, by who sent the load: of all the time, and of no part of it. */
static bool is_counted_whole(const struct selection *selection, const struct profile *profile)
{
	struct answers *answers = answers_of(selection, profile);

	if (!answers->whole_known)
		answers->counted_whole = all_in_one_slice(profile);
	answers->whole_known = true;
	return answers->counted_whole;
}

/* Completions belong to processes: those count that have a selected thread. */
bool selection_has_completion(const struct selection *selection, const struct profile *profile,
			      const struct completion *completion)
{
	struct answers *answers;

	if (!has_slice(selection, profile, completion->slice.index) || !is_denominator(profile, completion))
		return false;
	if (selection_by_time(selection) && is_counted_whole(selection, profile))
		return false;
	if (!completion->process.index || !selection->clause_count)
		return true;
	answers = answers_of(selection, profile);
	if (!answers->processes)
		answer_processes(selection, profile, answers);
	return answers->processes[completion->process.index] == ANSWER_YES;
}

static uint64_t overlap_ns(uint64_t start_a, uint64_t end_a, uint64_t start_b, uint64_t end_b)
{
	uint64_t start = start_a > start_b ? start_a : start_b;
	uint64_t end = end_a < end_b ? end_a : end_b;

	return end > start ? end - start : 0;
}

uint64_t selection_lifetime_ns(const struct selection *selection, const struct profile *profile,
			       const struct thread *thread)
{
	uint64_t sum = 0;

	if (!selection_by_time(selection))
		return overlap_ns(thread->start_ns, thread->end_ns, 0, UINT64_MAX);
	for (size_t i = 1; i < profile_slice_count(profile); i++) {
		const struct slice *slice = profile_slice_at(profile, i);

		if (has_slice(selection, profile, i))
			sum += overlap_ns(thread->start_ns, thread->end_ns, slice->start_ns,
					  slice->end_ns);
	}
	return sum;
}

static void find_window(const struct selection *selection, const struct profile *profile, uint64_t *ret_start_ns, uint64_t *ret_end_ns)
{
	*ret_start_ns = UINT64_MAX;
	*ret_end_ns = 0;
	for (size_t i = 1; i < profile_slice_count(profile); i++) {
		const struct slice *slice = profile_slice_at(profile, i);

		if (!has_slice(selection, profile, i))
			continue;
		*ret_start_ns = slice->start_ns < *ret_start_ns ? slice->start_ns : *ret_start_ns;
		*ret_end_ns = slice->end_ns > *ret_end_ns ? slice->end_ns : *ret_end_ns;
	}
}

bool selection_has_request(const struct selection *selection, const struct profile *profile, const struct request *request)
{
	struct answers *answers;

	if (!selection_has_thread(selection, profile, profile_thread_at(profile, request->thread.index)))
		return false;
	if (!selection_by_time(selection))
		return true;
	answers = answers_of(selection, profile);
	if (!answers->window_known)
		find_window(selection, profile, &answers->start_ns, &answers->end_ns);
	answers->window_known = true;
	return request->closed_ns >= answers->start_ns && request->closed_ns < answers->end_ns;
}

uint64_t selection_elapsed_ns(const struct selection *selection, const struct profile *profile)
{
	uint64_t start = profile_meta_number(profile, "capture.start_ns", 0);
	uint64_t end = profile_meta_number(profile, "capture.end_ns", 0);

	if (!selection_by_time(selection) && end > start)
		return end - start;
	find_window(selection, profile, &start, &end);
	return end > start ? end - start : 0;
}

static void print_patterns(struct text *line, const char *word, const struct patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		text_print(line, "%s%s %s", line->size ? ", " : "", word, patterns->rows[i].text);
}

size_t selection_values(const struct selection *selection, const char *key, const char **values, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < selection->clause_count && count < room; i++)
		if (!strcmp(selection->clauses[i].key->name, key))
			values[count++] = selection->clauses[i].value;
	return count;
}

char *selection_text(const struct selection *selection)
{
	struct text line = TEXT(4096);
	char from[QUANTITY_SIZE], to[QUANTITY_SIZE] = "the end";

	for (size_t i = 0; i < selection->clause_count; i++)
		text_print(&line, "%s%s=%s", i ? ", " : "", selection->clauses[i].key->name,
			   selection->clauses[i].value);
	if (selection_by_time(selection)) {
		(void)quantity_print(from, (double)selection->from_ns, "ns");
		if (selection->to_ns)
			(void)quantity_print(to, (double)selection->to_ns, "ns");
		text_print(&line, "%s%s to %s", line.size ? ", " : "", from, to);
	}
	print_patterns(&line, "focus", &selection->focus);
	print_patterns(&line, "ignore", &selection->ignore);
	return text_take(&line);
}
