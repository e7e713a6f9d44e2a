/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The import.* entries that a reader left, as a record and as warnings: who reads a report must not
 * take a profile that samples at safepoints for one that samples everywhere.
 */
#include "analysis/origin.h"

#include "profile/profile.h"
#include "result/document.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void add_text(struct record *record, const struct profile *profile, const char *key, const char *title)
{
	const char *text = profile_meta(profile, key);

	if (text && *text)
		record_add(record, strchr(key, '.') + 1, title, "", value_text(text));
}

void origin_add(const struct profile *profile, struct document *into)
{
	static const char prefix[] = "import.remark.";
	const char *key, *value, *bias = profile_meta(profile, "import.bias");
	struct record *record;

	if (!profile_meta(profile, "import.format"))
		return;
	record = record_new();
	add_text(record, profile, "import.format", "imported from");
	add_text(record, profile, "import.source", "made by");
	add_text(record, profile, "import.encoding", "packed by");
	record_add(record, "samples", "records read", "count",
		   value_integer((int64_t)profile_meta_number(profile, "import.samples", 0)));
	add_text(record, profile, "import.lacks", "does not say");
	add_text(record, profile, "import.bias", "looks only at");
	(void)document_add_record(into, "import", "Where it comes from", record);
	if (bias)
		document_add_finding(into, SEVERITY_WARNING,
				     "samples were taken at %s only: what happens elsewhere is not in this profile", bias);
	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, prefix, sizeof(prefix) - 1))
			document_add_finding(into, SEVERITY_WARNING, "%s", value);
	}
}
