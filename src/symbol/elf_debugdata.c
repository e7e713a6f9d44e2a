/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some distributions leave the functions of a stripped file in it, as a small ELF file packed by xz: .gnu_debugdata. It
 * is unpacked under limits of memory and size.
 */
#include <lzma.h>
#include <stdlib.h>

#include "base/memory.h"
#include "symbol/answer.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"

enum { PACKED_LIMIT = 64 << 20, IMAGE_LIMIT = 256 << 20, MEMORY_LIMIT = 128 << 20, FIRST_ROOM = 1 << 20 };

struct image { unsigned char *bytes; size_t size, room; };

static lzma_ret unpack_all(lzma_stream *stream, struct image *image)
{
	lzma_ret r = LZMA_OK;

	while (r == LZMA_OK && image->room < IMAGE_LIMIT) {
		image->room = image->room ? 2 * image->room : FIRST_ROOM;
		image->bytes = xreallocarray(image->bytes, image->room, 1);
		stream->next_out = image->bytes + image->size;
		stream->avail_out = image->room - image->size;
		do
			r = lzma_code(stream, LZMA_FINISH);
		while (r == LZMA_OK && stream->avail_out);
		image->size = image->room - stream->avail_out;
	}
	return r;
}

static bool unpack(const void *packed, size_t size, struct image *image)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret r;

	if (lzma_stream_decoder(&stream, MEMORY_LIMIT, 0) != LZMA_OK)
		return false;
	stream.next_in = packed;
	stream.avail_in = size;
	r = unpack_all(&stream, image);
	lzma_end(&stream);
	return r == LZMA_STREAM_END;
}

static void resolve(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	CLEANUP(elf_file) struct elf_file *names = NULL;
	CLEANUP_TEXT void *packed = NULL;
	struct image image = { 0 };
	size_t size = 0;

	if (!module->elf)
		return;
	packed = elf_file_section_whole(module->elf, ".gnu_debugdata", PACKED_LIMIT, &size);
	if (packed && unpack(packed, size, &image) && elf_file_open_image(image.bytes, image.size, &names) == 0)
		symbol_answer_from(module, names, module->elf, queries, count);
	free(image.bytes);
}

const struct symbol_source symbol_source_debugdata = {
	.name = "debugdata",
	.summary = "functions packed into the file itself (.gnu_debugdata)",
	.resolve = resolve,
};
