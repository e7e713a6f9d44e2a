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
 *	[bounds]                        what it may cost, see and leave behind, and the outcome that would falsify the claim
 *	[hypothesis] [arms] [test]      what must move together if the claim is true, and the experiment that would show it
 *
 * It is read whole and checked before anything is done: an unknown section, key or word is refused with its line.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct error;
struct profile;
struct runbook;

struct runbook_key {
	const char *section, *name;
	const char *summary;                 /* one line, below 72 columns */
};
extern const char *const runbook_words[];            /* of [arms]: what stands in braces is replaced; ends with NULL */
extern const struct runbook_key runbook_keys[];      /* ends with a row without a name; [labels] takes any key */

struct runbook_entry { char *section, *key, *value; unsigned line; };

enum { RUNBOOK_BYTE_LIMIT = 64 << 10, RUNBOOK_ENTRY_LIMIT = 256 };

/* FAILURE_USAGE with the file and line where it says what cannot be; FAILURE_WORK where it cannot be read. */
int runbook_read(const char *path, struct runbook **ret, struct error *err);
/* Facts of the contract as KEY=VALUE, from the command line: they win over the file's. *runbook may be NULL: then one is made. */
int runbook_state(struct runbook **runbook, const char *const *facts, size_t count, struct error *err);
void runbook_free(struct runbook *runbook);          /* NULL is fine */
DEFINE_CLEANUP(runbook)
const char *runbook_path(const struct runbook *runbook);
size_t runbook_count(const struct runbook *runbook);
const struct runbook_entry *runbook_at(const struct runbook *runbook, size_t index);
/* NULL where it is not said. */
const char *runbook_value(const struct runbook *runbook, const char *section, const char *key);
/* A value that begins with a share, "5 % of a CPU" or "0.05"; false where it begins with words. */
bool runbook_share(const struct runbook *runbook, const char *section, const char *key, double *ret);
/* FAILURE_USAGE that names the first of the keys (NULL-terminated) that is not said. */
int runbook_require(const struct runbook *runbook, const char *section, const char *const *keys, struct error *err);
bool runbook_is_objective(const char *name);         /* "p99": of the load's own figures, not a dimension */
/* Puts contract, bounds and hypothesis into the profile's meta, as "contract.workload" and so on. */
void runbook_note_contract(const struct runbook *runbook, struct profile *profile);
