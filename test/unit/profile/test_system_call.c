/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "profile/system_call.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

TEST(calls_are_called_as_the_kernel_calls_them)
{
	char text[SYSTEM_CALL_NAME_SIZE];

	assert_string_equal(system_call_name(SYS_read, text), "read");
	assert_string_equal(system_call_name(SYS_futex, text), "futex");
	assert_string_equal(system_call_name(SYS_io_uring_enter, text), "io_uring_enter");
	assert_string_equal(system_call_name(SYS_epoll_pwait2, text), "epoll_pwait2");
	assert_string_equal(system_call_name(452, text), "fchmodat2");
	assert_string_equal(system_call_name(337, text), "call-337");
	assert_string_equal(system_call_name(99999, text), "call-99999");
	assert_string_equal(system_call_name(4 | SYSTEM_CALL_COMPATIBLE, text), "i386-4");
}

TEST(errors_have_names_and_restarts_too)
{
	char text[SYSTEM_CALL_NAME_SIZE];

	assert_string_equal(system_call_error(ENOENT, text), "ENOENT");
	assert_string_equal(system_call_error(512, text), "ERESTARTSYS");
	assert_string_equal(system_call_error(516, text), "ERESTART_RESTARTBLOCK");
	assert_string_equal(system_call_error(4000, text), "error-4000");
}

TEST(some_calls_move_bytes)
{
	assert_true(system_call_moves_bytes("pread64"));
	assert_false(system_call_moves_bytes("futex"));
	assert_false(system_call_moves_bytes("openat"));
}
