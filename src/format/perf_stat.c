/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of `perf stat`: its text, its fields (-x SEPARATOR), its JSON lines (-j). Each counter is
 * an amount of its own; what was counted a part of the time only is perf's estimate, and said to be
 * one. Which field holds the value depends on -I and on what perf summed over, so it is found by
 * its shape: a value, a unit or nothing, a name.
 *
 *	         1,234,567      instructions              #    0.85  insn per cycle           (83.1%)
 *	1234567,,instructions,940000,83.10,0.85,insn per cycle
 *	{"counter-value" : "1234567.000000", "unit" : "", "event" : "instructions", "pcnt-running" : 83.10}
 */
#include "base/memory.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"

#include <stdlib.h>
#include <string.h>

extern const struct format perf_stat_format;

enum { FIELDS_MOST = 16, NAME_MOST = 128 };

struct counter { char name[NAME_MOST], unit[16]; double value, running; bool missing; };

/* --- Numbers ---------------------------------------------------------------------------------- */

/* "1,234,567.25"; false where other characters stand in it. */
static bool number_parse(const char *text, double *ret)
{
	char digits[64], *end;
	size_t count = 0;

	for (; *text && count < sizeof(digits) - 1; text++)
		if (*text != ',')
			digits[count++] = *text;
	digits[count] = '\0';
	*ret = strtod(digits, &end);
	return count && !*end && (*digits == '.' || (*digits >= '0' && *digits <= '9')) && *ret >= 0 && *ret < 1e19;
}

static void copy(char *to, size_t room, const char *from)
{
	size_t size = strlen(from);

	size = size < room ? size : room - 1;
	memcpy(to, from, size);
	to[size] = '\0';
}

static bool is_unit(const char *text)
{
	static const char *const units[] = { "", "msec", "ns", "sec", "Joules", "MiB", "Bytes", "C", "%" };

	for (size_t i = 0; i < ARRAY_LENGTH(units); i++)
		if (!strcmp(text, units[i]))
			return true;
	return false;
}

/* --- Its three ways --------------------------------------------------------------------------- */

static bool text_parse(char *line, struct counter *ret)
{
	char *words[FIELDS_MOST], *rest = NULL, *hash = strchr(line, '#'), *percent = strrchr(line, '(');
	size_t count = 0, at = 0;

	if (percent && strstr(percent, "%)"))
		ret->running = strtod(percent + 1, NULL);
	if (percent && strstr(percent, "%)"))
		*percent = '\0';
	if (hash)
		*hash = '\0';
	for (char *word = strtok_r(line, " \t", &rest); word && count < FIELDS_MOST; word = strtok_r(NULL, " \t", &rest))
		words[count++] = word;
	if (count > 2 && words[0][0] == '<' && !strncmp(words[0], "<not", 4)) {
		ret->missing = true;
		copy(ret->name, sizeof(ret->name), words[2]);
		return true;
	}
	if (count >= 4 && number_parse(words[0], &ret->value) && number_parse(words[1], &ret->value))
		at = 1;                          /* an interval's time in front */
	if (count < at + 2 || count > at + 3 || !number_parse(words[at], &ret->value))
		return false;
	if (count == at + 3) {
		if (!is_unit(words[at + 1]))
			return false;
		copy(ret->unit, sizeof(ret->unit), words[at + 1]);
	}
	copy(ret->name, sizeof(ret->name), words[count - 1]);
	return strcmp(words[at + 1], "seconds") != 0;
}

static size_t fields_split(char *line, char separator, char *fields[FIELDS_MOST])
{
	size_t count = 0;

	while (line && count < FIELDS_MOST) {
		fields[count++] = line;
		line = strchr(line, separator);
		if (line)
			*line++ = '\0';
	}
	return count;
}

static char separator_of(const char *line)
{
	static const char known[] = ",;|\t:";

	for (size_t i = 0; known[i]; i++) {
		const char *first = strchr(line, known[i]);

		if (first && strchr(first + 1, known[i]))
			return known[i];
	}
	return 0;
}

static bool fields_parse(char *line, struct counter *ret)
{
	char separator = separator_of(line), *fields[FIELDS_MOST];
	size_t count = separator ? fields_split(line, separator, fields) : 0;
	double other;

	for (size_t i = 0; i + 2 < count && i < 4; i++) {
		char *value = fields[i] + strspn(fields[i], " ");

		ret->missing = !strncmp(value, "<not", 4);
		if ((!ret->missing && !number_parse(value, &ret->value)) || !is_unit(fields[i + 1]) ||
		    !*fields[i + 2] || number_parse(fields[i + 2], &other))
			continue;
		copy(ret->unit, sizeof(ret->unit), fields[i + 1]);
		copy(ret->name, sizeof(ret->name), fields[i + 2]);
		if (i + 4 < count)
			ret->running = strtod(fields[i + 4], NULL);
		return true;
	}
	return false;
}

