/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Reads bytes by one format and says what came of them, so that a test can compare texts:
 *
 *	space=20 (2) [bytes=10] malloc < main
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"

static inline int imported_as(const char *format, const void *bytes, size_t size,
			      struct profile **ret, struct error *err)
{
	struct input *input = input_memory(bytes, size, "test");
	int r = format_read_as(format_find(format), input, ret, err);

	input_free(input);
	return r;
}

static inline struct profile *imported(const char *format, const void *bytes, size_t size)
{
	struct profile *profile = NULL;
	struct error err = { 0 };
	int r = imported_as(format, bytes, size, &profile, &err);

	if (r < 0)
		(void)fprintf(stderr, "%s: %s\n", err.what, err.why);
	assert_int_equal(r, 0);
	assert_null(profile_broken(profile));
	return profile;
}

static inline void imported_refused(const char *format, const char *text, const char *why)
{
	struct profile *profile = NULL;
	struct error err = { 0 };

	assert_true(imported_as(format, text, strlen(text), &profile, &err) < 0);
	assert_int_equal(err.kind, FAILURE_WORK);
	if (!strstr(err.why, why))
		assert_string_equal(err.why, why);
}

static inline int imported_order(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static inline void imported_stack(const struct profile *profile, struct text *text,
				  struct stack_id stack)
{
	char name[256];

	for (bool first = true; stack.index; first = false) {
		text_print(text, "%s%s", first ? "" : " < ",
			   profile_frame_name(profile,
					      profile_stack_at(profile, stack.index).frame, name,
					      sizeof(name)));
		stack = profile_stack_at(profile, stack.index).parent;
	}
}

/* The cells split by stack, sorted; the caller frees the text. */
static inline char *imported_cells(const struct profile *profile)
{
	char *lines[256];
	struct text all = TEXT(1 << 20);
	size_t count = 0;

	for (size_t i = 0; i < profile_cell_count(profile) && count < 256; i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const char *labels = profile_text(
			profile, profile_object_at(profile, cell->object.index)->name);
		struct text line = TEXT(1 << 16);

		if (profile_measure_at(profile, cell->measure.index)->role != ROLE_SPLIT)
			continue;
		text_print(&line, "%s=%" PRIu64 " (%" PRIu64 ") ",
			   profile_text(profile,
					profile_dimension_at(
						profile,
						profile_cell_dimension(profile, cell).index)
						->name),
			   cell->value, cell->count);
		if (*labels)
			text_print(&line, "[%s] ", labels);
		imported_stack(profile, &line, cell->stack);
		lines[count++] = text_take(&line);
	}
	qsort(lines, count, sizeof(*lines), imported_order);
	for (size_t i = 0; i < count; i++) {
		text_print(&all, "%s\n", lines[i]);
		free(lines[i]);
	}
	return text_take(&all);
}

static inline void imported_text_is(const char *format, const char *bytes, const char *cells)
{
	struct profile *profile = imported(format, bytes, strlen(bytes));
	char *text = imported_cells(profile);

	assert_string_equal(text, cells);
	free(text);
	profile_free(profile);
}

/* Written as a format and read again. */
static inline struct profile *imported_again(const struct profile *profile, const char *format,
					     const struct format_options *options)
{
	struct text bytes = TEXT(64 << 20);
	struct error err = { 0 };
	struct profile *again;
	struct output to;
	int r;

	output_to_text(&to, &bytes);
	r = format_find(format)->write(profile, options, &to, &err);
	if (r < 0)
		(void)fprintf(stderr, "%s: %s\n", err.what, err.why);
	assert_int_equal(r, 0);
	assert_int_equal(output_finish(&to, &err), 0);
	again = imported(format, bytes.bytes, bytes.size);
	text_done(&bytes);
	return again;
}
