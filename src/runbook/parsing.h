/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A runbook while it is read, and the checks of what it says. Private to runbook/. */
#include <stdio.h>

#include "runbook/runbook.h"

struct error;

struct runbook {
	char *path;
	struct runbook_entry *entries;
	size_t count, room;
};

struct parsing {
	struct runbook *runbook;
	FILE *file;                                     /* NULL: the command line, of which nothing stands at a line */
	unsigned line;
	bool continued;                                 /* the line at hand began with a blank */
	struct error *err;
	int code;                                       /* of the first thing that is wrong */
};

/* The first thing that is wrong is kept. line 0: it was said on the command line. word: "" none. */
void runbook_refuse(struct parsing *parsing, unsigned line, const char *what, const char *word, const char *why);
void runbook_check_section(struct parsing *parsing, const char *section, unsigned line);
void runbook_check_key(struct parsing *parsing, const struct runbook_entry *entry);
void runbook_check_form(struct parsing *parsing, const struct runbook_entry *entry);         /* of its value */
void runbook_check_falsifiable(struct parsing *parsing);
void runbook_check_entries(struct parsing *parsing);                                         /* all of the above, of all */
