/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames repeat in every stack, so each is named once and remembered. A frame without a name is
 * shown as its module, never by address: addresses would make each call site a function of its
 * own.
 */
#include "analysis/naming.h"

#include "base/intern.h"
#include "base/memory.h"
#include "base/text.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

struct named {                       /* the names of one frame, outermost call first */
	uint32_t first, count;       /* in naming.spread; count 0: not asked yet */
	bool unnamed;
};

struct naming {
	const struct profile *profile;
	struct intern *texts;
	struct named *frames;
	uint32_t *spread;
	size_t spread_count, spread_room;
	uint32_t path[NAMING_DEPTH_LIMIT];
};

struct naming *naming_new(const struct profile *profile)
{
	struct naming *naming = xcalloc(1, sizeof(*naming));

	naming->profile = profile;
	naming->texts = intern_new();
	naming->frames = xcalloc(profile_frame_count(profile), sizeof(*naming->frames));
	return naming;
}

void naming_free(struct naming *naming)
{
	if (!naming)
		return;
	intern_free(naming->texts);
	free(naming->frames);
	free(naming->spread);
	free(naming);
}

uint32_t naming_put(struct naming *naming, const char *name)
{
	return intern_put(naming->texts, name);
}

const char *naming_text(const struct naming *naming, uint32_t name)
{
	return intern_text(naming->texts, name);
}

size_t naming_count(const struct naming *naming)
{
	return intern_count(naming->texts);
}

static const char *module_of(const struct profile *profile, struct frame_id frame)
{
	const struct frame *row = profile_frame_at(profile, frame.index);
	const char *path = profile_text(profile, profile_file_at(profile, row->file.index)->path);
	const char *slash = *path == '[' ? NULL : strrchr(path, '/');

	return !*path ? "no module" : slash ? slash + 1 : path;
}

/* "[unresolved: libz.so.1]"; "[vdso]" keeps one pair of brackets. Memory that no file lies behind holds generated code, of
 * which each process has its own: it is one thing to a reader. */
static void print_unresolved(const struct profile *profile, struct frame_id frame, char *text,
			     size_t size)
{
	const char *module = module_of(profile, frame);
	size_t length = strlen(module);
	bool generated = !strncmp(module, "[anon:", 6);
	bool bracketed = length > 2 && *module == '[' && module[length - 1] == ']';

	if (generated)
		(void)snprintf(text, size, "[jit]");
	else
		(void)snprintf(text, size, "[unresolved: %.*s]", (int)(bracketed ? length - 2 : length),
			       bracketed ? module + 1 : module);
}

static void spread_add(struct naming *naming, const char *name)
{
	grow(naming->spread, naming->spread_count, naming->spread_room);
	naming->spread[naming->spread_count++] = naming_put(naming, name);
}

static const struct named *named_of(struct naming *naming, struct frame_id frame)
{
	struct named *named = &naming->frames[frame.index];
	const struct symbol *symbols;
	char name[NAME_SIZE];
	size_t count = 0;

	if (named->count)
		return named;
	symbols = profile_frame_symbols(naming->profile, frame, &count);
	named->first = (uint32_t)naming->spread_count;
	named->unnamed = !count && !profile_frame_at(naming->profile, frame.index)->name.index;
	for (size_t i = count; i-- > 0;)
		spread_add(naming, profile_text(naming->profile, symbols[i].name));
	if (named->unnamed) {
		print_unresolved(naming->profile, frame, name, sizeof(name));
		spread_add(naming, name);
	} else if (!count) {
		spread_add(naming, profile_frame_name(naming->profile, frame, name, sizeof(name)));
	}
	named->count = (uint32_t)(naming->spread_count - named->first);
	return named;
}

const uint32_t *naming_frame(struct naming *naming, struct frame_id frame, size_t *ret_count)
{
	const struct named *named = named_of(naming, frame);

	*ret_count = named->count;
	return naming->spread + named->first;
}

uint32_t naming_compiled(struct naming *naming, struct stack_id stack)
{
	const struct named *named = named_of(naming, profile_stack_at(naming->profile, stack.index).frame);

	return naming->spread[named->first];
}

/* The walk ended below its outermost frame, which lies in this module. */
const char *naming_failure(struct naming *naming, struct stack_id stack)
{
	struct stack row = profile_stack_at(naming->profile, stack.index);
	const char *status = stack_status_name(row.status);
	struct frame_id last = row.frame;
	char text[NAME_SIZE];

	if (row.status <= STACK_FAILED)
		return NULL;
	while (row.parent.index) {
		row = profile_stack_at(naming->profile, row.parent.index);
		if (profile_frame_at(naming->profile, row.frame.index)->method != METHOD_INTERPRETER)
			last = row.frame;      /* it is native code that is walked */
	}
	(void)snprintf(text, sizeof(text), "[unwind failed: %s in %s]", status, module_of(naming->profile, last));
	return naming_text(naming, naming_put(naming, text));
}

/* Why a stack cannot stand on its own, or NULL. A kernel frame above a good user stack hides no
 * cause. */
const char *naming_cause(struct naming *naming, struct stack_id stack)
{
	struct stack row = profile_stack_at(naming->profile, stack.index);
	const struct named *named;

	if (!stack.index)
		return "[no stack: not taken]";
	if (row.status == STACK_FAILED)
		return "[no stack: the walk failed]";
	if (row.status == STACK_TRUNCATED)
		return "[cut stack: deeper than the limit]";
	if (row.status > STACK_FAILED)
		return naming_failure(naming, stack);
	while (row.parent.index &&
	       profile_frame_at(naming->profile, row.frame.index)->method == METHOD_KERNEL)
		row = profile_stack_at(naming->profile, row.parent.index);
	named = named_of(naming, row.frame);
	return named->unnamed ? naming_text(naming, naming->spread[named->first]) : NULL;
}

/* Filled from the end, because a stack is walked from its leaf. */
const uint32_t *naming_path(struct naming *naming, struct stack_id stack, size_t *ret_count)
{
	const char *cause = naming_cause(naming, stack);
	size_t at = NAMING_DEPTH_LIMIT;

	while (stack.index) {
		struct stack row = profile_stack_at(naming->profile, stack.index);
		const struct named *named = named_of(naming, row.frame);

		if (at <= named->count + 1)
			break;
		for (size_t i = named->count; i-- > 0;)
			naming->path[--at] = naming->spread[named->first + i];
		stack = row.parent;
	}
	if (cause)
		naming->path[--at] = naming_put(naming, cause);
	*ret_count = NAMING_DEPTH_LIMIT - at;
	return naming->path + at;
}

struct stack_id cell_stack(const struct profile *profile, const struct cell *cell)
{
	return cell->stack.index
		       ? cell->stack
		       : profile_evidence_at(profile, cell->evidence.index)->seen.kernel_stack;
}

char *naming_line(struct naming *naming, struct stack_id stack, size_t most)
{
	struct text line = TEXT(64 * 1024);
	size_t count;
	const uint32_t *path = naming_path(naming, stack, &count);

	for (size_t i = 0; i < count && i < most; i++)
		text_print(&line, "%s%s", i ? " < " : "", naming_text(naming, path[count - 1 - i]));
	if (count > most)
		text_print(&line, " < … %zu more", count - most);
	return text_take(&line);
}
