/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "unit/format/imported.h"

TEST(cycles_become_nanoseconds_and_both_numbers_are_scaled_by_the_period)
{
	imported_text_is("contentionz",
			 "--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\n"
			 "ms since reset = 5\ndiscarded samples = 0\n"
			 "  400  3 @ 0x11 0x21\n--- Memory map: ---\n"
			 "  00000010-00000018: /bin/app\n",
			 "contentions=300 (300) app+0x0 < 0x20\ndelay=20000 (300) app+0x0 < 0x20\n");
}

TEST(the_go_runtime_writes_the_same_with_another_head)
{
	imported_text_is("contentionz", "--- mutex:\ncycles/second=1000000000\nsampling period=1\n7 1 @ 0x11\n#\t0x10\tmain\n",
			 "contentions=1 (1) 0x10\ndelay=7 (1) 0x10\n");
}

TEST(java_writes_numbers_of_places_and_names_them_at_the_end)
{
	imported_text_is("contentionz",
			 "--- contentionz 1 ---\nformat = java\nresolution = microseconds\n"
			 "sampling period = 10\nms since reset = 6\n"
			 "   5  2 @ 0x3 0x4\n"
			 " 0x3 com.example.wait (Source.java:17)\n 0x4 run (/lib/libjvm.so)\n",
			 "contentions=20 (20) com.example.wait < run\n"
			 "delay=50000 (20) com.example.wait < run\n");
}

TEST(java_heaps_are_divided_by_their_probability)
{
	imported_text_is("contentionz",
			 "--- heapz 1 ---\nformat = java\nresolution = bytes\n"
			 "  9216  1 @ 0x3\n 0x3 VM\n",
			 "inuse_objects=57 (57) [bytes=9216] VM\ninuse_space=528909 (57) [bytes=9216] VM\n");
}

TEST(what_makes_no_sense_is_refused_by_line)
{
	imported_refused("contentionz", "--- contentionz 1 ---\nformat = perl\n", "at line 2");
	imported_refused("contentionz", "--- contentionz 1 ---\nsampling period = x\n", "at line 2");
	imported_refused("contentionz", "--- contentionz 1 ---\n5 5 0x11\n", "at line 2");
	imported_refused("contentionz", "--- heapz 1 ---\nresolution = bytes\n1 1 @ 0x1\n", "line");
}

TEST(what_is_too_large_is_cut_and_what_is_below_zero_is_left_out)
{
	imported_text_is("contentionz",
			 "--- contentionz 1 ---\ncycles/second = 1\nsampling period = 9000000000000000000\n"
			 "  -9000000000000000000  -9000000000000000000 @ 0x11\n  1  1 @ 0x11\n",
			 "contentions=9000000000000000000 (9000000000000000000) 0x10\n"
			 "delay=9223372036854775807 (9000000000000000000) 0x10\n");
}
