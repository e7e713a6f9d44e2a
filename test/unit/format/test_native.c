/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "test.h"
#include "unit/format/sample.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define FAIL_WITH(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

static char folder[64];

static char *path_in(const char *name)
{
	if (!*folder) {
		(void)snprintf(folder, sizeof(folder), "/tmp/crosscut-test-XXXXXX");
		assert_non_null(mkdtemp(folder));
	}
	return xasprintf("%s/%s", folder, name);
}

__attribute__((destructor)) static void folder_remove(void)
{
	DIR *directory = *folder ? opendir(folder) : NULL;
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		(void)unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		(void)closedir(directory);
	(void)rmdir(folder);
}

static size_t folder_count(void)
{
	DIR *directory = opendir(folder);
	size_t count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	(void)closedir(directory);
	return count;
}

static char *recorded(const char *name, bool seal)
{
	char *path = path_in(name);
	struct error err;

	if (!sample_record(path, seal, &err))
		FAIL_WITH("%s: %s", err.what, err.why);
	return path;
}

static void sql(const char *path, const char *statements)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, statements, NULL, NULL, NULL) != SQLITE_OK)
		FAIL_WITH("%s: %s", statements, sqlite3_errmsg(db));
	(void)sqlite3_close(db);
}

static double asked(const char *path, const char *statement)
{
	sqlite3_stmt *prepared;
	sqlite3 *db;
	double answer;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, statement, -1, &prepared, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(prepared), SQLITE_ROW);
	answer = sqlite3_column_double(prepared, 0);
	(void)sqlite3_finalize(prepared);
	(void)sqlite3_close(db);
	return answer;
}

static struct profile *read_well(const char *path)
{
	struct profile *profile = NULL;
	struct error err;

	if (format_read(path, &profile, &err) < 0)
		FAIL_WITH("%s: %s", err.what, err.why);
	assert_null(profile_broken(profile));
	return profile;
}

/* Reads what must not be readable; the error says all three things, and why holds the words. */
static void read_fails(const char *path, const char *words)
{
	struct profile *profile = NULL;
	struct error err = { 0 };

	assert_true(format_read(path, &profile, &err) < 0);
	assert_null(profile);
	assert_int_equal(err.kind, FAILURE_WORK);
	assert_non_null(strstr(err.what, path));
	assert_true(*err.why && *err.next);
	if (words && !strstr(err.why, words))
		FAIL_WITH("'%s' lacks '%s'", err.why, words);
}

TEST(a_profile_comes_back_as_it_was_stored)
{
	CLEANUP_TEXT char *path = recorded("round.xcut", true);
	CLEANUP(profile) struct profile *whole = sample_whole(), *back = read_well(path);
	const char *difference;

	profile_freeze(whole);
	difference = profile_difference(whole, back);
	if (difference)
		FAIL_WITH("they differ in %s", difference);
	assert_string_equal(profile_meta(back, "capture.sealed"), "1");
	assert_int_equal(profile_meta_count(back), profile_meta_count(whole) + 1);
}

TEST(several_slices_may_be_stored_at_once)
{
	CLEANUP_TEXT char *path = path_in("once.xcut");
	CLEANUP(profile) struct profile *whole = sample_whole(), *back = NULL;
	CLEANUP(native) struct native *native = native_new();
	struct error err;

	assert_int_equal(native_create(native, path, false, 0, &err), 0);
	assert_int_equal(native_slice(native, whole, (struct slice_id){ SAMPLE_SLICES }, &err), 0);
	assert_int_equal(native_seal(native, whole, &err), 0);
	profile_freeze(whole);
	back = read_well(path);
	assert_null(profile_difference(whole, back));
}

TEST(a_stored_profile_can_be_stored_again)
{
	CLEANUP_TEXT char *path = recorded("first.xcut", true), *again = path_in("again.xcut");
	CLEANUP(profile) struct profile *first = read_well(path), *second = NULL;
	CLEANUP(native) struct native *native = native_new();
	struct error err;

	assert_int_equal(native_create(native, again, false, 0, &err), 0);
	assert_int_equal(native_slice(native, first, (struct slice_id){ SAMPLE_SLICES }, &err), 0);
	assert_int_equal(native_seal(native, first, &err), 0);
	second = read_well(again);
	assert_null(profile_difference(first, second));
}

