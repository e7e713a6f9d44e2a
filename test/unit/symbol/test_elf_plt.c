/* SPDX-License-Identifier: Apache-2.0 */
/* The source "plt": stubs as compilers and linkers write them, held against objdump's labels. */
#include "test.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "base/error.h"
#include "costly.h"
#include "fixture.h"
#include "profile/profile.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"
#include "symbol/table.h"

enum { LABEL_LIMIT = 64 };

static const char source[] =
	"int shared_one(int); int shared_two(int); extern int cpp(int) __asm__(\"_ZN4shop4CartC1Ei\");\n"
	"int (*taken(void))(int) { return shared_two; }\n"
	"int call(int a) { return shared_one(a) + shared_two(a) + cpp(a) + 1; }\n";

struct label { uint64_t address; char name[128]; };

/* Of a library that calls three functions of others; two of them lie in .plt, the third, whose address is taken, in .plt.got. */
static void make(const char *flags)
{
	char path[128];
	FILE *file;

	(void)snprintf(fixture_folder, sizeof(fixture_folder), "/tmp/crosscut-stubs-XXXXXX");
	assert_non_null(mkdtemp(fixture_folder));
	(void)snprintf(path, sizeof(path), "%s/stubs.c", fixture_folder);
	file = fopen(path, "we");
	assert_non_null(file);
	(void)fputs(source, file);
	(void)fclose(file);
	(void)snprintf(fixture_path, sizeof(fixture_path), "%s/stubs.so", fixture_folder);
	fixture_run("cc -O1 -fPIC -shared -nostdlib %s -o %s %s", flags, fixture_path, path);
}

/* "0000000000001020 <shared_one@plt>:", "shared_one@plt" */
static size_t ask_objdump(struct label labels[LABEL_LIMIT])
{
	char line[1024];
	size_t count = 0;
	FILE *output;

	(void)snprintf(line, sizeof(line), "objdump -d -j .plt -j .plt.sec -j .plt.got %s 2>/dev/null", fixture_path);
	output = popen(line, "r");
	assert_non_null(output);
	while (count < LABEL_LIMIT && fgets(line, sizeof(line), output))
		if (sscanf(line, "%" SCNx64 " <%127[^@]@plt>:", &labels[count].address, labels[count].name) == 2 &&
		    strstr(line, "@plt>:"))
			count++;
	(void)pclose(output);
	return count;
}

static bool is_labelled(const struct label *labels, size_t count, uint64_t address, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (labels[i].address == address)
			return name && strcmp(labels[i].name, name) == 0;
	return !name;
}

/* Every label of objdump is the start of a stub of that name, and there are no others. */
static size_t equal_to_objdump(uint64_t size)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	struct label labels[LABEL_LIMIT];
	size_t count = ask_objdump(labels), code_count, stubs = 0;
	struct elf_code code[8];
	uint64_t start, end;

	assert_int_equal(elf_file_open_path(fixture_path, &elf), 0);
	assert_true(elf_file_add_stubs(elf, table) > 0);
	symbol_table_build(table);
	code_count = elf_file_stub_code(elf, code, ARRAY_LENGTH(code));
	assert_true(code_count > 0);
	for (size_t i = 0; i < code_count; i++)
		for (uint64_t at = code[i].start; at < code[i].end; at += 8) {
			const char *name = symbol_table_name(table, at);

			if (!name) {
				assert_true(is_labelled(labels, count, at, NULL));
				continue;
			}
			assert_true(symbol_table_stretch(table, at, &start, &end));
			assert_true(is_labelled(labels, count, start, name));
			assert_true(end - start == size || (!size && (end - start == 8 || end - start == 16)));
			stubs += start == at;
		}
	assert_int_equal(stubs, count);
	return stubs;
}

TEST(stubs_equal_those_of_objdump_however_they_are_linked)
{
	static const struct { const char *flags; uint64_t size; } rows[] = {
		{ "-Wl,-z,lazy -fcf-protection=none", 0 },           /* .plt of 16 bytes, .plt.got of 8 */
		{ "-Wl,-z,now -fcf-protection=none", 0 },
		{ "-Wl,-z,lazy -fcf-protection=full -Wl,-z,ibtplt", 16 },    /* .plt.sec */
		{ "-Wl,-z,now -fcf-protection=full -Wl,-z,ibtplt", 16 },
		{ "-Wl,-z,now -fcf-protection=full -Wl,-z,ibtplt -Wl,-s", 16 },
		{ "-Wl,-z,lazy -Wl,-Ttext-segment=0x400000", 0 },
	};

	if (system("objdump --version >/dev/null 2>&1") != 0)
		skip();
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		make(rows[i].flags);
		assert_int_equal(equal_to_objdump(rows[i].size), 3);
		fixture_remove();
	}
}

static struct frame_id frame_at(struct profile *profile, uint64_t offset)
{
	return profile_frame(profile, (struct frame){
		.file = profile_file(profile, fixture_path, NULL), .offset = offset, .method = METHOD_LEAF });
}

