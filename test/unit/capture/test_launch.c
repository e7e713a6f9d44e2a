/* SPDX-License-Identifier: Apache-2.0 */
/* A command that waits for the word to go, and says why it could not. */
#include "test.h"

#include "base/error.h"
#include "capture/launch.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void wait_for_end(struct launch *launch)
{
	while (!launch_ended(launch))
		(void)usleep(1000);
}

TEST(a_command_waits_until_it_is_told_to_go)
{
	char *command[] = { (char *)"true", NULL };
	struct launch launch;
	struct error err;

	assert_int_equal(launch_prepare(&launch, command, NULL, NULL, NULL, true, &err), 0);
	assert_false(launch_ended(&launch));
	assert_int_equal(launch_go(&launch, &err), 0);
	wait_for_end(&launch);
	assert_int_equal(WEXITSTATUS(launch.status), 0);
	launch_done(&launch);
}

TEST(a_command_that_does_not_exist_is_a_failure_with_its_reason)
{
	char *command[] = { (char *)"/no/such/command", NULL };
	struct launch launch;
	struct error err;

	assert_int_equal(launch_prepare(&launch, command, NULL, NULL, NULL, true, &err), 0);
	assert_true(launch_go(&launch, &err) < 0);
	assert_int_equal(err.kind, FAILURE_WORK);
	launch_done(&launch);
}

static int give_seven(void *with)
{
	(void)with;
	return 7;
}

TEST(a_body_runs_in_the_child_and_its_return_is_the_status)
{
	struct launch launch;
	struct error err;

	assert_int_equal(launch_prepare(&launch, NULL, NULL, give_seven, NULL, true, &err), 0);
	assert_int_equal(launch_go(&launch, &err), 0);
	wait_for_end(&launch);
	assert_int_equal(WEXITSTATUS(launch.status), 7);
	launch_done(&launch);
}

TEST(a_command_that_never_went_is_gone_afterwards)
{
	char *command[] = { (char *)"sleep", (char *)"1000", NULL };
	struct launch launch;
	struct error err;
	pid_t pid;

	assert_int_equal(launch_prepare(&launch, command, NULL, NULL, NULL, true, &err), 0);
	pid = launch.pid;
	launch_done(&launch);
	assert_true(kill(pid, 0) < 0);
}

TEST(a_command_gets_what_its_environment_is_to_have)
{
	char *const command[] = { "sh", "-c", "test \"$CROSSCUT_TEST\" = seven", NULL };
	const char *const environment[] = { "CROSSCUT_TEST=seven", NULL };
	struct launch launch;
	struct error err = { 0 };

	assert_int_equal(launch_prepare(&launch, command, environment, NULL, NULL, true, &err), 0);
	assert_int_equal(launch_go(&launch, &err), 0);
	while (!launch_ended(&launch))
		;
	assert_int_equal(launch.status, 0);
	assert_null(getenv("CROSSCUT_TEST"));
	launch_done(&launch);
}
