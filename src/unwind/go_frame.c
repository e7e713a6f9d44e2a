/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function that writes the stack pointer (Go flags it) goes on on another stack from its first such instruction to its
 * last: rbp, which it leaves alone, is what leads back. In systemstack and asmcgocall, that have no frame of their own, rbp
 * is their caller's and leads to the caller's caller. One that writes it once does not come back: mcall and morestack leave
 * a goroutine for the scheduler, whose stack begins there; of others nothing is known from there on.
 *
 * Source: Go's src/runtime/traceback.go (where its own walks stop), asm_amd64.s, sys_linux_amd64.s;
 * cmd/internal/obj/x86/obj6.go (which functions keep rbp).
 */
#include "unwind/go_frame.h"

#include <string.h>

#include "unwind/frame_set.h"
#include "unwind/go_image.h"

enum { WORD = 8, SWITCH_BYTES_LIMIT = 4096, SHARED_LISTS = 16 };

enum role { COMPILED, ASSEMBLY, TOP, SIGNAL, SWITCHES, ROLE_COUNT };

/* By name, where flags do not say it: those of Go 1.16 have none, and a signal's handler, for Go a stack of its own, is
 * called by the kernel from what it interrupted. */
static const struct named {
	const char *name;
	enum role role;
} named[] = {
	{ "runtime.goexit", TOP }, { "runtime.mstart", TOP }, { "runtime.rt0_go", TOP },
	{ "_rt0_amd64", TOP }, { "_rt0_amd64_linux", TOP },             /* where a program is entered */
	{ "runtime.sigtramp", ASSEMBLY }, { "runtime.cgoSigtramp", ASSEMBLY },
	{ "runtime.sigreturn", SIGNAL }, { "runtime.sigreturn__sigaction", SIGNAL },
	{ "runtime.mcall", SWITCHES }, { "runtime.morestack", SWITCHES }, { "runtime.systemstack", SWITCHES },
	{ "runtime.asmcgocall", SWITCHES }, { "runtime.gogo", SWITCHES }, { "runtime.cgocallback", SWITCHES },
	{ "runtime.nanotime1", SWITCHES }, { "runtime.walltime", SWITCHES }, { "runtime.walltime1", SWITCHES },
};

struct reading {
	struct frame_set *set;
	struct image *image;
	struct gopclntab table;
	uint32_t contexts[ROLE_COUNT], other_stack, unknown;
	uint64_t budget_bytes;
};

static enum role role_of(const struct go_function *function)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (!strcmp(function->name, named[i].name))
			return named[i].role;
	if (function->flags & GO_TOP_FRAME)
		return TOP;
	if (function->flags & GO_WRITES_RSP)
		return SWITCHES;
	return function->flags & GO_ASSEMBLY ? ASSEMBLY : COMPILED;
}

/* --- What holds in a function of each role ----------------------------------------------------------------------- */

/* *(rsp + 160): where a signal frame of Linux has the interrupted rsp, as libc describes it. */
static const uint8_t signal_cfa[] = { 0x77, 0xa0, 0x01, 0x06 };
static const struct frame_section no_section;

static struct frame_context context_of(enum role role)
{
	struct frame_context context = { .common = { .section = &no_section, .code_alignment = 1, .data_alignment = 1 } };

	context.initial.cfa = (struct frame_address){ .reg = FRAME_RSP, .offset = WORD };
	context.initial.return_address = (struct frame_rule){ .kind = FRAME_AT_CFA, .offset = -WORD };
	context.is_go = role != TOP && role != SIGNAL;
	context.saves_rbp = role == COMPILED;
	if (role == TOP)
		context.initial.return_address = (struct frame_rule){ .kind = FRAME_UNDEFINED };
	if (role == SIGNAL) {
		context.common.is_signal = true;
		context.initial.cfa = (struct frame_address){ .expression = signal_cfa, .size = sizeof(signal_cfa) };
	}
	return context;
}

static struct frame_context other_stack(void)
{
	struct frame_context context = context_of(TOP);

	context.initial.cfa = (struct frame_address){ .reg = FRAME_RBP, .offset = 2 * WORD };
	context.initial.rbp = (struct frame_rule){ .kind = FRAME_AT_CFA, .offset = -2 * WORD };
	context.initial.return_address = (struct frame_rule){ .kind = FRAME_AT_CFA, .offset = -WORD };
	context.is_other_stack = true;
	return context;
}

static void add_contexts(struct reading *reading)
{
	struct frame_context context;

	for (enum role role = 0; role < ROLE_COUNT; role++) {
		context = context_of(role);
		reading->contexts[role] = frame_set_add_context(reading->set, &context);
	}
	context = other_stack();
	reading->other_stack = frame_set_add_context(reading->set, &context);
	context.bad = true;
	reading->unknown = frame_set_add_context(reading->set, &context);
}

/* --- Where a function writes the stack pointer --------------------------------------------------------------------- */

/* The length of an instruction that begins there and moves something into rsp (REX.W 8B /r into register 4, or REX.W 89 /r
 * between registers) or aligns it (REX.W 83 /4 with a byte); 0 where none does. Additions are in Go's distances. */
