/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture file from an enemy. The first byte says how the input is used:
 *
 *	0  it is the file                      2  it is the columns of one segment of a good file
 *	1  it changes bytes of a good file     3  it changes values in the tables of a good file
 *
 * Whatever is read must be whole: profile_broken() finds nothing, and every stack and name can be
 *walked.
 */
#define SAMPLE_CELLS 8                               /* small: reading it again and again is what takes the time */
#include "../unit/format/sample.h"

#include "base/memory.h"
#include "format/native_schema.h"

#include <assert.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64], path[128];
static unsigned char *good;
static size_t good_size;

static void folder_remove(void)
{
	(void)unlink(path);
	(void)rmdir(folder);
}

static void good_make(void)
{
	struct stat status;
	struct error err;
	int fd;

	(void)snprintf(folder, sizeof(folder), "%s/crosscut-fuzz-XXXXXX",
		       access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(folder))
		abort();
	(void)snprintf(path, sizeof(path), "%s/fuzz.xcut", folder);
	(void)atexit(folder_remove);
	if (!sample_record(path, true, &err))
		abort();
	fd = open(path, O_RDONLY);
	if (fstat(fd, &status) < 0)
		abort();
	good_size = (size_t)status.st_size;
	good = xmalloc(good_size);
	if (read(fd, good, good_size) != (ssize_t)good_size)
		abort();
	(void)close(fd);
}

static void file_write(const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (write(fd, bytes, size) != (ssize_t)size)
		abort();
	(void)close(fd);
}

static void bytes_change(const uint8_t *data, size_t size)
{
	unsigned char *changed = xmalloc(good_size);

	memcpy(changed, good, good_size);
	for (; size >= 4; data += 4, size -= 4)
		changed[(data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % good_size] =
			data[3];
	file_write(changed, good_size);
	free(changed);
}

static sqlite3 *good_open(void)
{
	sqlite3 *db;

	file_write(good, good_size);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		abort();
	(void)sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", NULL, NULL,
			   NULL);
	return db;
}

/* Its first byte picks the segment; the mark of a segment is put in front of the others. */
static void segment_change(const uint8_t *data, size_t size)
{
	sqlite3 *db = good_open();
	size_t plain_size = size + 4, bound = ZSTD_compressBound(plain_size);
	unsigned char *plain = xmalloc(plain_size);
	void *bytes = xmalloc(bound);
	sqlite3_stmt *statement;

	memcpy(plain, "XSEG\1", 5);
	memcpy(plain + 5, data + 1, size - 1);
	if (size > 3 &&
	    sqlite3_prepare_v2(db, "UPDATE segment SET bytes = ?, rows = ? WHERE rowid = ?", -1,
			       &statement, NULL) == SQLITE_OK) {
		(void)sqlite3_bind_blob64(statement, 1, bytes,
					  ZSTD_compress(bytes, bound, plain, plain_size, 1),
					  SQLITE_STATIC);
		(void)sqlite3_bind_int(statement, 2,
				       data[1] < 0x80 ? data[1] : (data[1] & 0x7f) | data[2] << 7);
		(void)sqlite3_bind_int(statement, 3, data[0] % 32);
		(void)sqlite3_step(statement);
		(void)sqlite3_finalize(statement);
	}
	free(plain);
	free(bytes);
	(void)sqlite3_close(db);
}

/* Per change: table, column, row, kind of value, value. */
static void values_change(const uint8_t *data, size_t size)
{
	sqlite3 *db = good_open();

	for (; size >= 6; data += 6, size -= 6) {
		const struct native_table_row *table = &native_tables[data[0] % TABLE_COUNT];
		const char *column;
		size_t columns = 0;
		char *sql;

		while (table->columns[columns])
			columns++;
		column = table->columns[data[1] % columns];
		sql = xasprintf("UPDATE %s SET %.*s = %s%d%s WHERE rowid = %d", table->name,
				(int)strcspn(column, " "), column,
				data[3] % 4 == 0   ? ""
				: data[3] % 4 == 1 ? "-"
				: data[3] % 4 == 2 ? "'"
						   : "1e",
				data[4] | data[5] << 8, data[3] % 4 == 2 ? "'" : "", data[2] % 16);
		(void)sqlite3_exec(db, sql, NULL, NULL, NULL);
		free(sql);
	}
	(void)sqlite3_close(db);
}

static void walk(const struct profile *profile)
{
	char name[64];

	assert(!profile_broken(profile));
	for (uint32_t i = 1; i < profile_frame_count(profile); i++)
		(void)profile_frame_name(profile, (struct frame_id){ i }, name, sizeof(name));
	for (size_t i = 0; i < profile_cell_count(profile); i++)
		(void)profile_dimension_root(
			profile, profile_cell_dimension(profile, profile_cell_at(profile, i)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *profile = NULL;
	struct error err = { 0 };

	if (!good)
		good_make();
	if (size < 2)
		return 0;
	switch (data[0] & 3) {
	case 0: file_write(data + 1, size - 1); break;
	case 1: bytes_change(data + 1, size - 1); break;
	case 2: segment_change(data + 1, size - 1); break;
	default: values_change(data + 1, size - 1);
	}
	if (format_read(path, &profile, &err) == 0)
		walk(profile);
	else
		assert(err.kind == FAILURE_WORK && *err.what && *err.why);
	profile_free(profile);
	return 0;
}
