/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests are weighted by how many of their kind each stands for; one whose thread held several open requests at once is left
 * out, since its time is not its own.
 */
#include "compare/objective.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "profile/selection.h"

#define NUMBER_MOST 0x1p63

/* What is said, but by no number that it can be, is a mistake of the file and not silence. */
struct reading_of { const json_t *object; const char *wrong; };

static double number_of(struct reading_of *from, const char *key)
{
	const json_t *number = json_object_get(from->object, key);

	if (!number || json_is_null(number))
		return NAN;
	if (json_is_number(number) && json_number_value(number) >= 0 && json_number_value(number) < NUMBER_MOST)
		return json_number_value(number);
	from->wrong = key;
	return NAN;
}

/* Nothing took no time: where nothing was answered, a load generator prints 0. */
static double latency_of(struct reading_of *from, const char *key)
{
	double latency = number_of(from, key);

	return latency > 0 ? latency : NAN;
}

static void read_numbers(struct reading_of *root, struct reading_of *latency, struct reading_of *late, struct objective *ret)
{
	*ret = (struct objective){
		.known = true, .source = "the load generator", .mean_ns = latency_of(latency, "mean"),
		.p50_ns = latency_of(latency, "p50"), .p90_ns = latency_of(latency, "p90"), .p99_ns = latency_of(latency, "p99"),
		.p999_ns = latency_of(latency, "p999"), .maximum_ns = latency_of(latency, "max"),
		.throughput_per_s = number_of(root, "throughput_per_s"), .correct = number_of(root, "correct"),
		.incorrect = number_of(root, "incorrect") + number_of(root, "failed"), .rejected = number_of(root, "rejected"),
		.retried = number_of(root, "retried"), .abandoned = number_of(root, "abandoned"), .late_p99_ns = number_of(late, "p99"),
	};
}

int objective_read(const char *path, struct objective *ret, struct error *err)
{
	json_error_t where;
	json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
	struct reading_of root = { .object = json }, latency = { .object = json_object_get(json, "latency_ns") },
			  late = { .object = json_object_get(json, "send_lateness_ns") };
	const char *wrong;

	if (!json || !json_is_object(latency.object)) {
		(void)fail(err, FAILURE_WORK, -EBADMSG, "cannot read what users saw from '%s'", path);
		(void)error_because(err, "%s", json ? "it has no object latency_ns" : where.text);
		json_decref(json);
		return error_try(err, "the JSON of a load generator: {\"latency_ns\":{\"mean\":…,\"p99\":…},\"throughput_per_s\":…}");
	}
	read_numbers(&root, &latency, &late, ret);
	json_decref(json);
	wrong = latency.wrong ? latency.wrong : root.wrong ? root.wrong : late.wrong;
	if (!wrong)
		return 0;
	(void)fail(err, FAILURE_WORK, -EBADMSG, "cannot read what users saw from '%s'", path);
	return error_because(err, "its %s is no number from 0 on", wrong);
}

double objective_operations(const struct objective *objective)
{
	return objective->correct + objective->incorrect + objective->rejected + objective->abandoned;
}

double objective_attempts(const struct objective *objective)
{
	return objective_operations(objective) + objective->retried;
}

/* --- Of requests -------------------------------------------------------------------------------------------------------- */

struct latency { double ns, stands_for; };

static int compare_latency(const void *left, const void *right)
{
	double a = ((const struct latency *)left)->ns, b = ((const struct latency *)right)->ns;

	return (a > b) - (a < b);
}

/* The least latency that at least this share of the requests did not exceed. */
static double quantile_of(const struct latency *sorted, size_t count, double all, double share)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += sorted[i].stands_for;
		if (sum >= share * all)
			return sorted[i].ns;
	}
	return count ? sorted[count - 1].ns : NAN;
}

static uint64_t began_at(const struct request *request)
{
	return request->arrived_ns ? request->arrived_ns : request->opened_ns;
}

static bool is_asked(const struct profile *profile, const struct selection *selection, const struct request *request)
{
	return began_at(request) && request->closed_ns > began_at(request) && selection_has_request(selection, profile, request);
}

bool objective_counts(const struct profile *profile, const struct selection *selection, const struct request *request)
{
	return !request->overlap && is_asked(profile, selection, request);
}

double objective_stands_for(const struct request *request)
{
	return request->one_in ? request->one_in : 1;
}

static size_t gather(const struct profile *profile, const struct selection *selection, struct latency *into, struct objective *ret)
{
	size_t count = 0;

	for (size_t i = 0; i < profile_request_count(profile); i++) {
		const struct request *request = profile_request_at(profile, i);

		if (!is_asked(profile, selection, request))
			continue;
		ret->requests += objective_stands_for(request);
		if (request->overlap)
			ret->shared += objective_stands_for(request);
		else
			into[count++] = (struct latency){ .ns = (double)(request->closed_ns - began_at(request)),
							  .stands_for = objective_stands_for(request) };
	}
	return count;
}

void objective_of_requests(const struct profile *profile, const struct selection *selection, struct objective *ret)
{
	size_t room = profile_request_count(profile), count;
	struct latency *latencies = xcalloc(room + 1, sizeof(*latencies));
	double all = 0, sum = 0;

	*ret = (struct objective){ .throughput_per_s = NAN, .correct = NAN, .incorrect = NAN, .rejected = NAN,
				   .retried = NAN, .abandoned = NAN, .late_p99_ns = NAN };
	count = gather(profile, selection, latencies, ret);
	qsort(latencies, count, sizeof(*latencies), compare_latency);
	for (size_t i = 0; i < count; i++) {
		all += latencies[i].stands_for;
		sum += latencies[i].stands_for * latencies[i].ns;
	}
	if (count) {
		ret->known = true;
		ret->source = "the captures' requests";
		ret->mean_ns = sum / all;
		ret->p50_ns = quantile_of(latencies, count, all, 0.5);
		ret->p90_ns = quantile_of(latencies, count, all, 0.9);
		ret->p99_ns = quantile_of(latencies, count, all, 0.99);
		ret->p999_ns = quantile_of(latencies, count, all, 0.999);
		ret->maximum_ns = latencies[count - 1].ns;
	}
	free(latencies);
}
