/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the debug file of a stripped program will be found and believed: asked of the code that does so for a capture,
 * so that both say the same.
 */
#include "base/cleanup.h"
#include "command/doctor.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

void doctor_debug_read(int fd, const char *root, const char *path, struct doctor_elf *facts)
{
	struct symbol_options options = { .root = root };
	struct symbol_module module = { .path = path, .options = &options };
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	char resolved[PATH_MAX];
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (own < 0 || elf_file_open(own, &elf) < 0)
		return;
	if (!*root && realpath(path, resolved))
		module.path = resolved;
	module.elf = elf;
	facts->debug_found = symbol_module_debug(&module) != NULL;
	facts->debug_symbols = module.debug && elf_file_has_section(module.debug, ".symtab");
	facts->debug_error = module.debug_error;
	elf_file_free(module.debug);
}