static size_t move_into_rsp(const uint8_t *code, size_t size)
{
	uint8_t mode, part;
	size_t length = 3;

	if (size < 4 || (code[0] & 0xf8) != 0x48)
		return 0;
	if (code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xe4)
		return 4;
	mode = code[2] >> 6;
	part = code[2] & 7;
	if (code[1] == 0x89)
		return !(code[0] & 1) && mode == 3 && part == 4 ? length : 0;
	if (code[1] != 0x8b || code[0] & 4 || (code[2] >> 3 & 7) != 4)
		return 0;
	if (mode != 3 && part == 4)
		length++;
	length += mode == 1 ? 1 : mode == 2 || (mode == 0 && part == 5) ? 4 : 0;
	return length <= size ? length : 0;
}

struct moves {
	size_t count;
	uint64_t first, last;                   /* the addresses after the first and the last of them */
};

static struct moves moves_of(struct reading *reading, const struct go_function *function)
{
	struct moves moves = { 0 };
	uint64_t size = function->end - function->start;
	size_t got = 0, length;
	const uint8_t *code = image_at_address(reading->image, function->start, size < SWITCH_BYTES_LIMIT ? size : SWITCH_BYTES_LIMIT, &got);

	for (size_t at = 0; code && at < got; at += length ? length : 1) {
		length = move_into_rsp(code + at, got - at);
		if (!length)
			continue;
		moves.last = function->start + at + length;
		moves.first = moves.count++ ? moves.first : moves.last;
	}
	return moves;
}

/* --- Descriptions -------------------------------------------------------------------------------------------------- */

/* The bytes of its list of distances, without the end mark; 0 where it has none, or a damaged one. Functions share lists,
 * so that a false table could have very many long ones: there is a limit. */
static uint32_t list_bytes(struct reading *reading, const struct go_function *function, const uint8_t **ret)
{
	struct go_values values;
	const uint8_t *end;
	uint64_t bytes;

	go_values_begin(&values, &reading->table, function->rsp, function);
	*ret = end = values.cursor.at;
	while (go_values_next(&values))
		end = values.cursor.at;
	bytes = (uint64_t)(end - *ret);
	if (values.cursor.bad || bytes > reading->budget_bytes || bytes > UINT32_MAX)
		return 0;
	reading->budget_bytes -= bytes;
	return (uint32_t)bytes;
}

static void add_switch(struct reading *reading, const struct go_function *function, struct frame_description description)
{
	struct moves moves = moves_of(reading, function);
	bool is_scheduler = !strcmp(function->name, "runtime.mcall") || !strcmp(function->name, "runtime.morestack");
	struct frame_context context = context_of(SWITCHES);
	uint32_t list_size = description.instructions_size;

	frame_set_add(reading->set, &description);
	if (!moves.count)
		return;
	context.before = moves.last - function->start;
	description.start = moves.first;
	description.size = function->end - moves.first;
	description.instructions_size = 0;
	description.common = moves.count > 1 ? reading->other_stack : is_scheduler ? reading->contexts[TOP] : reading->unknown;
	if (description.size)
		frame_set_add(reading->set, &description);
	if (moves.count == 1 || moves.last >= function->end)
		return;
	description.start = moves.last;
	description.size = function->end - moves.last;
	description.instructions_size = list_size;
	description.common = frame_set_add_context(reading->set, &context);
	frame_set_add(reading->set, &description);
}

/* A handler returns to the first byte of it: so it must be found one byte before, which is padding. */
static bool follows_padding(struct reading *reading, uint64_t address)
{
	size_t size = 0;
	const uint8_t *before = image_at_address(reading->image, address - 1, 1, &size);

	return before && size && *before == 0xcc;
}

static void add_function(struct reading *reading, const struct go_function *function)
{
	enum role role = role_of(function);
	struct frame_description description = { .start = function->start, .size = function->end - function->start,
						 .common = reading->contexts[role] };

	description.instructions_size = list_bytes(reading, function, &description.instructions);
	if (role == SIGNAL && follows_padding(reading, function->start)) {
		description.start--;
		description.size++;
	}
	if (role == TOP || role == SIGNAL)
		description.instructions_size = 0;
	else if (!description.instructions_size) {
		reading->set->dropped++;
		return;
	}
	if (role == SWITCHES)
		add_switch(reading, function, description);
	else
		frame_set_add(reading->set, &description);
}

void go_frame_add(struct frame_set *set, struct image *image)
{
	struct reading reading = { .set = set, .image = image };
	struct go_function function;

	if (go_image_table(image, &reading.table, NULL) < 0)
		return;
	add_contexts(&reading);
	reading.budget_bytes = reading.table.values.size * SHARED_LISTS;
	set->budget_bytes += reading.budget_bytes;
	for (size_t i = 0; i < reading.table.count; i++)
		if (gopclntab_function(&reading.table, i, &function))
			add_function(&reading, &function);
		else
			set->dropped++;
}
