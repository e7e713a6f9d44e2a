/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of the contents that this profile has, how much of each, and whether the target keeps it: what
 * the profile lacks cannot be lost, so it is not named.
 *
 *	content    what it is                 here  kept
 *	stacks     weights by stack           1.2 k  yes
 *	wakers     who ended a wait             310  no
 */
#include "command/convert_explain.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "command/answer.h"
#include "command/convert_target.h"
#include "format/content.h"
#include "profile/profile.h"
#include "result/document.h"

static const struct column columns[] = {
	{ "content", "content", "", 0 },
	{ "what", "what it is", "", 0 },
	{ "amount", "here", "count", 0 },
	{ "kept", "kept", "", 0 },
};

int convert_explain(const struct profile *profile, const struct target *target, bool json, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.explain/1", target->name);
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));
	unsigned lost = 0;

	for (size_t i = 0; i < CONTENT_COUNT; i++) {
		uint64_t amount = content_amount(profile, (enum content)i, target->keeps);
		bool kept = target->keeps & 1u << i;

		if (!amount)
			continue;
		lost += !kept;
		table_add(table, (struct value[]){ value_text(contents[i].name), value_text(contents[i].what),
						   value_integer((int64_t)amount), value_truth(kept) });
	}
	(void)document_add_table(document, "contents", "What the file has and the target keeps", table);
	if (lost)
		document_add_finding(document, SEVERITY_WARNING, "%u of these would not be in the %s file", lost, target->name);
	else
		document_add_finding(document, SEVERITY_NOTE, "nothing of these would be lost as %s", target->name);
	return answer_print(document, json, err);
}
