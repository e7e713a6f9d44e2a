/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers instead of a hash: whoever guesses a name can hash his guess, but cannot number it. */
#include "format/redaction.h"

#include "base/intern.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[REDACTED_KINDS] = { "comm", "cgroup", "file", "namespace", "object", "class", "generated" };

struct redaction {
	struct intern *names[REDACTED_KINDS];           /* a name's number is its place */
	struct intern *shown;
};

struct redaction *redaction_new(void)
{
	struct redaction *redaction = xcalloc(1, sizeof(*redaction));

	redaction->shown = intern_new();
	for (int i = 0; i < REDACTED_KINDS; i++)
		redaction->names[i] = intern_new();
	return redaction;
}

void redaction_free(struct redaction *redaction)
{
	if (!redaction)
		return;
	intern_free(redaction->shown);
	for (int i = 0; i < REDACTED_KINDS; i++)
		intern_free(redaction->names[i]);
	free(redaction);
}

static const char *keep(struct redaction *redaction, const char *text)
{
	return intern_text(redaction->shown, intern_put(redaction->shown, text));
}

const char *redaction_name(struct redaction *redaction, enum redacted kind, const char *name)
{
	char text[32];

	if (!redaction || !*name || (kind == REDACTED_FILE && *name == '['))
		return name;
	(void)snprintf(text, sizeof(text), "%s-%u", kind_names[kind], intern_put(redaction->names[kind], name));
	return keep(redaction, text);
}

/* "cgroup /sys/fs/cgroup/acme" → "cgroup cgroup-1"; numbers, as in "pid 12", are no names. */
static const char *redact_filter(struct redaction *redaction, const char *filter)
{
	static const struct { const char *word; enum redacted kind; } rows[] = {
		{ "comm ", REDACTED_COMM }, { "cgroup ", REDACTED_CGROUP }, { "command ", REDACTED_FILE },
	};
	char text[64];

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		size_t size = strlen(rows[i].word);

		if (strncmp(filter, rows[i].word, size))
			continue;
		(void)snprintf(text, sizeof(text), "%s%s", rows[i].word, redaction_name(redaction, rows[i].kind, filter + size));
		return keep(redaction, text);
	}
	return filter;
}

const char *redaction_meta(struct redaction *redaction, const char *key, const char *value)
{
	if (!redaction)
		return value;
	if (!strcmp(key, "host.name") || !strcmp(key, "capture.command") || !strncmp(key, "capture.jvm_attach.", 19))
		return NULL;
	if (!strcmp(key, "capture.filter"))
		return redact_filter(redaction, value);
	if (!strcmp(key, "work.source") && !strncmp(value, "log:", 4))
		return "log";
	return value;
}

bool redaction_is_generated(const struct redaction *redaction, const char *origin)
{
	return redaction && (!strcmp(origin, "perf-map") || !strcmp(origin, "jitdump"));
}
