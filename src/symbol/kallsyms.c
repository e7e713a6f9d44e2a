/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is "ffffffff81000080 T entry_SYSCALL_64" with a tab and "[module]" after it where it is in one. Data symbols
 * are not names of functions, but they end them. There are 100,000 to 200,000 lines, so they are parsed by hand from
 * one buffer, and what is kept of them for as long as a capture takes is small: 16 bytes each, and the names of functions.
 */
#include "symbol/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "symbol/answer.h"
#include "symbol/symbol.h"

enum {
	TEXT_LIMIT = 256 << 20, SYMBOL_LIMIT = 4 << 20,
	LAST_IN_MODULE_SIZE = 64 << 10,              /* what the last function of a module may cover at most */
	BPF_PACK_SIZE = 2 << 20,                     /* BPF programs are packed into areas of this size */
};

/* As parsed: name and module lie in the text, whose line parts end in zero bytes then. */
struct kernel_line {
	uint64_t address;
	const char *name, *module;                   /* module "": the kernel itself */
	char type;
};

struct kernel_lines {
	struct kernel_line *lines;
	size_t count, room;
};

enum { FUNCTION, LOCAL_FUNCTION, MARKER, DATA };     /* ranks */
struct kernel_symbol {
	uint64_t address;
	uint32_t name : 29, rank : 3;                /* names: places in the kept ones; 0 is "" */
	uint32_t module;
};

struct kallsyms {
	char *names;
	size_t names_size;
	struct kernel_symbol *symbols;               /* by address; one per address */
	size_t count;
};

static char *read_all(const char *path, size_t *ret_size)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 0, room = 8 << 20;
	ssize_t got = fd < 0 ? -1 : 1;
	char *text;

	if (fd < 0)
		return NULL;
	text = xmalloc(room + 1);
	while (size < TEXT_LIMIT && (got = read(fd, text + size, room - size)) > 0) {
		size += (size_t)got;
		if (size == room)
			text = xreallocarray(text, (room *= 2) + 1, 1);
	}
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[size] = '\0';
	*ret_size = size;
	return text;
}

static bool parse_address(const char **at, uint64_t *ret)
{
	const char *start = *at;
	uint64_t value = 0;

	for (;; (*at)++) {
		unsigned char c = (unsigned char)**at, low = c | 32;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (low >= 'a' && low <= 'f')
			value = value << 4 | (uint64_t)(low - 'a' + 10);
		else
			break;
	}
	*ret = value;
	return *at > start && **at == ' ';
}

/* Cuts one line in place. */
static bool parse_line(char *line, struct kernel_line *symbol)
{
	const char *at = line;
	char *module;

	if (!parse_address(&at, &symbol->address) || !at[1] || at[2] != ' ')
		return false;
	symbol->type = at[1];
	symbol->name = at + 3;
	symbol->module = "";
	module = strchr(line, '\t');
	if (module && module[1] == '[') {
		*module = '\0';
		symbol->module = module + 2;
		module[2 + strcspn(module + 2, "]")] = '\0';
	}
	return symbol->name[0] != '\0';
}

static bool is_text(const struct kernel_line *symbol)
{
	return strchr("tTwW", symbol->type) != NULL;
}

/* A marker ends what is before it and names nothing; so does the padding before a function. */
static bool is_marker(const struct kernel_line *symbol)
{
	static const char *const markers[] = { "_etext", "_einittext", "__entry_text_end", "_text", "_stext", "_sinittext" };

	if (strncmp(symbol->name, "__pfx_", 6) == 0 || strncmp(symbol->name, "__cfi_", 6) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_LENGTH(markers); i++)
		if (strcmp(symbol->name, markers[i]) == 0)
			return true;
	return false;
}

static int rank(const struct kernel_line *symbol)
{
	if (!is_text(symbol))
		return DATA;
	if (is_marker(symbol))
		return MARKER;
	return symbol->type == 't' ? LOCAL_FUNCTION : FUNCTION;
}

static int compare_lines(const void *left, const void *right)
{
	const struct kernel_line *a = left, *b = right;
	size_t a_size, b_size;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (rank(a) != rank(b))
		return rank(a) - rank(b);
	a_size = strlen(a->name);
	b_size = strlen(b->name);
	if (a_size != b_size)
		return a_size < b_size ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void parse(char *text, struct kernel_lines *into)
{
	char *next;

	for (char *line = text; line && *line && into->count < SYMBOL_LIMIT; line = next) {
		struct kernel_line symbol;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!parse_line(line, &symbol) || !symbol.address)
			continue;
		grow(into->lines, into->count, into->room);
		into->lines[into->count++] = symbol;
	}
}

static void sort(struct kernel_lines *lines)
{
	size_t kept = 0;

	if (lines->count)
		qsort(lines->lines, lines->count, sizeof(*lines->lines), compare_lines);
	for (size_t i = 0; i < lines->count; i++)
		if (!kept || lines->lines[kept - 1].address != lines->lines[i].address)
			lines->lines[kept++] = lines->lines[i];
	lines->count = kept;
}

static uint32_t keep(struct kallsyms *kernel, const char *name)
{
	size_t at = kernel->names_size, size = strlen(name) + 1;

	if (!*name)
		return 0;
	memcpy(kernel->names + at, name, size);
	kernel->names_size += size;
	return (uint32_t)at;
}

