/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf.data, as `perf record` of any version writes it: into a file, whose header says where what lies, or into a pipe,
 * where records say the same. Both byte orders; packed records too.
 *
 *	file   magic, sizes │ ids │ attributes │ records … │ sections of the header, in the order of its bits
 *	pipe   magic, 16    │ records …
 *
 * Read to the end even where a recording was killed and its header was never finished: then the records reach to the end of
 * the file. Source: tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */
#include "base/error.h"
#include "base/memory.h"
#include "format/format.h"
#include "format/input.h"
#include "format/perf_file.h"
#include "format/perf_session.h"
#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

enum { PIPE_HEADER_BYTES = 16, HEADER_BYTES = 104, OLD_HEADER_BYTES = 72 /* no features */, FEATURES = 256, SECTION_BYTES = 16, FEATURE_HOST = 3,
       SECTION_LIMIT = 256 << 20 };

static const uint64_t magic_2 = 0x32454c4946524550ull;         /* "PERFILE2" on a machine of our byte order */
static const uint64_t magic_1 = 0x454c494646524550ull;         /* "PERFFILE" */

struct section { uint64_t offset, size; };

struct reading {
	struct perf_file file;
	struct perf_session session;
	struct section attributes, data;
	uint64_t attribute_size, features[FEATURES / 64];
	uint64_t missing;                /* bytes that the header promises and the file does not hold */
	bool unfinished;
	const char *name;                /* for messages */
	struct error *err;
};

static int refuse(struct reading *reading, const char *why, uint64_t where)
{
	(void)fail(reading->err, FAILURE_WORK, -EBADMSG, "cannot read '%s'", reading->name);
	(void)error_because(reading->err, "%s at byte %" PRIu64 " of this recording of perf", why, where);
	return error_try(reading->err, "an undamaged copy of the file");
}

static int perf_recognise(const void *head, size_t size)
{
	uint64_t word;

	if (size < PIPE_HEADER_BYTES)
		return 0;
	memcpy(&word, head, sizeof(word));
	return word == magic_2 || word == __builtin_bswap64(magic_2) || word == magic_1 ? 100 : 0;
}

/* --- Records ---------------------------------------------------------------------------------------------------------- */

/* Tracing data and traces of a processor follow their records outside of them. */
static int trailing_read(struct reading *reading, const struct perf_bytes *head, uint64_t size, uint64_t *at, uint64_t end)
{
	struct perf_bytes type = *head;
	const uint8_t *bytes;

	if (size > end - *at)
		return refuse(reading, "data that ends beyond the file follows a record", *at);
	bytes = size <= SECTION_LIMIT ? perf_file_at(&reading->file, *at, size) : NULL;
	if (bytes)
		perf_session_trailing(&reading->session, perf_u32(&type), bytes, size);
	*at += size;
	return 0;
}

static int record_read(struct reading *reading, uint64_t *at, uint64_t end)
{
	const uint8_t *bytes = perf_file_at(&reading->file, *at, PERF_RECORD_HEAD);
	struct perf_bytes head = perf_bytes_of(bytes, PERF_RECORD_HEAD, reading->session.swapped);
	uint8_t copy[PERF_RECORD_HEAD + 8] = { 0 };
	uint64_t trailing;
	uint16_t size;
	int r;

	if (!bytes)
		return refuse(reading, "the file ends", *at);
	(void)perf_take(&head, 6);
	size = perf_u16(&head);
	if (size < PERF_RECORD_HEAD)
		return refuse(reading, "a record without a size", *at);
	if (size > end - *at) {                 /* the last one was half written */
		reading->missing += size - (end - *at);
		*at = end;
		return 0;
	}
	bytes = perf_file_at(&reading->file, *at, size);
	if (!bytes)
		return refuse(reading, "the file ends", *at);
	memcpy(copy, bytes, size < sizeof(copy) ? size : sizeof(copy));
	trailing = perf_record_trailing(&reading->session, bytes, size);
	r = perf_session_record(&reading->session, bytes, size);
	if (r < 0)
		return refuse(reading, "a damaged record", *at);
	*at += size;
	head = perf_bytes_of(copy, sizeof(copy), reading->session.swapped);
	return trailing ? trailing_read(reading, &head, trailing, at, end) : 0;
}

static int records_read(struct reading *reading, uint64_t at, uint64_t end)
{
	int r = 0;

	while (r >= 0 && at < end && end - at >= PERF_RECORD_HEAD)
		r = record_read(reading, &at, end);
	reading->missing += at < end ? end - at : 0;
	return r;
}

