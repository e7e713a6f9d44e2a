/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Where an imported profile comes from: its format and maker, what it cannot say, where alone it
 * could look, and what of the file could not be read. Nothing for a capture.
 */
struct document;
struct profile;

void origin_add(const struct profile *profile, struct document *into);
