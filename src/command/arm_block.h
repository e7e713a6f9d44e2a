/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * One block of one arm: start the service and its load by the runbook's own commands, record the service for the block's
 * length, open and close the load's counting window with the capture's, stop both.
 */
#include <stdbool.h>
#include <stdint.h>

#include "compare/objective.h"

struct error;
struct runbook;

struct block_config {
	const struct runbook *runbook;       /* its [arms]; stored in the capture with its contract */
	const char *directory, *programs;    /* {directory}, and {programs}: the folder crosscut lies in */
	uint64_t duration_ns;
	bool progress, without_capture;      /* no BPF here: the load's own figures are all there is */
	bool cheap;                          /* the ledger alone: no samples, no stacks */
	bool without_wait_stacks;            /* samples, but no stacks of waits */
	bool with_block, with_contention;    /* beyond the ledger: what the state calls for */
	const char *workers, *rate, *scratch;        /* {workers}, {rate}, {scratch}; NULL: 64, 500, /var/tmp */
};

struct block {
	const char *arm;
	unsigned pair;
	char *capture, *objective_path;      /* files in the directory */
	struct objective objective;
};

/* name: of its files, "baseline-1". */
int block_run(const struct block_config *config, const char *arm, unsigned pair, const char *name, struct block *ret, struct error *err);
void block_done(struct block *block);
