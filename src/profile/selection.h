/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Which part of a profile an answer is about: --where key=value, --from and --to, --focus and --ignore. Made once, then
 * asked per cell. Keys of --where: pid, tid, comm, thread (a thread's name), process (a process' name), cgroup, class
 * (of a wait), dimension, state, request (profile/cohort.h). Several keys must all hold; one key given twice means either.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct cell;
struct error;
struct profile;
struct request;
struct selection;
struct completion;
struct thread;

struct selection *selection_new(void);                     /* selects everything */
void selection_free(struct selection *selection);
DEFINE_CLEANUP(selection)
int selection_where(struct selection *selection, const char *key_value, struct error *err);
/* Since the capture's start, in whole slices; to_ns 0: to its end. FAILURE_USAGE where no time lies between them. */
int selection_window(struct selection *selection, uint64_t from_ns, uint64_t to_ns, struct error *err);
int selection_focus(struct selection *selection, const char *regex, struct error *err); /* stacks with a matching frame */
int selection_ignore(struct selection *selection, const char *regex, struct error *err);
bool selection_is_whole(const struct selection *selection);
/* A stack filter drops cells without a stack, so the exact totals go too: selection_by_stack() says whether there is one. */
bool selection_by_stack(const struct selection *selection);
/* Does it choose among one thread's own cells (by class, state, dimension or stack)? A ledger then cannot add up. */
bool selection_by_cell(const struct selection *selection);
/* Is a part of the time left out? Intervals count where they ended, so a ledger then adds up only roughly. */
bool selection_by_time(const struct selection *selection);
/* May this profile be asked? A part of the time cannot be chosen where the profile does not say when anything happened. */
int selection_check(const struct selection *selection, const struct profile *profile, const char *name, struct error *err);
/* The part of a thread's life that lies in the selected slices. */
uint64_t selection_lifetime_ns(const struct selection *selection, const struct profile *profile, const struct thread *thread);
/* The selected slices' own time, first start to last end; 0 where the profile knows no time. */
uint64_t selection_elapsed_ns(const struct selection *selection, const struct profile *profile);
/* What of [*from_ns, *to_ns) the window leaves, to the nanosecond: for what is kept one by one. */
void selection_clip(const struct selection *selection, const struct profile *profile, uint64_t *from_ns, uint64_t *to_ns);
bool selection_has_cell(const struct selection *selection, const struct profile *profile, const struct cell *cell);
bool selection_has_thread(const struct selection *selection, const struct profile *profile, const struct thread *thread);
/* Requests count where they were answered, as intervals do where they ended. */
bool selection_has_request(const struct selection *selection, const struct profile *profile, const struct request *request);
bool selection_has_completion(const struct selection *selection, const struct profile *profile, const struct completion *completion);
/* The values that were given for a key, at most room of them; how many there are. They stay the selection's. */
size_t selection_values(const struct selection *selection, const char *key, const char **values, size_t room);
/* One line for the head of a report: "comm=nginx, 0 s to 10 s"; "" where it is whole. The caller frees it. */
char *selection_text(const struct selection *selection);
