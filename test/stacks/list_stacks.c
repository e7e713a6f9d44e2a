/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every stack of a capture with its addresses, which no report shows: list_stacks FILE.xcut. A line each, set apart by
 * tabs: thread id, "oncpu" or "wait", status, count, weight, and the user frames as PATH+OFFSET, the innermost first, set
 * apart by blanks; a blank in a path is an underscore. Frames of an interpreter are PATH+interpreter.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "format/format.h"
#include "profile/profile.h"

static void print_path(const char *path)
{
	for (; *path; path++)
		putchar(*path == ' ' || *path == '\t' ? '_' : *path);
}

static void print_frames(const struct profile *profile, struct stack_id stack)
{
	bool first = true;

	while (stack.index) {
		struct stack row = profile_stack_at(profile, stack.index);
		const struct frame *frame = profile_frame_at(profile, row.frame.index);

		stack = row.parent;
		if (frame->method == METHOD_KERNEL)
			continue;
		if (!first)
			putchar(' ');
		first = false;
		print_path(profile_text(profile, profile_file_at(profile, frame->file.index)->path));
		if (frame->method == METHOD_INTERPRETER)
			printf("+interpreter");
		else
			printf("+%#" PRIx64, frame->offset);
	}
}

static void print_cell(const struct profile *profile, const struct cell *cell)
{
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);
	struct stack stack = profile_stack_at(profile, cell->stack.index);

	printf("%u\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t", profile_thread_at(profile, cell->thread.index)->tid,
	       measure->dimension.index ? "oncpu" : "wait", stack_status_name(stack.status), cell->count,
	       cell->value << cell->p_log2);
	print_frames(profile, cell->stack);
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	struct profile *profile;

	if (argc != 2 || format_read(argv[1], &profile, &err) < 0) {
		fprintf(stderr, "list_stacks: %s\n", argc == 2 ? err.what : "usage: list_stacks FILE.xcut");
		return 1;
	}
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (cell->stack.index)
			print_cell(profile, cell);
	}
	profile_free(profile);
	return 0;
}
