/* SPDX-License-Identifier: Apache-2.0 */
#include "base/row_index.h"

#include "test.h"

#include <string.h>

enum { ROWS = 5000 };
struct row { uint64_t number; char rest; };      /* with padding, which is in no key */

static void key_of(const void *rows, uint32_t row, void *ret)
{
	memcpy(ret, &((const struct row *)rows)[row].number, sizeof(uint64_t));
}

TEST(each_row_is_found_by_its_key_and_no_other)
{
	static struct row rows[ROWS];
	CLEANUP(row_index) struct row_index *index = row_index_new(&(struct row_index_options){
		.key_size = sizeof(uint64_t), .key_of = key_of });

	for (uint32_t i = 0; i < ROWS; i++) {
		uint64_t key = i * 0x10000;

		assert_int_equal(row_index_find(index, rows, &key), ROW_NONE);
		memset(&rows[i], 0xa5, sizeof(rows[i]));
		rows[i].number = key;
		row_index_add(index, rows, i);
	}
	for (uint32_t i = 0; i < ROWS; i++)
		assert_int_equal(row_index_find(index, rows, &(uint64_t){ i * 0x10000 }), i);
	assert_int_equal(row_index_find(index, rows, &(uint64_t){ 7 }), ROW_NONE);
}

TEST(rows_may_move)
{
	struct row here[3] = { { 0 }, { .number = 5 }, { .number = 6 } }, there[3];
	CLEANUP(row_index) struct row_index *index = row_index_new(&(struct row_index_options){
		.key_size = sizeof(uint64_t), .key_of = key_of });

	row_index_add(index, here, 1);
	row_index_add(index, here, 2);
	memcpy(there, here, sizeof(here));
	memset(here, 0, sizeof(here));
	assert_int_equal(row_index_find(index, there, &(uint64_t){ 6 }), 2);
}

TEST(an_index_that_was_cleared_finds_nothing_and_can_be_filled_again)
{
	struct row rows[2] = { { .number = 5 }, { .number = 6 } };
	CLEANUP(row_index) struct row_index *index = row_index_new(&(struct row_index_options){
		.key_size = sizeof(uint64_t), .key_of = key_of });

	row_index_add(index, rows, 0);
	row_index_clear(index);
	assert_int_equal(row_index_find(index, rows, &(uint64_t){ 5 }), ROW_NONE);
	row_index_add(index, rows, 1);
	assert_int_equal(row_index_find(index, rows, &(uint64_t){ 6 }), 1);
}

static bool is_odd(const void *rows, uint32_t row)
{
	return ((const struct row *)rows)[row].number % 2;
}

/* The rows between are passed over also where the index is made anew, as it is when it grows. */
TEST(rows_that_are_found_elsewhere_take_no_room)
{
	static struct row rows[ROWS];
	CLEANUP(row_index) struct row_index *all = row_index_new(&(struct row_index_options){
		.key_size = sizeof(uint64_t), .key_of = key_of });
	CLEANUP(row_index) struct row_index *even = row_index_new(&(struct row_index_options){
		.key_size = sizeof(uint64_t), .key_of = key_of, .is_elsewhere = is_odd });

	for (uint32_t i = 1; i < ROWS; i++) {
		rows[i].number = i % 16 ? 2ul * i + 1 : i;
		row_index_add(all, rows, i);
		if (!is_odd(rows, i))
			row_index_add(even, rows, i);
	}
	for (uint32_t i = 1; i < ROWS; i++)
		assert_int_equal(row_index_find(even, rows, &rows[i].number), i % 16 ? ROW_NONE : i);
	assert_true(row_index_bytes(even) < row_index_bytes(all) / 8);
}

struct leaving { struct row rows[ROWS]; bool left[ROWS]; };

static void key_of_leaving(const void *rows, uint32_t row, void *ret)
{
	const struct leaving *leaving = rows;

	assert_false(leaving->left[row]);
	memcpy(ret, &leaving->rows[row].number, sizeof(uint64_t));
}

static bool has_left(const void *rows, uint32_t row)
{
	return ((const struct leaving *)rows)->left[row];
}

/* Of each ten the last stays; the index keeps the size that those who are there need. */
TEST(rows_that_were_removed_are_found_no_longer_and_the_others_are)
{
	static struct leaving leaving;
	CLEANUP(row_index) struct row_index *index = row_index_new(&(struct row_index_options){
		.key_size = sizeof(uint64_t), .key_of = key_of_leaving, .is_elsewhere = has_left });

	for (uint32_t i = 0; i < ROWS; i++) {
		leaving.rows[i].number = i * 7;
		row_index_add(index, &leaving, i);
		if (i >= 10 && (i - 10) % 10 < 9) {
			row_index_remove(index, &leaving, i - 10);
			leaving.left[i - 10] = true;
		}
	}
	for (uint32_t i = 0; i < ROWS; i++)
		assert_int_equal(row_index_find(index, &leaving, &(uint64_t){ i * 7 }), leaving.left[i] ? ROW_NONE : i);
	assert_true(row_index_bytes(index) < ROWS * 2);
}
