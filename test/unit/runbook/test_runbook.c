/* SPDX-License-Identifier: Apache-2.0 */
/* Runbooks as people write them, and as they should not: every refusal names the file and the line. */
#include "test.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "command/command.h"
#include "profile/profile.h"
#include "runbook/runbook.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_text(const char *text, size_t size, struct runbook **ret, struct error *err)
{
	char path[] = "/tmp/crosscut-runbook-XXXXXX";
	int fd = mkstemp(path), r;

	assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	(void)close(fd);
	r = runbook_read(path, ret, err);
	(void)unlink(path);
	return r;
}

static struct runbook *read_well(const char *text)
{
	struct runbook *runbook = NULL;
	struct error err = { 0 };

	if (read_text(text, strlen(text), &runbook, &err) < 0)
		print_error("%s: %s\n", err.what, err.why);
	assert_non_null(runbook);
	return runbook;
}

static void refused(const char *text, unsigned line, const char *words)
{
	struct runbook *runbook = NULL;
	CLEANUP_TEXT char *place = xasprintf(":%u: ", line);
	struct error err = { 0 };

	assert_true(read_text(text, strlen(text), &runbook, &err) < 0);
	assert_null(runbook);
	assert_int_equal(err.kind, FAILURE_USAGE);
	if (!strstr(err.what, place) || !(strstr(err.what, words) || strstr(err.why, words)))
		print_error("'%s: %s' lacks '%s' or '%s'\n", err.what, err.why, place, words);
	assert_non_null(strstr(err.what, place));
	assert_true(strstr(err.what, words) || strstr(err.why, words));
}

static const char *value_of(const struct runbook *runbook, const char *section, const char *key)
{
	for (size_t i = 0; i < runbook_count(runbook); i++)
		if (!strcmp(runbook_at(runbook, i)->section, section) && !strcmp(runbook_at(runbook, i)->key, key))
			return runbook_at(runbook, i)->value;
	return NULL;
}

TEST(sections_keys_and_values_are_read_with_their_lines)
{
	CLEANUP(runbook) struct runbook *runbook = read_well("; head\n[capture]\nduration = 30s\n\n[labels]\nbuild: 1.2 ; new\nA key = x\n");

	assert_int_equal(runbook_count(runbook), 3);
	assert_string_equal(value_of(runbook, "capture", "duration"), "30s");
	assert_string_equal(value_of(runbook, "labels", "build"), "1.2");
	assert_string_equal(value_of(runbook, "labels", "A key"), "x");
	assert_int_equal(runbook_at(runbook, 1)->line, 6);
}

TEST(a_value_goes_on_in_lines_that_begin_with_a_blank)
{
	CLEANUP(runbook) struct runbook *runbook = read_well("[contract]\nunit = roll back\n  if it grew\n\tby a tenth\nstate = overload\n");

	assert_string_equal(value_of(runbook, "contract", "unit"), "roll back if it grew by a tenth");
	assert_string_equal(value_of(runbook, "contract", "state"), "overload");
}

TEST(an_empty_file_says_nothing)
{
	CLEANUP(runbook) struct runbook *runbook = read_well("");

	assert_int_equal(runbook_count(runbook), 0);
}

TEST(unknown_words_are_refused_with_their_line_and_the_known_ones)
{
	refused("[captur]\n", 1, "capture, labels, contract, bounds, hypothesis, arms, test");
	refused("[capture]\n\nduraton = 3s\n", 3, "duration");
	refused("duration = 3s\n", 1, "unknown section");
	refused("[contract]\nworkload = a\nstate = nominl\n", 3, "nominal, overload, partial-failure, recovery");
	refused("[contract]\nstate = nominal overload\n", 2, "unknown operating state");
	refused("[contract]\nsuspected = disc\n", 2, "disk");
	refused("[contract]\nsuspected = disk/reed\n", 2, "unknown dimension");
}

/* longest cohort rates buffers overhead abort privilege exposure retention readers artefacts falsified-by; mechanism must-move
 * by must-not-move may-end-lower; baseline candidate restored ready load objective window warm-up; pairs block seed lateness */
