/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Labels of samples: keys with a text or a number each, as pprof and OTLP have them. Those that name
 * a thread become the sample's thread; the others are kept together as one object of the kind
 * "labels", whose name shows them and from which they are written again:
 *
 *	bytes=9216, endpoint="/login", request=17 kilobytes
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/id.h"

struct import;
struct profile;
struct text;

enum { LABELS_LIMIT = 256, LABELS_TEXT_LIMIT = 64 * 1024 };

struct label {
	const char *key;
	const char *text;                        /* NULL: a number */
	int64_t number;
	const char *unit;                        /* of the number; "" or NULL where it has none */
};

/* Sorts the labels, and splits them. Where none names a thread, it is a thread without a name. */
void labels_read(struct import *import, struct label *rows, size_t count,
		 struct thread_id *ret_thread, struct object_id *ret_object);

/* Takes the next label off an object's name; the texts stand in *scratch until the next call. */
bool labels_next(const char **at, struct text *scratch, struct label *ret);
bool labels_are(const struct profile *profile, struct object_id object);
