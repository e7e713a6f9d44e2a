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

struct counter { char name[NAME_MOST], unit[16]; double value, running; bool missing, torn; };

/* --- Numbers ---------------------------------------------------------------------------------- */

/* A blank that does not break the line, a narrow one, an apostrophe: as locales part thousands. */
static size_t grouping_size(const char *text)
{
	static const char *const marks[] = { "\u00a0", "\u202f", "\u2019", "'" };

	for (size_t i = 0; i < ARRAY_LENGTH(marks); i++)
		if (!strncmp(text, marks[i], strlen(marks[i])))
			return strlen(marks[i]);
	return 0;
}

/* "1,234,567.25"; false where other characters stand in it. decimal 0: no thousands are parted, so that either mark is one. */
static bool number_parse(const char *text, char decimal, double *ret)
{
	char digits[64], *end;
	size_t count = 0, grouping;

	while (*text && count < sizeof(digits) - 1) {
		grouping = grouping_size(text);
		if (grouping) {
			text += grouping;
			continue;
		}
		if (*text == decimal || (!decimal && *text == ','))
			digits[count++] = '.';
		else if (!decimal || (*text != ',' && *text != '.'))
			digits[count++] = *text;
		text++;
	}
	digits[count] = '\0';
	*ret = strtod(digits, &end);
	return count && !*end && (*digits == '.' || (*digits >= '0' && *digits <= '9')) && *ret >= 0 && *ret < 1e19;
}

static char other_mark(char mark)
{
	return mark == ',' ? '.' : ',';
}

