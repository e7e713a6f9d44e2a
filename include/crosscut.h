/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Tells crosscut where a program's useful work begins and ends: crosscut record --work marker.
 *
 *	CROSSCUT_BEGIN(request, "GET /user");           a request, by any number or pointer that is its own while it lasts
 *	…                                               on whatever threads
 *	CROSSCUT_END(request, CROSSCUT_CORRECT);
 *
 * Each is one nop of five bytes and two registers; nothing is called, linked or allocated, and while nobody watches that is all
 * it costs. The probes are described in a note (".note.stapsdt") that bpftrace, perf and SystemTap read as well. On processors
 * other than x86-64 they are nothing. The class is a text that ends; the first 90 bytes are kept.
 */
#include <stdint.h>

enum { CROSSCUT_CORRECT = 1, CROSSCUT_INCORRECT, CROSSCUT_REJECTED };

#ifdef __x86_64__
#define CROSSCUT_PROBE_(name, first, second)                                                                  \
	__asm__ __volatile__("990: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"                                      \
			     ".pushsection .note.stapsdt, \"\", \"note\"\n"                                   \
			     ".balign 4\n"                                                                    \
			     ".4byte 992f - 991f, 994f - 993f, 3\n"                                           \
			     "991: .asciz \"stapsdt\"\n"                                                      \
			     "992: .balign 4\n"                                                               \
			     "993: .8byte 990b, _.stapsdt.base, 0\n"                                          \
			     ".asciz \"crosscut\"\n"                                                          \
			     ".asciz \"" name "\"\n"                                                          \
			     ".asciz \"8@%%rdi 8@%%rsi\"\n"                                                   \
			     "994: .balign 4\n"                                                               \
			     ".popsection\n"                                                                  \
			     ".ifndef _.stapsdt.base\n"                                                       \
			     ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"      \
			     ".weak _.stapsdt.base\n"                                                         \
			     ".hidden _.stapsdt.base\n"                                                       \
			     "_.stapsdt.base: .space 1\n"                                                     \
			     ".size _.stapsdt.base, 1\n"                                                      \
			     ".popsection\n"                                                                  \
			     ".endif\n"                                                                       \
			     : : "D"((uint64_t)(first)), "S"((uint64_t)(second)) : "memory")
#else
#define CROSSCUT_PROBE_(name, first, second) ((void)(first), (void)(second))
#endif

#define CROSSCUT_BEGIN(request, class) CROSSCUT_PROBE_("begin", (uintptr_t)(request), (uintptr_t)(class))
#define CROSSCUT_END(request, outcome) CROSSCUT_PROBE_("end", (uintptr_t)(request), (uintptr_t)(outcome))
