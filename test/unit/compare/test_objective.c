/* SPDX-License-Identifier: Apache-2.0 */
/* What a load generator says is taken as it says it; what it says by no number that it can be is a mistake, and not silence. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "compare/objective.h"

static int read_text(const char *text, struct objective *ret, struct error *err)
{
	char path[] = "/tmp/crosscut-objective-XXXXXX";
	int fd = mkstemp(path), r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(close(fd), 0);
	r = objective_read(path, ret, err);
	(void)unlink(path);
	return r;
}

TEST(what_is_not_said_is_not_known)
{
	struct objective objective;
	struct error err = { 0 };

	assert_int_equal(read_text("{\"latency_ns\":{\"p99\":5e6,\"mean\":0,\"p50\":null}}", &objective, &err), 0);
	assert_true(objective.p99_ns == 5e6);
	assert_true(isnan(objective.mean_ns) && isnan(objective.p50_ns) && isnan(objective.throughput_per_s));
	assert_true(isnan(objective_attempts(&objective)));
}

TEST(what_can_be_no_latency_and_no_count_is_refused)
{
	static const struct { const char *text, *why; } wrong[] = {
		{ "{\"latency_ns\":{\"mean\":-5}}", "mean" },
		{ "{\"latency_ns\":{\"mean\":5,\"p99\":\"12 ms\"}}", "p99" },
		{ "{\"latency_ns\":{\"p50\":1e300}}", "p50" },
		{ "{\"latency_ns\":{\"mean\":5},\"retried\":-2}", "retried" },
		{ "{\"latency_ns\":7}", "latency_ns" },
		{ "[]", "latency_ns" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		struct objective objective;
		struct error err = { 0 };

		assert_true(read_text(wrong[i].text, &objective, &err) < 0);
		assert_int_equal(err.kind, FAILURE_WORK);
		assert_non_null(strstr(err.why, wrong[i].why));
	}
}
