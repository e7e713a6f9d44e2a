/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A test is a sentence and registers itself, so that none can be written and forgotten. One test file is one program.
 *
 *	#include "test.h"
 *	TEST(states_of_one_thread_never_overlap) { assert_int_equal(…); }
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#undef fail                                          /* a test says what it expects; fail() is base/error.h's */

/* skip() jumps out of the test and past whatever would have freed its memory: no leak of the program's. */
static int test_skipped;
#undef skip
#define skip() (test_skipped = 1, _skip(__FILE__, __LINE__))
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return test_skipped;
}

enum { TEST_LIMIT = 512 };
static struct CMUnitTest test_rows[TEST_LIMIT];
static size_t test_count;

#define TEST(sentence)                                                                          \
	static void sentence(void **state);                                                     \
	__attribute__((constructor)) static void sentence##_registers(void)                     \
	{                                                                                       \
		test_rows[test_count++] = (struct CMUnitTest){ .name = #sentence, .test_func = sentence }; \
	}                                                                                       \
	static void sentence(void **state __attribute__((unused)))

int main(void)
{
	return _cmocka_run_group_tests(__BASE_FILE__, test_rows, test_count, NULL, NULL);
}
