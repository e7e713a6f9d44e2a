/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The syntax is inih's; what may be said is in runbook_check.c. Its handler is told no line, but is called after each line that
 * was read, so the reader counts them. A line that begins with a blank goes on with the value before it.
 */
#include "runbook/parsing.h"

#include "base/error.h"
#include "base/memory.h"
#include "profile/profile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void runbook_free(struct runbook *runbook)
{
	if (!runbook)
		return;
	for (size_t i = 0; i < runbook->count; i++) {
		free(runbook->entries[i].section);
		free(runbook->entries[i].key);
		free(runbook->entries[i].value);
	}
	free(runbook->entries);
	free(runbook->path);
	free(runbook);
}

const char *runbook_path(const struct runbook *runbook)
{
	return runbook->path;
}

size_t runbook_count(const struct runbook *runbook)
{
	return runbook->count;
}

const struct runbook_entry *runbook_at(const struct runbook *runbook, size_t index)
{
	return &runbook->entries[index];
}

const char *runbook_value(const struct runbook *runbook, const char *section, const char *key)
{
	for (size_t i = 0; i < runbook->count; i++)
		if (!strcmp(runbook->entries[i].section, section) && !strcmp(runbook->entries[i].key, key))
			return runbook->entries[i].value;
	return NULL;
}

bool runbook_share(const struct runbook *runbook, const char *section, const char *key, double *ret)
{
	const char *value = runbook_value(runbook, section, key);
	char *end;
	double number = value ? strtod(value, &end) : -1;

	if (!value || end == value || !(number > 0))
		return false;
	end += strspn(end, " \t");
	*ret = *end == '%' ? number / 100 : number;
	return *ret <= 1;
}

int runbook_require(const struct runbook *runbook, const char *section, const char *const *keys, struct error *err)
{
	for (size_t i = 0; keys[i]; i++) {
		if (runbook_value(runbook, section, keys[i]))
			continue;
		fail(err, FAILURE_USAGE, -EINVAL, "%s: [%s] %s is missing", runbook->path, section, keys[i]);
		error_because(err, "it is stated before anything is recorded, not after");
		return error_try(err, "crosscut list runbook");
	}
	return 0;
}

/* --- Reading ---------------------------------------------------------------------------------------------------- */

static char *next_line(char *line, int size, void *context)
{
	struct parsing *parsing = context;
	const char *first = line;

	if (parsing->code || !fgets(line, size, parsing->file))
		return NULL;
	parsing->line++;
	parsing->continued = isspace((unsigned char)*line);
	while (isspace((unsigned char)*first))
		first++;
	if (*first == '[') {
		CLEANUP_TEXT char *section = xstrndup(first + 1, strcspn(first + 1, "]\n"));

		runbook_check_section(parsing, section, parsing->line);
	}
	if (!strchr(line, '\n') && !feof(parsing->file))
		runbook_refuse(parsing, parsing->line, "a line that is too long, or no text", "",
		       "a long value goes on in a line that begins with a blank");
	return line;
}

static int add_entry(void *context, const char *section, const char *key, const char *value)
{
	struct parsing *parsing = context;
	struct runbook *runbook = parsing->runbook;
	struct runbook_entry *last = runbook->count ? &runbook->entries[runbook->count - 1] : NULL;

	if (parsing->continued && last && !strcmp(last->key, key) && !strcmp(last->section, section)) {
		char *longer = xasprintf("%s %s", last->value, value);

		free(last->value);
		last->value = longer;
		return 1;
	}
	if (runbook->count == RUNBOOK_ENTRY_LIMIT) {
		runbook_refuse(parsing, parsing->line, "too many keys:", key, "a runbook has at most 256");
		return 0;
	}
	grow(runbook->entries, runbook->count, runbook->room);
	runbook->entries[runbook->count++] = (struct runbook_entry){ xstrdup(section), xstrdup(key), xstrdup(value), parsing->line };
	return 1;
}

