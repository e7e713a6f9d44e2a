/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the user means, against the processes of this very machine. */
#include "test.h"

#include "base/error.h"
#include "capture/population.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int check(enum population_kind kind, pid_t id, const char *name, struct error *err)
{
	struct population population = { .kind = kind, .ids = &id, .id_count = 1, .name = name };

	return population_check(&population, err);
}

TEST(a_process_that_lives_is_found)
{
	struct error err;

	assert_int_equal(check(POPULATION_PROCESSES, getpid(), NULL, &err), 0);
	assert_int_equal(check(POPULATION_THREADS, getpid(), NULL, &err), 0);
}

TEST(a_process_that_is_gone_cannot_be_measured_and_is_named)
{
	pid_t child = fork();
	struct error err;

	if (!child)
		_exit(0);
	(void)waitpid(child, NULL, 0);
	assert_true(check(POPULATION_PROCESSES, child, NULL, &err) < 0);
	assert_int_equal(err.kind, FAILURE_CANNOT);
	assert_non_null(strstr(err.what, "process"));
	assert_true(err.next[0] != '\0');
}

TEST(no_target_is_a_wrong_question)
{
	struct error err;

	assert_true(check(POPULATION_NONE, 0, NULL, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
}

TEST(a_folder_that_is_no_cgroup_is_refused)
{
	struct error err;

	assert_true(check(POPULATION_CGROUP, 0, "/tmp", &err) < 0);
	assert_int_equal(err.kind, FAILURE_CANNOT);
}

TEST(a_population_is_described_as_it_was_asked_for)
{
	pid_t ids[] = { 12, 13 };
	struct population population = { .kind = POPULATION_PROCESSES, .ids = ids, .id_count = 2 };
	char *text = population_text(&population);

	assert_string_equal(text, "pid 12,13");
	free(text);
}
