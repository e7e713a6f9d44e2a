/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Retention: what a capture may have seen is kept as long as the runbook said and no longer, counted from when it was recorded.
 * The packet itself stays, with its figures, and says what is gone.
 */
#include "packet/state.h"

#include "base/error.h"
#include "base/quantity.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static uint64_t age_s(const json_t *entry, uint64_t now_s)
{
	uint64_t recorded = (uint64_t)json_integer_value(json_object_get(json_object_get(entry, "figures"), "recorded_s"));

	return now_s > recorded ? now_s - recorded : 0;
}

static int delete_file(const struct packet *packet, const char *name, struct error *err)
{
	CLEANUP_TEXT char *path = packet_path(packet, name);

	if (!*name || *name == '/' || strstr(name, ".."))
		return 0;                       /* no file of the packet: it is not ours to delete */
	if (unlink(path) && errno != ENOENT)
		return fail(err, FAILURE_WORK, -errno, "cannot delete '%.180s'", path);
	return 0;
}

static int expire_entry(struct packet *packet, json_t *entry, const char *retention, struct error *err)
{
	int r = delete_file(packet, packet_text(entry, "file"), err);

	if (r >= 0)
		r = delete_file(packet, packet_text(entry, "objective"), err);
	if (r < 0)
		return r;
	json_object_set_new(entry, "expired", json_true());
	packet_note(packet, "deleted %s: its retention of %s is over", packet_text(entry, "file"), retention);
	return 1;
}

int packet_expire(struct packet *packet, uint64_t now_s, struct error *err)
{
	const char *retention = packet_text(json_object_get(packet->root, "bounds"), "retention");
	uint64_t most_ns = 0;
	int r = *retention ? quantity_parse_duration(retention, &most_ns, err) : 0, count = 0;
	bool all = true;
	json_t *entry;
	size_t i;

	if (r < 0 || !*retention)
		return r;
	json_array_foreach(json_object_get(packet->root, "captures"), i, entry) {
		if (!json_object_get(entry, "expired") && age_s(entry, now_s) * 1000000000 >= most_ns)
			r = expire_entry(packet, entry, retention, err);
		if (r < 0)
			return r;
		count += r;
		r = 0;
		all &= json_object_get(entry, "expired") != NULL;
	}
	/* A trace has no time of its own: it goes with the last of the captures that it belongs to. */
	json_array_foreach(json_object_get(packet->root, "traces"), i, entry) {
		if (!json_object_get(entry, "expired") && all)
			r = expire_entry(packet, entry, retention, err);
		if (r < 0)
			return r;
		count += r;
		r = 0;
	}
	return count;
}
