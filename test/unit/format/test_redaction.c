/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile in which every name that must go has SECRET in it, and every one that stays has PUBLIC: written redacted, the file's
 * bytes hold no SECRET; written as it is, they hold them all, so the search can find them.
 */
#include "test.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/format.h"
#include "format/native.h"
#include "format/redaction.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fill_names(struct profile *profile)
{
	struct string_id comm = profile_string(profile, "SECRET-comm");
	struct process_id process = profile_process(profile, (struct process){
		.pid = 12, .comm = comm, .cgroup = profile_string(profile, "/SECRET-cgroup"),
		.executable = profile_string(profile, "/opt/SECRET-program"), .runtime = profile_string(profile, "PUBLIC-runtime 3"),
		.pid_namespace = profile_string(profile, "pid:[SECRET]"), .arguments = profile_string(profile, "SECRET-arguments") });
	struct file_id program = profile_file(profile, "/opt/SECRET-program", "abc123"),
		       other = profile_file(profile, "/opt/SECRET-library", NULL), generated = profile_file(profile, "[anon:12]", NULL);
	struct frame_id frame = profile_frame(profile, (struct frame){ .file = program, .offset = 1 }),
			made = profile_frame(profile, (struct frame){ .file = generated, .offset = 2 });

	(void)profile_thread(profile, (struct thread){ .process = process, .tid = 12, .comm = comm });
	(void)profile_thread(profile, (struct thread){ .process = process, .tid = 13, .comm = profile_string(profile, "SECRET-two") });
	(void)profile_frame(profile, (struct frame){ .file = other, .offset = 1, .name = profile_string(profile, "PUBLIC-kernel") });
	(void)profile_frame(profile, (struct frame){ .file = generated, .name = profile_string(profile, "serve /srv/SECRET-script.py"),
						     .method = METHOD_INTERPRETER, .line = 3 });
	(void)profile_object(profile, (struct object){ profile_string(profile, "file"), profile_string(profile, "/SECRET-lock"), 1 });
	profile_add_symbol(profile, (struct symbol){
		.frame = frame, .name = profile_string(profile, "PUBLIC-function"), .path = profile_string(profile, "/src/SECRET.c"),
		.origin = profile_string(profile, "symtab"), .line = 3 });
	profile_add_symbol(profile, (struct symbol){
		.frame = made, .name = profile_string(profile, "py::run:/srv/SECRET.py"), .origin = profile_string(profile, "perf-map") });
}

static void fill_meta(struct profile *profile)
{
	profile_set_meta(profile, "host.name", "SECRET-host");
	profile_set_meta(profile, "host.kernel", "PUBLIC-6.1");
	profile_set_meta(profile, "capture.command", "SECRET-command");
	profile_set_meta(profile, "capture.filter", "cgroup /sys/fs/cgroup/SECRET-cgroup");
	profile_set_meta(profile, "work.source", "log:/var/log/SECRET:HTTP");
	profile_set_meta(profile, "label.build", "PUBLIC-label");
}

static void write_capture(const char *path, bool redact)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	CLEANUP(native) struct native *native = native_new();
	struct error err = { 0 };

	fill_names(profile);
	fill_meta(profile);
	if (redact)
		native_redact(native);
	assert_int_equal(native_create(native, path, true, 0, &err), 0);
	for (uint64_t second = 1; second <= 2; second++) {
		struct slice_id slice = profile_slice(profile, second * 1000, second * 1000 + 1000);

		profile_add_completion(profile, (struct completion){
			.slice = slice, .source = profile_string(profile, "log"), .class = profile_string(profile, "SECRET-class"),
			.outcome = OUTCOME_CORRECT, .count = 1 });
		profile_add_completion(profile, (struct completion){
			.slice = slice, .source = profile_string(profile, "http"), .class = profile_string(profile, "PUBLIC-200"),
			.outcome = OUTCOME_CORRECT, .count = 1 });
		assert_int_equal(native_slice(native, profile, slice, &err), 0);
		profile_clear_facts(profile);
	}
	assert_int_equal(native_seal(native, profile, &err), 0);
}

