/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTML file that needs nothing else: the page, built from web/ and linked in whole, with the title and the
 * document's JSON put in at its two marks. A small document stays readable; a large one is gzip and base64, which the
 * browser undoes itself. Both are streamed, so that 200,000 nodes cost no second copy.
 *
 *	document ─▶ json_writer ─▶ gzip ─▶ base64 ─▶ output
 */
#include "base/cleanup.h"
#include "base/output.h"
#include "result/document.h"
#include "result/timeline.h"
#include "view/gzip_base64.h"
#include "view/json.h"
#include "view/json_writer.h"
#include "view/view.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(name) #name
#define QUOTED(name) TEXT_OF(name)

__asm__(".section .rodata\n"
	".balign 16\n"
	"crosscut_page:\n"
	".incbin " QUOTED(CROSSCUT_PAGE) "\n"
	".byte 0\n"
	".balign 16\n"
	".previous\n");

extern const char crosscut_page[] __attribute__((visibility("hidden")));

enum { READABLE_PARTS_MOST = 2000 };
static const char title_mark[] = "<!--crosscut:title-->";
static const char document_mark[] = "<!--crosscut:document-->";

static void write_escaped(struct output *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '<' || *text == '>' || *text == '&')
			output_print(to, "&#%d;", *text);
		else
			output_write(to, text, 1);
	}
}

static size_t document_parts(const struct document *document)
{
	size_t parts = 0;

	for (size_t i = 0; i < document->section_count; i++) {
		const struct section *section = &document->sections[i];

		if (section->kind == SECTION_TREE)
			parts += section->tree->node_count;
		else if (section->kind == SECTION_TABLE)
			parts += section->table->row_count;
		else if (section->kind == SECTION_TIMELINE)
			parts += section->timeline->span_count;
	}
	return parts;
}

static void write_readable(const struct document *document, struct output *to)
{
	struct json_writer json = { .to = to, .markup_safe = true };

	output_puts(to, "<script type=\"application/json\" id=\"document\">");
	json_document(&json, document, JSON_FOR_PAGE);
	output_puts(to, "</script>");
}

static ssize_t pack(void *packer, const char *bytes, size_t size)
{
	gzip_base64_write(packer, bytes, size);
	return (ssize_t)size;
}

static void write_packed(const struct document *document, struct output *to)
{
	struct gzip_base64 *packer = gzip_base64_new(to);
	FILE *file = fopencookie(packer, "w", (cookie_io_functions_t){ .write = pack });
	struct output through;
	struct json_writer json = { .to = &through };

	output_puts(to, "<script type=\"application/gzip\" id=\"document\">");
	if (file) {
		output_to_file(&through, file);
		json_document(&json, document, JSON_FOR_PAGE);
		(void)fclose(file);      /* packing cannot fail; `to` keeps what can */
	} else {
		to->code = to->code ? to->code : -ENOMEM;
	}
	gzip_base64_finish(packer);
	output_puts(to, "</script>");
}

static int html_render(const struct document *document, const struct view_style *style, struct output *to)
{
	const char *title = strstr(crosscut_page, title_mark), *mark = strstr(crosscut_page, document_mark);

	assert(title && mark && title < mark);
	(void)style;
	output_write(to, crosscut_page, (size_t)(title - crosscut_page));
	write_escaped(to, document->title);
	title += strlen(title_mark);
	output_write(to, title, (size_t)(mark - title));
	if (document_parts(document) <= READABLE_PARTS_MOST)
		write_readable(document, to);
	else
		write_packed(document, to);
	output_puts(to, mark + strlen(document_mark));
	return to->code;
}

extern const struct view view_html;
const struct view view_html = {
	.name = "html",
	.summary = "one self-contained page for a browser",
	.suffix = ".html",
	.render = html_render,
};