/* What is no function has no name any more: it only ends one. No more is kept of names than the text was long. */
static void keep_all(struct kallsyms *kernel, const struct kernel_lines *lines, size_t text_size)
{
	const char *module = "";
	uint32_t module_at = 0;

	kernel->names = xcalloc(text_size + 2, 1);
	kernel->names_size = 1;
	kernel->symbols = xcalloc(lines->count + 1, sizeof(*kernel->symbols));
	for (size_t i = 0; i < lines->count; i++) {
		const struct kernel_line *line = &lines->lines[i];
		int ranked = rank(line);

		if (strcmp(module, line->module) != 0) {
			module = line->module;
			module_at = keep(kernel, module);
		}
		kernel->symbols[kernel->count++] = (struct kernel_symbol){
			.address = line->address, .name = ranked <= LOCAL_FUNCTION ? keep(kernel, line->name) : 0,
			.rank = (unsigned int)ranked, .module = module_at };
	}
	kernel->names = xreallocarray(kernel->names, kernel->names_size, 1);
}

struct kallsyms *kallsyms_load_from(const char *path, struct error *err)
{
	CLEANUP(kallsyms) struct kallsyms *kernel = xcalloc(1, sizeof(*kernel));
	struct kernel_lines lines = { 0 };
	size_t size = 0;
	CLEANUP_TEXT char *text = read_all(path, &size);

	if (!text) {
		(void)fail(err, FAILURE_CANNOT, errno ? -errno : -EIO, "cannot read the kernel's names from '%s'", path);
		(void)error_try(err, "run as root; the kernel needs CONFIG_KALLSYMS");
		return NULL;
	}
	parse(text, &lines);
	sort(&lines);
	keep_all(kernel, &lines, size);
	free(lines.lines);
	if (!kernel->count) {
		(void)fail(err, FAILURE_CANNOT, -EPERM, "cannot read the kernel's names from '%s'", path);
		(void)error_because(err, size ? "it shows zero in place of every address" : "it is empty");
		(void)error_try(err, "run as root, and if that does not help: sysctl kernel.kptr_restrict=1");
		return NULL;
	}
	return take(kernel);
}

struct kallsyms *kallsyms_load(struct error *err)
{
	return kallsyms_load_from("/proc/kallsyms", err);
}

void kallsyms_free(struct kallsyms *kernel)
{
	if (!kernel)
		return;
	free(kernel->names);
	free(kernel->symbols);
	free(kernel);
}

/* Where the symbol before the next one ends. */
static uint64_t symbol_end(const struct kallsyms *kernel, size_t index)
{
	const struct kernel_symbol *symbol = &kernel->symbols[index];
	const struct kernel_symbol *next = index + 1 < kernel->count ? symbol + 1 : NULL;
	uint64_t most = symbol->address + LAST_IN_MODULE_SIZE;
	bool is_bpf = strcmp(kernel->names + symbol->module, "bpf") == 0;

	if (next && strcmp(kernel->names + next->module, kernel->names + symbol->module) == 0 && !is_bpf)
		return next->address;
	if (is_bpf)
		most = (symbol->address | (BPF_PACK_SIZE - 1)) + 1;
	return next && next->address < most ? next->address : most;
}

static const struct kernel_symbol *find(const struct kallsyms *kernel, uint64_t address)
{
	size_t low = 0, high = kernel->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kernel->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || kernel->symbols[low - 1].rank > LOCAL_FUNCTION || address >= symbol_end(kernel, low - 1))
		return NULL;
	return &kernel->symbols[low - 1];
}

const char *kallsyms_name(const struct kallsyms *kernel, uint64_t address, uint64_t *ret_start)
{
	const struct kernel_symbol *symbol = find(kernel, address);

	if (symbol && ret_start)
		*ret_start = symbol->address;
	return symbol ? kernel->names + symbol->name : NULL;
}

const char *kallsyms_module(const struct kallsyms *kernel, uint64_t address)
{
	const struct kernel_symbol *symbol = find(kernel, address);

	return symbol ? kernel->names + symbol->module : NULL;
}

uint64_t kallsyms_address(const struct kallsyms *kernel, const char *name)
{
	for (size_t i = 0; i < kernel->count; i++)
		if (kernel->symbols[i].rank <= LOCAL_FUNCTION && strcmp(kernel->names + kernel->symbols[i].name, name) == 0)
			return kernel->symbols[i].address;
	return 0;
}

size_t kallsyms_count(const struct kallsyms *kernel)
{
	return kernel->count;
}

static void resolve(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	const struct kallsyms *kernel = module->options->kernel;
	const char *name;

	if (strcmp(module->path, "[kernel]") != 0 || !kernel)
		return;
	for (size_t i = 0; i < count; i++) {
		name = kallsyms_name(kernel, queries[i].offset, NULL);
		if (name)
			symbol_answer(module, &queries[i], name);
	}
}

const struct symbol_source symbol_source_kallsyms = {
	.name = "kallsyms",
	.summary = "functions of the running kernel, its modules and BPF programs",
	.resolve = resolve,
};
