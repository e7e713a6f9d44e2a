/* SPDX-License-Identifier: Apache-2.0 */
/* A wrong name suggests the nearest right one; a name alone has no limit. */
#include "command/gate_limit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/quantity.h"

static int gate_unknown(const char *name, struct error *err)
{
	const char *names[64] = { NULL }, *near;

	for (size_t i = 0; gates[i] && i < ARRAY_LENGTH(names) - 1; i++)
		names[i] = gates[i]->name;
	near = nearest_name(name, names);
	(void)fail(err, FAILURE_USAGE, -EINVAL, "unknown gate '%.64s'", name);
	(void)error_because(err, "crosscut has no gate of that name");
	return near ? error_try(err, "--gate %s=LIMIT", near)
		    : error_try(err, "crosscut list gates");
}

int gate_limit_parse(const char *text, bool between, struct gate_limit *ret, struct error *err)
{
	const char *equals = strchr(text, '=');
	CLEANUP_TEXT char *name = equals ? xstrndup(text, (size_t)(equals - text)) : xstrdup(text);
	int r;

	ret->gate = gate_find(name);
	if (!ret->gate)
		return gate_unknown(name, err);
	r = equals ? quantity_parse_share(equals + 1, strcmp(ret->gate->unit, "fraction") ? NAN : 0.01, &ret->limit, err) : -EINVAL;
	if (r < 0 || isnan(ret->limit)) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "--gate '%.128s' has no limit", text);
		(void)error_because(err, "a limit is a number, or a share with %%");
		return error_try(err, "--gate %s=%g", ret->gate->name, ret->gate->limit);
	}
	if (ret->gate->between != between) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "gate '%s' is not about %s", name, between ? "a comparison" : "one capture");
		return error_because(err, between ? "it judges one capture: crosscut check" : "it compares two: crosscut diff");
	}
	return 0;
}
