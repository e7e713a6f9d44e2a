/* SPDX-License-Identifier: Apache-2.0 */
/* Block requests by file and by who submitted them (profile/file_io.h). A file that was never named is known by its inode. */
#include "profile/file_io.h"

#include "base/map.h"
#include "probe/decoder_state.h"
#include "probe/probe.h"

#include <stdio.h>
#include <sys/stat.h>

enum { FILE_NAME_LIMIT = 1 << 20, NAME_SIZE = 2 * WIRE_FILE_TEXT + 32 };

static void decode_name(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_file_name *wire = (const void *)record;
	char text[NAME_SIZE];

	if ((wire->mode & S_IFMT) == S_IFBLK)           /* its pages are the file system's own */
		(void)snprintf(text, sizeof(text), "[metadata of %llu:%llu]", (unsigned long long)wire->file.inode >> 20,
			       (unsigned long long)wire->file.inode & 0xfffff);
	else if (!wire->name[0])
		(void)snprintf(text, sizeof(text), "[inode %llu]", (unsigned long long)wire->file.inode);
	else
		(void)snprintf(text, sizeof(text), "%.*s%s%.*s", WIRE_FILE_TEXT - 1, wire->folder,
			       wire->folder[0] && wire->folder[0] != '/' ? "/" : "", WIRE_FILE_TEXT - 1, wire->name);
	if (map_count(decoder->files) < FILE_NAME_LIMIT)
		*map_put(decoder->files, &wire->file, NULL) = profile_string(decoder->profile, text).index;
}

static const char *name_of(const struct decoder *decoder, const struct wire_file *file, char text[NAME_SIZE])
{
	const uint32_t *known = map_find(decoder->files, file);

	if (known)
		return profile_text(decoder->profile, (struct string_id){ *known });
	if (!file->inode)
		return "[unknown]";
	(void)snprintf(text, NAME_SIZE, "[inode %llu]", (unsigned long long)file->inode);
	return text;
}

static void add(struct decoder *decoder, struct cell cell, const char *name, uint64_t value)
{
	struct profile *profile = decoder->profile;

	cell.value = value;
	cell.measure = profile_measure(profile, (struct measure){
		.dimension = profile_dimension(profile, dimension_row_find("block-operations", name)), .role = ROLE_DETAIL,
		.weighting = WEIGHTING_EXACT, .source = profile_string(profile, FILE_IO) });
	if (value)
		profile_add_cell(profile, cell);
}

static void decode_io(struct decoder *decoder, const struct wire_head *record)
{
	static const char *const operations[] = { "read", "write", "flush", "discard" };
	const struct wire_file_io *wire = (const void *)record;
	const struct wire_file_value *value = &wire->value;
	struct profile *profile = decoder->profile;
	char text[NAME_SIZE], both[NAME_SIZE + 16];
	const char *file = name_of(decoder, &wire->key.file, text);
	struct cell cell = { .slice = decoder->slice, .thread = decoder_thread(decoder, wire->key.thread), .count = value->count };

	(void)snprintf(both, sizeof(both), "%s %s", wire->key.operation < 4 ? operations[wire->key.operation] : "other", file);
	cell.object = profile_object(profile, (struct object){
		.kind = profile_string(profile, file[0] == '[' && file[1] == 'm' ? FILE_METADATA : FILE_KIND),
		.name = profile_string(profile, both) });
	add(decoder, cell, "file-requests", value->count);
	add(decoder, cell, "file-bytes", value->bytes);
	cell.maximum = value->device_maximum_ns;
	add(decoder, cell, "file-time", value->device_ns);
}

static void decode_dirtied(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_file_io *wire = (const void *)record;
	struct cell cell = { .slice = decoder->slice, .thread = decoder_thread(decoder, wire->key.thread), .count = wire->value.count };
	char text[NAME_SIZE];

	if (!cell.thread.index)                 /* never announced: that is counted with the ledger */
		return;
	cell.object = profile_object(decoder->profile, (struct object){
		.kind = profile_string(decoder->profile, FILE_DIRTIED),
		.name = profile_string(decoder->profile, name_of(decoder, &wire->key.file, text)) });
	add(decoder, cell, "file-dirtied", wire->value.count);
}

static void decode_cache_read(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_file_io *wire = (const void *)record;
	struct cell cell = { .slice = decoder->slice, .thread = decoder_thread(decoder, wire->key.thread), .count = wire->value.count };
	char text[NAME_SIZE];

	if (!cell.thread.index)                 /* as above */
		return;
	cell.object = profile_object(decoder->profile, (struct object){
		.kind = profile_string(decoder->profile, FILE_CACHED),
		.name = profile_string(decoder->profile, name_of(decoder, &wire->key.file, text)) });
	add(decoder, cell, wire->key.operation ? "cache-missed" : "cache-found", wire->value.count);
}

static const struct wire_decoder decoders[] = {
	{ WIRE_FILE_NAME, sizeof(struct wire_file_name), decode_name },
	{ WIRE_FILE_IO, sizeof(struct wire_file_io), decode_io },
	{ WIRE_DIRTIED, sizeof(struct wire_file_io), decode_dirtied },
	{ WIRE_CACHE_READ, sizeof(struct wire_file_io), decode_cache_read },
	{ 0 },
};

extern const struct probe probe_files;
const struct probe probe_files = {
	.name = "files", .summary = "block requests by file and submitter; who made pages dirty; cache hits",
	.fills = "disk, block-operations", .without = "block requests are not led back to files, threads and those who dirtied pages, and cache hits are not counted",
	.exposes = "the last two parts of the paths of files that were read, written or made dirty",
	.paid = "each block request pays the first and the third, each clean page that is written to the fourth, each read through the page cache the last",
	.programs = { { "file_bio_queued", "block_bio_queue", 3700 }, { "file_ring_submitted", "io_uring_submit_req", 80 },
		      { "file_request_completed", "block_rq_complete", 3100 }, { "file_dirtied", "writeback_dirty_folio", 1400 },
		      { "cache_page_added", "mm_filemap_add_to_page_cache", 200 }, { "cache_looked", "mm_filemap_get_pages", 300 } },
	.decoders = decoders,
};
