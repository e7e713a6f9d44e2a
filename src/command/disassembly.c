/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objdump runs once per function, on the very descriptor whose build id was compared, and is read under limits of size and
 * time. It is looked for in $PATH; without it, weights stand at addresses.
 */
#include "command/disassembly.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "symbol/elf_file.h"
#include "symbol/table.h"

enum { OUTPUT_LIMIT = 16 << 20, WALL_S = 20, FUNCTION_LIMIT = 32, FUNCTION_BYTES_LIMIT = 1 << 20, CHILD_FD = 9 };

extern char **environ;

static pid_t start(int fd, uint64_t from, uint64_t to, int into)
{
	char start_word[48], stop_word[48], path[32];
	char *words[] = { "objdump", "-d", "-C", "-w", "--no-show-raw-insn", start_word, stop_word, path, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;

	(void)snprintf(start_word, sizeof(start_word), "--start-address=0x%" PRIx64, from);
	(void)snprintf(stop_word, sizeof(stop_word), "--stop-address=0x%" PRIx64, to);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", CHILD_FD);
	if (posix_spawn_file_actions_init(&actions))
		return -1;
	(void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, into, 1);
	(void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, fd, CHILD_FD);
	if (posix_spawnp(&pid, words[0], &actions, NULL, words, environ))
		pid = -1;
	(void)posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static bool read_all(int from, struct text *text)
{
	uint64_t end_ns = clock_now_ns() + WALL_S * 1000000000ull;
	char bytes[16384];

	while (clock_now_ns() < end_ns && !text->cut) {
		struct pollfd wait = { .fd = from, .events = POLLIN };
		ssize_t size;

		if (poll(&wait, 1, 1000) <= 0)
			continue;
		size = read(from, bytes, sizeof(bytes));
		if (size <= 0)
			return size == 0;
		text_append(text, bytes, (size_t)size);
	}
	return false;
}

static bool run(int fd, uint64_t from, uint64_t to, struct text *text)
{
	int ends[2], status = 1;
	bool whole;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	pid = start(fd, from, to, ends[1]);
	(void)close(ends[1]);
	whole = pid > 0 && read_all(ends[0], text);
	(void)close(ends[0]);
	if (pid > 0 && !whole)
		(void)kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* "  1139:\tmov    %rdi,%rax" */
static void add_line(struct disassembly *disassembly, char *line, uint64_t address_to_offset)
{
	char *end, *tab = strchr(line, '\t');
	uint64_t address = strtoull(line, &end, 16);

	if (!tab || end == line || *end != ':')
		return;
	for (char *at = tab; *at; at++)
		if (*at == '\t')
			*at = ' ';
	grow(disassembly->rows, disassembly->count, disassembly->room);
	disassembly->rows[disassembly->count++] = (struct instruction){ address + address_to_offset, xstrdup(tab + 1) };
}

static bool add_function(struct disassembly *disassembly, int fd, uint64_t from, uint64_t to, uint64_t address_to_offset)
{
	struct text text = TEXT(OUTPUT_LIMIT);
	bool whole = run(fd, from, to, &text);
	CLEANUP_TEXT char *all = text_take(&text);
	char *rest = all, *line;

	while (whole && (line = strsep(&rest, "\n")))
		add_line(disassembly, line, address_to_offset);
	return whole;
}

static const char *add_functions(struct disassembly *disassembly, struct elf_file *elf, const uint64_t *offsets, size_t count)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	uint64_t done = 0, address, start, end;
	size_t functions = 0;

	(void)elf_file_add_functions(elf, table);
	(void)elf_file_add_stubs(elf, table);
	symbol_table_build(table);
	for (size_t i = 0; i < count && functions < FUNCTION_LIMIT; i++) {
		if (!elf_file_address(elf, offsets[i], &address) || address < done)
			continue;
		if (!symbol_table_stretch(table, address, &start, &end)) {
			start = address;             /* a stripped file: only what was met */
			end = address + 16;
		}
		end = end - start > FUNCTION_BYTES_LIMIT ? start + FUNCTION_BYTES_LIMIT : end;
		if (!add_function(disassembly, elf_file_descriptor(elf), start, end, offsets[i] - address))
			return "objdump is not there, or failed";
		done = end;
		functions++;
	}
	return NULL;
}

struct disassembly *disassembly_read(const char *path, const char *build_id, const uint64_t *offsets, size_t count,
				     const char **ret_why)
{
	struct disassembly *disassembly = xcalloc(1, sizeof(*disassembly));
	CLEANUP(elf_file) struct elf_file *elf = NULL;

	*ret_why = NULL;
	if (path[0] != '/' || elf_file_open_path(path, &elf) < 0)
		*ret_why = "the file is not here";
	else if (!*build_id || strcmp(build_id, elf_file_build_id(elf)) != 0)
		*ret_why = "another build lies at its path, or the captured build is unknown";
	else
		*ret_why = add_functions(disassembly, elf, offsets, count);
	return disassembly;
}

void disassembly_free(struct disassembly *disassembly)
{
	if (!disassembly)
		return;
	for (size_t i = 0; i < disassembly->count; i++)
		free(disassembly->rows[i].text);
	free(disassembly->rows);
	free(disassembly);
}
