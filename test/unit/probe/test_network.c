/* SPDX-License-Identifier: Apache-2.0 */
/* What records of connections become: endpoints by name, parts that add up to their totals, what has no room under a name. */
#include "test.h"

#include "capture/batch.h"
#include "probe/decoder.h"
#include "profile/profile.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

struct decoding { struct profile *profile; struct decoder *decoder; struct batch batch; };

static struct decoding decoding(void)
{
	struct decoding it = { .profile = profile_new() };
	struct wire_slice slice = { .start_ns = 1000, .end_ns = 2000 };

	it.decoder = decoder_new(it.profile);
	batch_put(&it.batch, WIRE_SLICE, 0, &slice, sizeof(slice), NULL);
	return it;
}

static void decode(struct decoding *it, struct wire_connection *wire)
{
	batch_put(&it->batch, WIRE_CONNECTION, 0, wire, sizeof(*wire), NULL);
	assert_int_equal(decoder_feed(it->decoder, it->batch.bytes, it->batch.size), 0);
	batch_clear(&it->batch);
}

static void decoded(struct decoding *it)
{
	profile_freeze(it->profile);
	assert_null(profile_broken(it->profile));
	decoder_free(it->decoder);
	profile_free(it->profile);
	batch_done(&it->batch);
}

static uint64_t sum_of(const struct profile *profile, const char *parent, const char *name, const char *object)
{
	struct dimension_id id = profile_dimension_find(profile, parent, name);
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (id.index && profile_cell_dimension(profile, cell).index == id.index &&
		    !strcmp(profile_text(profile, profile_object_at(profile, cell->object.index)->name), object))
			sum += cell->value;
	}
	return sum;
}

static struct wire_connection outgoing(int family, const char *address, unsigned port, unsigned protocol)
{
	struct wire_connection wire = { .key = { .comm = "curl", .port = (__u16)port, .family = (__u8)family,
						 .protocol = (__u8)protocol, .direction = WIRE_OUTGOING } };

	assert_int_equal(inet_pton(family, address, wire.key.address), 1);
	return wire;
}

TEST(an_outgoing_connection_is_called_by_its_program_and_peer)
{
	struct decoding it = decoding();
	struct wire_connection four = outgoing(AF_INET, "10.1.2.3", 443, 6), six = outgoing(AF_INET6, "fd00::1", 53, 17);

	four.value.parts[CONNECTION_WAIT_RECEIVE] = (struct wire_connection_part_value){ 3, 900, 500 };
	four.value.parts[CONNECTION_WAIT_CONNECT] = (struct wire_connection_part_value){ 1, 100, 100 };
	four.value.counts[CONNECTION_RETRANSMITS] = 4;
	four.value.counts[CONNECTION_RESETS_SENT] = 2;
	six.value.parts[CONNECTION_LOOKUP] = (struct wire_connection_part_value){ 2, 50, 30 };
	decode(&it, &four);
	decode(&it, &six);
	assert_int_equal(sum_of(it.profile, "network-waits", "receive", "curl 10.1.2.3:443"), 900);
	assert_int_equal(sum_of(it.profile, "network-waits", "connect", "curl 10.1.2.3:443"), 100);
	assert_int_equal(sum_of(it.profile, NULL, "retransmits", "curl 10.1.2.3:443"), 4);
	assert_int_equal(sum_of(it.profile, "resets", "sent", "curl 10.1.2.3:443"), 2);
	assert_int_equal(sum_of(it.profile, "network-phases", "lookup", "curl [fd00::1]:53/udp"), 50);
	decoded(&it);
}

TEST(incoming_connections_are_called_by_the_port_they_came_to)
{
	struct decoding it = decoding();
	struct wire_connection wire = { .key = { .port = 80, .protocol = 6, .direction = WIRE_INCOMING } };

	wire.value.counts[CONNECTION_OPENED] = 5;
	decode(&it, &wire);
	wire.key.port = 0;
	wire.key.protocol = 17;
	wire.value.counts[CONNECTION_OPENED] = 0;
	wire.value.counts[CONNECTION_SENT_BYTES] = 7;
	decode(&it, &wire);
	wire.key = (struct wire_connection_key){ .direction = WIRE_DIRECTION_OTHER };
	wire.value.counts[CONNECTION_SENT_BYTES] = 9;
	decode(&it, &wire);
	assert_int_equal(sum_of(it.profile, NULL, "connections", ":80"), 5);
	assert_int_equal(sum_of(it.profile, "network-bytes", "sent", "any port/udp"), 7);
	assert_int_equal(sum_of(it.profile, "network-bytes", "sent", "others"), 9);
	decoded(&it);
}

TEST(beyond_so_many_endpoints_only_the_sum_is_kept)
{
	struct decoding it = decoding();
	struct wire_connection wire = outgoing(AF_INET, "10.0.0.0", 443, 6);
	uint64_t named = 0, others;

	wire.value.counts[CONNECTION_SENT_BYTES] = 1;
	for (unsigned i = 0; i < 66000; i++) {
		wire.key.address[1] = (__u8)(i >> 16);
		wire.key.address[2] = (__u8)(i >> 8);
		wire.key.address[3] = (__u8)i;
		decode(&it, &wire);
	}
	others = sum_of(it.profile, "network-bytes", "sent", "others");
	named = profile_object_count(it.profile);
	assert_true(others > 400 && others < 1000);
	assert_true(named <= 65536 + 2);
	decoded(&it);
}
