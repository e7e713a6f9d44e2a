/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Probes that are put into programs for their work: found by name, refused where they would cost too much, attached. */
#include "work/responses.h"

struct bpf_program;

enum { PLACE_CHEAP_NS = 400, PLACE_DEAR_NS = 15300 };

/* All places of a USDT probe, or the one of a function. A place at an instruction that the kernel must single-step is refused. */
int place_attach_usdt(struct work_state *state, const struct bpf_program *program, const char *path, const char *provider,
		      const char *name, struct error *err);
int place_attach_function(struct work_state *state, const struct bpf_program *program, const char *path, const char *function,
			  struct error *err);
/* Where the argument has fewer than count parts between its colons, all but the first without any. "PATH:FUNCTION". */
int place_check(const char *argument, unsigned parts, const char *synopsis, struct error *err);