/* The whole of each stub and nothing but it; here addresses are offsets. */
static void resolve(const struct label *labels, size_t count, size_t named, const char *first)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct symbol_statistics statistics;
	struct frame_id starts[LABEL_LIMIT], lasts[LABEL_LIMIT];
	char text[256], expected[256];
	struct error err;

	for (size_t i = 0; i < count; i++) {
		starts[i] = frame_at(profile, labels[i].address);
		lasts[i] = frame_at(profile, labels[i].address + 7);
	}
	assert_int_equal(symbol_resolve(profile, &(struct symbol_options){ .debug_directory = "/nonexistent" }, &statistics, &err), 0);
	profile_freeze(profile);
	assert_string_equal(symbol_sources[1]->name, "plt");
	assert_int_equal(statistics.resolved[1], named);
	for (size_t i = 0; named && i < count; i++) {
		(void)snprintf(expected, sizeof(expected), "%s@plt",
			       strncmp(labels[i].name, "_Z", 2) == 0 ? "shop::Cart::Cart(int)" : labels[i].name);
		assert_string_equal(profile_frame_name(profile, starts[i], text, sizeof(text)), expected);
		assert_string_equal(profile_frame_name(profile, lasts[i], text, sizeof(text)), expected);
	}
	if (!named)
		assert_int_equal(strncmp(profile_frame_name(profile, starts[0], text, sizeof(text)), first, strlen(first)), 0);
}

TEST(a_frame_in_a_stub_has_the_name_of_what_it_calls)
{
	struct label labels[LABEL_LIMIT], resolver;
	size_t count;

	if (system("objdump --version >/dev/null 2>&1") != 0)
		skip();
	make("-Wl,-z,lazy -fcf-protection=none");
	count = ask_objdump(labels);
	assert_int_equal(count, 3);
	resolve(labels, count, 2 * count, "");
	resolver = labels[0];
	for (size_t i = 1; i < count; i++)
		resolver = labels[i].address < resolver.address ? labels[i] : resolver;
	resolver.address -= 16;                      /* in front of the first stub: pushes and jumps to the dynamic linker */
	resolve(&resolver, 1, 0, "stubs.so+0x");
	fixture_remove();
}

/* e_shoff, e_shnum and e_shstrndx of the header are zero. */
TEST(a_file_without_section_headers_names_no_stub)
{
	struct label labels[LABEL_LIMIT];
	size_t count;

	if (system("objdump --version >/dev/null 2>&1") != 0)
		skip();
	make("-Wl,-z,lazy -fcf-protection=none");
	count = ask_objdump(labels);
	fixture_run("cd %s && for at in 40 48; do dd if=/dev/zero of=stubs.so bs=1 seek=$at count=4 conv=notrunc 2>/dev/null; done && "
		    "dd if=/dev/zero of=stubs.so bs=1 seek=60 count=4 conv=notrunc 2>/dev/null", fixture_folder);
	resolve(labels, count, 0, "stubs.so+0x");
	fixture_remove();
}

TEST(damage_never_leads_outside_of_a_file)
{
	unsigned char bytes[65536], damaged[sizeof(bytes)];
	uint32_t random = 7;
	FILE *file;
	size_t size;

	make("-Wl,-z,lazy -Wl,-s");
	file = fopen(fixture_path, "re");
	assert_non_null(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	(void)fclose(file);
	fixture_remove();
	assert_true(size > 1000 && size < sizeof(bytes));
	for (int round = 0; round < 3000; round++) {
		CLEANUP(elf_file) struct elf_file *elf = NULL;
		CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();

		memcpy(damaged, bytes, size);
		for (int i = 0; i < 8; i++) {
			random = random * 1664525 + 1013904223;
			/* most of it in the section headers, which lie at the end */
			damaged[i % 4 ? size - 1 - (random >> 8) % 1000 : (random >> 8) % size] = (unsigned char)(random >> 24);
		}
		if (elf_file_open_image(damaged, size, &elf) == 0)
			(void)elf_file_add_stubs(elf, table);
		symbol_table_build(table);
	}
}

/* [1] names and all content, [2] the stubs, [3] the symbols that each section of relocations is told to speak of */
TEST(relocations_to_which_many_headers_point_are_read_to_a_limit)
{
	enum { CONTENT = 16 << 20, LIMIT = 256 << 20 };
	static const char names[] = "\0.plt";
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	char *content = calloc(1, CONTENT);
	struct costly costly = { content, CONTENT, .count = 1000, .others = {
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_offset = COSTLY_CONTENT, .sh_size = 64 },
		{ .sh_type = SHT_DYNSYM, .sh_offset = COSTLY_CONTENT, .sh_size = 240, .sh_entsize = sizeof(Elf64_Sym), .sh_link = 1 },
	}, .repeated = { .sh_type = SHT_RELA, .sh_offset = COSTLY_CONTENT, .sh_size = CONTENT, .sh_entsize = sizeof(Elf64_Rela), .sh_link = 3 } };
	unsigned char *bytes;
	size_t size;

	memcpy(content, names, sizeof(names));
	bytes = costly_make(&costly, &size);
	assert_int_equal(elf_file_open_image(bytes, size, &elf), 0);
	assert_in_range(elf_file_add_stubs(elf, table), LIMIT / 2, LIMIT);
	symbol_table_build(table);
	assert_int_equal(symbol_table_count(table), 0);
	free(bytes);
	free(content);
}
