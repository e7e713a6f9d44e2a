/* SPDX-License-Identifier: Apache-2.0 */
#include "base/quantity.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#include "test.h"

static const char *shown(double value, const char *unit)
{
	static char text[QUANTITY_SIZE];

	return quantity_print(text, value, unit);
}

TEST(times_have_three_digits_and_the_unit_that_fits)
{
	assert_string_equal(shown(0, "ns"), "0 ns");
	assert_string_equal(shown(999, "ns"), "999 ns");
	assert_string_equal(shown(1530, "ns"), "1.53 us");
	assert_string_equal(shown(12345678, "ns"), "12.3 ms");
	assert_string_equal(shown(7.4e6, "ns"), "7.40 ms");
	assert_string_equal(shown(-32e6, "ns"), "-32 ms");
	assert_string_equal(shown(90e9, "ns"), "90 s");
	assert_string_equal(shown(600e9, "ns"), "10 min");
	assert_string_equal(shown(3 * 3600e9, "ns"), "3 h");
}

TEST(bytes_counts_and_fractions_have_their_own_scales)
{
	assert_string_equal(shown(4096, "bytes"), "4 KiB");
	assert_string_equal(shown(4.2 * 0x1p20, "bytes"), "4.20 MiB");
	assert_string_equal(shown(9999, "count"), "9999");
	assert_string_equal(shown(12345, "count"), "12.3 k");
	assert_string_equal(shown(0.41, "fraction"), "41.0 %");
	assert_string_equal(shown(0.0123, "fraction"), "1.23 %");
	assert_string_equal(shown(2.5, "z"), "2.5 z");
}

/* What happens once in ten thousand completions is not nothing. */
TEST(small_numbers_keep_their_digits)
{
	assert_string_equal(shown(0.00234, "count"), "0.00234");
	assert_string_equal(shown(-0.000412345, "count"), "-0.000412");
	assert_string_equal(shown(0.0123, "ns"), "0.0123 ns");
	assert_string_equal(shown(0.0995, "count"), "0.10");
	assert_string_equal(shown(3e-7, "count"), "3e-07");
	assert_string_equal(shown(0.65, "ns"), "0.65 ns");
	assert_string_equal(shown(0.00002, "fraction"), "< 0.01 %");
	assert_string_equal(shown(0, "fraction"), "0.0 %");
	assert_string_equal(shown(0.0997, "fraction"), "9.97 %");
}

TEST(what_is_no_number_is_shown_as_none)
{
	assert_string_equal(shown(NAN, "ns"), "-");
	assert_string_equal(shown(INFINITY, "bytes"), "-");
}

TEST(durations_take_people_s_units)
{
	static const struct { const char *text; uint64_t ns; } good[] = {
		{ "10", 10000000000 }, { "10s", 10000000000 }, { "250ms", 250000000 }, { "1.5s", 1500000000 },
		{ "5m", 300000000000 }, { "1h", 3600000000000 }, { "7us", 7000 }, { "3ns", 3 },
	};
	static const char *const bad[] = { "", "s", "-1s", "10 s", "1e999", "nan", "10x", "1w", "99999999999h" };
	struct error err;
	uint64_t ns = 0;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(quantity_parse_duration(good[i].text, &ns, &err), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_true(quantity_parse_duration(bad[i], &ns, &err) < 0);
		assert_int_equal(err.kind, FAILURE_USAGE);
		assert_int_equal(ns, 3);
	}
}

TEST(sizes_are_powers_of_1024)
{
	struct error err;
	uint64_t bytes = 0;

	assert_int_equal(quantity_parse_bytes("64M", &bytes, &err), 0);
	assert_int_equal(bytes, 64 << 20);
	assert_int_equal(quantity_parse_bytes("4096", &bytes, &err), 0);
	assert_int_equal(bytes, 4096);
	assert_int_equal(quantity_parse_bytes("2GiB", &bytes, &err), 0);
	assert_int_equal(bytes, 2ull << 30);
	assert_true(quantity_parse_bytes("64Q", &bytes, &err) < 0);
	assert_true(quantity_parse_bytes("", &bytes, &err) < 0);
}

TEST(counts_are_whole_and_not_negative)
{
	struct error err;
	uint64_t count = 0;

	assert_int_equal(quantity_parse_count("99", &count, &err), 0);
	assert_int_equal(count, 99);
	assert_true(quantity_parse_count("-1", &count, &err) < 0);
	assert_true(quantity_parse_count("1.5", &count, &err) < 0);
	assert_true(quantity_parse_count("", &count, &err) < 0);
	assert_true(quantity_parse_count("99999999999999999999999", &count, &err) < 0);
	assert_int_equal(count, 99);
}
