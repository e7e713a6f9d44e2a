/* SPDX-License-Identifier: Apache-2.0 */
/* Is an answer the right one? */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Checks the body byte by byte and value by value; `warehouse` is -1 when all were asked for. */
bool answer_is_right(uint32_t item, int warehouse, const char *body, size_t length);