TEST(a_claim_without_an_outcome_that_would_falsify_it_is_refused)
{
	CLEANUP(runbook) struct runbook *runbook = read_well("[contract]\ndecision = roll back\n[bounds]\nfalsified-by = disk is level\n");

	assert_string_equal(runbook_value(runbook, "bounds", "falsified-by"), "disk is level");
	assert_null(runbook_value(runbook, "bounds", "cohort"));
	refused("[contract]\ndecision = roll back\n", 2, "falsified-by");
	refused("[bounds]\nretention = 30d\n", 2, "falsified-by");
	refused("[labels]\na = b\n[hypothesis]\nby = 0.5\n", 4, "falsified-by");
}

TEST(what_has_a_form_is_held_to_it)
{
	refused("[bounds]\nfalsified-by = x\nretention = long\n", 3, "no length of time");
	refused("[bounds]\nfalsified-by = x\n[hypothesis]\nby = much\n", 4, "no share");
	refused("[bounds]\nfalsified-by = x\n[hypothesis]\nmust-move = disk, runnible, p99\n", 4, "unknown dimension 'runnible'");
	refused("[bounds]\nfalsified-by = x\n[test]\npairs = six\n", 4, "no whole number");
	refused("[bounds]\nfalsified-by = x\n[hypothesis]\nmust-move = disk:4x\n", 4, "no share for 'disk'");
	refused("[bounds]\nfalsified-by = x\n[arms]\nready = lines\n", 4, "port:8080");
	refused("[bounds]\nfalsified-by = x\n[arms]\nready = port:x\n", 4, "port:8080");
	refused("[bounds]\nfalsified-by = x\n[arms]\nwindow = signal\n", 4, "signals, whole");
	refused("[bounds]\nfalsified-by = x\n[arms]\nload = send --port {prot}\n", 4, "port");
	assert_true(runbook_is_objective("p99") && !runbook_is_objective("disk"));
}

/* What stands in braces and is no single word is the shell's. */
TEST(a_command_may_have_braces_of_its_own)
{
	CLEANUP(runbook) struct runbook *runbook = read_well("[bounds]\nfalsified-by = x\n[arms]\nready = port:80\nbaseline = serve {port} ${home} "
							     "'{\"a\": 1}' {a,b} {1..3} { }\n");

	assert_string_equal(runbook_value(runbook, "arms", "ready"), "port:80");
}

