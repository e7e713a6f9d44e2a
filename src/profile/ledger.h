/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Whether a profile holds a ledger: all that its threads did, so that a state that is absent took no time. */
#include <stdbool.h>

struct profile;

bool profile_is_ledger(const struct profile *profile);
