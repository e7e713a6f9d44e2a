/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "base/error.h"
#include "fixture.h"
#include "profile/profile.h"
#include "symbol/elf_file.h"
#include "symbol/kallsyms.h"
#include "symbol/symbol.h"
#include "symbol/table.h"
#include "symbol/vdso.h"

static const struct symbol_options plain;

static struct profile *fixture_profile(const char *build_id, struct file_id *ret)
{
	struct profile *profile = profile_new();

	*ret = profile_file(profile, fixture_path, build_id);
	return profile;
}

static struct frame_id add_frame(struct profile *profile, struct file_id file, uint64_t offset, enum frame_method method)
{
	return profile_frame(profile, (struct frame){ .file = file, .offset = offset, .method = method });
}

static const char *name_of(const struct profile *profile, struct frame_id frame)
{
	static char text[4096];

	return profile_frame_name(profile, frame, text, sizeof(text));
}

static struct symbol_statistics resolve(struct profile *profile, const struct symbol_options *options)
{
	struct symbol_statistics statistics;
	struct error err;

	assert_int_equal(symbol_resolve(profile, options, &statistics, &err), 0);
	profile_freeze(profile);
	return statistics;
}

TEST(functions_of_every_kind_get_their_names)
{
	struct file_id file;
	char build_id[BUILD_ID_SIZE];
	struct frame_id global, cpp, local, label, inside, behind, gap;
	void *object, *(*local_address)(void);

	fixture_make("-Wl,--build-id");
	object = fixture_load();
	assert_int_equal(elf_build_id(fixture_path, build_id), 0);
	assert_int_equal(strlen(build_id), 40);
	CLEANUP(profile) struct profile *profile = fixture_profile(build_id, &file);
	*(void **)&local_address = dlsym(object, "fixture_local_address");
	global = add_frame(profile, file, fixture_offset_of(object, "fixture_global") + 1, METHOD_LEAF);
	cpp = add_frame(profile, file, fixture_offset_of(object, "_ZN4shop4CartC1Ei"), METHOD_LEAF);
	local = add_frame(profile, file, fixture_offset((uintptr_t)local_address()), METHOD_LEAF);
	label = add_frame(profile, file, fixture_offset_of(object, "fixture_label"), METHOD_SIGNAL);
	inside = add_frame(profile, file, fixture_offset_of(object, "fixture_label") + 1, METHOD_LEAF);
	behind = add_frame(profile, file, fixture_offset_of(object, "fixture_label") + 1, METHOD_CFI);
	gap = add_frame(profile, file, 1 << 30, METHOD_LEAF);
	struct symbol_statistics statistics = resolve(profile, &plain);

	assert_string_equal(name_of(profile, global), "fixture_al");      /* the shorter of two global names */
	assert_string_equal(name_of(profile, cpp), "shop::Cart::Cart(int)");
	assert_string_equal(name_of(profile, local), "fixture_local");
	assert_string_equal(name_of(profile, label), "fixture_label");
	assert_string_not_equal(name_of(profile, inside), "fixture_label");      /* it has no size: it covers nothing */
	assert_string_not_equal(name_of(profile, behind), "fixture_label");
	assert_non_null(strstr(name_of(profile, gap), "fixture.so+0x40000000"));
	assert_int_equal(statistics.frames, 7);
	assert_int_equal(statistics.resolved[0], 4);
	assert_int_equal(statistics.unresolved, 3);
	assert_int_equal(statistics.files, 1);
	assert_int_equal(statistics.files_refused + statistics.files_missing + statistics.files_unchecked, 0);
	assert_true(statistics.read_bytes > 0 && statistics.table_ns > 0);
	(void)dlclose(object);
	fixture_remove();
}

