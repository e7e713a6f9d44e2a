/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What an import knows while it runs. Private to import*.c.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "format/import.h"

struct map;

enum { IMPORT_REMARK_LIMIT = 32, IMPORT_MEASURE_LIMIT = 256, IMPORT_TOLD_LIMIT = 16 };

/* One kind of what was skipped, or of what is said. */
struct import_remark {
	const char *what, *unit;
	uint64_t count, first;
	bool skipped;
};

/* What the user says of numbers: the name is empty where none was told. */
struct import_told { char name[64], unit[16]; };

struct import {
	struct profile *profile;
	struct input *input;
	const struct format *format;
	struct map *threads, *slices;
	uint64_t samples, began_ns, first_ns, last_ns;
	uint64_t skipped;
	struct import_remark remarks[IMPORT_REMARK_LIMIT];
	size_t remark_count;
	unsigned lacks;
	struct text bias;
	struct import_told told[IMPORT_TOLD_LIMIT];
	bool was_told;
	bool has_running;                        /* a dimension of that kind was made: a second would be summed with it */
};

bool import_unit_known(const char *unit);
