/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What calibration found, as a document. */
#include <stddef.h>

struct calibration;
struct capture_cost;
struct document;
struct machine_balance;

void calibration_list(const struct calibration *kinds, size_t count, struct document *into);
/* 0: all that was run is within its bounds; 1: something is not. */
int calibration_answer(const struct calibration *kinds, size_t count, const struct machine_balance *machine,
		       const struct capture_cost *cost, struct document *into);
