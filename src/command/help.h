/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Help is made of two things: the command's row (synopsis, example, options) and its page doc/crosscut-NAME.md
 * (description, exit status, see also), which is built into the program.
 *
 *	Example: crosscut report before.xcut
 *
 *	Usage: crosscut report [OPTIONS] FILE
 *
 *	Answer a question about a capture; the ledger when none is named …
 *
 *	Options:
 *	      --by GROUP         one ledger per thread, process, comm, cgroup or class
 *	…
 *	Exit status:
 *	…
 *	See also: crosscut record, crosscut check
 */
#include <stddef.h>

struct command;
struct output;

struct help_page {
	const char *name;            /* "record" */
	const char *text;            /* the page as it is in doc/ */
};

void help_overview(struct output *to);
void help_command(const struct command *command, struct output *to);

/* The prose of a page under "## heading", without the heading; size 0 where there is none. */
const char *help_section(const char *page, const char *heading, size_t *ret_size);
/* The text of a paragraph of a page as a terminal shows it: without marks, wrapped at 80 columns. */
void help_prose(const char *text, size_t size, struct output *to);
