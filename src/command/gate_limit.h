/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* --gate NAME=LIMIT, of the gates that judge one capture or of those between captures. */
#include <stdbool.h>

#include "gate/gate.h"

struct error;

int gate_limit_parse(const char *text, bool between, struct gate_limit *ret, struct error *err);
