/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening capture files. A file comes from anywhere: its schema is not trusted (no triggers, views
 * or functions of its own), a value has a size limit, and a statement may do only as much work as
 * the file's size can explain.
 */
#include "format/native_file.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/native.h"
#include "format/native_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	VALUE_LIMIT = 32 << 20,
	OPERATIONS_PER_STEP = 1 << 20,
	OPERATIONS_PER_BYTE = 64,
	STEPS_ALWAYS = 64
};

char *native_path(const char *path)
{
	return *path == '/' ? xstrdup(path) : xasprintf("./%s", path);
}

int native_run(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

int64_t native_ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	int64_t number = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	(void)sqlite3_finalize(statement);       /* its failure is the step's */
	return number;
}

static int fail_busy(const char *doing, const char *path, struct error *err)
{
	fail(err, FAILURE_WORK, -EBUSY, "cannot %s '%s'", doing, path);
	error_because(err, "it is being recorded");
	return error_try(err, "again when the recording has ended (Ctrl-C ends and keeps it)");
}

static int fail_full(const char *doing, const char *path, struct error *err)
{
	fail(err, FAILURE_WORK, -ENOSPC, "cannot %s '%s'", doing, path);
	return error_try(
		err,
		"more free space, or another file system; the slices stored so far stay readable");
}

static int fail_damaged(const char *doing, const char *path, const char *why, struct error *err)
{
	fail(err, FAILURE_WORK, -EBADMSG, "cannot %s '%s'", doing, path);
	error_because(err, "the file is damaged: %s", why);
	return error_try(err, "an undamaged copy of the file");
}

int native_fail(sqlite3 *db, const char *doing, const char *path, struct error *err)
{
	int system = sqlite3_system_errno(db);

	switch (sqlite3_errcode(db) & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return fail_busy(doing, path, err);
	case SQLITE_FULL:
		return fail_full(doing, path, err);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_TOOBIG:
	case SQLITE_ERROR:
		return fail_damaged(doing, path, sqlite3_errmsg(db), err);
	case SQLITE_INTERRUPT:
		return fail_damaged(doing, path,
				    "it takes more work to read than its size can explain", err);
	}
	if (system == ENOSPC || system == EDQUOT)
		return fail_full(doing, path, err);
	fail(err, FAILURE_WORK, system ? -system : -EIO, "cannot %s '%s'", doing, path);
	return system ? err->code : error_because(err, "%s", sqlite3_errmsg(db));
}

static int step_done(void *left)
{
	return --*(int64_t *)left < 0;
}

/* These walls are extra, so a library without one of them changes nothing: every value is checked
 * where it is read. */
