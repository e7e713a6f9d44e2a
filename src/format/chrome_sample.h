/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The samples that stand beside a trace's events: "samples", each with a thread and a frame of the tree "stackFrames".
 * Either may come first, so both are kept as text until the trace has ended.
 */
#include "base/text.h"
#include "format/json.h"

struct chrome_threads;
struct import;

struct chrome_samples { char *frames, *samples; size_t frames_size, samples_size; };

void chrome_samples_keep(struct chrome_samples *samples, const char *key, struct json_value value, size_t end);
void chrome_samples_read(struct chrome_samples *samples, struct import *import, struct chrome_threads *threads);
void chrome_samples_done(struct chrome_samples *samples);
