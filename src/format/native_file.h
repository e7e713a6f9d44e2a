/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Opening a capture file as a database, and what SQLite says put into words.
 *
 * Reading never writes: the file is opened read-only under a shared lock, which a recorder's
 * exclusive lock refuses. Where a recorder was killed in the middle of a slice, its journal must
 * first be played back; that happens in a copy.
 */
#include <stdint.h>

struct error;
struct sqlite3;

struct native_input {
	struct sqlite3 *db;
	int64_t steps_left;              /* of work that the file's size can explain */
};

/* On failure *input is empty and err is filled. */
int native_input_open(struct native_input *input, const char *path, struct error *err);
void native_input_done(struct native_input *input);

/* Opens a file that exists, to change it. The caller closes *ret. */
int native_open_to_write(const char *path, struct sqlite3 **ret, struct error *err);
/* Whether it is a capture file of a schema that this crosscut knows. */
int native_check_version(struct sqlite3 *db, const char *path, struct error *err);
/* Fills err from the database's last failure; doing: "read" or "write". */
int native_fail(struct sqlite3 *db, const char *doing, const char *path, struct error *err);
/* Runs statements without results: 0, or -1 with the reason in db. */
int native_run(struct sqlite3 *db, const char *sql);
/* The one number that a statement gives; 0 where it fails. */
int64_t native_ask(struct sqlite3 *db, const char *sql);
/* A path that SQLite takes for nothing else, such as ":memory:"; the caller frees it. */
char *native_path(const char *path);

struct format_options;
struct output;
struct profile;
/* The row's: a whole profile as a sealed file, its bytes into an output. */
int native_write(const struct profile *profile, const struct format_options *options, struct output *to, struct error *err);