static void input_distrust(struct native_input *input, const char *path)
{
	struct stat status = { 0 };

	(void)sqlite3_db_config(input->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(input->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(input->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(input->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_limit(input->db, SQLITE_LIMIT_LENGTH, VALUE_LIMIT);
	(void)sqlite3_limit(input->db, SQLITE_LIMIT_ATTACHED, 0);
	(void)stat(path, &status);
	input->steps_left = STEPS_ALWAYS +
			    status.st_size / (OPERATIONS_PER_STEP / OPERATIONS_PER_BYTE);
	sqlite3_progress_handler(input->db, OPERATIONS_PER_STEP, step_done, &input->steps_left);
}

static int database_open(const char *path, int flags, sqlite3 **ret)
{
	CLEANUP_TEXT char *safe = native_path(path);

	if (sqlite3_open_v2(safe, ret, flags | SQLITE_OPEN_PRIVATECACHE, NULL) != SQLITE_OK)
		return -1;
	(void)sqlite3_extended_result_codes(*ret, 1);
	return 0;
}

static int input_try(struct native_input *input, const char *path)
{
	if (database_open(path, SQLITE_OPEN_READONLY, &input->db) < 0)
		return -1;
	input_distrust(input, path);
	return native_run(
		input->db,
		"PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;"
		"BEGIN; SELECT count(*) FROM sqlite_schema");
}

/* --- A capture whose recorder was killed in the middle of a slice ----------------------------- */

static int bytes_copy(const char *from_path, const char *to_path, struct error *err)
{
	CLEANUP_FD int from = open(from_path, O_RDONLY | O_CLOEXEC);
	CLEANUP_FD int to = open(to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ssize_t got = 0;

	if (from < 0 || to < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot copy '%s' to '%s'", from_path,
			    to_path);
	do {
		got = copy_file_range(from, NULL, to, NULL, 1 << 30, 0);
	} while (got > 0);
	if (got < 0 &&
	    (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)) {
		CLEANUP_TEXT char *buffer = xmalloc(1 << 20);

		while ((got = read(from, buffer, 1 << 20)) > 0)
			if (write(to, buffer, (size_t)got) != got) {
				got = -1;
				break;
			}
	}
	if (got < 0)
		return fail(err, FAILURE_WORK, errno ? -errno : -EIO, "cannot copy '%s' to '%s'",
			    from_path, to_path);
	return 0;
}

/* Opens the copy read-write once, which plays the journal back; then its names go, the open file
 * stays. */
static int copy_recover(struct native_input *input, const char *path, const char *copy,
			struct error *err)
{
	CLEANUP_TEXT char *journal = xasprintf("%s-journal", path);
	CLEANUP_TEXT char *journal_copy = xasprintf("%s-journal", copy);
	int r = bytes_copy(path, copy, err);

	if (r >= 0)
		r = bytes_copy(journal, journal_copy, err);
	if (r >= 0 && (database_open(copy, SQLITE_OPEN_READWRITE, &input->db) < 0 ||
		       native_run(input->db, "SELECT count(*) FROM sqlite_schema") < 0))
		r = native_fail(input->db, "read", path, err);
	(void)sqlite3_close(input->db);
	input->db = NULL;
	if (r >= 0 && input_try(input, copy) < 0)
		r = native_fail(input->db, "read", path, err);
	/* best effort: it lies in a directory of its own */
	(void)unlink(journal_copy);
	(void)unlink(copy);
	return r;
}

static int input_recover(struct native_input *input, const char *path, struct error *err)
{
	const char *temporary = getenv("TMPDIR");
	CLEANUP_TEXT char *directory = xasprintf("%s/crosscut-XXXXXX",
						 temporary && *temporary ? temporary : "/tmp");
	CLEANUP_TEXT char *copy = NULL;
	int r;

	(void)sqlite3_close(input->db);
	input->db = NULL;
	if (!mkdtemp(directory)) {
		fail(err, FAILURE_WORK, -errno, "cannot make '%s'", directory);
		return error_try(err, "TMPDIR set to a directory with room for a copy of '%s'",
				 path);
	}
	copy = xasprintf("%s/capture", directory);
	r = copy_recover(input, path, copy, err);
	if (r < 0 && !*err->next)
		error_try(err, "TMPDIR set to a directory with room for a copy of '%s'", path);
	(void)rmdir(directory);
	return r;
}

int native_input_open(struct native_input *input, const char *path, struct error *err)
{
	int r = 0;

	*input = (struct native_input){ 0 };
	if (input_try(input, path) < 0) {
		if (sqlite3_extended_errcode(input->db) == SQLITE_READONLY_ROLLBACK)
			r = input_recover(input, path, err);
		else
			r = native_fail(input->db, "read", path, err);
	}
	if (r < 0)
		native_input_done(input);
	return r;
}

void native_input_done(struct native_input *input)
{
	(void)sqlite3_close(input->db);          /* read-only: nothing could fail to be stored */
	input->db = NULL;
}

int native_open_to_write(const char *path, sqlite3 **ret, struct error *err)
{
	sqlite3 *db = NULL;
	int r = 0;

	if (database_open(path, SQLITE_OPEN_READWRITE, &db) < 0 ||
	    native_run(db, "SELECT count(*) FROM sqlite_schema") < 0)
		r = native_fail(db, "write", path, err);
	else
		r = native_check_version(db, path, err);
	if (r < 0) {
		(void)sqlite3_close(db);
		return r;
	}
	*ret = db;
	return 0;
}

int native_check_version(sqlite3 *db, const char *path, struct error *err)
{
	int64_t version = native_ask(db, "PRAGMA user_version");

	if (native_ask(db, "PRAGMA application_id") != NATIVE_APPLICATION_ID) {
		fail(err, FAILURE_WORK, -EBADMSG, "cannot read '%s'", path);
		error_because(err, "it is an SQLite database, but no capture");
		return error_try(err, "a capture file, made by crosscut record");
	}
	if (version / 1000 != NATIVE_SCHEMA_MAJOR) {
		fail(err, FAILURE_WORK, -EPROTONOSUPPORT, "cannot read '%s'", path);
		error_because(err, "its schema is %d.%d, and this crosscut reads %d.*",
			      (int)(version / 1000), (int)(version % 1000), NATIVE_SCHEMA_MAJOR);
		return error_try(err, "a crosscut that writes schema %d", (int)(version / 1000));
	}
	return 0;
}
