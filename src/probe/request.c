/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of a request's records: they go into the book, which adds a request with its parts to the profile when it
 * closes. The class came from the drain; no byte of the request itself is in any record here.
 */
#include "probe/probe.h"
#include "probe/request_book.h"

static void decode_open(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_request_open *wire = (const void *)record;
	struct profile *profile = decoder_profile(decoder);

	request_book_open(decoder_requests(decoder), &(struct request_opening){
		.request = wire->request, .thread = wire->thread, .one_in = wire->one_in ? wire->one_in : 1,
		.arrived_ns = wire->arrived_ns <= record->time_ns ? wire->arrived_ns : 0, .opened_ns = record->time_ns,
		.class = profile_string(profile, wire_text(record, sizeof(*wire), 0)),
		.trace_id = profile_string(profile, wire_text(record, sizeof(*wire), 1)) });
}

static const char *outcome_text(uint32_t outcome)
{
	return outcome >= OUTCOME_CORRECT && outcome < OUTCOME_COUNT ? outcome_name(outcome) : outcome_name(OUTCOME_UNJUDGED);
}

static void decode_event(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_request_event *wire = (const void *)record;
	struct request_book *book = decoder_requests(decoder);

	switch (wire->event) {
	case WIRE_REQUEST_CLOSED:
		request_book_close(book, &(struct request_closing){
			.request = wire->request, .thread = wire->thread, .status = wire->status, .closed_ns = record->time_ns,
			.since_ns = wire->since_ns, .overlap = wire->overlap != 0,
			.outcome = profile_string(decoder_profile(decoder), outcome_text(wire->outcome)) },
			decoder_thread(decoder, wire->thread));
		break;
	case WIRE_REQUEST_ABANDONED:
		request_book_abandon(book, wire->request, record->time_ns);
		break;
	case WIRE_REQUEST_TOUCHED:
		request_book_touch(book, wire->thread, wire->request, record->time_ns);
		break;
	case WIRE_REQUEST_HANDED:
		request_book_hand(book, wire->request, wire->from, wire->thread, wire->since_ns, record->time_ns);
		break;
	}
}

static const struct wire_decoder decoders[] = {
	{ WIRE_REQUEST_OPEN, sizeof(struct wire_request_open), decode_open },
	{ WIRE_REQUEST_EVENT, sizeof(struct wire_request_event), decode_event },
	{ 0 },
};

extern const struct probe probe_request;
const struct probe probe_request = {
	.name = "request", .by_default = true, .summary = "requests: when each opened and closed, of one in N where its time went",
	.fills = "idle, ipc, network", .without = "completions are counted, but no request is followed; queues stay idle or waiting, undecided",
	.exposes = "method and path of requests, without what identifies things in it, and trace ids; with --work http",
	.decoders = decoders,
};
