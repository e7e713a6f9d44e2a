/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A CPU profile of V8, as `node --cpu-prof` and Chrome's developer tools save it, and as it lies in a trace's "CpuProfile"
 * event: a tree of nodes, and for each sample its node and the time since the one before it.
 */
#include "format/json.h"
#include "profile/id.h"

struct import;

/* Whether it looks like one: it has nodes, or the tree ("head") of older versions. */
int v8_is(struct json_value profile);
void v8_read(struct import *import, struct json_value profile, struct thread_id thread);
