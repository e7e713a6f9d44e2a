/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a kernel stack says of a wait whose other evidence nobody took: recordings of others often hold
 * the stack of each switch and nothing else.
 */
struct wait_evidence;
struct wait_seen;

/* Fills what is missing in `evidence`, a copy of seen->evidence; what was read by other means stays as it is. */
void stack_evidence_fill(const struct wait_seen *seen, struct wait_evidence *evidence, const char **ret_file_release);
