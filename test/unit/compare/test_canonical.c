/* SPDX-License-Identifier: Apache-2.0 */
/* Names that compilers and linkers change between builds, and names that only look as if they had. */
#include "test.h"

#include <string.h>

#include "compare/canonical.h"

static void expect_function(const char *name, const char *expected)
{
	char text[256];

	assert_string_equal(canonical_function(name, text, sizeof(text)), expected);
}

static void expect_module(const char *path, const char *expected)
{
	char text[256];

	assert_string_equal(canonical_module(path, text, sizeof(text)), expected);
}

TEST(what_a_compiler_splits_off_keeps_its_functions_name)
{
	expect_function("parse_request", "parse_request");
	expect_function("parse_request.isra.0", "parse_request");
	expect_function("parse_request.constprop.2.cold", "parse_request");
	expect_function("parse_request.part.0.llvm.1234567", "parse_request");
	expect_function("Store::get(int) const", "Store::get(int) const");
}

TEST(a_dot_of_the_name_itself_stays)
{
	expect_function("main.main.func1", "main.main.func1");
	expect_function("version.1", "version.1");
	expect_function(".plt", ".plt");
}

TEST(an_address_at_the_end_of_a_generated_name_is_cut)
{
	expect_function("Lambda/0x00007f3a", "Lambda");
	expect_function("GET /0xzz", "GET /0xzz");
}

TEST(a_module_has_no_version)
{
	expect_module("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc.so");
	expect_module("/lib/libc-2.36.so", "libc.so");
	expect_module("libssl.so.3", "libssl.so");
	expect_module("/usr/bin/python3.11", "python");
	expect_module("[kernel]", "[kernel]");
	expect_module("", "");
}
