/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "symbol/demangle.h"

static char text[DEMANGLE_SIZE];

TEST(a_c_name_stays_as_it_is)
{
	assert_string_equal(demangle("pthread_mutex_lock", text), "pthread_mutex_lock");
	assert_string_equal(demangle("_Zebra", text), "_Zebra");
	assert_string_equal(demangle("_D", text), "_D");
	assert_string_equal(demangle("", text), "");
}

TEST(a_cpp_name_is_written_with_its_parameters)
{
	assert_string_equal(demangle("_ZNK4shop4Cart5totalERKSsi", text), "shop::Cart::total(std::string const&, int) const");
}

TEST(a_rust_name_is_written_without_its_hash)
{
	assert_string_equal(demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", text), "core::fmt::Write::write_fmt");
	assert_string_equal(demangle("_RNvC6_123foo3bar", text), "123foo::bar");
}

TEST(a_d_name_is_written_as_a_path)
{
	assert_string_equal(demangle("_D8demangle4testFZv", text), "demangle.test()");
}

TEST(a_version_is_cut_off)
{
	assert_string_equal(demangle("memcpy@@GLIBC_2.14", text), "memcpy");
	assert_string_equal(demangle("@odd", text), "@odd");
}

/* "S_", "S0_" … "SZ_", "S10_": the n-th part of the name again. */
static char *print_reference(char *at, int part)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	*at++ = 'S';
	if (part > 36)
		*at++ = digits[(part - 1) / 36];
	if (part > 0)
		*at++ = digits[(part - 1) % 36];
	*at++ = '_';
	return at;
}

/* f(A<int, int>, B<the parameter before, and once more>, …): each doubles, so 40 stand for terabytes. */
TEST(a_name_that_stands_for_terabytes_is_cut_at_the_limit)
{
	char name[1024], *at = stpcpy(name, "_Z1f1AIiiE");

	for (int i = 0; i < 40; i++) {
		at += sprintf(at, "1%cI", 'B' + i % 24);
		at = print_reference(at, 1 + 2 * i);
		at = print_reference(at, 1 + 2 * i);
		*at++ = 'E';
	}
	*at = '\0';
	(void)demangle(name, text);
	assert_int_equal(strncmp(text, "f(A<int, int>, B<A<int, int>, A<int, int> >, C<", 46), 0);
	assert_int_equal(strlen(text), DEMANGLE_SIZE - 1);
}

TEST(a_name_longer_than_the_limit_is_cut)
{
	static char name[3 * DEMANGLE_SIZE];

	memset(name, 'a', sizeof(name) - 1);
	assert_int_equal(strlen(demangle(name, text)), DEMANGLE_SIZE - 1);
}