static int file_open(const char *path, FILE **ret, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0) {
		fail(err, FAILURE_WORK, -errno, "cannot read the runbook '%s'", path);
		if (fd >= 0)
			(void)close(fd);
		return err->code;
	}
	if (!S_ISREG(status.st_mode) || status.st_size > RUNBOOK_BYTE_LIMIT) {
		(void)close(fd);
		fail(err, FAILURE_WORK, -EINVAL, "cannot read the runbook '%s'", path);
		return error_because(err, "it is no regular file of at most %d KiB", RUNBOOK_BYTE_LIMIT >> 10);
	}
	*ret = fdopen(fd, "re");
	return 0;
}

int runbook_read(const char *path, struct runbook **ret, struct error *err)
{
	CLEANUP(runbook) struct runbook *runbook = xcalloc(1, sizeof(*runbook));
	struct parsing parsing = { .runbook = runbook, .err = err };
	int r = file_open(path, &parsing.file, err);

	if (r < 0)
		return r;
	runbook->path = xstrdup(path);
	r = ini_parse_stream(next_line, &parsing, add_entry, &parsing);
	(void)fclose(parsing.file);
	if (r > 0)
		runbook_refuse(&parsing, (unsigned)r, "cannot understand the line", "", "it is neither a [section] nor key = value");
	runbook_check_entries(&parsing);
	if (parsing.code)
		return parsing.code;
	*ret = take(runbook);
	return 0;
}

/* --- Facts from the command line, which stand at no line ---------------------------------------------------------- */

static struct runbook_entry *entry_put(struct runbook *runbook, const char *section, const char *key)
{
	for (size_t i = 0; i < runbook->count; i++)
		if (!strcmp(runbook->entries[i].section, section) && !strcmp(runbook->entries[i].key, key))
			return &runbook->entries[i];
	grow(runbook->entries, runbook->count, runbook->room);
	runbook->entries[runbook->count] = (struct runbook_entry){ xstrdup(section), xstrdup(key), NULL, 0 };
	return &runbook->entries[runbook->count++];
}

static void state_fact(struct parsing *parsing, const char *fact)
{
	const char *equals = strchr(fact, '=');
	CLEANUP_TEXT char *key = xstrndup(fact, equals ? (size_t)(equals - fact) : strlen(fact));
	CLEANUP_TEXT char *section = xstrdup(strcmp(key, "falsified-by") ? "contract" : "bounds");
	CLEANUP_TEXT char *value = xstrdup(equals ? equals + 1 : "");
	const struct runbook_entry given = { section, key, value, 0 };
	struct runbook_entry *entry;

	runbook_check_key(parsing, &given);
	if (!*value)
		runbook_refuse(parsing, 0, "no value for", key, "a fact is stated as KEY=VALUE");
	runbook_check_form(parsing, &given);
	if (parsing->code)
		return;
	entry = entry_put(parsing->runbook, section, key);
	free(entry->value);
	entry->value = take(value);
}

int runbook_state(struct runbook **runbook, const char *const *facts, size_t count, struct error *err)
{
	struct parsing parsing = { .err = err };

	if (!count)
		return 0;
	if (!*runbook) {
		*runbook = xcalloc(1, sizeof(**runbook));
		(*runbook)->path = xstrdup("--contract");
	}
	parsing.runbook = *runbook;
	for (size_t i = 0; i < count; i++)
		state_fact(&parsing, facts[i]);
	runbook_check_falsifiable(&parsing);
	return parsing.code;
}

static bool is_stored(const char *section)
{
	return !strcmp(section, "contract") || !strcmp(section, "bounds") || !strcmp(section, "hypothesis");
}

void runbook_note_contract(const struct runbook *runbook, struct profile *profile)
{
	for (size_t i = 0; i < runbook->count; i++) {
		const struct runbook_entry *entry = &runbook->entries[i];
		CLEANUP_TEXT char *key = xasprintf("%s.%s", entry->section, entry->key);

		if (is_stored(entry->section))
			profile_set_meta(profile, key, entry->value);
	}
}