TEST(a_return_address_belongs_to_the_call_before_it)
{
	struct file_id file;
	struct frame_id start, behind;
	void *object, *(*local_address)(void);
	uint64_t offset;

	fixture_make("-Wl,--build-id -falign-functions=1 -fno-toplevel-reorder");
	object = fixture_load();
	CLEANUP(profile) struct profile *profile = fixture_profile(NULL, &file);
	*(void **)&local_address = dlsym(object, "fixture_local_address");
	offset = fixture_offset((uintptr_t)local_address());
	start = add_frame(profile, file, offset, METHOD_LEAF);
	behind = add_frame(profile, file, fixture_offset_of(object, "fixture_global"), METHOD_FRAME_POINTER);
	struct symbol_statistics statistics = resolve(profile, &plain);

	assert_string_equal(name_of(profile, start), "fixture_local");
	assert_string_equal(name_of(profile, behind), "fixture_local");   /* not fixture_global, which begins there */
	assert_int_equal(statistics.files_unchecked, 1);
	assert_int_equal(profile_frame_at(profile, behind.index)->offset, fixture_offset_of(object, "fixture_global"));
	(void)dlclose(object);
	fixture_remove();
}

TEST(another_build_at_the_same_path_is_refused)
{
	struct file_id file;
	struct frame_id frame;
	void *object;

	fixture_make("-Wl,--build-id=0x00112233445566778899aabbccddeeff00112233");
	object = fixture_load();
	CLEANUP(profile) struct profile *profile = fixture_profile("ffeeddccbbaa99887766554433221100ffeeddcc", &file);
	frame = add_frame(profile, file, fixture_offset_of(object, "fixture_global"), METHOD_LEAF);
	struct symbol_statistics statistics = resolve(profile, &plain);

	assert_non_null(strstr(name_of(profile, frame), "fixture.so+0x"));
	assert_int_equal(statistics.files_refused, 1);
	assert_int_equal(statistics.frames_refused, 1);
	assert_int_equal(statistics.unresolved, 1);
	assert_int_equal(profile_symbol_count(profile), 0);
	(void)dlclose(object);
	fixture_remove();
}

TEST(a_missing_file_and_a_file_that_is_no_program_are_counted)
{
	CLEANUP(profile) struct profile *profile = profile_new();

	add_frame(profile, profile_file(profile, "/nonexistent/lib.so", "00112233"), 16, METHOD_LEAF);
	add_frame(profile, profile_file(profile, "/etc/passwd", NULL), 16, METHOD_LEAF);
	add_frame(profile, profile_file(profile, "/dev/zero", NULL), 16, METHOD_LEAF);
	add_frame(profile, profile_file(profile, "[anon]", NULL), 0x7f0000001000, METHOD_LEAF);
	struct symbol_statistics statistics = resolve(profile, &plain);

	assert_int_equal(statistics.files, 4);
	assert_int_equal(statistics.files_missing, 3);
	assert_int_equal(statistics.unresolved, 4);
}

static void strip_into_debug(const char *debug)
{
	fixture_run("objcopy --only-keep-debug %s %s", fixture_path, debug);
	fixture_run("strip -s %s", fixture_path);
}

/* The local function is only in .symtab: a stripped file cannot name it. */
static uint64_t local_offset(void)
{
	void *object = fixture_load(), *(*local_address)(void);
	uint64_t offset;

	*(void **)&local_address = dlsym(object, "fixture_local_address");
	offset = fixture_offset((uintptr_t)local_address());
	(void)dlclose(object);
	return offset;
}

TEST(a_stripped_file_is_named_by_the_debug_file_of_its_build_id)
{
	struct symbol_options options = { .debug_directory = fixture_folder };
	struct file_id file;
	struct frame_id frame;
	char build_id[BUILD_ID_SIZE], debug[256];

	fixture_make("-Wl,--build-id");
	assert_int_equal(elf_build_id(fixture_path, build_id), 0);
	fixture_run("mkdir -p %s/.build-id/%.2s", fixture_folder, build_id);
	(void)snprintf(debug, sizeof(debug), "%s/.build-id/%.2s/%s.debug", fixture_folder, build_id, build_id + 2);
	strip_into_debug(debug);
	CLEANUP(profile) struct profile *profile = fixture_profile(build_id, &file);
	frame = add_frame(profile, file, local_offset(), METHOD_LEAF);
	struct symbol_statistics statistics = resolve(profile, &options);

	assert_string_equal(name_of(profile, frame), "fixture_local");
	assert_int_equal(statistics.resolved[2], 1);
	fixture_remove();
}

