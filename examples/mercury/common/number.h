/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers on the command line: whole, within bounds, nothing after them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

bool number_parse(const char *text, uint64_t low, uint64_t high, uint64_t *ret);
