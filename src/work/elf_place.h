/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Where in a file a probe goes that was named by a person: a USDT probe (a note ".note.stapsdt", as systemtap's sys/sdt.h and our
 * crosscut.h leave it) or a function. Reads bytes that anybody may have written: every offset is checked.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct elf_place { uint64_t offset, semaphore; };        /* in the file; semaphore 0: it has none */
enum { ELF_PLACE_LIMIT = 64 };

/* All places of a probe (a compiler may have copied it), at most ELF_PLACE_LIMIT; how many there are. */
size_t elf_place_usdt(const unsigned char *bytes, size_t size, const char *provider, const char *name, struct elf_place *places);
/* False where the file's symbols do not have the function. */
bool elf_place_function(const unsigned char *bytes, size_t size, const char *function, struct elf_place *ret);

/*
 * The kernel can carry out some instructions by itself when a probe there is hit, in about 0.4 us; over any other it has to
 * single-step, which takes 15 us and more in a virtual machine (x86's arch/x86/kernel/uprobes.c). True for the former; moves
 * the place past an endbr64, which all callers pass, to an instruction of that kind.
 */
bool elf_place_is_cheap(const unsigned char *bytes, size_t size, struct elf_place *place);
/* Of a function's first instruction: moves the place on to one of that kind, as long as all calls come by there with their arguments
 * and return address as they were. False where there is none (elf_reach.c). */
bool elf_place_reach(const unsigned char *bytes, size_t size, struct elf_place *place);
/* Of a function that hands all its arguments on at once, from its first instruction to that of the function it calls; false
 * where it does anything before. */
bool elf_place_callee(const unsigned char *bytes, size_t size, struct elf_place *place);

/* A whole file, for the functions above; the caller unmaps it. */
int elf_place_open(const char *path, const unsigned char **ret_bytes, size_t *ret_size, struct error *err);