/* --- The header of a file --------------------------------------------------------------------------------------------- */

static struct section section_take(struct perf_bytes *bytes)
{
	struct section section = { .offset = perf_u64(bytes) };

	section.size = perf_u64(bytes);
	return section;
}

/* Machines of the other byte order wrote these bits by words of 64 or of 32; every recording names its host. */
static void features_take(struct reading *reading, struct perf_bytes *bytes)
{
	uint64_t *words = reading->features;

	for (size_t i = 0; i < FEATURES / 64; i++)
		words[i] = perf_u64(bytes);
	if (bytes->swapped && !(words[0] >> FEATURE_HOST & 1))
		for (size_t i = 0; i < FEATURES / 64; i++)
			words[i] = words[i] << 32 | words[i] >> 32;
}

static int header_read(struct reading *reading, size_t size)
{
	const uint8_t *bytes = perf_file_at(&reading->file, 0, size);
	struct perf_bytes header = perf_bytes_of(bytes, size, reading->session.swapped);

	if (!bytes)
		return refuse(reading, "the header ends", reading->file.size);
	(void)perf_take(&header, 16);
	reading->attribute_size = perf_u64(&header);
	reading->attributes = section_take(&header);
	reading->data = section_take(&header);
	(void)section_take(&header);
	if (size == HEADER_BYTES)
		features_take(reading, &header);
	if (reading->attribute_size < PERF_ATTRIBUTE_BYTES_LEAST + SECTION_BYTES || reading->attribute_size > 4096)
		return refuse(reading, "attributes of a size that no version has", 16);
	if (reading->attributes.size / reading->attribute_size > PERF_EVENT_LIMIT)
		return refuse(reading, "more events than can be", 24);
	if (reading->data.offset > reading->file.size)
		return refuse(reading, "records that begin beyond the file", 40);
	return 0;
}

static int ids_read(struct reading *reading, struct section ids, size_t index)
{
	if (ids.size / 8 > PERF_ID_LIMIT)
		return refuse(reading, "more ids of an event than can be", ids.offset);
	for (uint64_t i = 0; i < ids.size / 8; i++) {
		const uint8_t *bytes = perf_file_at(&reading->file, ids.offset + 8 * i, 8);

		if (!bytes)
			return refuse(reading, "ids of an event that lie beyond the file", ids.offset);
		perf_events_add_id(&reading->session.events, perf_word(bytes, reading->session.swapped), index);
	}
	return 0;
}

static int attribute_read(struct reading *reading, size_t index)
{
	uint64_t at = reading->attributes.offset + index * reading->attribute_size;
	const uint8_t *bytes = perf_file_at(&reading->file, at, reading->attribute_size);
	struct perf_bytes entry = perf_bytes_of(bytes, reading->attribute_size, reading->session.swapped);
	struct perf_attribute attribute;

	if (!bytes)
		return refuse(reading, "attributes that lie beyond the file", at);
	if (perf_attribute_read(&entry, &attribute) < 0 || !perf_events_add(&reading->session.events, &attribute))
		return refuse(reading, "an attribute of no known size", at);
	entry.at = bytes + reading->attribute_size - SECTION_BYTES;
	return ids_read(reading, section_take(&entry), index);
}

/* One that is too large or lies outside is left out: records can be read without names. */
static void feature_read(struct reading *reading, unsigned feature, uint64_t at)
{
	const uint8_t *bytes = perf_file_at(&reading->file, at, SECTION_BYTES);
	struct perf_bytes entry = perf_bytes_of(bytes, SECTION_BYTES, reading->session.swapped);
	struct section section = bytes ? section_take(&entry) : (struct section){ 0 };

	bytes = bytes && section.size <= SECTION_LIMIT ? perf_file_at(&reading->file, section.offset, section.size) : NULL;
	if (!bytes) {
		reading->missing += section.size ? section.size : SECTION_BYTES;
		return;
	}
	perf_feature_read(&reading->session, feature, perf_bytes_of(bytes, section.size, reading->session.swapped));
}

static void features_read(struct reading *reading)
{
	uint64_t at = reading->data.offset + reading->data.size;

	if (reading->unfinished)
		return;
	for (unsigned feature = 0; feature < FEATURES; feature++)
		if (reading->features[feature / 64] >> feature % 64 & 1) {
			feature_read(reading, feature, at);
			at += SECTION_BYTES;
		}
}

