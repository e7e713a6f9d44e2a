/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A document as one of the views draws it, as a text that the caller frees. */
#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "result/document.h"
#include "view/view.h"

static inline char *rendered(const struct document *document, const char *view, struct view_style style)
{
	struct text text = TEXT(64 << 20);
	struct error err = { 0 };
	struct output to;

	output_to_text(&to, &text);
	assert_int_equal(view_find(view)->render(document, &style, &to), 0);
	assert_int_equal(output_finish(&to, &err), 0);
	return text_take(&text);
}
