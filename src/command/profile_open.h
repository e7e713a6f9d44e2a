/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Opens a profile for a question: what was recorded by others with addresses alone gets its names here, where the programs
 * that ran, this kernel, or the maps of generated code still lie on this machine. A capture of ours has its names already.
 */
struct error;
struct profile;

/* The caller frees *ret, which is frozen. */
int profile_open(const char *path, struct profile **ret, struct error *err);
/* counts: what the user says of the file's numbers (--counts), where the file itself is silent; NULL: nothing. */
int profile_open_told(const char *path, const char *counts, struct profile **ret, struct error *err);

#define OPTION_COUNTS(config)                                                                                        \
	{ .name = "counts",                                                                                          \
	  .type = OPTION_TEXT,                                                                                       \
	  .into = offsetof(struct config, counts),                                                                   \
	  .value = "[NAME:]UNIT[,...]",                                                                              \
	  .help = "what a file's numbers are, where it does not say (folded, bpftrace by map)",                      \
	  .example = "--counts off-cpu:us" }