TEST(a_file_without_a_seal_reads_up_to_its_last_slice_and_says_so)
{
	CLEANUP_TEXT char *path = recorded("unsealed.xcut", false);
	CLEANUP(profile) struct profile *back = read_well(path), *whole = sample_whole();

	assert_string_equal(profile_meta(back, "capture.sealed"), "0");
	assert_int_equal(profile_slice_count(back), SAMPLE_SLICES + 1);
	assert_int_equal(profile_cell_count(back), profile_cell_count(whole));
	assert_int_equal(profile_thread_at(back, 1)->end_ns,
			 (SAMPLE_SLICES + 1) * (uint64_t)SAMPLE_SECOND);
	assert_int_equal(profile_symbol_count(back), 0);
}

TEST(a_capture_without_a_slice_is_readable)
{
	CLEANUP_TEXT char *path = path_in("none.xcut");
	CLEANUP(native) struct native *native = native_new();
	CLEANUP(profile) struct profile *back = NULL;
	struct error err;

	assert_int_equal(native_create(native, path, false, 0, &err), 0);
	native_free(take(native));
	back = read_well(path);
	assert_int_equal(profile_slice_count(back), 1);
	assert_string_equal(profile_meta(back, "capture.sealed"), "0");
}

/* Leaves the file as a recorder that is killed in the middle of a commit does: pages changed, the
 * journal full. */
