/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Numbers of an answer. What is not known is none, so that a view can leave out what nothing is known of. */
#include <math.h>

#include "result/document.h"

#define FIGURE_LIMIT 0x1p63                          /* whole numbers are shown up to here; what is more is shown as this */

static inline struct value figure(double number)
{
	return isfinite(number) ? value_number(number) : value_none();
}

static inline struct value figure_whole(double number)
{
	if (number >= FIGURE_LIMIT || number <= -FIGURE_LIMIT)
		return isfinite(number) ? value_integer(number > 0 ? INT64_MAX : INT64_MIN) : value_none();
	return isfinite(number) ? value_integer((int64_t)llround(number)) : value_none();
}
