/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A text as the file of a format, and what a profile looks like in another. Whatever is read is whole. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"
#include "test.h"

enum { READING_LIMIT = 1 << 20 };

/* NULL where it is refused; the error then says why. The copy ends where the text does, for the sanitizers. */
static inline struct profile *reading_try(const char *format, const char *text, struct error *err)
{
	size_t size = strlen(text);
	char *copy = memcpy(xmalloc(size ? size : 1), text, size);
	struct input *input = input_memory(copy, size, "a test");
	struct profile *profile = NULL;
	int r = format_read_as(format_find(format), input, &profile, err);

	assert_true((r < 0) == !profile);
	if (profile)
		assert_null(profile_broken(profile));
	input_free(input);
	free(copy);
	return profile;
}

static inline struct profile *reading(const char *format, const char *text)
{
	struct error err = { 0 };
	struct profile *profile = reading_try(format, text, &err);

	if (!profile)
		print_error("%s: %s\n", err.what, err.why);
	assert_non_null(profile);
	return profile;
}

static inline void refused(const char *format, const char *text, const char *why)
{
	struct error err = { 0 };

	assert_null(reading_try(format, text, &err));
	assert_int_equal(err.kind, FAILURE_WORK);
	if (!strstr(err.why, why))
		print_error("%s\n", err.why);
	assert_non_null(strstr(err.why, why));
}

/* The caller frees it. */
static inline char *writing(const struct profile *profile, const char *format, const char *dimension)
{
	struct format_options options = { .dimension = dimension };
	struct text text = TEXT(READING_LIMIT);
	struct error err = { 0 };
	struct output to;

	output_to_text(&to, &text);
	if (format_find(format)->write(profile, &options, &to, &err) < 0)
		print_error("%s: %s\n", err.what, err.why);
	assert_int_equal(err.code, 0);
	assert_int_equal(output_finish(&to, &err), 0);
	return text_take(&text);
}

static inline void folded_is(const struct profile *profile, const char *dimension, const char *expected)
{
	CLEANUP_TEXT char *folded = writing(profile, "folded", dimension);

	assert_string_equal(folded, expected);
}

/* Written and read again it gives the same stacks. */
static inline void round_trip(const struct profile *profile, const char *format, const char *dimension, const char *after)
{
	CLEANUP_TEXT char *before = writing(profile, "folded", dimension), *text = writing(profile, format, dimension);
	CLEANUP(profile) struct profile *again = reading(format, text);

	folded_is(again, after, before);
}

/* Two stacks that differ in their roots alone, which lie deeper than most stacks go. */
static inline struct profile *reading_deep(void)
{
	struct text text = TEXT(READING_LIMIT);
	struct profile *profile;

	for (int i = 1; i <= 2; i++) {
		text_print(&text, "one;root%d", i);
		for (int depth = 0; depth < 2500; depth++)
			text_print(&text, ";f%d", depth);
		text_print(&text, " %d\n", i);
	}
	profile = reading("folded", text_string(&text));
	folded_is(profile, "samples", text_string(&text));
	text_done(&text);
	return profile;
}

/* Two names that differ in their last letter alone, of so many bytes. */
static inline struct profile *reading_long(int size)
{
	struct text text = TEXT(READING_LIMIT);
	struct profile *profile;

	for (int i = 1; i <= 2; i++)
		text_print(&text, "one;%0*d %d\n", size, i, 4 + i);
	profile = reading("folded", text_string(&text));
	folded_is(profile, "samples", text_string(&text));
	text_done(&text);
	return profile;
}

/* How often something was remarked: "3 skipped: …" or a text alone. */
static inline bool remarked(const struct profile *profile, const char *what)
{
	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		const char *key, *value;

		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, "import.remark.", 14) && strstr(value, what))
			return true;
	}
	return false;
}