TEST(a_debug_file_of_another_build_is_not_believed)
{
	struct symbol_options options = { .debug_directory = fixture_folder };
	struct file_id file;
	char debug[256];

	fixture_make("-Wl,--build-id=0xaabbccdd");
	fixture_run("mkdir -p %s/.build-id/aa", fixture_folder);
	(void)snprintf(debug, sizeof(debug), "%s/other.debug", fixture_folder);
	fixture_run("cc -O1 -g -fPIC -shared -nostdlib -Wl,--build-id=0xaabbccee -o %s/.build-id/aa/bbccdd.debug %s/fixture.c",
		    fixture_folder, fixture_folder);
	strip_into_debug(debug);
	CLEANUP(profile) struct profile *profile = fixture_profile("aabbccdd", &file);
	add_frame(profile, file, local_offset(), METHOD_LEAF);
	struct symbol_statistics statistics = resolve(profile, &options);

	assert_int_equal(statistics.resolved[2], 0);
	assert_int_equal(statistics.unresolved, 1);
	fixture_remove();
}

static uint64_t resolved_by_link(bool damage, const char *build_id)
{
	struct symbol_options options = { .debug_directory = "/nonexistent" };
	struct symbol_statistics statistics;
	struct file_id file;
	char debug[256];

	fixture_make(build_id);
	(void)snprintf(debug, sizeof(debug), "%s/.debug/fixture.debug", fixture_folder);
	fixture_run("mkdir %s/.debug", fixture_folder);
	strip_into_debug(debug);
	fixture_run("objcopy --add-gnu-debuglink=%s %s", debug, fixture_path);
	if (damage)
		fixture_run("printf x >> %s", debug);
	CLEANUP(profile) struct profile *profile = fixture_profile(NULL, &file);
	add_frame(profile, file, local_offset(), METHOD_LEAF);
	statistics = resolve(profile, &options);
	fixture_remove();
	return statistics.resolved[2];
}

TEST(a_linked_debug_file_is_believed_if_its_checksum_agrees)
{
	assert_int_equal(resolved_by_link(false, "-Wl,--build-id=none"), 1);
	assert_int_equal(resolved_by_link(true, "-Wl,--build-id=none"), 0);
	assert_int_equal(resolved_by_link(false, "-Wl,--build-id"), 1);
	assert_int_equal(resolved_by_link(true, "-Wl,--build-id"), 0);
}

static int open_deleted(void *context, const char *path, const char *build_id)
{
	(void)build_id;
	return strcmp(path, "/gone/fixture.so") == 0 ? dup(*(int *)context) : -ENOENT;
}

TEST(a_file_that_is_gone_is_read_through_the_callers_descriptor)
{
	int fd;
	struct symbol_options options = { .open = open_deleted, .open_context = &fd };
	uint64_t offset;
	struct frame_id frame;

	fixture_make("-Wl,--build-id");
	offset = local_offset();
	fd = open(fixture_path, O_RDONLY | O_CLOEXEC);
	fixture_remove();
	CLEANUP(profile) struct profile *profile = profile_new();
	frame = add_frame(profile, profile_file(profile, "/gone/fixture.so", NULL), offset, METHOD_LEAF);
	(void)resolve(profile, &options);
	assert_string_equal(name_of(profile, frame), "fixture_local");
	(void)close(fd);
}

TEST(a_root_is_put_before_each_path)
{
	struct symbol_options options = { .root = fixture_folder };
	uint64_t offset;
	struct frame_id frame;

	fixture_make("-Wl,--build-id");
	offset = local_offset();
	CLEANUP(profile) struct profile *profile = profile_new();
	frame = add_frame(profile, profile_file(profile, "/fixture.so", NULL), offset, METHOD_LEAF);
	(void)resolve(profile, &options);
	assert_string_equal(name_of(profile, frame), "fixture_local");
	fixture_remove();
}

