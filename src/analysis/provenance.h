/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The head of every answer: what was captured, whom it covers, how much useful work was done in
 * it, and whether the threads' time adds up. Warns of whatever limits what may be concluded from
 * it.
 */
struct account;
struct document;
struct profile;
struct question;

/* Records "capture", "population", "work" and "wall", then findings. */
void provenance_add(const struct question *question, const struct account *account,
		    struct document *into);
/* What the guard gave up, and when; and what the capture cost at most. */
void provenance_guard(const struct profile *profile, struct document *into);
