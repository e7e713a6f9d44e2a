/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans the whole run. Exponential spacing is what many independent clients make together; fixed
 * spacing is for comparing with tools that know nothing else.
 */
#include "schedule.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../common/field.h"
#include "../common/random.h"

enum { SCHEDULE_LIMIT = 20000000, POPULAR_ITEMS = 256 };

static uint32_t item_choose(struct random *random, const struct schedule_config *config)
{
	uint32_t item;

	if (random_below(random, 1000) < config->unknown_permille)
		return config->items + random_below(random, config->items);
	item = random_below(random, config->items);
	if (random_below(random, 100) >= config->popular_percent)
		return item;
	return random_below(random, POPULAR_ITEMS) * (config->items / POPULAR_ITEMS);
}

static int32_t warehouse_choose(struct random *random, const struct schedule_config *config)
{
	int32_t warehouse = (int32_t)random_below(random, WAREHOUSE_COUNT);

	return random_below(random, 100) < config->partial_percent ? warehouse : -1;
}

int load_schedule_make(struct schedule *ret, const struct schedule_config *config)
{
	struct random random = { config->seed };
	double limit = config->rate * config->seconds * 1.1 + 1000, at = 0;
	struct planned *planned;
	size_t count = 0;

	if (limit > SCHEDULE_LIMIT)
		return -E2BIG;
	planned = calloc((size_t)limit, sizeof(*planned));
	if (!planned)
		return -ENOMEM;
	while (count < (size_t)limit) {
		at += (config->fixed_spacing ? 1 : -log(random_unit(&random))) / config->rate;
		if (at >= config->seconds)
			break;
		planned[count].at_ns = (uint64_t)(at * 1e9);
		planned[count].item = item_choose(&random, config);
		planned[count++].warehouse = warehouse_choose(&random, config);
	}
	*ret = (struct schedule){ planned, count };
	return 0;
}

void load_schedule_free(struct schedule *schedule)
{
	free(schedule->planned);
	*schedule = (struct schedule){ 0 };
}
