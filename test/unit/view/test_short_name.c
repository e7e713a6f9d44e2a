/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "view/short_name.h"

static void check(const char *name, const char *expected)
{
	CLEANUP_TEXT char *text = short_name(name);

	assert_string_equal(text, expected);
}

TEST(a_name_that_fits_stays_whole)
{
	check("", "");
	check("std::vector<int>::push_back(int&&)", "std::vector<int>::push_back(int&&)");
}

TEST(template_arguments_go_before_parameters)
{
	check("std::vector<std::pair<int, char>, std::allocator<std::pair<int, char> > >::push_back(std::pair<int, char>&&)",
	      "std::vector<…>::push_back(std::pair<…>&&)");
	check("shop::checkout(shop::Cart const&, unsigned long, std::chrono::time_point, std::string const&, bool, bool)",
	      "shop::checkout(…)");
	check("(anonymous namespace)::checkout(shop::Cart const&, unsigned long, std::chrono::time_point, std::string const&)",
	      "(anonymous namespace)::checkout(…)");
}

TEST(what_only_looks_like_a_bracket_stays)
{
	check("bool operator<(std::vector<int, std::allocator<int> > const&, std::vector<int, std::allocator<int> > const&)",
	      "bool operator<(std::vector<…> const&, std::vector<…> const&)");
	check("leaf < a_function_with_a_long_name < another_function_with_a_long_name < main < __libc_start_call_main",
	      "leaf < a_function_with_a_long_name < another_function_with_a_long_name < main < __libc_start_call_main");
	check("never_closed<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	      "never_closed<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
}
