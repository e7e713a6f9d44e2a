/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Numbers as people read them, and people's words as numbers.
 *
 *	"ns"     1.53 ms        "bytes"  4.2 MiB        "count"  12.3 k       "fraction"  4.1 %      other: 3 significant digits and the unit
 */
#include <stddef.h>
#include <stdint.h>

struct error;

enum { QUANTITY_SIZE = 32 };

/* Writes value with its unit into text and returns text. */
const char *quantity_print(char text[QUANTITY_SIZE], double value, const char *unit);

/* "10s", "250ms", "5m", "1h", "30d"; a bare number is seconds. */
int quantity_parse_duration(const char *text, uint64_t *ret_ns, struct error *err);
/* "64M", "1G", "4096"; powers of 1024. */
int quantity_parse_bytes(const char *text, uint64_t *ret_bytes, struct error *err);
/* "5" is 5; "5%" is five times what one percent is: 1, or 0.01 of a whole. */
int quantity_parse_share(const char *text, double one_percent, double *ret, struct error *err);
int quantity_parse_count(const char *text, uint64_t *ret, struct error *err);
