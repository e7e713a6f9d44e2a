/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "unit/format/imported.h"

static const char threads[] = "--- threadz 1 ---\n\n"
			      "--- Thread 7f (name: main/10) stack: ---\n"
			      "  PC:  0x00000011: helper(arg*)\n"
			      "  0x00000022: main\n"
			      "--- Thread 7e (name: worker/11) stack: ---\n"
			      "  [same as previous thread]\n"
			      "--- Memory map: ---\n"
			      "  00000010-00000030: /bin/app\n";

TEST(each_thread_stands_where_it_stood_and_keeps_its_name)
{
	struct profile *profile = imported("threadz", threads, sizeof(threads) - 1);
	char *cells = imported_cells(profile);

	assert_string_equal(cells, "thread=1 (1) app+0x1 < app+0x11\nthread=1 (1) app+0x1 < app+0x11\n");
	assert_int_equal(profile_thread_count(profile), 3);
	assert_int_equal(profile_thread_at(profile, 2)->tid, 11);
	assert_string_equal(profile_text(profile, profile_thread_at(profile, 2)->comm), "worker");
	free(cells);
	profile_free(profile);
}

TEST(a_listing_of_anything_else_is_refused)
{
	imported_refused("threadz", "--- threadz 1 ---\n--- Thread 7f (nome: x/1) stack: ---\n",
			 "at line 2");
	imported_refused("threadz", "--- threadz 1 ---\n", "nothing");
}
