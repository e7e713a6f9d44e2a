/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of BPF tools: a name with an offset, an address, or both with a module behind them. Which of
 * two stacks is the kernel's no tool says; the functions by which a kernel is entered do.
 */
#include "format/stack_lines.h"

#include "format/import.h"
#include "format/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_LIMIT = 1 << 20 };

void stack_lines_init(struct stack_lines *lines)
{
	*lines = (struct stack_lines){ .bytes = TEXT(BYTES_LIMIT) };
}

void stack_lines_done(struct stack_lines *lines)
{
	text_done(&lines->bytes);
}

void stack_lines_add(struct stack_lines *lines, const char *frame, size_t size)
{
	line_trim(&frame, &size);
	if (lines->count == STACK_LINES_FRAMES || lines->bytes.size + size + 1 >= BYTES_LIMIT) {
		lines->cut = true;
		return;
	}
	lines->starts[lines->count++] = lines->bytes.size;
	text_append(&lines->bytes, frame, size);
	text_append(&lines->bytes, "", 1);
}

void stack_lines_part(struct stack_lines *lines)
{
	if (lines->count)
		lines->second = lines->count;
}

/* --- One frame -------------------------------------------------------------------------------- */

/* "+118", "+0x1a": where in the function; its length, or 0. */
static size_t offset_size(const char *name, size_t size)
{
	const char *plus = memrchr(name, '+', size), *at = plus;

	if (!plus || plus == name)
		return 0;
	at += plus + 2 < name + size && plus[1] == '0' && plus[2] == 'x' ? 3 : 1;
	if (at == name + size)
		return 0;
	for (; at < name + size; at++)
		if (!isxdigit((unsigned char)*at))
			return 0;
	return (size_t)(name + size - plus);
}

/* "ffffffff8160 ", "0x7f1365f2580c", and with a number before it: "#0  0x7f13 ". */
static const char *address_read(const char *at, uint64_t *ret)
{
	const char *start = at, *digits;
	char *end;

	if (*at == '#')
		at += strspn(at + 1, "0123456789") + 1;
	at += strspn(at, " ");
	digits = at + (at[0] == '0' && at[1] == 'x' ? 2 : 0);
	if (!isxdigit((unsigned char)*digits))
		return start;
	*ret = strtoull(digits, &end, 16);
	if ((*end && *end != ' ') || (digits == at && end - digits < 8)) {
		*ret = 0;
		return start;
	}
	return end + strspn(end, " ");
}

static struct import_name name_read(const char *text)
{
	struct import_name name = { 0 };
	const char *at = address_read(text, &name.address), *bracket;
	size_t size = strlen(at);

	bracket = size && at[size - 1] == ')' ? strstr(at, " (") : NULL;
	if (bracket && bracket > at) {
		name.module = bracket + 2;
		name.module_size = size - (size_t)(bracket + 2 - at) - 1;
		size = (size_t)(bracket - at);
	}
	name.function = size ? at : NULL;
	name.function_size = size - (size ? offset_size(at, size) : 0);
	if (name.module && !name.module_size)
		name.module = NULL;
	return name;
}

/* --- Whose stack it is ------------------------------------------------------------------------ */

/* Where kernels are entered, and what runs at the bottom of their own threads. */
static bool is_kernel_root(const char *text)
{
	static const char *const starts[] = {
		"entry_SYSCALL", "entry_INT80", "asm_", "ret_from_fork", "secondary_startup", "common_startup_64",
		"x86_64_start", "el0_", "el0t_", "el1_", "el1h_", "ret_from_exception", "do_syscall_64", "start_secondary",
		"irqentry_", "do_idle", "kthread+", "__schedule+",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (!strncmp(text, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Behind the last frame of a part that is the kernel's for sure; `from` where none is. */
static size_t kernel_end(const struct stack_lines *lines, size_t from, size_t to)
{
	for (; to > from; to--)
		if (is_kernel_root(lines->bytes.bytes + lines->starts[to - 1]))
			return to;
	return from;
}

struct half { size_t from, to; bool kernel; };

/* The part that was called by the other one comes first. */
static void parts_of(const struct stack_lines *lines, struct import *import, bool kernel_first, struct half ret[2])
{
	size_t middle = lines->second < lines->count ? lines->second : 0;
	bool first, second;

	if (!middle) {
		middle = kernel_end(lines, 0, lines->count);
		ret[0] = (struct half){ 0, middle, true };
		ret[1] = (struct half){ middle, lines->count, false };
		return;
	}
	first = kernel_first || kernel_end(lines, 0, middle) > 0;
	second = !kernel_first && kernel_end(lines, middle, lines->count) > middle;
	if (first == second)
		import_warn(import, "which of two stacks is the kernel's is not said: the first is taken to be", NULL, 0);
	ret[0] = second && !first ? (struct half){ middle, lines->count, true } : (struct half){ 0, middle, true };
	ret[1] = second && !first ? (struct half){ 0, middle, false } : (struct half){ middle, lines->count, false };
}

struct stack_id stack_lines_end(struct stack_lines *lines, struct import *import, bool kernel_first)
{
	struct stack_id stack = { 0 };
	struct half parts[2];
	size_t count = 2;

	parts_of(lines, import, kernel_first, parts);
	if (lines->cut)
		import_warn(import, "stacks of more than 1024 frames were cut at the root", NULL, 0);
	while (count-- > 0)
		for (size_t i = parts[count].to; i > parts[count].from; i--) {
			struct import_name name = name_read(lines->bytes.bytes + lines->starts[i - 1]);

			name.kernel = parts[count].kernel;
			if (name.kernel && !name.module)
				name.module = "[kernel]";
			stack = import_stack(import, stack, import_frame(import, &name));
		}
	text_clear(&lines->bytes);
	lines->count = lines->second = 0;
	lines->cut = false;
	return stack;
}
