/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pages.h"

#include "test.h"

enum { ROWS = 1000 };
struct row { uint64_t number; uint32_t more; };

static struct pages *filled(void)
{
	struct pages *pages = pages_new(sizeof(struct row), &(struct row){ .number = UINT64_MAX });

	for (uint32_t i = 0; i < ROWS; i++)
		assert_int_equal(pages_add(pages, &(struct row){ i * 3ul, i }), i);
	return pages;
}

static uint64_t number_at(const struct pages *pages, size_t row)
{
	return ((const struct row *)pages_at(pages, row))->number;
}

TEST(rows_stay_where_they_are_and_are_found_by_their_numbers)
{
	CLEANUP(pages) struct pages *pages = filled();
	struct row *fifth = pages_at(pages, 5);

	fifth->more = 77;
	(void)pages_add(pages, &(struct row){ 0 });
	assert_ptr_equal(pages_at(pages, 5), fifth);
	for (size_t i = 0; i < ROWS; i++)
		assert_int_equal(number_at(pages, i), i * 3);
	assert_int_equal(pages_count(pages), ROWS + 1);
	assert_int_equal(pages_next(pages, 7), 7);
	assert_int_equal(pages_next(pages, ROWS + 1), ROWS + 1);
}

/* Of each 64 one lives on until the end. */
TEST(a_page_goes_once_all_of_its_rows_are_over)
{
	CLEANUP(pages) struct pages *pages = filled();
	size_t before = pages_bytes(pages);

	for (size_t i = 0; i < ROWS; i++)
		if (i % 64 != 9)
			assert_false(pages_end(pages, i));
	assert_int_equal(pages_bytes(pages), before);
	assert_true(pages_is_over(pages, 8) && !pages_is_over(pages, 9) && !pages_is_gone(pages, 8));
	assert_int_equal(number_at(pages, 8), 24);
	assert_false(pages_end(pages, 64 + 8));
	assert_true(pages_end(pages, 64 + 9));
	assert_false(pages_end(pages, 64 + 9));
	assert_true(pages_is_gone(pages, 64) && pages_is_over(pages, 64));
	assert_int_equal(pages_bytes(pages), before - 64 * sizeof(struct row));
	assert_int_equal(pages_next(pages, 64), 128);
	assert_int_equal(pages_next(pages, 63), 63);
}

TEST(what_went_reads_as_gone_whatever_was_written_to_it)
{
	CLEANUP(pages) struct pages *pages = filled();

	for (size_t i = 0; i < ROWS; i++)
		(void)pages_end(pages, i);
	((struct row *)pages_at(pages, 3))->number = 1;
	assert_int_equal(number_at(pages, 3), UINT64_MAX);
	assert_int_equal(number_at(pages, ROWS - 1), (ROWS - 1) * 3ul);         /* the newest page is not full */
	assert_int_equal(pages_add(pages, &(struct row){ 1, 1 }), ROWS);
	assert_int_equal(number_at(pages, ROWS), 1);
}
