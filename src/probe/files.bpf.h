/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/* Which file, for the halves of the probe: files.bpf.c follows block requests, cache.bpf.c what needed none. */
#include "probe/kernel.bpf.h"

enum { FILE_ENTRIES = 4096 };

#define PAIR_OF_FILE_MAPS(name) PAIR_OF_MAPS(name, FILE_ENTRIES, BPF_F_NO_PREALLOC, struct wire_file_key, struct wire_file_value)

HIDDEN void file_of(struct inode *inode, struct wire_file *ret);
/* Once for each file. The names are those of one link to it, and may be gone. */
HIDDEN void file_announce(const struct wire_file *file, struct inode *inode);
