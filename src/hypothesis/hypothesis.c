/* SPDX-License-Identifier: Apache-2.0 */
/* The rows. To add an explanation: write NAME.c that ends in its row, and name the row here. How they are judged: judge.c. */
#include "hypothesis/hypothesis.h"

#include <string.h>

extern const struct hypothesis hypothesis_cpu_cost, hypothesis_cpu_shortage, hypothesis_lock_contention, hypothesis_memory_pressure,
	hypothesis_remote_dependency, hypothesis_storage_bursts;

const struct hypothesis *const hypotheses[] = {
	&hypothesis_cpu_cost,
	&hypothesis_cpu_shortage,
	&hypothesis_lock_contention,
	&hypothesis_memory_pressure,
	&hypothesis_remote_dependency,
	&hypothesis_storage_bursts,
	NULL,
};

const struct hypothesis *hypothesis_find(const char *name)
{
	for (const struct hypothesis *const *row = hypotheses; *row; row++)
		if (!strcmp((*row)->name, name))
			return *row;
	return NULL;
}

const char *judgement_name(enum judgement judgement)
{
	static const char *const names[] = { "?", "supported", "rejected", "inconclusive", "drift" };

	return names[judgement <= JUDGED_DRIFT ? judgement : 0];
}

const char *answer_name(enum answer answer)
{
	static const char *const names[] = { "unclear", "yes", "no" };

	return names[answer <= ANSWER_NO ? answer : 0];
}
