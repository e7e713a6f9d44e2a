/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

#include "test.h"

#include <string.h>

TEST(meta_is_a_flat_map_that_is_replaced_by_setting_again)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	const char *key, *value;

	assert_null(profile_meta(profile, "label.build"));
	profile_set_meta(profile, "label.build", "b17");
	profile_set_meta_number(profile, "capture.start_ns", UINT64_MAX);
	profile_set_meta(profile, "label.build", "b18");
	assert_string_equal(profile_meta(profile, "label.build"), "b18");
	assert_int_equal(profile_meta_count(profile), 2);
	profile_meta_at(profile, 1, &key, &value);
	assert_string_equal(key, "capture.start_ns");
	assert_true(profile_meta_number(profile, key, 0) == UINT64_MAX);
	assert_int_equal(profile_meta_number(profile, "label.build", 5), 5);
	assert_int_equal(profile_meta_number(profile, "absent", 6), 6);
	profile_set_meta(profile, "label.build", profile_meta(profile, "label.build"));
	assert_string_equal(profile_meta(profile, "label.build"), "b18");
}

TEST(meta_has_a_limit_and_its_overflow_is_counted)
{
	CLEANUP(profile) struct profile *profile = profile_new();

	for (uint32_t i = 0; i < 5000; i++) {
		char key[16] = "k";

		for (uint32_t digit = 0, rest = i; digit < 4; digit++, rest /= 10)
			key[1 + digit] = (char)('a' + rest % 10);
		profile_set_meta_number(profile, key, i);
	}
	assert_int_equal(profile_meta_count(profile), 4096);
	assert_int_equal(profile_loss_count(profile), 1);
	assert_int_equal(profile_loss_at(profile, 0)->lost, 5000 - 4096);
	assert_string_equal(profile_text(profile, profile_loss_at(profile, 0)->source),
			    "profile-limit");
}

TEST(an_empty_profile_has_a_row_of_none_in_every_dictionary_and_is_whole)
{
	CLEANUP(profile) struct profile *profile = profile_new();

	assert_int_equal(profile_thread_count(profile), 1);
	assert_int_equal(profile_stack_count(profile), 1);
	assert_int_equal(profile_slice_count(profile), 1);
	assert_int_equal(profile_cell_count(profile), 0);
	assert_int_equal(profile_mapping_count(profile), 0);
	assert_string_equal(profile_text(profile, (struct string_id){ 0 }), "");
	assert_null(profile_broken(profile));
	profile_freeze(profile);
	assert_null(profile_broken(profile));
}
