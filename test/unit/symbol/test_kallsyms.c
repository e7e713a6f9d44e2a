/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "symbol/kallsyms.h"

static char path[64];

static struct kallsyms *load(const char *text, struct error *err)
{
	int fd;
	struct kallsyms *kernel;

	(void)snprintf(path, sizeof(path), "/tmp/crosscut-kallsyms-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
	kernel = kallsyms_load_from(path, err);
	(void)unlink(path);
	return kernel;
}

static const char text[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 T startup_64\n"
	"ffffffff81000100 t local_alias\n"
	"ffffffff81000100 T longer_global\n"
	"ffffffff81000100 W global\n"
	"ffffffff810001f0 t __pfx_behind\n"
	"ffffffff81000200 t behind\n"
	"ffffffff81000300 T _etext\n"
	"ffffffff81001000 D data\n"
	"ffffffffc0001000 t module_first\t[ext4]\n"
	"ffffffffc0001040 t module_last\t[ext4]\n"
	"ffffffffc0300000 t bpf_prog_0011_one\t[bpf]\n"
	"ffffffffc0300400 t bpf_prog_0022_two\t[bpf]\n";

TEST(a_name_covers_up_to_the_next_symbol)
{
	struct error err;
	CLEANUP(kallsyms) struct kallsyms *kernel = load(text, &err);
	uint64_t start = 0;

	assert_non_null(kernel);
	assert_string_equal(kallsyms_name(kernel, 0xffffffff81000000, &start), "startup_64");
	assert_string_equal(kallsyms_name(kernel, 0xffffffff810000ff, &start), "startup_64");
	assert_int_equal(start, 0xffffffff81000000);
	assert_string_equal(kallsyms_name(kernel, 0xffffffff810002ff, &start), "behind");
	assert_int_equal(start, 0xffffffff81000200);
}

TEST(of_kernel_aliases_the_global_and_then_the_shorter_is_preferred)
{
	struct error err;
	CLEANUP(kallsyms) struct kallsyms *kernel = load(text, &err);

	assert_string_equal(kallsyms_name(kernel, 0xffffffff81000150, NULL), "global");
}

TEST(gaps_padding_and_data_have_no_name)
{
	struct error err;
	CLEANUP(kallsyms) struct kallsyms *kernel = load(text, &err);

	assert_null(kallsyms_name(kernel, 0xffffffff80ffffff, NULL));
	assert_null(kallsyms_name(kernel, 0xffffffff810001f8, NULL));
	assert_null(kallsyms_name(kernel, 0xffffffff81000300, NULL));
	assert_null(kallsyms_name(kernel, 0xffffffff81001010, NULL));
	assert_null(kallsyms_name(kernel, 0xffffffffc0200000, NULL));
	assert_null(kallsyms_name(kernel, 0, NULL));
	assert_null(kallsyms_name(kernel, UINT64_MAX, NULL));
}

TEST(modules_and_bpf_programs_are_named_without_their_module)
{
	struct error err;
	CLEANUP(kallsyms) struct kallsyms *kernel = load(text, &err);

	assert_string_equal(kallsyms_name(kernel, 0xffffffffc000103f, NULL), "module_first");
	assert_string_equal(kallsyms_name(kernel, 0xffffffffc0001050, NULL), "module_last");
	assert_string_equal(kallsyms_module(kernel, 0xffffffffc0001050), "ext4");
	assert_string_equal(kallsyms_module(kernel, 0xffffffff81000150), "");
	assert_null(kallsyms_module(kernel, 0xffffffff81001010));
	assert_string_equal(kallsyms_name(kernel, 0xffffffffc03003ff, NULL), "bpf_prog_0011_one");
	assert_string_equal(kallsyms_name(kernel, 0xffffffffc0300900, NULL), "bpf_prog_0022_two");
	assert_int_equal(kallsyms_address(kernel, "module_last"), 0xffffffffc0001040);
	assert_int_equal(kallsyms_address(kernel, "data"), 0);
}

TEST(hidden_addresses_are_an_error_that_says_what_to_try)
{
	struct error err;

	assert_null(load("0000000000000000 T _stext\n0000000000000000 t other\n", &err));
	assert_int_equal(err.kind, FAILURE_CANNOT);
	assert_non_null(strstr(err.next, "kptr_restrict"));
	assert_null(load("", &err));
	assert_null(kallsyms_load_from("/nonexistent", &err));
	assert_int_equal(err.code, -2);
}

TEST(damaged_lines_are_left_out)
{
	struct error err;
	CLEANUP(kallsyms) struct kallsyms *kernel = load("zzz\n\nffffffff81000000\nffffffff81000000 \nffffffff81000000 T\n"
		"ffffffff81000000 T \nffffffff81000010 T ok\t[unclosed\nffffffff81000020 T", &err);

	assert_non_null(kernel);
	assert_int_equal(kallsyms_count(kernel), 1);
	assert_string_equal(kallsyms_name(kernel, 0xffffffff81000011, NULL), "ok");
}

/* The kernel's own words: each line's address, asked for, gives a name that stands at this very address. */
TEST(the_running_kernel_gives_back_its_own_names)
{
	struct error err;
	CLEANUP(kallsyms) struct kallsyms *kernel = kallsyms_load(&err);
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], name[256], type;
	unsigned long address, asked = 0, named = 0;
	uint64_t start = 0;

	if (!kernel) {
		(void)fclose(file);
		skip();
	}
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx %c %255s", &address, &type, name) != 3 || !strchr("tT", type) || address < 0x1000 ||
		    strncmp(name, "__pfx_", 6) == 0 || strncmp(name, "bpf_", 4) == 0)
			continue;                       /* BPF programs come and go meanwhile */
		asked++;
		named += kallsyms_name(kernel, address, &start) && start == address;
	}
	(void)fclose(file);
	assert_true(asked > 10000);
	assert_true(named >= asked - 20);            /* the rest are markers: _stext … */
}
