/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A timeline as JSON: columns, as result/timeline.h says, because 200,000 objects would be ten times as long. */

struct json_writer;
struct timeline;

void json_timeline(struct json_writer *json, const struct timeline *timeline);
