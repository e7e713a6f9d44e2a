/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Functions by weight: exclusive where a function is the leaf, inclusive where it stands anywhere
 * in a stack, once. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct account;
struct functions;
struct naming;
struct record;
struct table;

struct functions *functions_new(void);
void functions_free(struct functions *functions);
DEFINE_CLEANUP(functions)

void functions_add(struct functions *functions, const uint32_t *path, size_t count, double weight,
		   uint64_t events);
/* Beside functions_add(): the weight of a stack, to the function that its leaf was compiled into. */
void functions_add_compiled(struct functions *functions, uint32_t name, double weight);
size_t functions_count(const struct functions *functions);
/* The table {function,unit,exclusive,inclusive,share,per_completion,count,measured}, largest
 * first. */
struct table *functions_table(struct functions *functions, const struct naming *naming,
			      const struct account *account, const char *unit, const char *measured,
			      bool by_exclusive, size_t most);
/* The widest function that works: largest inclusive weight among those that do at least a tenth of
 * it themselves, so that neither main() nor a dispatcher is named; what was inlined into it, it does itself, or the answer
 * would depend on how the compiler felt. unit is static text. NULL where
 * nothing was added. */
struct record *functions_widest(const struct functions *functions, const struct naming *naming,
				const struct account *account, const char *unit);
