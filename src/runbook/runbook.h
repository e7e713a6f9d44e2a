/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A runbook: the bounds and the contract of a capture, written down before it is taken, in an INI file that a team can keep
 * beside its service.
 *
 *	[capture]                       what `record` would take as options of the same names; the command line wins
 *	duration = 30s
 *	without = contention
 *	[labels]                        build = 1.4.2: stored as --label does
 *	[contract]                      what the capture is about and what it will decide
 *	workload = checkout, open loop, 400 requests a second
 *	state = nominal
 *
 * It is read whole and checked before anything is done: an unknown section, key or word is refused with its line.
 */
#include <stddef.h>

#include "base/cleanup.h"

struct error;
struct profile;
struct runbook;

struct runbook_key {
	const char *section, *name;
	const char *summary;                 /* one line, below 72 columns */
};
extern const struct runbook_key runbook_keys[];      /* ends with a row without a name; [labels] takes any key */

struct runbook_entry { char *section, *key, *value; unsigned line; };

enum { RUNBOOK_BYTE_LIMIT = 64 << 10, RUNBOOK_ENTRY_LIMIT = 256 };

/* FAILURE_USAGE with the file and line where it says what cannot be; FAILURE_WORK where it cannot be read. */
int runbook_read(const char *path, struct runbook **ret, struct error *err);
void runbook_free(struct runbook *runbook);          /* NULL is fine */
DEFINE_CLEANUP(runbook)
const char *runbook_path(const struct runbook *runbook);
size_t runbook_count(const struct runbook *runbook);
const struct runbook_entry *runbook_at(const struct runbook *runbook, size_t index);
/* Puts the contract into the profile's meta, as "contract.workload" and so on. */
void runbook_note_contract(const struct runbook *runbook, struct profile *profile);
