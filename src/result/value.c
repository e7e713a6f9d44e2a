/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cell of an answer. It owns what it holds, so that an analysis can free its working memory as soon as the document
 * is made. Texts are bounded: a cell holds a name or a stack, never a file.
 */
#include "result/value.h"

#include "base/memory.h"
#include "base/text.h"
#include "result/document.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_TEXT_LIMIT = 64 * 1024 };

struct value value_none(void)
{
	return (struct value){ .kind = VALUE_NONE };
}

struct value value_text(const char *text)
{
	return (struct value){ .kind = VALUE_TEXT, .text = xstrndup(text, VALUE_TEXT_LIMIT) };
}

struct value value_print(const char *format, ...)
{
	struct text text = TEXT(VALUE_TEXT_LIMIT);
	va_list arguments;

	va_start(arguments, format);
	text_print_list(&text, format, arguments);
	va_end(arguments);
	return (struct value){ .kind = VALUE_TEXT, .text = text_take(&text) };
}

struct value value_truth(bool truth)
{
	return (struct value){ .kind = VALUE_TRUTH, .truth = truth };
}

struct value value_integer(int64_t integer)
{
	return (struct value){ .kind = VALUE_INTEGER, .integer = integer };
}

struct value value_number(double number)
{
	return isfinite(number) ? (struct value){ .kind = VALUE_NUMBER, .number = number } : value_none();
}

struct value value_record(struct record *record)
{
	return (struct value){ .kind = VALUE_RECORD, .record = record };
}

struct value value_table(struct table *table)
{
	return (struct value){ .kind = VALUE_TABLE, .table = table };
}

void value_done(struct value *value)
{
	if (value->kind == VALUE_TEXT)
		free(value->text);
	else if (value->kind == VALUE_RECORD)
		record_free(value->record);
	else if (value->kind == VALUE_TABLE)
		table_free(value->table);
	*value = value_none();
}
