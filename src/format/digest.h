/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * How rows enter the digest chain, alike for the writer and the reader. A row is its table's name
 * and its values in the order of their columns; every value starts with its type, and texts and
 * blobs with their length, so that no two different tables of values give the same bytes.
 */
#include <stddef.h>
#include <stdint.h>

#include "format/sha256.h"

struct sqlite3_stmt;

void digest_row(struct sha256 *sha, const char *table);
void digest_number(struct sha256 *sha, uint64_t value);
void digest_real(struct sha256 *sha, double value);
void digest_text(struct sha256 *sha, const void *text, size_t size);
void digest_blob(struct sha256 *sha, const void *bytes, size_t size);
/* The current row of a statement, from a column on. */
void digest_statement(struct sha256 *sha, const char *table, struct sqlite3_stmt *statement,
		      int first);