TEST(frames_that_have_names_are_left_alone)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct file_id file = profile_file(profile, "[kernel]", NULL);
	struct frame_id named = profile_frame(profile, (struct frame){ .file = file, .offset = 0xffffffff81000000,
		.name = profile_string(profile, "io_schedule"), .method = METHOD_KERNEL });
	struct frame_id symbolized = add_frame(profile, file, 0xffffffff81000001, METHOD_KERNEL);

	profile_add_symbol(profile, (struct symbol){ .frame = symbolized, .name = profile_string(profile, "before") });
	struct symbol_statistics statistics = resolve(profile, &plain);

	assert_int_equal(statistics.frames, 2);
	assert_int_equal(statistics.named_before, 2);
	assert_int_equal(statistics.files, 0);
	assert_string_equal(name_of(profile, named), "io_schedule");
	assert_string_equal(name_of(profile, symbolized), "before");
	assert_int_equal(profile_symbol_count(profile), 1);
}

TEST(kernel_frames_are_named_by_the_running_kernel)
{
	struct error err;
	CLEANUP(kallsyms) struct kallsyms *kernel = kallsyms_load(&err);
	CLEANUP(profile) struct profile *profile = profile_new();
	struct symbol_options options = { .kernel = kernel };
	struct frame_id frame;
	uint64_t address = kernel ? kallsyms_address(kernel, "schedule") : 0;

	if (!address)
		skip();
	frame = add_frame(profile, profile_file(profile, "[kernel]", NULL), address + 5, METHOD_KERNEL);
	(void)resolve(profile, &options);
	assert_string_equal(name_of(profile, frame), "schedule");
}

TEST(the_vdso_is_named_by_our_own_if_it_is_the_same)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct error err;
	char build_id[BUILD_ID_SIZE];
	size_t size = 0, named = 0;
	const void *image = vdso_image(&size);
	struct symbol_statistics statistics;

	if (!image)
		skip();
	assert_int_equal(elf_build_id_of_image(image, size, build_id), 0);
	for (uint64_t offset = 0; offset < size; offset += 16)
		add_frame(profile, profile_file(profile, "[vdso]", build_id), offset, METHOD_LEAF);
	add_frame(profile, profile_file(profile, "[vdso]", "0011"), 16, METHOD_LEAF);
	assert_int_equal(symbol_resolve(profile, &plain, &statistics, &err), 0);
	for (size_t i = 0; i < profile_symbol_count(profile); i++)
		named += !!strstr(profile_text(profile, profile_symbol_at(profile, i)->name), "clock_gettime");
	assert_true(named > 0);
	assert_int_equal(statistics.resolved[4], profile_symbol_count(profile));
}

/* What binutils says of this program: each function's last byte lies in a function of that name or of an alias. */
TEST(names_agree_with_nm_on_every_function_of_this_program)
{
	enum { LIMIT = 20000 };
	static struct { char name[256]; uint64_t start, size; } rows[LIMIT];
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	size_t count = 0, agree = 0;
	char path[256], line[1024], type;
	FILE *nm;

	path[readlink("/proc/self/exe", path, sizeof(path) - 1)] = '\0';
	(void)snprintf(line, sizeof(line), "nm -S --defined-only %s", path);
	nm = popen(line, "r");
	assert_non_null(nm);
	while (count < LIMIT && fgets(line, sizeof(line), nm))
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %255s", &rows[count].start, &rows[count].size, &type,
			   rows[count].name) == 4 && strchr("tT", type))
			count++;
	assert_int_equal(pclose(nm), 0);
	assert_int_equal(elf_file_open_path(path, &elf), 0);
	(void)elf_file_add_functions(elf, table);
	symbol_table_build(table);
	for (size_t i = 0; i < count; i++) {
		const char *name = symbol_table_name(table, rows[i].start + rows[i].size - 1);
		bool same = false;

		for (size_t j = 0; name && j < count && !same; j++)
			same = rows[j].start == rows[i].start && strcmp(rows[j].name, name) == 0;
		agree += same;
	}
	assert_true(count > 100);
	assert_int_equal(agree, count);
}
