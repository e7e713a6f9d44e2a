/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a capture says nothing of is not nothing. A state that is absent from a ledger was zero; an amount was, where what counts
 * it ran in that capture; anything else that one side lacks was not measured there, and neither grew nor shrank.
 */
#include "compare/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/account.h"
#include "base/intern.h"
#include "profile/profile.h"

/* Sources of measures, and the kernel's programs that ran: "source:block", "program:block". */
static void note(struct arm *arm, const char *kind, const char *name, size_t size)
{
	char text[160];

	(void)snprintf(text, sizeof(text), "%s:%.*s", kind, (int)size, name);
	(void)intern_put(arm->told, text);
}

void comparison_note_told(struct arm *arm, const struct profile *profile, const struct account *account)
{
	static const char prefix[] = "program.";
	const char *key, *value;
	char path[DIMENSION_PATH_SIZE];

	arm->told = intern_new();
	arm->is_ledger = account->is_ledger;
	for (size_t i = 1; i < profile_measure_count(profile); i++) {
		const char *source = profile_text(profile, profile_measure_at(profile, i)->source);

		note(arm, "source", source, strlen(source));
	}
	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, prefix, sizeof(prefix) - 1))
			note(arm, "program", key + sizeof(prefix) - 1, strcspn(key + sizeof(prefix) - 1, "_."));
	}
	for (uint32_t i = 1; i < account->count; i++) {
		(void)dimension_path(profile, (struct dimension_id){ i }, path);
		note(arm, "dimension", path, strlen(path));
	}
}

static bool told(const struct arm *arm, const char *kind, const char *name)
{
	char text[160];

	(void)snprintf(text, sizeof(text), "%s:%s", kind, name);
	return intern_find(arm->told, text) != UINT32_MAX;
}

/* Of a row that the capture has nothing of. */
static bool was_zero(const struct arm *arm, const struct compared *row, const char *dimension)
{
	switch (row->kind) {
	case ROW_ELAPSED:
		return arm->has_parts && !strncmp(row->name, "elapsed:in ", strlen("elapsed:in "));
	case ROW_CLASS:
		return strncmp(row->name, "class:load ", strlen("class:load ")) != 0;
	default:
		break;
	}
	if (row->kind == ROW_PART && row->dimension_kind == DIMENSION_RUNNING)
		return told(arm, "dimension", dimension);       /* by samples, which there may be none of */
	if (arm->is_ledger && row->dimension_kind < DIMENSION_AMOUNT)
		return true;
	return told(arm, "dimension", dimension) ||
	       (arm->is_ledger && row->source && (told(arm, "source", row->source) || told(arm, "program", row->source)));
}

static const struct compared *row_of_dimension(const struct comparison *comparison, const struct compared *row)
{
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compared *other = comparison->rows[i];

		if (other->kind <= ROW_AMOUNT && !strcmp(other->name, row->dimension))
			return other;
	}
	return row;
}

/* A load generator's clock and the service's own are two: where one capture has the one, another's requests do not stand in for it. */
static bool is_another_clock(const struct comparison *comparison, const struct compared *row, const struct arm *arm)
{
	if (row->kind != ROW_ELAPSED || !strncmp(row->name, "elapsed:in ", strlen("elapsed:in ")) || !arm->capture.objective.requests)
		return false;
	for (size_t i = 0; i < comparison->arm_count; i++)
		if (comparison->arms[i].capture.objective.known && !comparison->arms[i].capture.objective.requests)
			return true;
	return false;
}

static bool is_told(const struct comparison *comparison, const struct compared *row, enum side side, size_t pair)
{
	const struct arm *arm = comparison_arm(comparison, side, pair);
	const struct compared *of = row->kind == ROW_STACK || row->kind == ROW_OBJECT ? row_of_dimension(comparison, row) : row;

	if (!arm || of->unknown[side] >> pair & 1 || is_another_clock(comparison, of, arm))
		return false;
	return of->told[side] >> pair & 1 || was_zero(arm, of, of->name);
}

bool comparison_is_told(const struct comparison *comparison, const struct compared *row, enum side side)
{
	for (size_t pair = 0; pair < comparison->pairs; pair++)
		if (!is_told(comparison, row, side, pair))
			return false;
	return true;
}