static int file_read(struct reading *reading, size_t header_size)
{
	uint64_t end;
	int r = header_read(reading, header_size);

	for (size_t i = 0; r >= 0 && i < reading->attributes.size / reading->attribute_size; i++)
		r = attribute_read(reading, i);
	if (r < 0)
		return r;
	reading->unfinished = !reading->data.size;
	end = reading->unfinished || reading->data.size > reading->file.size - reading->data.offset
		      ? reading->file.size
		      : reading->data.offset + reading->data.size;
	if (!reading->unfinished)
		reading->missing += reading->data.offset + reading->data.size - end;
	features_read(reading);
	return records_read(reading, reading->data.offset, end);
}

/* --- One file --------------------------------------------------------------------------------------------------------- */

static int magic_read(struct reading *reading, bool *ret_swapped, uint64_t *ret_size)
{
	const uint8_t *bytes = perf_file_at(&reading->file, 0, PIPE_HEADER_BYTES);
	uint64_t word, size;

	if (!bytes)
		return refuse(reading, "the header ends", reading->file.size);
	word = perf_word(bytes, false);
	size = perf_word(bytes + 8, false);
	/* the first version's magic was text: its sizes tell the byte order */
	*ret_swapped = word == __builtin_bswap64(magic_2) || (word == magic_1 && size >> 32);
	*ret_size = *ret_swapped ? __builtin_bswap64(size) : size;
	return 0;
}

static void tell_end(struct reading *reading)
{
	struct perf_session *session = &reading->session;

	if (reading->missing) {
		profile_set_meta_number(session->profile, "import.missing_bytes", reading->missing);
		perf_session_remark(session, "the file is cut: %" PRIu64 " bytes are missing that it says it has, at byte %" PRIu64,
				    reading->missing, reading->file.size);
	}
	if (reading->unfinished) {
		profile_set_meta(session->profile, "import.unfinished", "the recording was not ended properly");
		perf_session_remark(session, "the recording was not ended properly: it is read up to the end of the file, at byte %" PRIu64,
				    reading->file.size);
	}
}

static int session_read(struct reading *reading, uint64_t header_size)
{
	struct perf_session *session = &reading->session;
	int r;

	session->piped = header_size == PIPE_HEADER_BYTES;
	if (!session->piped && header_size != HEADER_BYTES && header_size != OLD_HEADER_BYTES)
		return refuse(reading, "a header of a size that no version has", 8);
	r = session->piped ? records_read(reading, PIPE_HEADER_BYTES, reading->file.size) : file_read(reading, header_size);
	if (r < 0)
		return r;
	r = perf_session_finish(session);
	if (r < 0)
		return r;
	if (!session->events.count)
		return refuse(reading, "no event up to its end,", reading->file.size);
	if (!session->samples) {
		(void)refuse(reading, "no sample up to its end,", reading->file.size);
		return error_try(reading->err, "perf record of an event that comes, for longer: perf report --stats shows what is there");
	}
	tell_end(reading);
	return 0;
}

static int perf_read_file(struct perf_file file, const char *name, struct profile *into, struct error *err)
{
	struct reading reading = { .file = file, .name = name, .err = err };
	uint64_t header_size = 0;
	bool swapped = false;
	int r = magic_read(&reading, &swapped, &header_size);

	if (r >= 0) {
		perf_session_init(&reading.session, into, swapped);
		r = session_read(&reading, header_size);
		perf_session_done(&reading.session);
	}
	perf_file_done(&reading.file);
	return r;
}

static int perf_data_read(struct input *input, struct profile *into, struct error *err)
{
	const char *path = input_path(input);
	CLEANUP_FD int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct perf_file file = { .fd = fd };
	struct stat status;
	size_t size;
	int r;

	if (path) {
		if (fd < 0 || fstat(fd, &status) < 0)
			return fail(err, FAILURE_WORK, -errno, "cannot read '%s'", path);
		file.size = (uint64_t)status.st_size;
	} else {
		r = input_whole(input, INPUT_WHOLE_LIMIT, &file.bytes, &size, err);
		if (r < 0)
			return r;
		file.size = size;
	}
	return perf_read_file(file, input_name(input), into, err);
}

extern const struct format perf_data_format;
const struct format perf_data_format = {
	.name = "perf-data",
	.summary = "recordings of Linux perf, in a file or from a pipe",
	.suffix = ".data",
	.recognise = perf_recognise,
	.read = perf_data_read,
};
