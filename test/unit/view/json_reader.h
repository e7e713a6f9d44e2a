/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Reads JSON by SQLite's parser, which we did not write. Paths are SQLite's: "$.trees.oncpu.value[0]". */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The first column of the first row of sql, in which ?1 is the JSON and ?2 the path; the caller frees it. */
static inline char *json_ask(const char *sql, const char *json, const char *path)
{
	const unsigned char *text;
	char *answer = NULL;
	sqlite3 *database;
	sqlite3_stmt *statement;

	assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC), SQLITE_OK);
	if (path)
		assert_int_equal(sqlite3_bind_text(statement, 2, path, -1, SQLITE_STATIC), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	text = sqlite3_column_text(statement, 0);
	answer = text ? strdup((const char *)text) : NULL;
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return answer;
}

static inline bool json_is_valid(const char *json)
{
	char *answer = json_ask("SELECT json_valid(?1)", json, NULL);
	bool valid = answer && !strcmp(answer, "1");

	free(answer);
	return valid;
}

static inline void assert_json(const char *json, const char *path, const char *expected)
{
	char *answer = json_ask("SELECT json_extract(?1, ?2)", json, path);

	if (!answer || strcmp(answer, expected) != 0)
		print_error("%s is '%s'\n", path, answer ? answer : "missing");
	assert_non_null(answer);
	assert_string_equal(answer, expected);
	free(answer);
}

static inline void assert_json_type(const char *json, const char *path, const char *expected)
{
	char *answer = json_ask("SELECT json_type(?1, ?2)", json, path);

	assert_non_null(answer);
	assert_string_equal(answer, expected);
	free(answer);
}

static inline void assert_json_length(const char *json, const char *path, size_t expected)
{
	char *answer = json_ask("SELECT json_array_length(?1, ?2)", json, path);

	assert_non_null(answer);
	assert_int_equal(strtoul(answer, NULL, 10), expected);
	free(answer);
}

/* How often the most frequent key of any one object stands in it. */
static inline void assert_json_keys_distinct(const char *json)
{
	char *answer = json_ask("SELECT max(n) FROM (SELECT count(*) AS n FROM json_tree(?1) "
				"WHERE parent IS NOT NULL GROUP BY parent, key)", json, NULL);

	assert_non_null(answer);
	assert_string_equal(answer, "1");
	free(answer);
}
