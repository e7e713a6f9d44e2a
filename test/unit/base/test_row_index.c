/* SPDX-License-Identifier: Apache-2.0 */
#include "base/row_index.h"

#include "test.h"

#include <string.h>

enum { ROWS = 5000 };
struct row { uint64_t number; char rest; };      /* with padding, which is in no key */

static void key_of(const void *row, void *ret)
{
	memcpy(ret, &((const struct row *)row)->number, sizeof(uint64_t));
}

TEST(each_row_is_found_by_its_key_and_no_other)
{
	static struct row rows[ROWS];
	CLEANUP(row_index) struct row_index *index = row_index_new(&(struct row_index_options){
		.row_size = sizeof(*rows), .key_size = sizeof(uint64_t), .key_of = key_of });

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
		.row_size = sizeof(*here), .key_size = sizeof(uint64_t), .key_of = key_of });

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
		.row_size = sizeof(*rows), .key_size = sizeof(uint64_t), .key_of = key_of });

	row_index_add(index, rows, 0);
	row_index_clear(index);
	assert_int_equal(row_index_find(index, rows, &(uint64_t){ 5 }), ROW_NONE);
	row_index_add(index, rows, 1);
	assert_int_equal(row_index_find(index, rows, &(uint64_t){ 6 }), 1);
}
