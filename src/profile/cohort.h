/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Narrows a profile to some of its requests, so that every question can be asked of them: where did the time of the slow ones
 * go, on which stacks did the rejected ones wait?
 */
#include <stdbool.h>
#include <stddef.h>

struct error;
struct profile;
struct selection;

/*
 * Replaces the facts of a frozen profile: requests are those that one of the values names; cells are their parts, times the
 * number of requests that each stands for; completions are those requests. A value is a class ("GET /user/:n"), an outcome
 * ("rejected"), a status ("503"), a trace id, "overlap", or a cohort of the latency ("p50", "p90", "p99", "p99.9"). Of running time no
 * request has stacks. Which locks they waited for, and whose, is known where intervals were kept. Intervals stay as they are: a request's
 * chain leads through other threads. -ENOENT where no request is such.
 */
int cohort_narrow(struct profile *profile, const char *const *values, size_t count, struct error *err);
/* By the requests that a selection names; nothing where it names none. */
int cohort_narrow_to(struct profile *profile, const struct selection *selection, struct error *err);
/* Was it narrowed? */
bool cohort_is(const struct profile *profile);
