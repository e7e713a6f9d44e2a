/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Closeness of numbers, relative to their size: what cmocka compares as floats has too few digits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline bool is_close(double value, double expected, double tolerance)
{
	return fabs(value - expected) <= tolerance * fmax(1e-300, fabs(expected));
}

#define assert_close(value, expected, tolerance)                                                     \
	do {                                                                                         \
		double value_ = (value), expected_ = (expected);                                     \
		if (!is_close(value_, expected_, tolerance)) {                                       \
			print_error("%s is %.17g, not %.17g\n", #value, value_, expected_);          \
			_fail(__FILE__, __LINE__);                                                   \
		}                                                                                    \
	} while (0)