static size_t occurrences(const char *path, const char *word)
{
	FILE *file = fopen(path, "re");
	size_t size = 0, room = 16 << 20, found = 0;
	char *bytes = xmalloc(room);

	assert_non_null(file);
	size = fread(bytes, 1, room, file);
	(void)fclose(file);
	assert_true(size > 0 && size < room);
	for (char *at = bytes; (at = memmem(at, (size_t)(bytes + size - at), word, strlen(word))); at++)
		found++;
	free(bytes);
	return found;
}

static char *temporary(void)
{
	char path[] = "/tmp/crosscut-redaction-XXXXXX";

	(void)close(mkstemp(path));
	return xstrdup(path);
}

TEST(a_redacted_file_holds_no_name_and_still_what_a_profile_is_for)
{
	CLEANUP_TEXT char *path = temporary();
	static const char *const stays[] = { "PUBLIC-runtime", "PUBLIC-kernel", "PUBLIC-function", "PUBLIC-6.1", "PUBLIC-label",
					     "PUBLIC-200", "abc123", "[anon:12]", "symtab", "perf-map" };

	write_capture(path, true);
	assert_int_equal(occurrences(path, "SECRET"), 0);
	for (size_t i = 0; i < ARRAY_LENGTH(stays); i++)
		assert_true(occurrences(path, stays[i]) > 0);
	(void)unlink(path);
}

TEST(the_same_file_without_redaction_holds_every_one_of_them)
{
	CLEANUP_TEXT char *path = temporary();
	static const char *const names[] = { "SECRET-comm", "SECRET-two", "SECRET-cgroup", "SECRET-program", "SECRET-library", "pid:[SECRET]",
					     "SECRET-arguments", "SECRET-lock", "SECRET.c", "SECRET.py", "SECRET-script", "SECRET-host", "SECRET-command",
					     "log/SECRET", "SECRET-class" };

	write_capture(path, false);
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
		assert_true(occurrences(path, names[i]) > 0);
	(void)unlink(path);
}

TEST(equal_names_have_equal_numbers_and_different_ones_do_not)
{
	CLEANUP_TEXT char *path = temporary();
	struct profile *back = NULL;
	struct error err = { 0 };
	const struct process *process;

	write_capture(path, true);
	assert_int_equal(format_read(path, &back, &err), 0);
	assert_null(profile_broken(back));
	process = profile_process_at(back, 1);
	assert_string_equal(profile_text(back, process->comm), profile_text(back, profile_thread_at(back, 1)->comm));
	assert_string_not_equal(profile_text(back, process->comm), profile_text(back, profile_thread_at(back, 2)->comm));
	assert_string_equal(profile_text(back, process->executable), profile_text(back, profile_file_at(back, 1)->path));
	assert_string_not_equal(profile_text(back, profile_file_at(back, 1)->path), profile_text(back, profile_file_at(back, 2)->path));
	assert_string_equal(profile_meta(back, "work.source"), "log");
	assert_string_equal(profile_meta(back, "capture.filter"), "cgroup cgroup-1");
	assert_null(profile_meta(back, "host.name"));
	profile_free(back);
	(void)unlink(path);
}

TEST(names_that_are_stored_later_are_redacted_too)
{
	CLEANUP_TEXT char *path = temporary();
	CLEANUP(profile) struct profile *profile = profile_new();
	struct error err = { 0 };

	write_capture(path, true);
	fill_names(profile);
	assert_int_equal(native_store_symbols(path, profile, &err), 0);
	assert_int_equal(occurrences(path, "SECRET"), 0);
	assert_true(occurrences(path, "PUBLIC-function") > 0);
	(void)unlink(path);
}

TEST(without_a_redaction_names_are_as_they_were)
{
	assert_string_equal(redaction_name(NULL, REDACTED_COMM, "nginx"), "nginx");
	assert_string_equal(redaction_meta(NULL, "host.name", "web-7"), "web-7");
	assert_false(redaction_is_generated(NULL, "perf-map"));
}
