/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in folded stacks. Those of a profile that came from perf are written as stackcollapse-perf.pl
 * of the FlameGraph tools writes them, so that nobody's later steps change: without arguments, with
 * the module where a symbol is missing, with marks for inlined, kernel and generated code. Names of
 * captures stay as they are.
 */
#include "format/folded.h"

#include "base/memory.h"
#include "base/text.h"
#include "format/choice.h"
#include "format/format.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LIMIT ((size_t)1 << 30)                 /* with all that was inlined */

void folded_names_init(struct folded_names *names, const struct profile *profile, const struct format_options *options)
{
	static const struct format_options none;
	const char *format = profile_meta(profile, "import.format");

	*names = (struct folded_names){ .profile = profile, .options = options ? options : &none };
	names->tidy = format && !strncmp(format, "perf", 4);
	for (int i = 0; i < 2; i++)
		names->texts[i] = xcalloc(profile_frame_count(profile), sizeof(char *));
}

void folded_names_done(struct folded_names *names)
{
	for (int i = 0; i < 2; i++) {
		for (size_t frame = 0; frame < profile_frame_count(names->profile); frame++)
			free(names->texts[i][frame]);
		free(names->texts[i]);
	}
}

void folded_append(struct text *into, const char *name, size_t size)
{
	size_t from = into->size;

	text_append(into, name, size);
	for (char *at = into->bytes + from; at < into->bytes + into->size; at++)
		*at = *at == ';' ? ':' : *at == '\n' || *at == '\r' ? ' ' : *at;
}

/* --- As stackcollapse-perf.pl has it ---------------------------------------------------------- */

/* "net/http.(*Client).Do": a dot, something in parentheses, a dot. */
static bool is_go_method(const char *name, size_t size)
{
	const char *open = memmem(name, size, ".(", 2);

	return open && memmem(open + 2, size - (size_t)(open + 2 - name), ").", 2);
}

static bool is_anonymous(const char *at, const char *end)
{
	static const char anonymous[] = "(anonymous namespace)";

	return (size_t)(end - at) >= sizeof(anonymous) - 1 && !memcmp(at, anonymous, sizeof(anonymous) - 1);
}

/* What stands from the first parenthesis on is noise, unless it says "(anonymous namespace)" or belongs to a template's
 * arguments, as in "std::function<int (int)>::operator()". */
static size_t arguments_strip(const char *name, size_t size)
{
	const char *end = name + size, *first = end;
	int depth = 0;

	for (const char *at = name; at < end; at++) {
		depth += *at == '<';
		depth -= *at == '>' && (at == name || at[-1] != '-');
		if (*at != '(' || is_anonymous(at, end))
			continue;
		if (depth <= 0)
			return (size_t)(at - name);
		first = first == end ? at : first;
	}
	return depth <= 0 ? size : (size_t)(first - name);       /* "operator<(a, b)" opens what nothing closes */
}

static void tidy_append(struct text *into, const char *name, bool java)
{
	size_t size = strlen(name), from;
	char *kept;

	if (!is_go_method(name, size))
		size = arguments_strip(name, size);
	if (java && size && *name == 'L' && memchr(name, '/', size)) {
		name++;
		size--;
	}
	from = into->size;
	folded_append(into, name, size);
	kept = into->bytes + from;
	for (char *at = kept; at < into->bytes + into->size; at++)
		if (*at != '"' && *at != '\'')
			*kept++ = *at;
	into->size = (size_t)(kept - into->bytes);
	*kept = '\0';
}

static bool is_kernel_module(const char *module)
{
	size_t size = strlen(module);

	return (*module == '[' || (size >= 7 && !strcmp(module + size - 7, "vmlinux"))) && !strstr(module, "unknown");
}

static bool is_perf_map(const char *module)
{
	const char *at = strstr(module, "/tmp/perf-");
	size_t digits = at ? strspn(at + 10, "0123456789") : 0;

	return digits && !strncmp(at + 10 + digits, ".map", 4);
}

static void mark_append(struct folded_names *names, const struct frame *frame, bool inlined, struct text *into)
{
	const struct format_options *options = names->options;
	const char *module = profile_text(names->profile, profile_file_at(names->profile, frame->file.index)->path);

	if (inlined)
		text_append(into, "_[i]", names->tidy ? 4 : 0);
	else if (options->kernel && (names->tidy ? is_kernel_module(module) : frame->method == METHOD_KERNEL))
		text_append(into, "_[k]", 4);
	else if (options->jit && (is_perf_map(module) || frame->method == METHOD_GENERATED))
		text_append(into, "_[j]", 4);
}

/* "[libc.so.6]", "[libc.so.6 <7f1e2215d058>]", "[unknown]" */
static void nameless_append(struct folded_names *names, const struct frame *frame, struct text *into)
{
	const char *module = profile_text(names->profile, profile_file_at(names->profile, frame->file.index)->path);
	const char *slash = strrchr(module, '/');

	text_append(into, "[", 1);
	tidy_append(into, slash ? slash + 1 : *module ? module : "unknown", false);
	if (names->options->addresses)
		text_print(into, " <%" PRIx64 ">", frame->offset);
	text_append(into, "]", 1);
}

/* --- Frames ----------------------------------------------------------------------------------- */

static void one_append(struct folded_names *names, struct frame_id id, const char *name, bool java, struct text *into)
{
	const struct frame *frame = profile_frame_at(names->profile, id.index);
	char text[4096];

	if (!names->tidy) {
		name = name ? name : choice_frame_name(names->profile, id, text, sizeof(text));
		folded_append(into, name, strlen(name));
	} else if (name) {
		tidy_append(into, name, java);
	} else {
		nameless_append(names, frame, into);
	}
}

static char *frame_make(struct folded_names *names, struct frame_id id, bool java)
{
	const struct frame *frame = profile_frame_at(names->profile, id.index);
	struct text text = TEXT(NAME_LIMIT);
	size_t count;
	const struct symbol *symbols = profile_frame_symbols(names->profile, id, &count);
	const char *own = frame->name.index ? profile_text(names->profile, frame->name) : NULL;

	if (!count) {
		one_append(names, id, own, java, &text);
		mark_append(names, frame, false, &text);
	}
	for (size_t i = count; i-- > 0;) {
		const char *name = symbols[i].name.index ? profile_text(names->profile, symbols[i].name) : i ? "[unknown]" : own;

		if (text.size)
			text_append(&text, ";", 1);
		one_append(names, id, name, java, &text);
		mark_append(names, frame, i + 1 < count, &text);
	}
	return text_take(&text);
}

const char *folded_frame(struct folded_names *names, struct frame_id frame, bool java)
{
	char **text = &names->texts[java && names->tidy][frame.index];

	if (!*text)
		*text = frame_make(names, frame, java);
	return *text;
}

void folded_comm(const struct folded_names *names, struct thread_id id, struct text *into)
{
	const struct thread *thread = profile_thread_at(names->profile, id.index);
	uint32_t pid = profile_process_at(names->profile, thread->process.index)->pid;
	const char *comm = choice_comm(names->profile, id);
	size_t from = into->size;

	folded_append(into, comm, strlen(comm));
	if (names->options->pid || names->options->tid) {
		if (pid)
			text_print(into, "-%" PRIu32, pid);
		else
			text_print(into, "-?");
	}
	if (names->options->tid)
		text_print(into, "/%" PRIu32, thread->tid);
	for (char *at = into->bytes + from; names->tidy && at < into->bytes + into->size; at++)
		*at = *at == ' ' ? '_' : *at;
}
