/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels to threads and objects, and back. The text of an object quotes what could be mistaken, so
 * that reading it gives the labels that made it.
 */
#include "format/labels.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "format/import.h"
#include "profile/profile.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- Threads ---------------------------------------------------------------------------------- */

struct thread_name { uint32_t pid, tid; const char *comm; };

static bool one_of(const char *key, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(key, *names))
			return true;
	return false;
}

/* A number, or a text that is nothing but one. */
static bool label_number(const struct label *label, uint32_t *ret)
{
	char *end = NULL;
	uint64_t number = (uint64_t)label->number;

	if (label->text) {
		number = strtoull(label->text, &end, 10);
		if (!isdigit((unsigned char)*label->text) || *end)
			return false;
	}
	if (number > UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

/* As crosscut, perf_data_converter, py-spy, Datadog and OpenTelemetry write them. */
static bool names_thread(const struct label *label, struct thread_name *thread)
{
	static const char *const pids[] = { "pid", "process_id", "process.pid", NULL };
	static const char *const tids[] = { "tid", "thread_id", "thread id", "thread.id", NULL };
	static const char *const names[] = { "thread", "thread_name", "thread name", "thread.name",
					     "thread_comm", NULL };

	if (one_of(label->key, pids))
		return label_number(label, &thread->pid);
	if (one_of(label->key, tids))
		return label_number(label, &thread->tid);
	if (!one_of(label->key, names) || !label->text)
		return false;
	thread->comm = label->text;
	return true;
}

/* --- Objects ---------------------------------------------------------------------------------- */

static int label_order(const void *left, const void *right)
{
	const struct label *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	if (!order)
		order = strcmp(a->text ? a->text : "", b->text ? b->text : "");
	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

static bool is_plain(const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_.:/-";

	return *text && text[strspn(text, plain)] == '\0';
}

static void text_quote(struct text *to, const char *text)
{
	text_append(to, "\"", 1);
	for (; *text; text++)
		if (*text == '\n')
			text_append(to, "\\n", 2);
		else if (*text == '"' || *text == '\\')
			text_print(to, "\\%c", *text);
		else
			text_append(to, text, 1);
	text_append(to, "\"", 1);
}

static void text_word(struct text *to, const char *text)
{
	if (is_plain(text))
		text_append(to, text, strlen(text));
	else
		text_quote(to, text);
}

static void label_print(struct text *to, const struct label *label)
{
	if (to->size)
		text_append(to, ", ", 2);
	text_word(to, label->key);
	text_append(to, "=", 1);
	if (label->text)
		text_quote(to, label->text);
	else
		text_print(to, "%" PRId64, label->number);
	if (label->text || !label->unit || !*label->unit)
		return;
	text_append(to, " ", 1);
	text_word(to, label->unit);
}

void labels_read(struct import *import, struct label *rows, size_t count,
		 struct thread_id *ret_thread, struct object_id *ret_object)
{
	struct text text = TEXT(LABELS_TEXT_LIMIT);
	struct profile *profile = import_profile(import);
	struct thread_name thread = { 0 };
	struct object object = { 0 };

	*ret_object = (struct object_id){ 0 };
	if (count)
		qsort(rows, count, sizeof(*rows), label_order);
	for (size_t i = 0; i < count; i++)
		if (!names_thread(&rows[i], &thread))
			label_print(&text, &rows[i]);
	*ret_thread = import_thread(import, thread.pid, thread.tid, thread.comm);
	if (text.size) {
		object.kind = profile_string(profile, "labels");
		object.name = profile_string_size(profile, text.bytes, text.size);
		*ret_object = profile_object(profile, object);
	}
	if (text.cut)
		import_warn(import, "labels of more than 64 KiB were cut", NULL, 0);
	text_done(&text);
}

/* --- Back ------------------------------------------------------------------------------------- */

bool labels_are(const struct profile *profile, struct object_id id)
{
	const struct object *object = profile_object_at(profile, id.index);

	return id.index && !strcmp(profile_text(profile, object->kind), "labels");
}

/* A word, quoted or not, and a zero byte after it. Returns where it stands in scratch. */
static size_t word_take(const char **at, struct text *scratch)
{
	size_t start = scratch->size;

	if (**at != '"') {
		size_t size = strcspn(*at, "=, ");

		text_append(scratch, *at, size);
		*at += size;
	} else {
		for (++*at; **at && **at != '"'; ++*at) {
			bool escaped = **at == '\\' && (*at)[1];

			*at += escaped;
			text_append(scratch, escaped && **at == 'n' ? "\n" : *at, 1);
		}
		*at += **at == '"';
	}
	text_append(scratch, "", 1);
	return start;
}

bool labels_next(const char **at, struct text *scratch, struct label *ret)
{
	size_t key, text = 0, unit = 0;

	text_clear(scratch);
	*ret = (struct label){ 0 };
	if (!**at)
		return false;
	key = word_take(at, scratch);
	*at += **at == '=';
	if (**at == '"') {
		text = word_take(at, scratch);
	} else {
		ret->number = strtoll(*at, (char **)at, 10);
		if (**at == ' ') {
			++*at;
			unit = word_take(at, scratch);
		}
	}
	if (**at && **at != ',')
		return false;
	*at += strspn(*at, ", ");
	ret->key = scratch->bytes + key;
	ret->text = text ? scratch->bytes + text : NULL;
	ret->unit = unit ? scratch->bytes + unit : "";
	return true;
}
