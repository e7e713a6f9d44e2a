/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Where CPython keeps what: offsets in its structures, which differ from version to version. Version 3.13 tells its own
 * (_Py_DebugOffsets, at the start of _PyRuntime); 3.11 and 3.12 have a row each, fixed when they were released, but for the
 * code object, whose offsets its type tells in every version. Others are not known, and are not guessed.
 */
#include <stdint.h>

#include "unwind/step.h"

struct python_layout {
	uint32_t version;                            /* 0x030b0200: as Py_Version has it */
	uint32_t runtime_interpreters;               /* _PyRuntime → the newest interpreter */
	uint32_t interpreter_next, interpreter_threads;
	uint32_t thread_next, thread_native_id;
	uint32_t thread_frame;                       /* → the current frame; or, with a cframe, → what points to it */
	uint32_t cframe_frame;
	uint8_t has_cframe;                          /* up to 3.12 */
	uint8_t has_entry_flag;                      /* 3.11: a byte of the frame; later a frame of its own (owner 3) */
	uint32_t frame_code, frame_previous, frame_instruction, frame_owner, frame_entry;
	uint32_t code_bytes;                         /* code object → its first instruction */
	uint32_t code_file, code_name, code_qualified, code_lines, code_first_line;
	uint32_t text_length, text_state, text_ascii, text_compact;     /* of a str; the last two: where its characters are */
	uint32_t bytes_length, bytes_bytes;
	uint32_t object_type;                        /* of any object: what it is */
};

enum { PYTHON_OWNER_C_STACK = 3 };

/* From the addresses of _PyRuntime, Py_Version and PyCode_Type. -ENOTSUP where the version is not among ours. */
int python_layout_read(const struct unwind_memory *memory, uint64_t runtime, uint64_t version, uint64_t code_type,
		       struct python_layout *ret);

/* The line of a code object's instruction, by its table of locations; 0 where it says none. */
uint32_t python_line(const uint8_t *table, uint32_t size, uint32_t first_line, int64_t instruction_bytes);
