/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "interpreter/exported.h"
#include "interpreter/interpreter.h"
#include "unit/interpreter/reading.h"

extern const struct interpreter interpreter_hotspot;

/* --- A library that exports what libjvm.so does, over one small heap ---------------------------------------------- */

static const char fake_source[] =
	"typedef unsigned long u64;\n"
	"struct entry { const char *type, *field, *type_text; int is_static; u64 offset; void *address; };\n"
	"struct blob { const char *name; int frame_size, complete; char *begin, *end; };\n"
	"struct block { u64 length; char used, pad[7]; struct blob blob; char code[512 - 16 - sizeof(struct blob)]; };\n"
	"__attribute__((aligned(512))) struct block fake_heap[7];\n"
	"struct { u64 pad; char *low, *high; int log2; } heap_object;\n"
	"void *heap_data[1] = { &heap_object };\n"
	"struct { int len; void *data; } heap_array = { 1, heap_data };\n"
	"void *heaps = &heap_array;\n"
	"#define OFFSET(type, member) __builtin_offsetof(type, member)\n"
	"struct entry entries[] = {\n"
	"	{ \"CodeCache\", \"_heaps\", \"\", 1, 0, &heaps }, { \"GrowableArrayBase\", \"_len\", \"\", 0, 0 },\n"
	"	{ \"GrowableArray<int>\", \"_data\", \"\", 0, 8 }, { \"Other\", \"_data\", \"\", 0, 99 },\n"
	"	{ \"CodeHeap\", \"_memory\", \"\", 0, 8 }, { \"CodeHeap\", \"_log2_segment_size\", \"\", 0, 24 },\n"
	"	{ \"VirtualSpace\", \"_low\", \"\", 0, 0 }, { \"VirtualSpace\", \"_high\", \"\", 0, 8 },\n"
	"	{ \"HeapBlock::Header\", \"_length\", \"\", 0, 0 }, { \"HeapBlock::Header\", \"_used\", \"\", 0, 8 },\n"
	"	{ \"CodeBlob\", \"_name\", \"\", 0, OFFSET(struct blob, name) },\n"
	"	{ \"CodeBlob\", \"_frame_size\", \"\", 0, OFFSET(struct blob, frame_size) },\n"
	"	{ \"CodeBlob\", \"_code_begin\", \"\", 0, OFFSET(struct blob, begin) },\n"
	"	{ \"CodeBlob\", \"_code_end\", \"\", 0, OFFSET(struct blob, end) },\n"
	"	{ \"CodeBlob\", \"_frame_complete_offset\", \"\", 0, OFFSET(struct blob, complete) },\n"
	"	{ 0 } };\n"
	"struct entry *gHotSpotVMStructs = entries;\n"
	"u64 gHotSpotVMStructEntryArrayStride = sizeof(struct entry), gHotSpotVMStructEntryTypeNameOffset = 0;\n"
	"u64 gHotSpotVMStructEntryFieldNameOffset = 8, gHotSpotVMStructEntryOffsetOffset = OFFSET(struct entry, offset);\n"
	"u64 gHotSpotVMStructEntryAddressOffset = OFFSET(struct entry, address);\n"
	"static void fill(int i, int used, const char *name, int size, int complete) {\n"
	"	struct block *b = &fake_heap[i];\n"
	"	b->length = 4; b->used = used; b->blob = (struct blob){ name, size, complete, b->code, b->code + 256 }; }\n"
	"__attribute__((constructor)) void fake_begin(void) {\n"
	"	heap_object.low = (char *)fake_heap; heap_object.high = (char *)(fake_heap + 7); heap_object.log2 = 7;\n"
	"	fill(0, 1, \"Interpreter\", 0, -1); fill(1, 1, \"StubRoutines (1)\", 0, -1); fill(2, 1, \"nmethod\", 6, 12);\n"
	"	fill(3, 0, \"nmethod\", 6, 12); fill(4, 1, \"I2C/C2I adapters\", 0, -1); fill(5, 1, \"RuntimeStub\", 4, -1);\n"
	"	fill(6, 1, \"nmethod\", 3, 4000);\n"
	"	__builtin_memcpy(fake_heap[2].code + 100, \"\\x48\\x83\\xc4\\x20\\x5d\\x90\\xc3\", 7);\n"
	"	__builtin_memcpy(fake_heap[2].code + 120, \"\\x48\\x83\\xc4\\x28\\x5d\\xc3\", 6); }\n"
	"void fake_break(u64 length) { fake_heap[2].length = length; }\n"
	"void fake_lose(void) { entries[10].field = \"_gone\"; }\n";

static char folder[64];
static void *library;
static struct unwind_memory memory;

static void fake_make(void)
{
	char path[128], command[512];
	FILE *file;

	(void)snprintf(folder, sizeof(folder), "/tmp/crosscut-hotspot-XXXXXX");
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/jvm.c", folder);
	file = fopen(path, "we");
	assert_non_null(file);
	(void)fputs(fake_source, file);
	(void)fclose(file);
	(void)snprintf(command, sizeof(command), "cc -w -O1 -fPIC -shared -o %s/libjvm.so %s", folder, path);
	assert_int_equal(system(command), 0);
	(void)snprintf(path, sizeof(path), "%s/libjvm.so", folder);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	interpreter_memory_of(getpid(), &memory);
}

