/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a capture costs here: two loops that do nothing but what is to be measured, each with and without a capture of
 * it, in turns, so that what the machine does meanwhile meets both sides alike; and the run time of each program of the
 * kernel half, as the kernel measured it during the captures.
 */
#include "base/terminal.h"
#include "command/cost_cache.h"

struct error;

/* directory: for the programs; path: where the captures are written, one over the other. */
int capture_cost_measure(const char *directory, const char *path, struct progress *progress, struct capture_cost *ret,
			 struct error *err);
