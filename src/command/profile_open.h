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
