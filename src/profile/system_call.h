/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What system calls of x86-64 and their errors are called, and which of them return how many bytes they moved. */
#include <stdbool.h>
#include <stdint.h>

/* Beside a number: the call was made by a 32-bit program, whose numbers mean something else. */
#define SYSTEM_CALL_COMPATIBLE (1u << 30)
enum { SYSTEM_CALL_NAME_SIZE = 40 };

/* Written into text and returned: "openat"; "call-999" where nobody knows it. */
const char *system_call_name(uint32_t call, char text[SYSTEM_CALL_NAME_SIZE]);
/* "ENOENT". */
const char *system_call_error(uint32_t error, char text[SYSTEM_CALL_NAME_SIZE]);
bool system_call_moves_bytes(const char *name);
