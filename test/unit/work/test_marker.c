/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that is found in programs: by marker, by usdt and by uprobe, of this very program; and resp's words. What the kernel
 * counts of a child is what the child did.
 */
#include "unit/recorded.h"

#include "../../../include/crosscut.h"

#include "base/error.h"
#include "command/recording.h"
#include "format/format.h"
#include "profile/profile.h"
#include "work/elf_place.h"
#include "work/work.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 300 };

static const unsigned char *bytes;
static size_t size;
static struct error err;

static void map_self(void)
{
	if (!bytes)
		assert_int_equal(elf_place_open("/proc/self/exe", &bytes, &size, &err), 0);
}

/* The child's work; begins with a push, so that a probe there is cheap. */
__attribute__((naked, noinline, used)) static void marker_test_pushes(void)
{
	__asm__ volatile("push %rbx\n pop %rbx\n ret");
}

__attribute__((naked, noinline, used)) static void marker_test_moves(void)
{
	__asm__ volatile("mov %rdi, %rax\n ret");
}

static _Noreturn void work_until_done(const int *go)
{
	char byte;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)!read(go[0], &byte, 1);
	for (uint64_t i = 1; i <= JOBS; i++) {
		CROSSCUT_BEGIN(i, i % 3 ? "short" : "long");
		marker_test_pushes();
		(void)usleep(200);
		CROSSCUT_END(i, i % 10 ? CROSSCUT_CORRECT : CROSSCUT_REJECTED);
	}
	for (;;)
		pause();
}

TEST(markers_are_found_in_the_program_that_has_them)
{
	struct elf_place places[ELF_PLACE_LIMIT];

	map_self();
	assert_true(elf_place_usdt(bytes, size, "crosscut", "begin", places) >= 1);
	assert_true(elf_place_is_cheap(bytes, size, &places[0]));
	assert_int_equal(bytes[places[0].offset], 0x0f);        /* the nop itself */
	assert_int_equal(elf_place_usdt(bytes, size, "crosscut", "middle", places), 0);
	assert_int_equal(elf_place_usdt(bytes, size, "other", "begin", places), 0);
}

TEST(a_function_is_found_and_judged_by_its_first_instruction)
{
	struct elf_place place;

	map_self();
	assert_true(elf_place_function(bytes, size, "marker_test_pushes", &place));
	assert_true(elf_place_is_cheap(bytes, size, &place));
	assert_true(elf_place_function(bytes, size, "marker_test_moves", &place));
	assert_false(elf_place_is_cheap(bytes, size, &place));
	assert_false(elf_place_function(bytes, size, "marker_test_is_not_there", &place));
}

TEST(a_place_moves_past_what_all_callers_pass)
{
	static const unsigned char code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x54, 0xc3 };
	struct elf_place place = { 0 };

	assert_true(elf_place_is_cheap(code, sizeof(code), &place));
	assert_int_equal(place.offset, 4);
}

TEST(a_cut_file_has_no_places)
{
	struct elf_place places[ELF_PLACE_LIMIT];

	map_self();
	assert_int_equal(elf_place_usdt(bytes, 100, "crosscut", "begin", places), 0);
	assert_int_equal(elf_place_usdt(bytes, size / 2, "crosscut", "begin", places), 0);
	assert_false(elf_place_function(bytes, 10, "main", places));
}

/* The child begins once the window is open, and the capture ends when all its jobs have been counted or time is up. */
static void opened(void *context)
{
	(void)!write(((int *)context)[1], "", 1);
}

static struct profile *capture_child(const char *work)
{
	char path[] = "/tmp/crosscut-marker-XXXXXX";
	int go[2], made = pipe(go);
	pid_t child = made ? -1 : fork();
	struct recording recording = {
		.capture = { .population = { .kind = POPULATION_PROCESSES, .ids = &child, .id_count = 1 }, .work = work, .requests = 1 },
		.duration_ns = 2000000000u, .opened = opened, .context = go };
	struct recording_result result = { 0 };
	int r;

	if (!child)
		work_until_done(go);
	assert_true(child > 0);
	r = recorded_run(&recording, path, &result, &err);
	(void)close(go[0]);
	(void)close(go[1]);
	return recorded_profile(r, path, child, &result, &err);
}

static uint64_t counted(const struct profile *profile, enum outcome outcome)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_completion_count(profile); i++)
		if (profile_completion_at(profile, i)->outcome == outcome)
			sum += profile_completion_at(profile, i)->count;
	return sum;
}

TEST(a_marked_program_is_counted_by_outcome_and_its_requests_have_their_classes)
{
	struct profile *profile = capture_child("marker");
	size_t named = 0;

	if (!profile)
		skip();
	assert_int_equal(counted(profile, OUTCOME_CORRECT), JOBS - JOBS / 10);
	assert_int_equal(counted(profile, OUTCOME_REJECTED), JOBS / 10);
	assert_int_equal(profile_request_count(profile), JOBS);
	for (size_t i = 0; i < profile_request_count(profile); i++) {
		const char *class = profile_text(profile, profile_request_at(profile, i)->class);

		named += !strcmp(class, "short") || !strcmp(class, "long");
	}
	assert_int_equal(named, JOBS);
	profile_free(profile);
}

TEST(a_function_and_a_probe_are_counted_as_often_as_they_were_passed)
{
	static const char *const specs[] = { "uprobe:/proc/self/exe:marker_test_pushes", "usdt:/proc/self/exe:crosscut:end" };

	for (size_t i = 0; i < 2; i++) {
		struct profile *profile = capture_child(specs[i]);

		if (!profile)
			skip();
		assert_int_equal(counted(profile, OUTCOME_CORRECT), JOBS);
		profile_free(profile);
	}
}

TEST(a_place_that_the_kernel_would_single_step_is_refused_with_its_cost)
{
	struct profile *profile = capture_child("uprobe:/proc/self/exe:marker_test_moves");

	assert_null(profile);
	if (strstr(err.why, "single-step"))
		assert_non_null(strstr(err.why, "15300 ns"));
}

TEST(places_that_are_not_named_are_wrong_questions)
{
	static const char *const specs[] = { "uprobe", "uprobe:/bin/true", "usdt:/bin/true:provider", "usdt:::", "resp:0", "resp:x" };
	const struct work *work;
	const char *argument;

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		assert_true(work_parse(specs[i], &work, &argument, &err) < 0);
		assert_int_equal(err.kind, FAILURE_USAGE);
	}
}

TEST(resp_names_a_request_by_its_command)
{
	static const struct { const char *bytes, *class; } rows[] = {
		{ "*3\r\n$3\r\nset\r\n$1\r\na\r\n$1\r\nb\r\n", "SET" }, { "PING\r\n", "PING" }, { "*1\r\n$", "" }, { "\x01\x02", "" }, { "", "" },
	};
	struct work_class class;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		work_find("resp")->class_of(rows[i].bytes, strlen(rows[i].bytes), &class);
		assert_string_equal(class.name, rows[i].class);
	}
}
