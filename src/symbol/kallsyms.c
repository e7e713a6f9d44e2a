/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is "ffffffff81000080 T entry_SYSCALL_64" with a tab and "[module]" after it where it is in one. Data symbols
 * are not names of functions, but they end them. There are 100,000 to 200,000 lines, so they are parsed by hand from
 * one buffer, which then also holds the names.
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

struct kernel_symbol {
	uint64_t address;
	const char *name, *module;                   /* into text; module "" for the kernel itself */
	char type;
};

struct kallsyms {
	char *text;                                  /* the file; line parts end in zero bytes once parsed */
	struct kernel_symbol *symbols;               /* by address; one per address */
	size_t count, room;
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
static bool parse_line(char *line, struct kernel_symbol *symbol)
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

static bool is_text(const struct kernel_symbol *symbol)
{
	return strchr("tTwW", symbol->type) != NULL;
}

/* A marker ends what is before it and names nothing; so does the padding before a function. */
static bool is_marker(const struct kernel_symbol *symbol)
{
	static const char *const markers[] = { "_etext", "_einittext", "__entry_text_end", "_text", "_stext", "_sinittext" };

	if (strncmp(symbol->name, "__pfx_", 6) == 0 || strncmp(symbol->name, "__cfi_", 6) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_LENGTH(markers); i++)
		if (strcmp(symbol->name, markers[i]) == 0)
			return true;
	return false;
}

static int rank(const struct kernel_symbol *symbol)
{
	if (!is_text(symbol))
		return 3;
	if (is_marker(symbol))
		return 2;
	return symbol->type == 't';
}

static int compare_symbols(const void *left, const void *right)
{
	const struct kernel_symbol *a = left, *b = right;
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

static void parse(struct kallsyms *kernel)
{
	char *next;

	for (char *line = kernel->text; line && *line && kernel->count < SYMBOL_LIMIT; line = next) {
		struct kernel_symbol symbol;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!parse_line(line, &symbol) || !symbol.address)
			continue;
		grow(kernel->symbols, kernel->count, kernel->room);
		kernel->symbols[kernel->count++] = symbol;
	}
}

static void sort(struct kallsyms *kernel)
{
	size_t kept = 0;

	if (kernel->count)
		qsort(kernel->symbols, kernel->count, sizeof(*kernel->symbols), compare_symbols);
	for (size_t i = 0; i < kernel->count; i++)
		if (!kept || kernel->symbols[kept - 1].address != kernel->symbols[i].address)
			kernel->symbols[kept++] = kernel->symbols[i];
	kernel->count = kept;
}

struct kallsyms *kallsyms_load_from(const char *path, struct error *err)
{
	CLEANUP(kallsyms) struct kallsyms *kernel = xcalloc(1, sizeof(*kernel));
	size_t size = 0;

	kernel->text = read_all(path, &size);
	if (!kernel->text) {
		(void)fail(err, FAILURE_CANNOT, errno ? -errno : -EIO, "cannot read the kernel's names from '%s'", path);
		(void)error_try(err, "run as root; the kernel needs CONFIG_KALLSYMS");
		return NULL;
	}
	parse(kernel);
	sort(kernel);
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
	free(kernel->text);
	free(kernel->symbols);
	free(kernel);
}

/* Where the symbol before the next one ends. */
static uint64_t symbol_end(const struct kallsyms *kernel, size_t index)
{
	const struct kernel_symbol *symbol = &kernel->symbols[index];
	const struct kernel_symbol *next = index + 1 < kernel->count ? symbol + 1 : NULL;
	uint64_t most = symbol->address + LAST_IN_MODULE_SIZE;

	if (next && strcmp(next->module, symbol->module) == 0 && strcmp(symbol->module, "bpf") != 0)
		return next->address;
	if (strcmp(symbol->module, "bpf") == 0)
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
	if (!low || rank(&kernel->symbols[low - 1]) > 1 || address >= symbol_end(kernel, low - 1))
		return NULL;
	return &kernel->symbols[low - 1];
}

const char *kallsyms_name(const struct kallsyms *kernel, uint64_t address, uint64_t *ret_start)
{
	const struct kernel_symbol *symbol = find(kernel, address);

	if (symbol && ret_start)
		*ret_start = symbol->address;
	return symbol ? symbol->name : NULL;
}

const char *kallsyms_module(const struct kallsyms *kernel, uint64_t address)
{
	const struct kernel_symbol *symbol = find(kernel, address);

	return symbol ? symbol->module : NULL;
}

uint64_t kallsyms_address(const struct kallsyms *kernel, const char *name)
{
	for (size_t i = 0; i < kernel->count; i++)
		if (rank(&kernel->symbols[i]) <= 1 && strcmp(kernel->symbols[i].name, name) == 0)
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
