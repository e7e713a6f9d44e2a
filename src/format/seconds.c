/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads live on through seconds in which nothing was seen, and a selection adds up their lives slice by slice: so such
 * seconds get slices, but not more in all than an hour has. A file that leaps further has holes between its slices.
 */
#include "format/seconds.h"

#include "base/map.h"
#include "profile/profile.h"

enum { SECOND_NS = 1000000000, FILLED_LIMIT = 3600 };

void seconds_init(struct seconds *seconds, struct profile *profile)
{
	*seconds = (struct seconds){ .profile = profile, .slices = map_new(sizeof(int64_t)) };
}

void seconds_done(struct seconds *seconds)
{
	map_free(seconds->slices);
}

void seconds_start(struct seconds *seconds, uint64_t start_ns)
{
	if (!seconds->start_ns)
		seconds->start_ns = start_ns;
}

static int64_t second_of(const struct seconds *seconds, uint64_t time_ns)
{
	if (time_ns >= seconds->start_ns)
		return (int64_t)((time_ns - seconds->start_ns) / SECOND_NS);
	return -1 - (int64_t)((seconds->start_ns - time_ns - 1) / SECOND_NS);
}

/* Cut where a time would be negative, or beyond what can be counted. */
static uint64_t start_of(const struct seconds *seconds, int64_t second)
{
	__int128 start_ns = (__int128)seconds->start_ns + (__int128)second * SECOND_NS;

	return start_ns < 0 ? 0 : start_ns > (__int128)UINT64_MAX ? UINT64_MAX : (uint64_t)start_ns;
}

static uint32_t slice_put(struct seconds *seconds, int64_t second)
{
	bool added;
	uint32_t *known = map_put(seconds->slices, &second, &added);

	if (added)
		*known = profile_slice(seconds->profile, start_of(seconds, second), start_of(seconds, second + 1)).index;
	return *known;
}

struct slice_id seconds_slice(struct seconds *seconds, uint64_t time_ns)
{
	int64_t second;

	if (!time_ns) {
		if (!seconds->untimed)
			seconds->untimed = profile_slice(seconds->profile, 0, 0).index;
		return (struct slice_id){ seconds->untimed };
	}
	seconds_start(seconds, time_ns);
	second = second_of(seconds, time_ns);
	if (map_count(seconds->slices) && second > seconds->newest && second - seconds->newest <= FILLED_LIMIT - seconds->filled)
		for (; seconds->newest + 1 < second; seconds->newest++, seconds->filled++)
			(void)slice_put(seconds, seconds->newest + 1);
	if (!map_count(seconds->slices) || second > seconds->newest)
		seconds->newest = second;
	return (struct slice_id){ slice_put(seconds, second) };
}

void seconds_finish(struct seconds *seconds, uint64_t start_ns, uint64_t end_ns)
{
	struct slice *slice;

	if (!start_ns)
		start_ns = seconds->start_ns;
	if (!start_ns) {
		slice = profile_slice_edit(seconds->profile, seconds_slice(seconds, 0));
		*slice = (struct slice){ 0, end_ns };
		return;
	}
	slice = profile_slice_edit(seconds->profile, seconds_slice(seconds, start_ns));
	slice->start_ns = start_ns;
	slice = profile_slice_edit(seconds->profile, seconds_slice(seconds, end_ns));
	/* what happened at the very end can be asked for, too */
	slice->end_ns = end_ns == slice->start_ns && end_ns != start_ns ? end_ns + 1 : end_ns;
}
