/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

static void amount(struct profile *profile, struct object_id object, const char *path, uint64_t value, uint64_t maximum)
{
	struct dimension_id id = built_dimension(profile, path);

	profile_add_cell(profile, (struct cell){
		.slice = built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND), .object = object, .value = value,
		.maximum = maximum, .measure = profile_measure(profile, (struct measure){
			.dimension = id, .role = strchr(path, '/') ? ROLE_DETAIL : ROLE_TOTAL, .weighting = WEIGHTING_EXACT }) });
}

static void waits(struct profile *profile, uint32_t flags, uint64_t count, uint64_t ns)
{
	struct evidence_id evidence = profile_evidence(profile, &(struct wait_evidence){ .flags = flags });

	profile_evidence_class(profile, evidence, built_dimension(profile, "disk/read"), profile_string(profile, "disk-read"), false);
	profile_add_cell(profile, (struct cell){
		.slice = built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND), .evidence = evidence, .count = count,
		.value = ns, .measure = profile_measure(profile, (struct measure){ .role = ROLE_TOTAL, .weighting = WEIGHTING_EXACT }) });
}

TEST(devices_have_their_means_and_chains_their_links)
{
	struct profile *profile = profile_new();
	struct object_id object = profile_object(profile, (struct object){ .kind = profile_string(profile, "device"),
									   .name = profile_string(profile, "vda read") });
	struct asking it;
	const struct table *table;

	amount(profile, object, "block-operations", 10, 0);
	amount(profile, object, "block-bytes", 40960, 0);
	amount(profile, object, "block-operations/device", 1000, 400);
	amount(profile, object, "block-operations/errors", 2, 0);
	amount(profile, object, "block-operations/waits", 4, 0);
	amount(profile, object, "block-operations/wait-device", 360, 0);
	amount(profile, object, "block-operations/wait-runnable", 40, 0);
	waits(profile, EVIDENCE_OWN_BIO | EVIDENCE_OWN_BIO_DONE, 4, 400);
	waits(profile, 0, 3, 100);
	waits(profile, EVIDENCE_OWN_BIO, 1, 50);
	it = asking(profile);
	assert_int_equal(ask(&it, "io"), 0);
	table = table_at(&it, "devices");
	near(number_at(table, "vda read", "size"), 4096);
	near(number_at(table, "vda read", "served"), 100);
	near(number_at(table, "vda read", "longest"), 400);
	near(number_at(table, "vda read", "errors"), 2);
	table = table_at(&it, "chains");
	near(number_at(table, "vda read", "served"), 90);
	near(number_at(table, "vda read", "runnable"), 10);
	table = table_at(&it, "storage_waits");
	near(number_at(table, "disk/read", "matched"), 0.5);
	near(number_at(table, "disk/read", "others"), 0.375);
	near(number_at(table, "disk/read", "elsewhere"), 0.125);
	asked(&it);
}

TEST(without_block_requests_the_tables_are_empty)
{
	struct asking it = asking(profile_new());

	assert_int_equal(ask(&it, "io"), 0);
	assert_int_equal(table_at(&it, "devices")->row_count, 0);
	asked(&it);
}
