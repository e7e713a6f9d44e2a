/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for locks and who held them: cells of the role DETAIL beside the ledger's (profile/lock.h), and links of intervals
 * where those are kept. A link is sent when its part of the wait ends, the interval when the waiter runs again: so links
 * are kept until theirs comes.
 */
#include "probe/decoder_state.h"

#include "base/map.h"
#include "base/memory.h"
#include "base/young_map.h"
#include "probe/probe.h"
#include "profile/lock.h"

bool decoder_knows_lock(struct decoder *decoder, uint32_t process, uint64_t lock)
{
	struct lock_key key = { lock, process };

	return young_map_find(decoder->locks, &key, NULL);
}

static struct object_id lock_of(struct decoder *decoder, uint32_t process, uint64_t lock)
{
	struct lock_key key = { lock, process };
	uint32_t id;

	return (struct object_id){ young_map_find(decoder->locks, &key, &id) ? id : 0 };
}

static void decode_lock_name(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_lock_name *wire = (const void *)record;
	struct lock_key key = { wire->lock, wire->process };
	struct object object = { .kind = profile_string(decoder->profile, wire_text(record, sizeof(*wire), 0)),
				 .name = profile_string(decoder->profile, wire_text(record, sizeof(*wire), 1)), .address = wire->lock };

	young_map_put(decoder->locks, &key, profile_object(decoder->profile, object).index);
}

struct stack_id decoder_waker_stack(struct decoder *decoder, uint64_t id)
{
	return id ? decoder_stack_of(decoder, id) : (struct stack_id){ 0 };
}

/* --- Segments --------------------------------------------------------------------------------------------------- */

static const struct { const char *state; } doings[WIRE_DOINGS] = {
	[WIRE_DOING_UNKNOWN] = { "unknown" }, [WIRE_DOING_ONCPU] = { "oncpu" }, [WIRE_DOING_RUNNABLE] = { "runnable" },
	[WIRE_DOING_LOCK] = { "lock" }, [WIRE_DOING_DISK] = { "disk" }, [WIRE_DOING_NETWORK] = { "network" },
	[WIRE_DOING_PAGING] = { "paging" }, [WIRE_DOING_IPC] = { "ipc" }, [WIRE_DOING_TIMER] = { "timer" },
	[WIRE_DOING_CHILD] = { "child" },
};

static struct measure_id measure_of(struct profile *profile, const char *source, const char *state, enum weighting weighting)
{
	const struct dimension_row *row = state ? dimension_row_find(NULL, state) : NULL;

	return profile_measure(profile, (struct measure){
		.dimension = row ? profile_dimension(profile, row) : (struct dimension_id){ 0 }, .role = ROLE_DETAIL,
		.weighting = weighting, .source = profile_string(profile, source) });
}

static void add_doings(struct profile *profile, struct cell cell, const struct wire_segment_value *value)
{
	cell.evidence = (struct evidence_id){ 0 };
	cell.count = value->hand_offs;
	cell.maximum = 0;
	for (unsigned i = 0; i < WIRE_DOINGS; i++) {
		if (!value->doing_ns[i])
			continue;
		cell.measure = measure_of(profile, LOCK_HOLDERS, doings[i].state, WEIGHTING_EXACT);
		cell.value = value->doing_ns[i];
		profile_add_cell(profile, cell);
	}
}

/* Segments of one cell vary in length: each counts with its mean. */
static double segment_variance(const struct wire_segment *segment, unsigned p_log2)
{
	double mean = segment->value.count ? (double)segment->value.ns / (double)segment->value.count : 0;
	double inverse = (double)(1ull << p_log2);

	return (double)segment->value.count * mean * mean * inverse * (inverse - 1);
}

