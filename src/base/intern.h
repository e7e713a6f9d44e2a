/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Each distinct text once, by a dense number. 0 is the empty text and always there.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *intern);                            /* NULL is fine */
DEFINE_CLEANUP(intern)

uint32_t intern_put(struct intern *intern, const char *text);       /* NULL counts as empty */
uint32_t intern_put_size(struct intern *intern, const char *text, size_t size);  /* stops at a zero byte */
uint32_t intern_find(const struct intern *intern, const char *text);             /* UINT32_MAX where absent */
const char *intern_text(const struct intern *intern, uint32_t id);  /* stays valid; "" for an id out of range */
size_t intern_count(const struct intern *intern);                   /* ids are 0 … count-1 */