/* The decimal mark as a number shows it, 0 where it does not: "0,777" and "1.036,31" do, and "1.119" is either. */
static char decimal_shown(const char *word)
{
	const char *first = NULL, *last = NULL, *at = word;

	for (; *at; at++) {
		if (*at == ',' || *at == '.') {
			first = first ? first : at;
			last = at;
		} else if (grouping_size(at)) {
			at += grouping_size(at) - 1;
		} else if (*at < '0' || *at > '9') {
			return 0;
		}
	}
	if (!first || first == word)
		return 0;
	if (*first != *last)
		return *last;
	if (first != last)
		return other_mark(*first);
	return at - last != 4 || first - word > 3 || *word == '0' ? *first : 0;
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

/* Thousands that are parted by blanks are words of their own. */
static void words_join(char **words, size_t *count, size_t at)
{
	static const char digits[] = "0123456789";

	while (at + 2 < *count && strspn(words[at], digits) == strlen(words[at]) && strspn(words[at + 1], digits) == 3 &&
	       strspn(words[at + 1] + 3, ".,") <= 1) {
		memmove(words[at] + strlen(words[at]), words[at + 1], strlen(words[at + 1]) + 1);
		memmove(&words[at + 1], &words[at + 2], (--*count - at - 1) * sizeof(*words));
	}
}

/* The decimal mark as a line of text shows it. What has no unit was counted one by one: a mark in it parts thousands. */
static char decimal_of(const char *text)
{
	CLEANUP_TEXT char *line = xstrdup(text);
	char *rest = NULL, *first = strtok_r(line, " \t", &rest), *word = first, decimal = 0;
	const char *mark;

	if (!first || strstr(text, "counter stats for"))
		return 0;
	for (; word && !decimal; word = strtok_r(NULL, " \t", &rest))
		decimal = decimal_shown(word);
	mark = strpbrk(first, ".,");
	if (decimal || !mark || strspn(first, "0123456789.,") != strlen(first))
		return decimal;
	word = first + strlen(first);
	word = strtok_r(word < line + strlen(text) ? word + 1 : word, " \t", &rest);
	return word && !is_unit(word) ? other_mark(*mark) : 0;
}

static bool text_parse(char *line, char decimal, struct counter *ret)
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
	if (count >= 4 && strchr(words[0], decimal) && number_parse(words[0], decimal, &ret->value) &&
	    number_parse(words[1], decimal, &ret->value))
		at = 1;                          /* an interval's time in front */
	words_join(words, &count, at);
	if (count < at + 2 || count > at + 3 || !number_parse(words[at], decimal, &ret->value))
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

/* Decimal commas between fields that are parted by commas: which belong together can only be guessed. */
static bool is_torn(char separator, char *const *fields, size_t value)
{
	const char *first = fields[0] + strspn(fields[0], " ");

	return separator == ',' && value && *first && strspn(first, "0123456789") == strlen(first);
}

static bool fields_read(char *line, char separator, struct counter *ret)
{
	char *fields[FIELDS_MOST];
	size_t count = fields_split(line, separator, fields);
	double other;

	for (size_t i = 0; i + 2 < count && i < 4; i++) {
		char *value = fields[i] + strspn(fields[i], " ");

		ret->missing = !strncmp(value, "<not", 4);
		if ((!ret->missing && !number_parse(value, 0, &ret->value)) || !is_unit(fields[i + 1]) ||
		    !*fields[i + 2] || number_parse(fields[i + 2], 0, &other))
			continue;
		ret->torn = is_torn(separator, fields, i);
		copy(ret->unit, sizeof(ret->unit), fields[i + 1]);
		copy(ret->name, sizeof(ret->name), fields[i + 2]);
		if (i + 4 < count)
			ret->running = strtod(fields[i + 4], NULL);
		return true;
	}
	return false;
}

static bool fields_parse(const char *line, struct counter *ret)
{
	static const char separators[] = ",;|\t:";

	for (size_t i = 0; separators[i]; i++) {
		const char *first = strchr(line, separators[i]);
		CLEANUP_TEXT char *copy = first && strchr(first + 1, separators[i]) ? xstrdup(line) : NULL;

		*ret = (struct counter){ .running = 100 };
		if (copy && fields_read(copy, separators[i], ret))
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
	return ret->missing || number_parse(value, 0, &ret->value);
}

/* As programs read it. */
static bool fields_or_json(const char *line, struct counter *ret)
{
	const char *start = line + strspn(line, " \t");

	*ret = (struct counter){ .running = 100 };
	if (*start == '{')
		return json_parse(line, ret);
	return *start && *start != '#' && fields_parse(line, ret);
}

static bool counter_parse(const char *line, char decimal, struct counter *ret)
{
	CLEANUP_TEXT char *text = xstrdup(line);

	*ret = (struct counter){ .running = 100 };
	return line[strspn(line, " \t")] != '#' && text_parse(text, decimal, ret);
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

static void counter_tell(struct import *import, const struct counter *counter, uint64_t number)
{
	if (counter->torn) {
		import_skipped(import, "commas part both its fields and decimals (perf stat -x ';')", "line", number);
		return;
	}
	if (counter->missing)
		import_warn(import, "a counter was not supported or not counted", "line", number);
	else
		counter_add(import, counter);
	if (!counter->missing && counter->running < 100)
		import_warn(import, "a counter ran a part of the time only: its value is perf's estimate", "line", number);
}

/* Lines of text wait until one of them shows what the decimal mark is. */
struct waiting { struct waiting_line { char *text; uint64_t number; } *lines; size_t count, room; char decimal; };

static void waiting_tell(struct import *import, struct waiting *waiting)
{
	struct counter counter;

	for (size_t i = 0; i < waiting->count; i++) {
		if (counter_parse(waiting->lines[i].text, waiting->decimal, &counter))
			counter_tell(import, &counter, waiting->lines[i].number);
		free(waiting->lines[i].text);
	}
	waiting->count = 0;
}

/* No line showed it: what a counter would be by either mark says whether that matters. */
static void decide(struct import *import, struct waiting *waiting)
{
	struct counter point, comma;

	waiting->decimal = '.';
	for (size_t i = 0; i < waiting->count; i++)
		if (counter_parse(waiting->lines[i].text, '.', &point) && counter_parse(waiting->lines[i].text, ',', &comma) &&
		    point.value != comma.value)
			import_warn(import, "a number's mark may be of decimals or of thousands: points are taken for decimal ones",
				    "line", waiting->lines[i].number);
}

static void line_take(struct import *import, struct input *input, struct waiting *waiting, const char *line)
{
	struct counter counter;

	if (fields_or_json(line, &counter)) {
		counter_tell(import, &counter, input_line_number(input));
		return;
	}
	if (!waiting->decimal)
		waiting->decimal = decimal_of(line);
	grow(waiting->lines, waiting->count, waiting->room);
	waiting->lines[waiting->count++] = (struct waiting_line){ xstrdup(line), input_line_number(input) };
	if (waiting->decimal)
		waiting_tell(import, waiting);
}

static int perf_stat_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &perf_stat_format);
	struct waiting waiting = { 0 };
	const char *line;
	size_t size;

	import_source(import, "perf stat");
	while ((line = input_line(input, &size)))
		line_take(import, input, &waiting, line);
	if (!waiting.decimal)
		decide(import, &waiting);
	waiting_tell(import, &waiting);
	free(waiting.lines);
	return import_finish(import, err);
}

static int perf_stat_recognise(const void *head, size_t size)
{
	CLEANUP_TEXT char *text = xstrndup(head, size < 4096 ? size : 4096);
	char *rest = NULL;
	size_t lines = 0, counters = 0;

	if (strstr(text, "Performance counter stats for") || strstr(text, " counts unit events"))
		return 90;
	if (strstr(text, "\"counter-value\""))
		return 90;
	for (char *line = strtok_r(text, "\r\n", &rest); line && lines < 10; line = strtok_r(NULL, "\r\n", &rest)) {
		struct counter counter;

		if (*line == '#')
			continue;
		lines++;
		counters += fields_or_json(line, &counter);
	}
	return lines && counters == lines ? 65 : 0;
}

const struct format perf_stat_format = {
	.name = "perf-stat",
	.summary = "counters of perf stat: text, -x fields, -j JSON",
	.recognise = perf_stat_recognise,
	.read = perf_stat_read,
};