static void fake_remove(void)
{
	char command[128];

	(void)dlclose(library);
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static int recognise(pid_t pid, struct interpreter_state **ret, char why[INTERPRETER_WHY])
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	CLEANUP_TEXT char *maps = read_all(path);
	struct interpreter_process process = { .pid = pid, .memory = &memory, .maps = maps };

	return interpreter_hotspot.recognise(&process, ret, why);
}

struct seen { uint64_t start, end; struct unwind_row rows[64]; size_t count, all; unsigned calls, unsorted; };

static void see(void *context, uint64_t start, uint64_t end, const struct unwind_row *rows, size_t count)
{
	struct seen *seen = context;

	seen->calls++;
	seen->all += count;
	seen->start = start;
	seen->end = end;
	seen->count = count < ARRAY_LENGTH(seen->rows) ? count : ARRAY_LENGTH(seen->rows);
	memcpy(seen->rows, rows, seen->count * sizeof(*rows));
	for (size_t i = 1; i < count; i++)
		seen->unsorted += rows[i].pc <= rows[i - 1].pc;
}

static void is_row(const struct seen *seen, size_t at, uint64_t pc, enum unwind_cfa kind, unsigned cfa, enum unwind_rbp rbp)
{
	assert_true(at < seen->count);
	assert_int_equal(seen->rows[at].pc, pc);
	assert_int_equal(seen->rows[at].kind & 15, kind);
	assert_int_equal(seen->rows[at].cfa, cfa);
	assert_int_equal(seen->rows[at].kind >> 4, rbp);
	if (rbp == UNWIND_RBP_AT_CFA)
		assert_int_equal(seen->rows[at].rbp, -2);
}

TEST(each_kind_of_blob_becomes_its_rows)
{
	struct interpreter_state *machine;
	char why[INTERPRETER_WHY] = "";
	struct seen seen = { 0 };
	uint64_t code;

	fake_make();
	assert_int_equal(recognise(getpid(), &machine, why), 0);
	assert_int_equal(interpreter_hotspot.code(machine, see, &seen), 1);
	assert_int_equal(seen.start, (uint64_t)(uintptr_t)dlsym(library, "fake_heap"));
	assert_int_equal(seen.end - seen.start, 7 * 512);
	code = 16 + 32;                         /* of a block: its header and the blob's */
	is_row(&seen, 0, code, UNWIND_INTERPRETER, 0, UNWIND_RBP_SAME);
	is_row(&seen, 1, code + 256, UNWIND_NONE, 0, UNWIND_RBP_SAME);
	is_row(&seen, 2, 512 + code, UNWIND_RBP, 2, UNWIND_RBP_AT_CFA);
	is_row(&seen, 4, 1024 + code, UNWIND_RSP, 1, UNWIND_RBP_SAME);
	is_row(&seen, 5, 1024 + code + 12, UNWIND_RSP, 6, UNWIND_RBP_AT_CFA);
	is_row(&seen, 6, 1024 + code + 104, UNWIND_RSP, 2, UNWIND_RBP_AT_CFA);          /* behind the add of its way out */
	is_row(&seen, 7, 1024 + code + 105, UNWIND_RSP, 1, UNWIND_RBP_SAME);            /* behind the pop */
	is_row(&seen, 8, 1024 + code + 107, UNWIND_RSP, 6, UNWIND_RBP_AT_CFA);          /* behind the ret; the other add is none */
	is_row(&seen, 9, 1024 + code + 256, UNWIND_NONE, 0, UNWIND_RBP_SAME);
	is_row(&seen, 10, 2048 + code, UNWIND_RSP, 1, UNWIND_RBP_SAME);                  /* the free block is passed over */
	is_row(&seen, 12, 2560 + code, UNWIND_RSP, 4, UNWIND_RBP_AT_CFA);                /* never without its frame */
	is_row(&seen, 14, 3072 + code, UNWIND_RSP, 1, UNWIND_RBP_SAME);                 /* its frame would begin beyond its end */
	assert_int_equal(seen.count, 16);
	assert_int_equal(seen.unsorted, 0);
	interpreter_hotspot.forget(machine);
	fake_remove();
}

TEST(a_heap_that_does_not_hold_together_gives_what_is_before)
{
	static const uint64_t lengths[] = { 0, 1u << 20, UINT64_MAX, 1ull << 57 };
	void (*fake_break)(uint64_t);
	char why[INTERPRETER_WHY];

	fake_make();
	*(void **)&fake_break = dlsym(library, "fake_break");
	for (size_t i = 0; i < ARRAY_LENGTH(lengths); i++) {
		struct interpreter_state *machine;
		struct seen seen = { 0 };

		fake_break(lengths[i]);
		assert_int_equal(recognise(getpid(), &machine, why), 0);
		assert_int_equal(interpreter_hotspot.code(machine, see, &seen), 1);
		assert_int_equal(seen.count, 4);
		interpreter_hotspot.forget(machine);
	}
	fake_remove();
}

