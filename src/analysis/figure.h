/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Numbers of an answer. What is not known is none, so that a view can leave out what nothing is known of. */
#include <math.h>

#include "result/document.h"

static inline struct value figure(double number)
{
	return isfinite(number) ? value_number(number) : value_none();
}

static inline struct value figure_whole(double number)
{
	return isfinite(number) ? value_integer((int64_t)llround(number)) : value_none();
}