static void killed_in_a_transaction(const char *path)
{
	pid_t child = fork();
	int status;

	if (!child) {
		sqlite3 *db;

		(void)sqlite3_open(path, &db);
		(void)sqlite3_exec(db,
				   "PRAGMA synchronous = OFF; PRAGMA journal_mode = TRUNCATE; "
				   "PRAGMA cache_size = 1; BEGIN;"
				   "UPDATE string SET text = hex(randomblob(3000)); UPDATE meta "
				   "SET value = 'torn';"
				   "DELETE FROM segment",
				   NULL, NULL, NULL);
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

TEST(a_recorder_killed_within_a_slice_leaves_the_slices_before_it)
{
	CLEANUP_TEXT char *path = recorded("killed.xcut", false),
			  *journal = path_in("killed.xcut-journal");
	CLEANUP(profile) struct profile *before = read_well(path), *after = NULL;
	struct stat file, file_after, journal_before, journal_after;
	size_t names;

	killed_in_a_transaction(path);
	assert_int_equal(stat(path, &file), 0);
	assert_int_equal(stat(journal, &journal_before), 0);
	assert_true(journal_before.st_size > 512);
	names = folder_count();
	after = read_well(path);
	assert_null(profile_difference(before, after));
	assert_int_equal(stat(path, &file_after), 0);
	assert_int_equal(stat(journal, &journal_after), 0);
	assert_int_equal(file.st_mtim.tv_nsec, file_after.st_mtim.tv_nsec);
	assert_int_equal(journal_before.st_size, journal_after.st_size);
	assert_int_equal(folder_count(), names);
}

TEST(reading_changes_nothing_and_leaves_nothing_behind)
{
	CLEANUP_TEXT char *path = recorded("quiet.xcut", true);
	CLEANUP(profile) struct profile *back = NULL;
	struct stat before, after;
	size_t names = folder_count();

	assert_int_equal(chmod(path, 0400), 0);
	assert_int_equal(stat(path, &before), 0);
	back = read_well(path);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_int_equal(before.st_size, after.st_size);
	assert_int_equal(folder_count(), names);
}

TEST(a_sealed_capture_is_one_file)
{
	CLEANUP_TEXT char *path = recorded("one.xcut", true),
			  *journal = path_in("one.xcut-journal");

	assert_int_equal(access(journal, F_OK), -1);
	assert_int_equal(access(path, F_OK), 0);
}

TEST(a_capture_that_is_being_recorded_says_so)
{
	CLEANUP_TEXT char *path = path_in("busy.xcut");
	CLEANUP(native) struct native *native = native_new();
	struct sample sample = sample_start();
	struct error err;

	assert_int_equal(native_create(native, path, false, 0, &err), 0);
	assert_int_equal(native_slice(native, sample.profile, sample_slice(&sample, 1), &err), 0);
	sqlite3_initialize();
	read_fails(path, "being recorded");
	profile_clear_facts(sample.profile);
	assert_int_equal(native_slice(native, sample.profile, sample_slice(&sample, 2), &err), 0);
	profile_free(sample.profile);
}

TEST(a_new_file_is_private_and_an_old_one_is_kept_unless_it_may_be_replaced)
{
	CLEANUP_TEXT char *path = recorded("mode.xcut", true);
	CLEANUP(native) struct native *native = native_new();
	struct stat status;
	struct error err;

	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(native_create(native, path, false, 0, &err), -EEXIST);
	assert_int_equal(err.kind, FAILURE_WORK);
	assert_non_null(strstr(err.next, "--force"));
	assert_int_equal(native_create(native, path, true, 0, &err), 0);
	native_free(take(native));
	native = native_new();
	assert_int_equal(native_create(native, folder, true, 0, &err), -EISDIR);
	assert_int_equal(native_create(native, "/nowhere/at/all.xcut", false, 0, &err), -ENOENT);
}

TEST(whatever_is_changed_in_a_sealed_file_is_found)
{
	static const char *const changes[] = {
		"UPDATE string SET text = 'x' WHERE id = 1",
		"UPDATE dimension SET meaning = 'x' WHERE id = 1",
		"UPDATE measure SET period = 1 WHERE id = 1",
		"UPDATE file SET build_id = '00' WHERE id = 1",
		"UPDATE mapping SET since_ns = 1",
		"UPDATE object SET name = 'x'",
		"UPDATE evidence SET flags = 0 WHERE id = 2",
		"UPDATE completion SET count = 1000000 WHERE rowid = 1",
		"DELETE FROM completion WHERE rowid = 2",
		"UPDATE loss SET lost = 0",
		"UPDATE own_cost SET ns = 0",
		"DELETE FROM guard_step WHERE rowid = 1",
		"UPDATE slice SET end_ns = end_ns + 1 WHERE id = 2",
		"UPDATE slice SET digest = randomblob(32) WHERE id = 1",
		"UPDATE segment SET bytes = (SELECT bytes FROM segment WHERE kind = 'cell' AND "
		"slice = 1) WHERE kind = 'cell' AND slice = 2",
		"DELETE FROM segment WHERE kind = 'cell' AND slice = 3",
		"UPDATE thread SET comm = 'x' WHERE id = 1",
		"UPDATE process SET arguments = ''",
		"UPDATE class SET rule = 'x' WHERE evidence = 1",
		"UPDATE total SET value = value - 1 WHERE rowid = 1",
		"UPDATE meta SET value = 'b18' WHERE key = 'label.build'",
		"INSERT INTO meta VALUES('label.extra', '1')",
		"DELETE FROM slice WHERE id = 3",
		"INSERT INTO loss VALUES(1, 'x', 1, 1, 9)",
		"UPDATE meta SET value = '0' WHERE key = 'sealed'",
		"DELETE FROM meta WHERE key = 'digest'",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(changes); i++) {
		CLEANUP_TEXT char *path = recorded("changed.xcut", true);

		sql(path, changes[i]);
		read_fails(path, "damaged");
	}
}

TEST(wrong_types_and_ids_that_do_not_exist_are_found)
{
	static const char *const changes[] = {
		"UPDATE thread SET tid = 'x'",
		"UPDATE thread SET process = 99",
		"UPDATE thread SET process = -1",
		"UPDATE thread SET died = 2",
		"UPDATE thread SET comm = x'00'",
		"UPDATE process SET pid = 4294967296",
		"UPDATE string SET id = id + 1000",
		"UPDATE string SET text = 5.5",
		"UPDATE dimension SET parent = 50",
		"UPDATE dimension SET parent = id",
		"UPDATE dimension SET kind = 'x'",
		"UPDATE dimension SET name = ''",
		"UPDATE measure SET role = 'x'",
		"UPDATE measure SET dimension = 99",
		"UPDATE evidence SET kernel_stack = 1000000",
		"UPDATE evidence SET task_state = 65536",
		"UPDATE class SET dimension = 99",
		"UPDATE class SET evidence = evidence + 50",
		"UPDATE segment SET bytes = x'00'",
		"UPDATE segment SET bytes = 7",
		"UPDATE segment SET rows = rows + 1",
		"UPDATE segment SET kind = 'stack' WHERE kind = 'frame'",
		"UPDATE segment SET kind = 'part' WHERE kind = 'cell'",
		"UPDATE segment SET slice = 4 - slice",
		"UPDATE completion SET slice = 99",
		"UPDATE completion SET outcome = ''",
		"UPDATE slice SET id = id + 5",
		"UPDATE slice SET end_ns = 0",
		"UPDATE slice SET digest = x'0011'",
		"UPDATE mapping SET end_address = 0",
		"UPDATE symbol SET frame = 0",
		"UPDATE symbol SET frame = 1000000",
		"UPDATE symbol SET name = 99",
		"UPDATE symbol_text SET text = zeroblob(2000000)",
		"DROP TABLE thread",
		"UPDATE string SET text = printf('%2000000s', 'x')",
		"ALTER TABLE thread DROP COLUMN died",
		"DROP TABLE string; CREATE VIEW string AS WITH RECURSIVE n(id) AS (SELECT 1 UNION "
		"ALL SELECT id + 1 FROM n)"
		" SELECT id, 'x' AS text, 1 AS stored FROM n",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(changes); i++) {
		CLEANUP_TEXT char *path = recorded("wrong.xcut", true);

		sql(path, changes[i]);
		read_fails(path, "damaged");
	}
}

TEST(a_newer_minor_schema_is_readable)
{
	CLEANUP_TEXT char *path = recorded("minor.xcut", true);
	CLEANUP(profile) struct profile *whole = sample_whole(), *back = NULL;

	sql(path, "PRAGMA user_version = 1007; CREATE TABLE novelty(id, what); INSERT INTO novelty "
		  "VALUES(1, 'x');"
		  "ALTER TABLE symbol ADD COLUMN colour TEXT DEFAULT 'red'; CREATE VIEW more AS "
		  "SELECT * FROM novelty");
	back = read_well(path);
	profile_freeze(whole);
	assert_null(profile_difference(whole, back));
}

TEST(a_newer_major_schema_is_refused_with_both_versions)
{
	CLEANUP_TEXT char *path = recorded("major.xcut", true);

	sql(path, "PRAGMA user_version = 2003");
	read_fails(path, "its schema is 2.3, and this crosscut reads 1.");
}

TEST(a_file_that_is_cut_short_is_found_wherever_it_is_cut)
{
	CLEANUP_TEXT char *path = recorded("cut.xcut", true), *cut = path_in("cut-short.xcut");
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	for (off_t size = 0; size < status.st_size; size += size < 4096 ? 97 : 1021) {
		CLEANUP_TEXT char *copy = xasprintf("cp %s %s", path, cut);

		assert_int_equal(system(copy), 0);
		assert_int_equal(truncate(cut, size), 0);
		read_fails(cut, NULL);
	}
}

TEST(a_file_with_any_byte_changed_reads_the_same_or_fails)
{
	CLEANUP_TEXT char *path = recorded("bytes.xcut", true),
			  *changed = path_in("bytes-changed.xcut");
	CLEANUP_TEXT char *copy = xasprintf("cp %s %s", path, changed);
	CLEANUP(profile) struct profile *whole = read_well(path);
	size_t failed = 0, same = 0;
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(system(copy), 0);
	for (off_t at = 0; at < status.st_size; at += 307) {
		CLEANUP(profile) struct profile *back = NULL;
		CLEANUP_FD int fd = open(changed, O_RDWR);
		unsigned char byte, other;
		struct error err;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		other = byte ^ 0x41;
		assert_int_equal(pwrite(fd, &other, 1, at), 1);
		if (format_read(changed, &back, &err) < 0)
			failed++;
		else if (!profile_difference(whole, back))
			same++;
		else        /* only what stands under no digest may differ: names of frames */
			assert_true(symbol_same(&(struct difference){ whole, back, "" }) == false);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	assert_true(failed > 10 && same > 0);
}

TEST(what_is_no_capture_is_refused)
{
	CLEANUP_TEXT char *path = path_in("foreign.xcut");
	CLEANUP_TEXT char *database = path_in("database.xcut");
	CLEANUP_TEXT char *random = xasprintf("head -c 100000 /dev/urandom > %s", path);
	CLEANUP_TEXT char *empty = path_in("empty.xcut"), *touch = xasprintf(": > %s", empty);

	assert_int_equal(system(random), 0);
	read_fails(path, "no profile");
	sql(database, "CREATE TABLE t(a)");
	read_fails(database, "SQLite database that is no capture");
	assert_int_equal(system(touch), 0);
	read_fails(empty, "empty");
	read_fails(folder, "directory");
	read_fails("/nowhere/at/all.xcut", "No such file");
}

TEST(at_its_size_limit_a_slice_is_left_out_whole_and_the_rest_sealed)
{
	CLEANUP_TEXT char *path = path_in("limit.xcut");
	CLEANUP(native) struct native *native = native_new();
	CLEANUP(profile) struct profile *back = NULL;
	struct sample sample = sample_start();
	struct error err;
	uint64_t size;

	assert_int_equal(native_create(native, path, false, 1 << 20, &err), 0);
	assert_int_equal(native_slice(native, sample.profile, sample_slice(&sample, 1), &err), 0);
	profile_clear_facts(sample.profile);
	size = native_size_bytes(native);
	native_free(take(native));
	profile_free(sample.profile);

	sample = sample_start();
	native = native_new();
	assert_int_equal(native_create(native, path, true, size, &err), 0);
	assert_int_equal(native_slice(native, sample.profile, sample_slice(&sample, 1), &err), 0);
	profile_clear_facts(sample.profile);
	assert_int_equal(native_slice(native, sample.profile, sample_slice(&sample, 2), &err),
			 -EFBIG);
	assert_non_null(strstr(err.next, "--max-size"));
	sample_end(&sample);
	assert_int_equal(native_seal(native, sample.profile, &err), 0);
	back = read_well(path);
	assert_int_equal(profile_slice_count(back), 2);
	assert_string_equal(profile_meta(back, "capture.sealed"), "1");
	assert_string_equal(profile_text(back, profile_thread_at(back, 1)->comm), "worker");
	assert_int_equal(profile_symbol_count(back), 2);
	profile_free(sample.profile);
}

TEST(a_slice_that_failed_may_be_stored_again)
{
	CLEANUP_TEXT char *path = path_in("retry.xcut");
	CLEANUP(native) struct native *native = native_new();
	CLEANUP(profile) struct profile *back = NULL, *whole = NULL;
	struct sample sample = sample_start();
	struct slice_id slice;
	struct error err;

	assert_int_equal(native_create(native, path, false, 200 * 1024, &err), 0);
	slice = sample_slice(&sample, 1);
	for (uint32_t i = 0; i < 60000; i++)
		(void)profile_object(sample.profile,
				     (struct object){ { 0 }, { 0 }, i * 7777777ull });
	assert_int_equal(native_slice(native, sample.profile, slice, &err), -EFBIG);
	profile_free(sample.profile);

	sample = sample_start();
	slice = sample_slice(&sample, 1);
	assert_int_equal(native_slice(native, sample.profile, slice, &err), 0);
	native_free(take(native));
	back = read_well(path);
	assert_int_equal(profile_cell_count(back), profile_cell_count(sample.profile));
	assert_int_equal(profile_frame_count(back), profile_frame_count(sample.profile));
	profile_free(sample.profile);
	(void)whole;
}

/* In a child, because a namespace cannot be left again. Exit 77: this machine does not allow it. */
static int full_disk(const char *mount_point)
{
	CLEANUP_TEXT char *path = xasprintf("%s/full.xcut", mount_point);
	struct sample sample = sample_start();
	struct native *native = native_new();
	struct profile *back = NULL;
	uint32_t number = 1;
	struct error err;
	int r;

	if (unshare(CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0)) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", mount_point, "tmpfs", 0, "size=512k") < 0)
		return 77;
	r = native_create(native, path, false, 0, &err);
	for (; r >= 0 && number < 500; number++) {
		r = native_slice(native, sample.profile, sample_slice(&sample, number), &err);
		profile_clear_facts(sample.profile);
	}
	if (r != -ENOSPC || !strstr(err.what, path) || !strstr(err.why, "No space left") ||
	    !strstr(err.next, "free space"))
		return 1;
	native_free(native);
	profile_free(sample.profile);
	if (format_read(path, &back, &err) < 0)
		return 2;
	/* the last one failed */
	r = profile_slice_count(back) == number - 1 && number > 2 ? 0 : 3;
	profile_free(back);
	return r;
}

TEST(a_full_disk_is_named_and_what_was_stored_stays_readable)
{
	CLEANUP_TEXT char *mount_point = path_in("mount");
	pid_t child;
	int status;

	assert_int_equal(mkdir(mount_point, 0700), 0);
	child = fork();
	if (!child)
		_exit(full_disk(mount_point));
	assert_int_equal(waitpid(child, &status, 0), child);
	(void)rmdir(mount_point);
	free(take(mount_point));                /* skip() does not come back to free it */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

TEST(plain_sql_answers_the_ledger)
{
	CLEANUP_TEXT char *path = recorded("plain.xcut", true);

	assert_true(asked(path,
			  "SELECT value FROM ledger WHERE dimension = 'oncpu' AND part = 'user'") ==
		    3 * 700000000.0);
	assert_true(asked(path,
			  "SELECT value FROM ledger WHERE dimension = 'disk' AND part = 'read'") ==
		    300000000.0);
	assert_true(asked(path, "SELECT value FROM ledger WHERE dimension = 'idle'") ==
		    600000000.0);
	assert_true(asked(path, "SELECT sum(value) FROM ledger") == 3e9);
	assert_true(asked(path, "SELECT count(*) FROM ledger") == 3);
	assert_true(asked(path, "SELECT maximum FROM ledger WHERE dimension = 'disk'") ==
		    300000000.0);
	assert_true(asked(path, "SELECT sum(value) FROM thread_ledger WHERE tid = 4243 AND comm = "
				"'worker'") == 3e9);
	assert_true(asked(path, "SELECT count FROM work WHERE outcome = 'correct'") == 306);
	assert_true(asked(path, "SELECT lost FROM losses WHERE source = 'ring'") == 6);
	assert_true(asked(path, "SELECT count(*) FROM symbol_name WHERE file = '/usr/bin/store' "
				"AND name IN ('inner', 'outer')") == 2);
}

enum { PASSING = 300, PASSING_SLICES = 6 };

/* Threads that are born and die within a slice; a thousandth of each slice's time is told a slice late. */
static void pass(struct sample *sample, struct slice_id slice, uint32_t number, struct thread_id late[PASSING])
{
	uint64_t start_ns = number * (uint64_t)SAMPLE_SECOND;
	struct cell cell = { .slice = slice, .measure = sample->oncpu, .count = 1, .value = 1000 };

	for (uint32_t i = 0; i < PASSING; i++) {
		if (late[i].index) {
			cell.thread = late[i];
			cell.value = 1;
			profile_add_cell(sample->profile, cell);
		}
		cell.value = 999;
		cell.thread = late[i] = profile_thread(sample->profile, (struct thread){
			.process = sample->process, .tid = 10000 * number + i, .start_ns = start_ns, .end_ns = start_ns + 5, .died = true });
		profile_add_cell(sample->profile, cell);
	}
}

static char *recorded_passing(const char *name, bool seal)
{
	struct thread_id late[PASSING] = { { 0 } };
	struct sample sample = sample_start();
	struct native *native = native_new();
	char *path = path_in(name);
	struct error err;

	assert_int_equal(native_create(native, path, true, 0, &err), 0);
	for (uint32_t number = 1; number <= PASSING_SLICES; number++) {
		struct slice_id slice = profile_slice(sample.profile, number * (uint64_t)SAMPLE_SECOND,
						      (number + 1) * (uint64_t)SAMPLE_SECOND);

		pass(&sample, slice, number, late);
		assert_int_equal(native_slice(native, sample.profile, slice, &err), 0);
		profile_clear_facts(sample.profile);
	}
	if (seal)
		assert_int_equal(native_seal(native, sample.profile, &err), 0);
	native_free(native);
	profile_free(sample.profile);
	return path;
}

TEST(totals_of_threads_that_died_go_to_the_file_early_and_nothing_is_lost_or_told_twice)
{
	CLEANUP_TEXT char *unsealed = recorded_passing("passing-unsealed.xcut", false), *path = recorded_passing("passing.xcut", true);
	CLEANUP(profile) struct profile *profile = read_well(path);

	assert_true(asked(unsealed, "SELECT count(*) FROM total") >= (PASSING_SLICES - 3) * PASSING);
	assert_true(asked(unsealed, "SELECT count(*) FROM ledger") == 0);
	assert_true(asked(path, "SELECT sum(value) FROM ledger") == PASSING * (PASSING_SLICES * 1000.0 - 1));
	assert_true(asked(path, "SELECT count(*) FROM thread_ledger WHERE tid / 10000 < 6 AND value != 1000") == 0);
	assert_true(asked(path, "SELECT count(*) FROM thread_ledger") == PASSING * PASSING_SLICES);
}

TEST(waits_that_nobody_classified_are_unknown_in_plain_sql_too)
{
	CLEANUP_TEXT char *path = recorded("unclassified.xcut", true);

	sql(path, "UPDATE class SET dimension = 0");
	assert_true(asked(path, "SELECT value FROM ledger WHERE dimension = 'unknown'") ==
		    900000000.0);
	assert_true(asked(path, "SELECT sum(value) FROM ledger") == 3e9);
}

TEST(symbols_are_replaced_without_breaking_the_seal)
{
	CLEANUP_TEXT char *path = recorded("names.xcut", true);
	CLEANUP(profile) struct profile *profile = read_well(path), *back = NULL;
	struct error err;
	char name[64];

	profile_clear_symbols(profile);
	profile_add_symbol(
		profile,
		(struct symbol){ .frame = { 3 }, .name = profile_string_size(profile, NULL, 0) });
	assert_int_equal(native_store_symbols(path, profile, &err), 0);
	back = read_well(path);
	assert_int_equal(profile_symbol_count(back), 1);
	assert_int_equal(profile_symbol_at(back, 0)->frame.index, 3);
	assert_string_equal(profile_frame_name(back, (struct frame_id){ 3 }, name, sizeof(name)),
			    "store+0x103f");
}

TEST(verdicts_of_gates_are_stored_and_replaced)
{
	CLEANUP_TEXT char *path = recorded("gates.xcut", true);
	CLEANUP(profile) struct profile *back = NULL;
	struct error err;

	assert_int_equal(native_store_gate(path, "lost-events", 0.5, 0.01, "fail", &err), 0);
	assert_int_equal(native_store_gate(path, "lost-events", 0.001, 0.01, "pass", &err), 0);
	assert_true(asked(path, "SELECT value FROM gate WHERE verdict = 'pass'") == 0.001);
	assert_true(asked(path, "SELECT count(*) FROM gate") == 1);
	back = read_well(path);
	assert_int_equal(native_store_gate("/nowhere/at/all.xcut", "x", 0, 0, "pass", &err),
			 -ENOENT);
	assert_int_equal(err.kind, FAILURE_WORK);
}
