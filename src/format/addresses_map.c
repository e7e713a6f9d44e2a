/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map of a process' memory as text. The forms that are about:
 *
 *	00400000-00fcb000 r-xp 00000000 08:01 1234  /usr/bin/server      /proc/PID/maps
 *	  7fcdc272f000-7fcdc28dd000: /libc-2.15.so                       gperftools
 *	0x40000-0x80000 /path/to/binary (@FF00) abc123456                with offset and build id
 *	build=/path/to/binary                                            $build stands for it below
 *
 * A line of a log may have "program.cc:12] " in front of it.
 */
#include "format/addresses.h"

#include "base/memory.h"
#include "base/text.h"
#include "format/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_LINE_LIMIT = 64 * 1024, WORDS = 8 };

bool addresses_is_map_head(const char *line, size_t size)
{
	static const char *const heads[] = { "--- Memory map: ---", "MAPPED_LIBRARIES:" };

	for (size_t i = 0; i < ARRAY_LENGTH(heads); i++)
		if (memmem(line, size, heads[i], strlen(heads[i])))
			return true;
	return false;
}

/* --- Words ------------------------------------------------------------------------------------ */

static bool take_hex(const char **at, uint64_t *ret)
{
	const char *c = *at;
	uint64_t number = 0;

	if (c[0] == '0' && c[1] == 'x' && isxdigit((unsigned char)c[2]))
		c += 2;
	if (!isxdigit((unsigned char)*c))
		return false;
	for (; isxdigit((unsigned char)*c); c++) {
		if (number >> 60)
			return false;
		number = number << 4 | (uint64_t)(isdigit((unsigned char)*c) ? *c - '0'
									    : (*c | 32) - 'a' + 10);
	}
	*ret = number;
	*at = c;
	return true;
}

static bool is_hex(const char *word, uint64_t *ret)
{
	uint64_t number;

	if (!word || (word[0] == '0' && word[1] == 'x') || !take_hex(&word, &number) || *word)
		return false;
	*ret = number;
	return true;
}

static bool is_device(const char *word)
{
	uint64_t ignored;

	return word && take_hex(&word, &ignored) && *word == ':' && ++word &&
	       take_hex(&word, &ignored) && !*word;
}

static bool is_digits(const char *word)
{
	return word && *word && !word[strspn(word, "0123456789")];
}

static bool is_rights(const char *word)
{
	return word && *word && !word[strspn(word, "-rwxp")];
}

static bool is_offset(const char *word, uint64_t *ret)
{
	size_t size = word ? strlen(word) : 0;

	if (size < 4 || word[0] != '(' || word[1] != '@' || word[size - 1] != ')')
		return false;
	word += 2;
	return take_hex(&word, ret) && *word == ')';
}

/* Cuts a text into words in place. Missing ones are NULL. */
static void words_cut(char *text, char *words[WORDS])
{
	size_t count = 0;

	memset(words, 0, WORDS * sizeof(*words));
	for (char *word = strtok(text, " \t\r"); word && count < WORDS - 1;
	     word = strtok(NULL, " \t\r"))
		words[count++] = word;
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* "server.cc:12] " in front of a line goes. */
static const char *log_skip(const char *line)
{
	const char *bracket = strchr(line, ']'), *digits = bracket;

	if (!bracket || !isspace((unsigned char)bracket[1]) || memchr(line, '[', (size_t)(bracket - line)))
		return line;
	while (digits > line && isdigit((unsigned char)digits[-1]))
		digits--;
	if (digits == bracket || digits < line + 2 || digits[-1] != ':')
		return line;
	return bracket + 2;
}

/* "$name" is replaced by what "name=value" said before. */
static void line_expand(const struct addresses *addresses, const char *line, struct text *to)
{
	while (*line) {
		size_t i, size = 0;

		for (i = 0; *line == '$' && i < addresses->attribute_count; i++) {
			size = strcspn(addresses->attributes[i], "=");
			if (!strncmp(line + 1, addresses->attributes[i], size))
				break;
		}
		if (*line == '$' && i < addresses->attribute_count) {
			text_print(to, "%s", addresses->attributes[i] + size + 1);
			line += 1 + size;
		} else {
			text_append(to, line++, 1);
		}
	}
}

static void attribute_keep(struct addresses *addresses, const char *line)
{
	const char *equals = strchr(line, '='), *value, *name = line;
	size_t name_size, value_size;

	if (!equals || addresses->attribute_count == ADDRESSES_ATTRIBUTES)
		return;
	name_size = (size_t)(equals - line);
	value = equals + 1;
	value_size = strlen(value);
	line_trim(&name, &name_size);
	line_trim(&value, &value_size);
	if (name_size)
		addresses->attributes[addresses->attribute_count++] = xasprintf(
			"%.*s=%.*s", (int)name_size, name, (int)value_size, value);
}

/* The words behind the range. Returns false for what is mapped but holds no code. */
static bool words_read(struct addresses *addresses, char *words[WORDS],
		       struct address_mapping *mapping)
{
	size_t at = is_rights(words[0]);
	size_t offset_at = is_hex(words[at], &mapping->offset) && is_device(words[at + 1]);

	if (at && !strchr(words[0], 'x'))
		return false;
	if (is_device(words[at + offset_at]) && is_digits(words[at + offset_at + 1])) {
		mapping->offset = offset_at ? mapping->offset : 0;
		mapping->path = profile_string(addresses->profile, words[at + offset_at + 2]);
		return true;
	}
	mapping->offset = 0;
	mapping->path = profile_string(addresses->profile, words[at]);
	if (!words[at])
		return true;
	at++;
	at += is_offset(words[at], &mapping->offset);
	if (words[at] && !words[at][strspn(words[at], "0123456789abcdefABCDEF")])
		mapping->build_id = profile_string(addresses->profile, words[at]);
	return true;
}

static bool range_read(const char **at, struct address_mapping *mapping)
{
	*at += strspn(*at, " \t");
	if (!take_hex(at, &mapping->start))
		return false;
	*at += **at == '-' || **at == ' ' || **at == '\t';
	*at += strspn(*at, " \t");
	if (!take_hex(at, &mapping->limit))
		return false;
	*at += **at == ':';
	return !**at || isspace((unsigned char)**at);
}

void addresses_map_line(struct addresses *addresses, const char *line, size_t size)
{
	struct text expanded = TEXT(MAP_LINE_LIMIT);
	struct address_mapping mapping = { 0 };
	CLEANUP_TEXT char *copy = xstrndup(line, size < MAP_LINE_LIMIT ? size : MAP_LINE_LIMIT);
	char *words[WORDS], *rest = NULL;
	const char *at;

	line_expand(addresses, log_skip(copy), &expanded);
	at = text_string(&expanded);
	if (!range_read(&at, &mapping)) {
		attribute_keep(addresses, text_string(&expanded));
	} else if (addresses->mapping_count < ADDRESSES_MAPPINGS) {
		rest = xstrdup(at);
		words_cut(rest, words);
		if (words_read(addresses, words, &mapping) && mapping.start < mapping.limit) {
			grow(addresses->mappings, addresses->mapping_count, addresses->mapping_room);
			addresses->mappings[addresses->mapping_count++] = mapping;
		}
	}
	free(rest);
	text_done(&expanded);
}

void addresses_map_text(struct addresses *addresses, const char *text, size_t size)
{
	const char *end = text + size, *line;

	while (line_next(&text, end, &line, &size))
		addresses_map_line(addresses, line, size);
}
