/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A text as a JSON string, quotes and all. Bytes that are no UTF-8 become U+FFFD, since readers refuse them. */
struct output;

void json_write_string(struct output *to, const char *text);