TEST(a_version_without_a_field_says_which)
{
	struct interpreter_state *machine;
	char why[INTERPRETER_WHY] = "";
	void (*fake_lose)(void);

	fake_make();
	*(void **)&fake_lose = dlsym(library, "fake_lose");
	fake_lose();
	assert_int_equal(recognise(getpid(), &machine, why), -ENOTSUP);
	assert_non_null(strstr(why, "CodeBlob::_name"));
	fake_remove();
}

TEST(a_file_is_found_by_its_whole_name)
{
	static const char maps[] =
		"55550000-55551000 r--p 00000000 fe:00 1   /usr/bin/pythonista\n"
		"55560000-55561000 r-xp 00001000 fe:00 2   /usr/bin/python3.11\n"
		"55570000-55571000 r--p 00000000 fe:00 2   /usr/bin/python3.11\n"
		"7f000000-7f001000 r--p 00000000 fe:00 3   /srv/with blank/libjvm.so (deleted)\n"
		"7f010000-7f011000 r--p 00000000 00:00 0 \n";

	assert_int_equal(exported_base(maps, "python"), 0x55570000);
	assert_int_equal(exported_base(maps, "libjvm.so"), 0);
	assert_int_equal(exported_base(maps, "libpython"), 0);
	assert_int_equal(exported_base("", "python"), 0);
}

/* --- A real machine ---------------------------------------------------------------------------------------------- */

static pid_t java_begin(void)
{
	pid_t pid;

	if (system("command -v java >/dev/null && command -v javac >/dev/null && command -v jcmd >/dev/null")) {
		print_message("no java, javac and jcmd are installed\n");
		skip();
	}
	(void)snprintf(folder, sizeof(folder), "/tmp/crosscut-hotspot-XXXXXX");
	assert_non_null(mkdtemp(folder));
	char command[256];
	(void)snprintf(command, sizeof(command), "javac -d %s test/jit/Busy.java", folder);
	assert_int_equal(system(command), 0);
	pid = fork();
	if (!pid) {
		(void)!freopen("/dev/null", "w", stdout);
		(void)execlp("java", "java", "-cp", folder, "Busy", "1000", (char *)NULL);
		_exit(127);
	}
	return pid;
}

struct looked_for { const uint64_t *begins; unsigned char *found; size_t count; };

static void look_for(void *context, uint64_t start, uint64_t end, const struct unwind_row *rows, size_t count)
{
	struct looked_for *looked_for = context;

	(void)end;
	for (size_t row = 0; row < count; row++)
		for (size_t i = 0; i < looked_for->count; i++)
			if (looked_for->begins[i] == start + rows[row].pc && (rows[row].kind & 15) == UNWIND_RSP)
				looked_for->found[i] = 1;
}

/* "123 3 0 java.lang.String.hashCode()I [0x00007f…, 0x00007f… - 0x00007f…]": the second is where its code begins. */
static size_t code_list(pid_t pid, uint64_t *begins, size_t room)
{
	char command[64], line[4096];
	size_t count = 0;
	FILE *list;

	(void)snprintf(command, sizeof(command), "jcmd %d Compiler.codelist", pid);
	list = popen(command, "re");
	assert_non_null(list);
	while (fgets(line, sizeof(line), list)) {
		const char *at = strrchr(line, '[');

		if (at && count < room && sscanf(at, "[%*x, %lx", &begins[count]) == 1)
			count++;
	}
	(void)pclose(list);
	return count;
}

/* Methods are made and dropped between the list and the look, so not all, but nearly. */
TEST(the_methods_a_real_machine_lists_have_rows)
{
	enum { ROOM = 16384 };
	CLEANUP_TEXT uint64_t *begins = calloc(ROOM, sizeof(*begins));
	CLEANUP_TEXT unsigned char *found = calloc(ROOM, 1);
	struct interpreter_state *machine = NULL;
	struct looked_for looked_for = { .begins = begins, .found = found };
	char why[INTERPRETER_WHY] = "", command[128];
	pid_t pid = java_begin();
	struct seen seen = { 0 };
	size_t have = 0;

	interpreter_memory_of(pid, &memory);
	for (int i = 0; i < 200 && !machine; i++) {
		(void)usleep(50000);
		(void)recognise(pid, &machine, why);
	}
	assert_non_null(machine);
	(void)sleep(2);
	looked_for.count = code_list(pid, begins, ROOM);
	assert_true(looked_for.count > 100);
	assert_true(interpreter_hotspot.code(machine, look_for, &looked_for) > 0);
	assert_true(interpreter_hotspot.code(machine, see, &seen) > 0);
	for (size_t i = 0; i < looked_for.count; i++)
		have += found[i];
	print_message("%zu of %zu methods have rows; %zu rows in %u heaps\n", have, looked_for.count, seen.all, seen.calls);
	assert_int_equal(seen.unsorted, 0);
	assert_true(have * 100 >= looked_for.count * 98);
	interpreter_hotspot.forget(machine);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}
