/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The per-CPU clocks behind the on-CPU samples. Their rates differ a little from CPU to CPU and are changed every few
 * seconds, so that work with a period of its own cannot hide between the ticks. Each tick carries its true period, so the
 * weights stay right.
 */
#include <stdint.h>

#include "base/cleanup.h"

struct bpf_program;
struct error;
struct sampler;

int sampler_open(struct sampler **ret, struct bpf_program *program, double rate_hz, struct error *err);  /* not yet ticking */
int sampler_enable(struct sampler *sampler, struct error *err);
void sampler_step(struct sampler *sampler, uint64_t now_ns);    /* moves the rates about when it is time */
void sampler_set_rate(struct sampler *sampler, double rate_hz);       /* 0: no ticks any more */
void sampler_free(struct sampler *sampler);
DEFINE_CLEANUP(sampler)
