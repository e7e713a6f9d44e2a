/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of capture files: makes one, stores a slice per transaction, seals it.
 *
 * While recording it holds an exclusive lock and calls fsync never: the disk may be the one that
 * the target waits for. So a killed recorder loses at most the slice at hand, a power cut may lose
 * more, and sealing syncs once.
 */
#include "format/native.h"

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/digest.h"
#include "format/native_file.h"
#include "format/native_writer.h"
#include "format/redaction.h"
#include "profile/profile.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct native *native_new(void)
{
	struct native *native = xcalloc(1, sizeof(*native));

	native->total_ids = map_new(3 * sizeof(uint32_t));
	return native;
}

void native_redact(struct native *native)
{
	assert(!native->db);
	if (!native->redaction)
		native->redaction = redaction_new();
}

static void native_close(struct native *native)
{
	native_tables_close(native);
	if (native->db && !sqlite3_get_autocommit(native->db))
		(void)native_run(native->db, "ROLLBACK");
	if (native->db)
		/* best effort: an empty journal may stay */
		(void)native_run(native->db, "PRAGMA journal_mode = DELETE");
	(void)sqlite3_close(native->db);
	native->db = NULL;
}

void native_free(struct native *native)
{
	if (!native)
		return;
	native_close(native);
	redaction_free(native->redaction);
	map_free(native->total_ids);
	free(native->totals);
	free(native->string_numbers);
	native_marks_free(&native->threads);
	native_marks_free(&native->processes);
	native_marks_free(&native->classes);
	free(native->path);
	free(native);
}

uint64_t native_size_bytes(const struct native *native)
{
	return native->size;
}

static uint64_t database_size(struct native *native)
{
	return (uint64_t)native_ask(native->db, "PRAGMA page_count") *
	       (uint64_t)native_ask(native->db, "PRAGMA page_size");
}

/* --- Making the file -------------------------------------------------------------------------- */

/* The old file is unlinked and not truncated: whoever has it open keeps it. */
static int file_make(const char *path, bool replace, struct error *err)
{
	CLEANUP_TEXT char *journal = xasprintf("%s-journal", path);
	struct stat status;
	int fd;

	if (replace && !lstat(path, &status)) {
		if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) {
			fail(err, FAILURE_WORK, S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL,
			     "cannot replace '%s'", path);
			error_because(err, "it is no regular file");
			return error_try(err, "another name: --force replaces files only");
		}
		if (unlink(path) < 0)
			return fail(err, FAILURE_WORK, -errno, "cannot replace '%s'", path);
	}
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		int r = fail(err, FAILURE_WORK, -errno, "cannot write '%s'", path);

		return r == -EEXIST ? error_try(err, "another name, or --force to overwrite it")
				    : r;
	}
	(void)close(fd);
	/* an older file's: played back, it would destroy this one */
	(void)unlink(journal);
	return 0;
}

static int schema_make(struct native *native)
{
	char settings[256];

	(void)snprintf(settings, sizeof(settings),
		       "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; PRAGMA "
		       "journal_mode = TRUNCATE;"
		       "PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN EXCLUSIVE",
		       NATIVE_APPLICATION_ID, NATIVE_SCHEMA_MAJOR * 1000 + NATIVE_SCHEMA_MINOR);
	if (native_run(native->db, settings) < 0 || native_tables_open(native, true) < 0)
		return -1;
	return native_run(native->db, "INSERT INTO meta VALUES('sealed', '0'); COMMIT");
}

int native_create(struct native *native, const char *path, bool replace, uint64_t size_limit_bytes,
		  struct error *err)
{
	CLEANUP_TEXT char *safe = native_path(path);
	int r = file_make(path, replace, err);

	assert(!native->db);
	if (r < 0)
		return r;
	native->path = xstrdup(path);
	native->size_limit = size_limit_bytes;
	if (sqlite3_open_v2(safe, &native->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_PRIVATECACHE,
			    NULL) != SQLITE_OK ||
	    schema_make(native) < 0) {
		r = native_fail(native->db, "write", path, err);
		native_close(native);
		(void)unlink(path);              /* nothing is in it yet */
		return r;
	}
	(void)sqlite3_extended_result_codes(native->db, 1);
	native->size = database_size(native);
	return 0;
}

/* --- Slices ----------------------------------------------------------------------------------- */

static void transaction_undo(struct native *native, const struct native_written *before)
{
	/* a statement that failed half-way would hold the rollback up */
	native_tables_close(native);
	if (!sqlite3_get_autocommit(native->db))
		(void)native_run(native->db, "ROLLBACK");
	if (native_tables_open(native, false) < 0)
		native->failed = true;           /* the next transaction says why */
	for (size_t i = 0; i < native->string_room; i++)
		if (native->string_numbers[i] > before->string)
			native->string_numbers[i] = 0;
	native->written = *before;
	native_marks_free(&native->threads);
	native_marks_free(&native->processes);
	native_marks_free(&native->classes);
}

static int transaction_begin(struct native *native)
{
	native->failed = native_run(native->db, "BEGIN EXCLUSIVE") < 0;
	return native->failed ? -1 : 0;
}

/* A slice that was cut but never stored by itself goes in without a digest; the next one covers it.
 */
