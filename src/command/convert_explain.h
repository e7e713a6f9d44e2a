/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* `convert --explain`: what of a profile a target cannot hold. */
#include <stdbool.h>

struct error;
struct profile;
struct target;

int convert_explain(const struct profile *profile, const struct target *target, bool json, struct error *err);
