/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one dimension for speedscope.app: a sampled profile per thread, the heaviest shown first. Weights are in the
 * unit that speedscope has for them; it holds no counts, so how often a stack was seen stays behind, and it would
 * tell a function's lines apart, so a frame is a function.
 */
#include "format/speedscope.h"

#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "format/flat.h"
#include "format/format.h"
#include "format/json_write.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <string.h>

static const char *unit_of(const struct choice *choice)
{
	const char *unit = choice_unit(choice);

	return !strcmp(unit, "ns") ? "nanoseconds" : !strcmp(unit, "bytes") ? "bytes" : "none";
}

/* What was read with fractions is kept in thousandths, and written as it was. */
static bool is_milli(const struct choice *choice)
{
	return !strncmp(choice_unit(choice), "milli-", 6);
}

static void weight_write(const struct choice *choice, uint64_t weight, struct output *to)
{
	if (is_milli(choice))
		output_print(to, "%" PRIu64 ".%03u", weight / 1000, (unsigned)(weight % 1000));
	else
		output_print(to, "%" PRIu64, weight);
}

/* "name (pid 1, tid 2)", which the reader takes apart again. */
static void name_write(const struct profile *profile, struct thread_id id, struct output *to)
{
	const struct thread *thread = profile_thread_at(profile, id.index);
	uint32_t pid = profile_process_at(profile, thread->process.index)->pid;
	CLEANUP_TEXT char *name = pid || thread->tid ? xasprintf("%s (pid %u, tid %u)", choice_comm(profile, id), pid,
								 thread->tid)
						     : xstrdup(choice_comm(profile, id));

	json_write_string(to, name);
}

static void samples_write(struct flat *flat, size_t from, size_t end, struct output *to)
{
	const uint32_t *frames;

	output_puts(to, ",\"samples\":[");
	for (size_t i = from; i < end; i++) {
		size_t count = flat_stack(flat, flat->weights[i].stack, &frames);

		output_puts(to, i > from ? ",\n[" : "[");
		for (size_t j = 0; j < count; j++)
			output_print(to, "%s%u", j ? "," : "", frames[j]);
		output_puts(to, "]");
	}
	output_puts(to, "],\"weights\":[");
	for (size_t i = from; i < end; i++) {
		output_puts(to, i > from ? "," : "");
		weight_write(&flat->choice, flat->weights[i].weight, to);
	}
	output_puts(to, "]");
}

static uint64_t thread_weight(const struct flat *flat, size_t from, size_t end)
{
	uint64_t sum = 0;

	for (size_t i = from; i < end; i++)
		sum += flat->weights[i].weight;
	return sum;
}

static size_t profiles_write(struct flat *flat, struct output *to)
{
	size_t heaviest = 0, index = 0;
	uint64_t most = 0;

	for (size_t from = 0, end; from < flat->weight_count; from = end, index++) {
		uint64_t weight;

		end = flat_thread_end(flat, from);
		weight = thread_weight(flat, from, end);
		heaviest = weight > most ? index : heaviest;
		most = weight > most ? weight : most;
		output_print(to, "%s{\"type\":\"sampled\",\"name\":", index ? ",\n" : "");
		name_write(flat->choice.profile, flat->weights[from].thread, to);
		output_print(to, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":", unit_of(&flat->choice));
		weight_write(&flat->choice, weight, to);
		samples_write(flat, from, end, to);
		output_puts(to, "}");
	}
	return heaviest;
}

static void frames_write(const struct flat *flat, struct output *to)
{
	for (size_t i = 0; i < flat->frame_count; i++) {
		const struct flat_frame *frame = &flat->frames[i];

		output_puts(to, i ? ",\n{\"name\":" : "{\"name\":");
		json_write_string(to, frame->name);
		if (*frame->path) {
			output_puts(to, ",\"file\":");
			json_write_string(to, frame->path);
		}
		if (frame->line)
			output_print(to, ",\"line\":%u", frame->line);
		output_puts(to, "}");
	}
}

int speedscope_write(const struct profile *profile, const struct format_options *options, struct output *to,
		     struct error *err)
{
	struct flat flat;
	int r = flat_make(profile, options, FLAT_FUNCTIONS, &flat, err);
	CLEANUP_TEXT char *name = NULL;
	size_t active;

	if (r < 0)
		return r;
	name = choice_name(profile, flat.choice.dimension);
	output_print(to, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			 "\"exporter\":\"crosscut@" CROSSCUT_VERSION "\",\"name\":");
	json_write_string(to, name);
	output_puts(to, ",\"crosscutUnit\":");                   /* for our reader: what has none of speedscope's units */
	json_write_string(to, choice_unit(&flat.choice) + (is_milli(&flat.choice) ? 6 : 0));
	output_puts(to, ",\"profiles\":[");
	active = profiles_write(&flat, to);
	output_print(to, "],\"activeProfileIndex\":%zu,\"shared\":{\"frames\":[", active);
	frames_write(&flat, to);
	output_puts(to, "]}}\n");
	flat_done(&flat);
	return 0;
}
