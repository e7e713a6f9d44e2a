/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* How tables and records let go of what their cells hold. */
struct value;

void value_done(struct value *value);