/* The text behind "key" :, without its quotes. */
static bool json_value(const char *line, const char *key, char *to, size_t room)
{
	const char *at = strstr(line, key);
	size_t size;

	if (!at)
		return false;
	at += strlen(key);
	at += strspn(at, " :");
	if (*at == '"') {
		at++;
		size = strcspn(at, "\"");
	} else {
		size = strcspn(at, ",} ");
	}
	size = size < room ? size : room - 1;
	memcpy(to, at, size);
	to[size] = '\0';
	return true;
}

static bool json_parse(const char *line, struct counter *ret)
{
	char value[64], running[32];

	if (!json_value(line, "\"counter-value\"", value, sizeof(value)) ||
	    !json_value(line, "\"event\"", ret->name, sizeof(ret->name)) || !*ret->name)
		return false;
	(void)json_value(line, "\"unit\"", ret->unit, sizeof(ret->unit));
	if (json_value(line, "\"pcnt-running\"", running, sizeof(running)))
		ret->running = strtod(running, NULL);
	ret->missing = !strncmp(value, "<not", 4);
	return ret->missing || number_parse(value, &ret->value);
}

static bool counter_parse(const char *line, struct counter *ret)
{
	CLEANUP_TEXT char *text = xstrdup(line);
	CLEANUP_TEXT char *fields = xstrdup(line);
	const char *start = line + strspn(line, " \t");

	*ret = (struct counter){ .running = 100 };
	if (*start == '{')
		return json_parse(line, ret);
	if (!*start || *start == '#')
		return false;
	if (fields_parse(fields, ret))
		return true;
	*ret = (struct counter){ .running = 100 };
	return text_parse(text, ret);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static void counter_add(struct import *import, const struct counter *counter)
{
	const bool time = !strcmp(counter->unit, "msec");
	struct import_event event = {
		.name = counter->name,
		.unit = time ? "ns" : *counter->unit ? counter->unit : "count",
		.kind = DIMENSION_AMOUNT,
		.weighting = counter->running < 100 ? WEIGHTING_ESTIMATED : WEIGHTING_EXACT,
		.meaning = "counted by perf stat",
	};
	double value = counter->value * (time ? 1e6 : 1);

	import_sample(import, &(struct import_sample){ .measure = import_measure(import, &event),
						       .thread = import_thread(import, 0, 0, NULL),
						       .count = 1,
						       .value = value < 9.2e18 ? (uint64_t)(value + 0.5) : INT64_MAX });
}

static int perf_stat_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &perf_stat_format);
	const char *line;
	size_t size;

	import_source(import, "perf stat");
	while ((line = input_line(input, &size))) {
		struct counter counter;

		if (!counter_parse(line, &counter))
			continue;                /* headings, elapsed time, ratios: nothing that adds up */
		if (counter.missing)
			import_warn(import, "a counter was not supported or not counted", "line", input_line_number(input));
		else
			counter_add(import, &counter);
		if (!counter.missing && counter.running < 100)
			import_warn(import, "a counter ran a part of the time only: its value is perf's estimate", "line",
				    input_line_number(input));
	}
	return import_finish(import, err);
}

static int perf_stat_recognise(const void *head, size_t size)
{
	CLEANUP_TEXT char *text = xstrndup(head, size < 4096 ? size : 4096);
	char *rest = NULL;
	size_t lines = 0, counters = 0;

	if (strstr(text, "Performance counter stats for"))
		return 90;
	if (strstr(text, "\"counter-value\""))
		return 90;
	for (char *line = strtok_r(text, "\r\n", &rest); line && lines < 10; line = strtok_r(NULL, "\r\n", &rest)) {
		struct counter counter;
		char separator = separator_of(line);

		if (*line == '#')
			continue;
		lines++;
		counters += separator && counter_parse(line, &counter);
	}
	return lines && counters == lines ? 65 : 0;
}

const struct format perf_stat_format = {
	.name = "perf-stat",
	.summary = "counters of perf stat: text, -x fields, -j JSON",
	.recognise = perf_stat_recognise,
	.read = perf_stat_read,
};