TEST(what_a_command_needs_is_asked_for_by_name)
{
	CLEANUP(runbook) struct runbook *runbook = read_well("[contract]\nunit = a\n");
	struct error err = { 0 };

	assert_int_equal(runbook_require(runbook, "contract", (const char *const[]){ "unit", NULL }, &err), 0);
	assert_true(runbook_require(runbook, "contract", (const char *const[]){ "unit", "workload", NULL }, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_non_null(strstr(err.what, "[contract] workload"));
}

TEST(what_contradicts_itself_or_says_nothing_is_refused)
{
	refused("[capture]\nduration = 3s\nduration = 4s\n", 3, "twice");
	refused("[contract]\nworkload =\n", 2, "no value");
	refused("[capture]\nduration\n", 2, "neither a [section] nor key = value");
	refused("[capture\nduration = 3s\n", 1, "neither");
}

TEST(what_is_too_long_is_refused_where_it_stands)
{
	char text[1024] = "[contract]\nworkload = ";
	struct runbook *runbook = NULL;
	struct error err = { 0 };
	char *large = xmalloc(RUNBOOK_BYTE_LIMIT + 1);

	memset(text + strlen(text), 'x', 600);
	refused(text, 2, "too long");
	memset(large, '\n', RUNBOOK_BYTE_LIMIT + 1);
	assert_true(read_text(large, RUNBOOK_BYTE_LIMIT + 1, &runbook, &err) < 0);
	assert_int_equal(err.kind, FAILURE_WORK);
	assert_non_null(strstr(err.why, "64 KiB"));
	free(large);
}

TEST(too_many_keys_are_refused)
{
	char *text = xmalloc(65536), *at = text;

	at += sprintf(at, "[labels]\n");
	for (int i = 0; i < RUNBOOK_ENTRY_LIMIT + 1; i++)
		at += sprintf(at, "k%d = v\n", i);
	refused(text, RUNBOOK_ENTRY_LIMIT + 2, "at most 256");
	free(text);
}

TEST(bytes_that_are_no_text_are_refused)
{
	static const char bytes[] = "[capture]\ndura\0tion = 3s\n";
	struct runbook *runbook = NULL;
	struct error err = { 0 };

	assert_true(read_text(bytes, sizeof(bytes) - 1, &runbook, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_null(runbook);
}

TEST(a_file_that_is_missing_or_a_folder_is_a_failure_of_ours)
{
	struct runbook *runbook = NULL;
	struct error err = { 0 };

	assert_true(runbook_read("/no/such/runbook.ini", &runbook, &err) < 0);
	assert_int_equal(err.kind, FAILURE_WORK);
	assert_true(runbook_read("/tmp", &runbook, &err) < 0);
	assert_int_equal(err.kind, FAILURE_WORK);
}

TEST(the_contract_and_nothing_else_goes_into_the_capture)
{
	CLEANUP(runbook) struct runbook *runbook = read_well("[capture]\nduration = 3s\n[labels]\na = b\n[contract]\nstate = recovery\n"
							     "suspected = disk/read\n[bounds]\nfalsified-by = x\n");
	CLEANUP(profile) struct profile *profile = profile_new();

	runbook_note_contract(runbook, profile);
	assert_int_equal(profile_meta_count(profile), 3);
	assert_string_equal(profile_meta(profile, "contract.state"), "recovery");
	assert_string_equal(profile_meta(profile, "contract.suspected"), "disk/read");
}

TEST(facts_of_the_command_line_win_over_the_file)
{
	static const char *const facts[] = { "unit=checkout", "state=overload", "decision=ship", NULL };
	CLEANUP(runbook) struct runbook *runbook = read_well("[contract]\nstate = recovery\nbuild = 7\n[bounds]\nfalsified-by = x\n");
	struct error err = { 0 };

	assert_int_equal(runbook_state(&runbook, facts, 3, &err), 0);
	assert_string_equal(runbook_value(runbook, "contract", "state"), "overload");
	assert_string_equal(runbook_value(runbook, "contract", "unit"), "checkout");
	assert_string_equal(runbook_value(runbook, "contract", "build"), "7");
}

TEST(facts_without_a_file_are_checked_as_a_file_is)
{
	static const struct { const char *fact, *says; } wrong[] = {
		{ "stat=nominal", "--contract: unknown key 'stat'" },   { "state=nominl", "--contract: unknown operating state 'nominl'" },
		{ "suspected=dsk", "--contract: unknown dimension 'dsk'" }, { "unit", "--contract: no value for 'unit'" },
		{ "decision=ship", "nothing would falsify" },
	};
	static const char *const whole[] = { "decision=ship", "falsified-by=the tail stays" };
	struct runbook *runbook = NULL;
	struct error err = { 0 };

	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		assert_int_equal(runbook_state(&runbook, &wrong[i].fact, 1, &err), -EINVAL);
		assert_int_equal(err.kind, FAILURE_USAGE);
		assert_non_null(strstr(err.what, wrong[i].says));
		runbook_free(take(runbook));
	}
	assert_int_equal(runbook_state(&runbook, whole, 2, &err), 0);
	assert_string_equal(runbook_value(runbook, "bounds", "falsified-by"), "the tail stays");
	runbook_free(runbook);
}

/* abort-at budget correct depth duration frequency jitter max-size no-wait-stacks redact stages timeline with without work; workload build tenant endpoint
 * outcome state unit suspected decision */
TEST(every_key_of_the_capture_is_an_option_of_record_and_every_key_is_on_the_page)
{
	const struct option *options = command_find("record")->options;
	char page[32768] = "";
	FILE *file = fopen("doc/runbook.md", "re");

	for (const struct runbook_key *key = runbook_keys; key->name; key++) {
		bool found = strcmp(key->section, "capture") != 0;

		for (const struct option *option = options; option->name; option++)
			found |= !strcmp(option->name, key->name);
		assert_true(found);
	}
	if (!file)
		skip();
	(void)!fread(page, 1, sizeof(page) - 1, file);
	(void)fclose(file);
	for (const struct runbook_key *key = runbook_keys; key->name; key++) {
		CLEANUP_TEXT char *quoted = xasprintf("`%s`", key->name);

		assert_non_null(strstr(page, quoted));
	}
}

TEST(the_example_is_a_runbook)
{
	struct runbook *runbook = NULL;
	struct error err = { 0 };

	if (access("examples/runbook/checkout.ini", R_OK))
		skip();
	assert_int_equal(runbook_read("examples/runbook/checkout.ini", &runbook, &err), 0);
	assert_non_null(strstr(value_of(runbook, "contract", "decision"), "else go on"));
	runbook_free(runbook);
}
