/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of rows and values for the digest chain, as doc/format.md writes them down. Numbers are
 * little-endian. */
#include "format/digest.h"

#include <sqlite3.h>
#include <string.h>

static void digest_tagged(struct sha256 *sha, char tag, uint64_t number)
{
	unsigned char bytes[9] = { (unsigned char)tag };

	for (int i = 0; i < 8; i++)
		bytes[1 + i] = (unsigned char)(number >> 8 * i);
	sha256_add(sha, bytes, sizeof(bytes));
}

void digest_row(struct sha256 *sha, const char *table)
{
	digest_tagged(sha, 'R', strlen(table));
	sha256_add(sha, table, strlen(table));
}

void digest_number(struct sha256 *sha, uint64_t value)
{
	digest_tagged(sha, 'i', value);
}

void digest_real(struct sha256 *sha, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	digest_tagged(sha, 'r', bits);
}

void digest_text(struct sha256 *sha, const void *text, size_t size)
{
	digest_tagged(sha, 't', size);
	sha256_add(sha, text, size);
}

void digest_blob(struct sha256 *sha, const void *bytes, size_t size)
{
	digest_tagged(sha, 'b', size);
	sha256_add(sha, bytes, size);
}

static void digest_column(struct sha256 *sha, sqlite3_stmt *statement, int column)
{
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		digest_number(sha, (uint64_t)sqlite3_column_int64(statement, column));
		break;
	case SQLITE_FLOAT:
		digest_real(sha, sqlite3_column_double(statement, column));
		break;
	case SQLITE_TEXT: {
		const void *text = sqlite3_column_text(statement, column);

		digest_text(sha, text ? text : "", (size_t)sqlite3_column_bytes(statement, column));
		break;
	}
	case SQLITE_BLOB: {
		const void *bytes = sqlite3_column_blob(statement, column);

		digest_blob(sha, bytes ? bytes : "",
			    (size_t)sqlite3_column_bytes(statement, column));
		break;
	}
	default:
		digest_tagged(sha, 'n', 0);
	}
}

void digest_statement(struct sha256 *sha, const char *table, sqlite3_stmt *statement, int first)
{
	int count = sqlite3_column_count(statement);

	digest_row(sha, table);
	for (int column = first; column < count; column++)
		digest_column(sha, statement, column);
}
