/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

static struct object_id endpoint(struct profile *profile, const char *kind, const char *name)
{
	return profile_object(profile, (struct object){ .kind = profile_string(profile, kind), .name = profile_string(profile, name) });
}

static void amount(struct profile *profile, struct object_id object, const char *path, uint64_t count, uint64_t value, uint64_t maximum)
{
	profile_add_cell(profile, (struct cell){
		.slice = built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND), .object = object, .count = count, .value = value,
		.maximum = maximum, .measure = profile_measure(profile, (struct measure){
			.dimension = built_dimension(profile, path), .role = ROLE_TOTAL, .weighting = WEIGHTING_EXACT }) });
}

TEST(what_this_host_did_not_take_is_the_networks_or_the_peers)
{
	struct profile *profile = profile_new();
	struct object_id far = endpoint(profile, "connection", "curl 10.0.0.1:443"), near_by = endpoint(profile, "incoming", ":80");
	struct asking it;
	const struct table *table;

	amount(profile, far, "network-waits/receive", 4, 1000, 700);
	amount(profile, far, "network-waits/connect", 1, 200, 200);
	amount(profile, far, "network-waits/softirq", 4, 100, 40);
	amount(profile, near_by, "network-waits/send", 2, 5000, 4000);
	amount(profile, near_by, "network-waits/window", 1, 3000, 3000);
	it = asking(profile);
	assert_int_equal(ask(&it, "network"), 0);
	table = table_at(&it, "network_waits");
	assert_int_equal(table->row_count, 2);
	assert_string_equal(table_at(&it, "network_waits")->cells[0].text, ":80");      /* waited for longest */
	near(number_at(table, "curl 10.0.0.1:443", "count"), 5);
	near(number_at(table, "curl 10.0.0.1:443", "receive"), 1000);
	near(number_at(table, "curl 10.0.0.1:443", "longest"), 700);
	near(number_at(table, "curl 10.0.0.1:443", "remote"), 1100);
	near(number_at(table, ":80", "send"), 5000);
	near(number_at(table, ":80", "window"), 3000);
	asked(&it);
}

TEST(phases_have_means_and_lookups_say_how_many_had_no_answer)
{
	struct profile *profile = profile_new();
	struct object_id server = endpoint(profile, "connection", "curl 10.0.0.2:53/udp");
	struct asking it;
	const struct table *table;

	amount(profile, server, "network-phases/lookup", 5, 1000, 600);
	amount(profile, server, "connections/answered", 0, 3, 0);
	amount(profile, server, "retransmits", 7, 7, 0);
	amount(profile, server, "resets/received", 1, 1, 0);
	it = asking(profile);
	assert_int_equal(ask(&it, "network"), 0);
	table = table_at(&it, "network_phases");
	near(number_at(table, "curl 10.0.0.2:53/udp", "mean"), 200);
	near(number_at(table, "curl 10.0.0.2:53/udp", "longest"), 600);
	near(number_at(table, "curl 10.0.0.2:53/udp", "unanswered"), 2);
	table = table_at(&it, "network_traffic");
	near(number_at(table, "curl 10.0.0.2:53/udp", "retransmits"), 7);
	near(number_at(table, "curl 10.0.0.2:53/udp", "resets_received"), 1);
	asked(&it);
}

TEST(of_many_endpoints_those_that_were_waited_for_longest_are_shown)
{
	struct profile *profile = profile_new();
	struct asking it;
	char name[32];

	for (unsigned i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof(name), "curl 10.0.0.%u:443", i);
		amount(profile, endpoint(profile, "connection", name), "network-waits/receive", 1, 1000 + i, 1000 + i);
	}
	it = asking(profile);
	it.question.most = 3;
	assert_int_equal(ask(&it, "network"), 0);
	assert_int_equal(table_at(&it, "network_waits")->row_count, 3);
	near(number_at(table_at(&it, "network_waits"), "curl 10.0.0.99:443", "receive"), 1099);
	asked(&it);
}

TEST(without_connections_it_says_how_to_get_them)
{
	struct asking it = asking(profile_new());

	assert_int_equal(ask(&it, "network"), 0);
	assert_int_equal(table_at(&it, "network_waits")->row_count, 0);
	assert_int_equal(it.document->sections[0].kind, SECTION_FINDING);
	asked(&it);
}
