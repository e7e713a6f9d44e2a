/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Names as a redacted capture shows them. Between the profile in memory, which needs paths to find symbols, and the file,
 * into which none of them may get: every name of a kind that is removed becomes the kind and a number, the same number for
 * the same name, so that answers by program or by file still tell them apart.
 *
 *	"/opt/acme/bin/billing"  →  "file-3"            "comm billing"  →  "comm comm-1"
 *	"[vdso]"                 →  "[vdso]"            "log:/var/log/acme:HTTP"  →  "log"
 */
#include <stdbool.h>

#include "base/cleanup.h"

struct redaction;

enum redacted { REDACTED_COMM, REDACTED_CGROUP, REDACTED_FILE, REDACTED_NAMESPACE, REDACTED_OBJECT, REDACTED_CLASS,
		REDACTED_GENERATED, REDACTED_KINDS };

struct redaction *redaction_new(void);
void redaction_free(struct redaction *redaction);            /* NULL is fine */
DEFINE_CLEANUP(redaction)

/* What takes the name's place, valid as long as the redaction; "" for "". Files in brackets have no path and keep their name.
 * A NULL redaction changes nothing, here and below. */
const char *redaction_name(struct redaction *redaction, enum redacted kind, const char *name);
/* What takes the place of a value of meta; NULL: the row is left out. */
const char *redaction_meta(struct redaction *redaction, const char *key, const char *value);
/* Is a name from this source of names one that the program made up while it ran? Such names hold paths of scripts. */
bool redaction_is_generated(const struct redaction *redaction, const char *origin);
