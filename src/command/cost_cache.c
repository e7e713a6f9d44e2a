/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is one flat JSON object with a number a line, so that a person and any program can read it, and so can the
 * few lines below. What it says is shown, never acted on: a damaged file costs a figure, nothing else.
 */
#include "command/cost_cache.h"

#include "base/cleanup.h"
#include "base/directory.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { FILE_LIMIT = 64 << 10 };

#define FIELDS(rate)                                                                              \
	{ #rate ".without_ns", offsetof(struct capture_cost, rate.without_ns) },                  \
	{ #rate ".with_ns", offsetof(struct capture_cost, rate.with_ns) },                        \
	{ #rate ".added_ns", offsetof(struct capture_cost, rate.added_ns) },                      \
	{ #rate ".low_ns", offsetof(struct capture_cost, rate.low_ns) },                          \
	{ #rate ".high_ns", offsetof(struct capture_cost, rate.high_ns) },                        \
	{ #rate ".pairs", offsetof(struct capture_cost, rate.pairs) }

static const struct { const char *name; size_t at; } fields[] = {
	{ "measured_wall_s", offsetof(struct capture_cost, measured_wall_s) },
	FIELDS(ping_pong),
	FIELDS(getppid),
};

static char *cache_path(const char *directory)
{
	struct utsname system;

	return xasprintf("%s/cost-%s.json", directory, uname(&system) ? "unknown" : system.release);
}

/* --- Reading ---------------------------------------------------------------------------------------------------- */

static double *field_of(struct capture_cost *cost, const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
		if (!strcmp(fields[i].name, name))
			return (double *)((char *)cost + fields[i].at);
	return NULL;
}

/* "program.NAME.ns", "program.NAME.runs". */
static double *program_field_of(struct capture_cost *cost, const char *name)
{
	const char *program = strncmp(name, "program.", 8) ? NULL : name + 8;
	const char *dot = program ? strrchr(program, '.') : NULL;
	size_t length = dot ? (size_t)(dot - program) : 0, i = 0;

	if (!length || length >= sizeof(cost->programs[0].name) || (strcmp(dot, ".ns") && strcmp(dot, ".runs")))
		return NULL;
	while (i < cost->program_count &&
	       (strncmp(cost->programs[i].name, program, length) || cost->programs[i].name[length]))
		i++;
	if (i == COST_PROGRAM_LIMIT)
		return NULL;
	if (i == cost->program_count)
		memcpy(cost->programs[cost->program_count++].name, program, length);
	return strcmp(dot, ".ns") ? &cost->programs[i].runs : &cost->programs[i].ns;
}

static void read_line(struct capture_cost *cost, const char *line)
{
	char name[80];
	double value, *field;

	if (sscanf(line, " \"%79[^\"]\": %lf", name, &value) != 2 || !isfinite(value))
		return;
	field = field_of(cost, name);
	if (!field)
		field = program_field_of(cost, name);
	if (field)
		*field = value;
}

bool cost_cache_read(struct capture_cost *ret)
{
	CLEANUP_TEXT char *directory = directory_of_caches(), *path = cache_path(directory);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	struct stat status;
	char line[256];

	*ret = (struct capture_cost){ 0 };
	if (!file)
		return false;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_size <= FILE_LIMIT)
		while (fgets(line, sizeof(line), file))
			read_line(ret, line);
	(void)fclose(file);
	return ret->measured_wall_s > 0;
}

/* --- Writing ---------------------------------------------------------------------------------------------------- */

static void write_fields(const struct capture_cost *cost, struct output *to)
{
	output_print(to, "{\n  \"schema\": \"crosscut.cost/1\"");
	for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
		output_print(to, ",\n  \"%s\": %.17g", fields[i].name, *(const double *)((const char *)cost + fields[i].at));
	for (size_t i = 0; i < cost->program_count; i++)
		output_print(to, ",\n  \"program.%s.ns\": %.17g,\n  \"program.%s.runs\": %.17g", cost->programs[i].name,
			     cost->programs[i].ns, cost->programs[i].name, cost->programs[i].runs);
	output_print(to, "\n}\n");
}

int cost_cache_write(const struct capture_cost *cost, struct error *err)
{
	CLEANUP_TEXT char *directory = directory_of_caches(), *path = cache_path(directory);
	CLEANUP_TEXT char *fresh = xasprintf("%s.new", path);
	struct output to;
	int r = directory_make(directory);

	if (r < 0)
		return fail(err, FAILURE_WORK, r, "cannot keep the cost in '%s'", directory);
	r = output_open(&to, fresh, OUTPUT_REPLACE, err);
	if (r < 0)
		return r;
	write_fields(cost, &to);
	r = output_finish(&to, err);
	if (!r && rename(fresh, path))
		r = fail(err, FAILURE_WORK, -errno, "cannot keep the cost in '%s'", path);
	return r;
}

const struct program_cost *cost_of_program(const struct capture_cost *cost, const char *program)
{
	for (size_t i = 0; i < cost->program_count; i++)
		if (!strcmp(cost->programs[i].name, program) && cost->programs[i].runs > 0)
			return &cost->programs[i];
	return NULL;
}

double cost_outside_ns(const struct capture_cost *cost)
{
	static const char *const twice[] = { "sched_switched", "sched_waken", "sched_woken" };
	double left_ns = cost->ping_pong.pairs > 0 ? cost->ping_pong.low_ns : 0;

	for (size_t i = 0; i < ARRAY_LENGTH(twice); i++) {
		const struct program_cost *program = cost_of_program(cost, twice[i]);

		left_ns -= program ? 2 * program->ns : 0;
	}
	return left_ns > 0 ? left_ns / 4 : 0;
}