static void slices_write(struct native *native, const struct profile *profile, uint32_t last,
			 struct sha256 *sha, unsigned char digest[SHA256_SIZE])
{
	for (uint32_t i = native->written.slice + 1; i <= last; i++) {
		const struct slice *row = profile_slice_at(profile, i);

		digest_row(sha, "slice");
		digest_number(sha, i);
		digest_number(sha, row->start_ns);
		digest_number(sha, row->end_ns);
		if (i == last)
			sha256_end(sha, digest);
		row_begin(native, TABLE_SLICE);
		row_number(native, i);
		row_number(native, row->start_ns);
		row_number(native, row->end_ns);
		row_blob(native, i == last ? digest : (const unsigned char *)"",
			 i == last ? SHA256_SIZE : 0);
		row_end(native);
	}
	native->written.slice = last;
}

static void slice_write(struct native *native, const struct profile *profile, uint32_t slice,
			unsigned char digest[SHA256_SIZE])
{
	struct sha256 sha;

	sha256_init(&sha);
	sha256_add(&sha, native->chain, sizeof(native->chain));
	native->stored = slice;
	native_write_meta(native, profile);
	native->digest = &sha;
	native_strings_gather(native, profile, true);
	native_write_definitions(native, profile);
	native_write_dictionaries(native, profile);
	native_write_facts(native, profile);
	native_write_guard_steps(native, profile);
	native->digest = NULL;
	slices_write(native, profile, slice, &sha, digest);
	native_write_living(native, profile);
}

static int fail_size(struct native *native, struct error *err)
{
	fail(err, FAILURE_WORK, -EFBIG, "cannot let '%s' grow further", native->path);
	error_because(err, "it has reached its size limit");
	return error_try(err, "a larger --max-size");
}

int native_slice(struct native *native, const struct profile *profile, struct slice_id slice,
		 struct error *err)
{
	struct native_written before = native->written;
	unsigned char digest[SHA256_SIZE];
	uint64_t ended_ns = 0;
	int r = 0;

	assert(native->db && slice.index > native->written.slice &&
	       slice.index < profile_slice_count(profile));
	if (transaction_begin(native) == 0) {
		ended_ns = native_write_ended(native, profile);
		slice_write(native, profile, slice.index, digest);
	}
	if (!native->failed && native->size_limit && database_size(native) > native->size_limit) {
		native->cut = true;
		r = fail_size(native, err);
	} else if (native->failed || native_run(native->db, "COMMIT") < 0) {
		r = native_fail(native->db, "write", native->path, err);
	}
	if (r < 0) {
		transaction_undo(native, &before);
		return r;
	}
	memcpy(native->chain, digest, sizeof(native->chain));
	if (ended_ns)
		native_totals_forget(native, profile, ended_ns);
	native_totals_add(native, profile);
	native->size = database_size(native);
	return 0;
}

/* --- Sealing ---------------------------------------------------------------------------------- */

static void table_digest(struct native *native, struct sha256 *sha, enum native_table table,
			 const char *where)
{
	CLEANUP_TEXT char *sql = xasprintf("SELECT * FROM %s%s", native_tables[table].name, where);
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(native->db, sql, -1, &statement, NULL);

	while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		digest_statement(sha, native_tables[table].name, statement, 0);
		code = SQLITE_OK;
	}
	native->failed |= code != SQLITE_DONE;
	(void)sqlite3_finalize(statement);       /* its failure was the step's */
}

static void meta_write(struct native *native, const char *key, const char *value)
{
	row_begin(native, TABLE_META);
	row_text(native, key);
	row_text(native, value);
	row_end(native);
}

static void seal_digest_write(struct native *native, struct sha256 *sha)
{
	unsigned char digest[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	table_digest(native, sha, TABLE_CLASS, "");
	table_digest(native, sha, TABLE_TOTAL, "");
	table_digest(native, sha, TABLE_PROCESS, "");
	table_digest(native, sha, TABLE_THREAD, "");
	table_digest(native, sha, TABLE_META, " WHERE key NOT IN ('sealed', 'digest')");
	sha256_end(sha, digest);
	for (int i = 0; i < SHA256_SIZE; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	meta_write(native, "digest", hex);
	meta_write(native, "sealed", "1");
}

static void seal_write(struct native *native, const struct profile *profile)
{
	struct sha256 sha;

	sha256_init(&sha);
	sha256_add(&sha, native->chain, sizeof(native->chain));
	native->stored = native->written.slice + 1;
	native_write_meta(native, profile);
	native->digest = &sha;
	if (!native->cut)
		native_strings_gather(native, profile, false);
	native_write_definitions(native, profile);
	if (!native->cut)
		native_write_dictionaries(native, profile);
	native_write_guard_steps(native, profile);
	native->digest = NULL;
	native_write_living(native, profile);
	native_write_totals(native);
	native_write_symbols(native, profile, native->written.frame + 1);
	seal_digest_write(native, &sha);
}

static void path_sync(const char *path, int flags)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | flags);

	if (fd >= 0)
		(void)fsync(fd);                 /* best effort: some file systems have none */
}

static void file_sync(const char *path)
{
	CLEANUP_TEXT char *directory = xstrdup(path);
	char *slash = strrchr(directory, '/');

	path_sync(path, 0);
	if (slash)
		slash[slash == directory] = '\0';
	path_sync(slash ? directory : ".", O_DIRECTORY);
}

int native_seal(struct native *native, const struct profile *profile, struct error *err)
{
	struct native_written before = native->written;

	assert(native->db);
	if (transaction_begin(native) == 0)
		seal_write(native, profile);
	if (native->failed || native_run(native->db, "COMMIT") < 0) {
		int r = native_fail(native->db, "seal", native->path, err);

		transaction_undo(native, &before);
		return r;
	}
	native->size = database_size(native);
	native_close(native);
	/* after the close: closing any descriptor drops this process' locks */
	file_sync(native->path);
	return 0;
}
