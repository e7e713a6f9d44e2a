/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "symbol/confined.h"

static const struct confined_limits limits = { .processor_s = 5, .wall_ns = 10000000000ull, .memory_bytes = 1ull << 30,
					       .answer_bytes = 8 << 20 };
enum { LARGE = 3 << 20 };

static enum confined_end run(confined_function *function, void *context, void **ret, size_t *ret_size)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	enum confined_end end = confined_run(function, context, null, &limits, ret, ret_size);

	(void)close(null);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);             /* nothing is left behind */
	assert_int_equal(errno, ECHILD);
	return end;
}

static void *make_large(void *context, size_t *ret_size)
{
	char *bytes = malloc(LARGE);

	confined_close_door();
	memset(bytes, *(char *)context, LARGE);
	*ret_size = LARGE;
	return bytes;
}

TEST(the_answer_comes_back_whole)
{
	char fill = 'x';
	void *bytes = NULL;
	size_t size = 0;

	assert_int_equal(run(make_large, &fill, &bytes, &size), CONFINED_DONE);
	assert_int_equal(size, LARGE);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(((char *)bytes)[i], 'x');
	free(bytes);
}

static void *refuse(void *context, size_t *ret_size)
{
	(void)context;
	(void)ret_size;
	return NULL;
}

static void *crash(void *context, size_t *ret_size)
{
	(void)context;
	(void)ret_size;
	(void)signal(SIGSEGV, SIG_DFL);              /* the sanitizers would make an exit of it */
	(void)raise(SIGSEGV);
	return NULL;
}

static void *spin(void *context, size_t *ret_size)
{
	(void)ret_size;
	for (volatile const char *go_on = context; *go_on;)
		;
	return NULL;
}

static void *flood(void *context, size_t *ret_size)
{
	*ret_size = 16 << 20;
	(void)context;
	return calloc(1, *ret_size);
}

TEST(whatever_becomes_of_the_child_is_told)
{
	struct confined_limits short_time = { .processor_s = 5, .wall_ns = 100000000, .memory_bytes = 1 << 30, .answer_bytes = 1 };
	char go_on = 1;
	void *bytes = NULL;
	uint64_t start_ns = clock_now_ns();
	size_t size;

	assert_int_equal(run(refuse, NULL, &bytes, &size), CONFINED_FAILED);
	assert_int_equal(run(crash, NULL, &bytes, &size), CONFINED_CRASHED);
	assert_int_equal(run(flood, NULL, &bytes, &size), CONFINED_TOO_LARGE);
	assert_int_equal(confined_run(spin, &go_on, 0, &short_time, &bytes, &size), CONFINED_TIMED_OUT);
	assert_true(clock_now_ns() - start_ns >= 100000000);
	assert_null(bytes);
}

/* One letter per thing that could be done. */
static void *try_all(void *context, size_t *ret_size)
{
	char *could = calloc(1, 16), byte;
	size_t count = 0;
	const int *others = context;

	if (fcntl(others[0], F_GETFD) >= 0)
		could[count++] = 'd';                /* a descriptor of the parent's */
	confined_close_door();
	if (open("/etc/passwd", O_RDONLY) >= 0)
		could[count++] = 'o';
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
		could[count++] = 's';
	if (fork() >= 0)
		could[count++] = 'f';
	if (kill(getppid(), 0) == 0)
		could[count++] = 'k';
	if (pread(others[1], &byte, 1, 0) >= 0)
		could[count++] = 'R';                /* what it was told to keep */
	*ret_size = count + 1;
	return could;
}

TEST(the_child_can_read_what_it_was_given_and_nothing_else)
{
	int pair[2], others[2];
	void *bytes = NULL;
	size_t size = 0;

	assert_int_equal(pipe(pair), 0);
	others[0] = pair[0];
	others[1] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(confined_run(try_all, others, others[1], &limits, &bytes, &size), CONFINED_DONE);
	assert_string_equal(bytes, "R");
	free(bytes);
	(void)close(pair[0]);
	(void)close(pair[1]);
	(void)close(others[1]);
}
