/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The capture file *.xcut, as doc/format.md draws it. A writer is handed the growing profile once per slice and stores
 * what is new: dictionaries first, facts next, the slice's row last, in one transaction.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/id.h"

struct error;
struct native;
struct profile;

enum { NATIVE_SCHEMA_MAJOR = 1, NATIVE_SCHEMA_MINOR = 0 };

struct native *native_new(void);
void native_free(struct native *native);             /* closes without sealing: the file stays readable */
DEFINE_CLEANUP(native)
/* Before the file is made: no name of a program, person, host or path gets into it (format/redaction.h). */
void native_redact(struct native *native);
/* Makes the file, mode 0600. -EEXIST where it exists and replace is false. */
int native_create(struct native *native, const char *path, bool replace, uint64_t size_limit_bytes, struct error *err);
/* Stores what the profile gained since the last call, as slice; the caller then drops the facts.
 * -EFBIG at the size limit: nothing of this slice is stored; seal and end. */
int native_slice(struct native *native, const struct profile *profile, struct slice_id slice, struct error *err);
/* Writes totals, final threads and processes, meta and symbols; syncs; marks it sealed; closes. */
int native_seal(struct native *native, const struct profile *profile, struct error *err);
uint64_t native_size_bytes(const struct native *native);
/* Replaces the symbol table of an existing file (symbolize). */
int native_store_symbols(const char *path, const struct profile *profile, struct error *err);
/* Stores the verdicts of `check` in the file's gate table. */
int native_store_gate(const char *path, const char *name, double value, double limit, const char *verdict, struct error *err);
/* The digest of a sealed file's chain, as the file states it, in hexadecimal. FAILURE_WORK where it has none. */
enum { NATIVE_DIGEST_SIZE = 65 };
int native_digest(const char *path, char ret[NATIVE_DIGEST_SIZE], struct error *err);
