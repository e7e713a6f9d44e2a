/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What readers of JSON formats begin with. */
#include <stddef.h>

#include "format/json.h"

struct error;
struct import;
struct input;

/* The whole of the input as one value; refuses what is none, and says where. Done with it, json_done(), also after that. */
int import_json(struct import *import, struct input *from, struct json *json, struct json_value *ret, struct error *err);
/* Whether a head holds the key, in quotes: for recognising. */
int json_head_has(const void *head, size_t size, const char *key);
/* The first byte that is no white space, behind a byte order mark if there is one; 0 where none is. */
char json_head_first(const void *head, size_t size);
