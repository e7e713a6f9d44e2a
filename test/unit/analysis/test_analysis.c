/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/grouping.h"
#include "unit/analysis/asking.h"

TEST(rows_are_sorted_named_and_found)
{
	for (size_t i = 0; analyses[i]; i++) {
		assert_true(!i || strcmp(analyses[i - 1]->name, analyses[i]->name) < 0);
		assert_ptr_equal(analysis_find(analyses[i]->name), analyses[i]);
		assert_true(*analyses[i]->asks);
	}
	for (size_t i = 0; groupings[i]; i++)
		assert_true(!i || strcmp(groupings[i - 1]->name, groupings[i]->name) < 0);
	assert_null(analysis_find("ledgers"));
}

TEST(every_analysis_answers_about_an_empty_profile)
{
	for (size_t i = 0; analyses[i]; i++) {
		struct asking it = asking(profile_new());

		assert_int_equal(ask(&it, analyses[i]->name), 0);
		asked(&it);
	}
}

TEST(all_analyses_fit_into_one_document)
{
	struct asking it = asking(mercury(&mercury_candidate));

	for (size_t i = 0; analyses[i]; i++)
		assert_int_equal(ask(&it, analyses[i]->name), 0);
	for (size_t i = 0; i < it.document->section_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(it.document->sections[i].kind == SECTION_FINDING ||
				    strcmp(it.document->sections[i].key,
					   it.document->sections[j].key) != 0);
	asked(&it);
}
