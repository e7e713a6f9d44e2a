/* SPDX-License-Identifier: Apache-2.0 */
/* What one capture says by itself: its counts by outcome, where a completion's time went, and what its gates read. */
#include "packet/state.h"

#include "analysis/account.h"
#include "analysis/analysis.h"
#include "base/error.h"
#include "compare/objective.h"
#include "format/format.h"
#include "gate/gate.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "profile/summary.h"

#include <math.h>
#include <string.h>

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *dimensions_of(const struct account *account)
{
	json_t *object = json_object();
	char path[DIMENSION_PATH_SIZE];

	for (uint32_t i = 1; i < account->count; i++) {
		const struct dimension *dimension = profile_dimension_at(account->profile, i);
		double total = account_state(account, (struct dimension_id){ i }).total;

		if (dimension->parent.index || isnan(total))
			continue;
		json_object_set_new(object, dimension_path(account->profile, (struct dimension_id){ i }, path),
				    number(account_per_completion(account, total)));
	}
	return object;
}

/* What the capture itself was taken under, where it says so: "contract.". */
static json_t *words_of(const struct profile *profile, const char *prefix)
{
	json_t *object = json_object();

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		const char *key, *value;

		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, prefix, strlen(prefix)))
			json_object_set_new(object, key + strlen(prefix), json_string(value));
	}
	return object;
}

static json_t *figures_of(const struct profile *profile)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct question question = { .profile = profile, .selection = selection };
	CLEANUP(account) struct account *account = account_new(&question);
	double attempts = account_attempts(account);

	return json_pack("{s:o,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "contract", words_of(profile, "contract."), "recorded_s",
			 (json_int_t)(profile_meta_number(profile, "capture.start_wall_ns", 0) / 1000000000), "elapsed_ns", number(account->elapsed_ns), "thread_ns",
			 number(account->thread_ns), "attempts", number(attempts), "operations", number(attempts - account->retried),
			 "correct", number(account->correct), "incorrect", number(account->incorrect), "rejected",
			 number(account->rejected), "retried", number(account->retried), "abandoned", number(account->abandoned),
			 "per_completion", dimensions_of(account));
}

static json_t *gates_of(const struct summary *summary)
{
	json_t *array = json_array();

	for (const struct gate *const *row = gates; *row; row++) {
		struct reading reading;

		if ((*row)->between)
			continue;
		gate_read(*row, (*row)->limit, summary, NULL, &reading);
		json_array_append_new(array, json_pack("{s:s,s:s,s:o,s:o}", "name", (*row)->name, "verdict",
						       verdict_name(reading.verdict), "value", number(reading.value), "limit",
						       number(reading.limit)));
	}
	return array;
}

json_t *packet_load(const char *path)
{
	struct objective objective;
	struct error ignored = { 0 };

	if (objective_read(path, &objective, &ignored) < 0 || isnan(objective_attempts(&objective)))
		return NULL;
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "attempts", number(objective_attempts(&objective)), "operations",
			 number(objective_operations(&objective)), "correct", number(objective.correct), "incorrect",
			 number(objective.incorrect), "rejected", number(objective.rejected), "retried", number(objective.retried),
			 "abandoned", number(objective.abandoned));
}

int packet_figures(const char *path, json_t **ret_figures, json_t **ret_gates, json_t **ret_stated, struct error *err)
{
	CLEANUP(profile) struct profile *profile = NULL;
	struct summary summary;
	int r = format_read(path, &profile, err);

	if (r < 0)
		return r;
	summary_of(profile, &summary);
	*ret_figures = figures_of(profile);
	*ret_gates = gates_of(&summary);
	*ret_stated = json_pack("{s:b,s:o,s:o}", "simulated", profile_meta(profile, "capture.simulated") != NULL, "bounds",
				words_of(profile, "bounds."), "hypothesis", words_of(profile, "hypothesis."));
	return 0;
}