static void decode_segment(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_segment *segment = (const void *)record;
	const struct wire_segment_key *key = &segment->key;
	struct profile *profile = decoder->profile;
	struct cell cell = {
		.slice = decoder->slice, .thread = decoder_thread(decoder, key->wait.thread),
		.measure = measure_of(profile, LOCK_SEGMENTS, NULL, key->sampled ? WEIGHTING_SAMPLED : WEIGHTING_EXACT),
		.evidence = decoder_evidence(decoder, &key->wait.evidence), .object = lock_of(decoder, key->lock_process, key->lock),
		.other = decoder_waker(decoder, key->holder), .count = segment->value.count, .value = segment->value.ns,
		.maximum = segment->value.maximum_ns };

	if (!cell.thread.index)                 /* never announced: that is counted with the ledger */
		return;
	if (key->sampled) {
		cell.p_log2 = key->p_log2 & 31;
		cell.stack = decoder_stack(decoder, key->user_stack, key->wait.evidence.kernel_stack);
		cell.other_stack = decoder_waker_stack(decoder, key->holder_stack);
		cell.variance = segment_variance(segment, cell.p_log2);
		profile_add_cell(profile, cell);
		return;
	}
	profile_add_cell(profile, cell);
	add_doings(profile, cell, &segment->value);
	cell.measure = measure_of(profile, LOCK_HAND_OFFS, NULL, WEIGHTING_EXACT);
	cell.count = segment->value.hand_offs;
	cell.value = segment->value.hand_off_ns;
	if (cell.count)
		profile_add_cell(profile, cell);
}

/* --- Links ------------------------------------------------------------------------------------------------------ */

static void decode_link(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_link *wire = (const void *)record;
	uint32_t *newest;

	if (wire->start_ns > wire->end_ns || decoder->link_count >= PENDING_LINK_LIMIT) {
		profile_add_loss(decoder->profile, (struct loss){ .slice = decoder->slice,
				 .source = profile_string(decoder->profile, "intervals"), .lost = 1 });
		return;
	}
	newest = map_put(decoder->linked, &wire->thread, NULL);
	grow(decoder->links, decoder->link_count, decoder->link_room);
	decoder->links[decoder->link_count++] = (struct pending_link){
		.next = *newest,
		.link = { .kind = profile_string(decoder->profile, LOCK_LINK), .start_ns = wire->start_ns, .end_ns = wire->end_ns,
			  .object = lock_of(decoder, wire->lock_process, wire->lock), .by = decoder_waker(decoder, wire->holder),
			  .stack = decoder_waker_stack(decoder, wire->stack) } };
	*newest = (uint32_t)decoder->link_count;
	decoder->links_open++;
}

/* Of an earlier wait whose interval was lost nothing fits: it is dropped with that. */
void decoder_link_interval(struct decoder *decoder, uint32_t serial, uint64_t start_ns, uint64_t end_ns)
{
	uint32_t *newest = map_find(decoder->linked, &serial);

	for (uint32_t at = newest ? *newest : 0; at; at = decoder->links[at - 1].next) {
		struct link link = decoder->links[at - 1].link;

		decoder->links_open--;
		link.interval = (uint32_t)profile_interval_count(decoder->profile) - 1;
		if (link.start_ns >= start_ns && link.end_ns <= end_ns)
			profile_add_link(decoder->profile, link);
	}
	if (newest)
		*newest = 0;
	if (decoder->links_open)
		return;
	decoder->link_count = 0;
	map_clear(decoder->linked);
}

static const struct wire_decoder decoders[] = {
	{ WIRE_SEGMENT, sizeof(struct wire_segment), decode_segment },
	{ WIRE_LOCK_NAME, sizeof(struct wire_lock_name), decode_lock_name },
	{ WIRE_LINK, sizeof(struct wire_link), decode_link },
	{ 0 },
};

extern const struct probe probe_locks;
const struct probe probe_locks = {
	.name = "locks", .by_default = true, .summary = "who held a lock while others waited, and what kept the holder",
	.fills = "lock", .without = "locks have no holders and no names",
	.exposes = "addresses and names of locks, and which threads held them while others waited",
	.programs = { { "lock_left", NULL, 340 } }, .decoders = decoders,
};
