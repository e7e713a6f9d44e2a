/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one dimension for profiler.firefox.com, in the processed form of version 60: the newest that has all its tables in
 * plain columns; the application brings older ones up to date. A sample is one stack of one thread with all its weight in a
 * slice. The model keeps no time of single samples, so they are spread evenly over it; intervals become markers.
 */
#include "format/firefox.h"
#include "format/firefox_writer.h"

#include "base/intern.h"
#include "base/memory.h"
#include "base/output.h"
#include "format/format.h"
#include "format/json_write.h"
#include "format/timeline.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSED_VERSION = 60, GECKO_VERSION = 32, NAME_LIMIT = 4096, NS_PER_MS = 1000000, SECOND_NS = 1000000000 };
#define YEAR_2000_NS 946684800000000000u            /* a time beyond it is a date, and none since a host was started */

static void libraries_write(struct firefox_writer *writer)
{
	const struct profile *profile = writer->flat.choice.profile;

	output_puts(writer->to, "\"libs\":[");
	for (uint32_t i = 1; i < profile_file_count(profile); i++) {
		const struct file *file = profile_file_at(profile, i);
		const char *path = profile_text(profile, file->path), *slash = strrchr(path, '/');
		const char *const values[][2] = { { "name", slash ? slash + 1 : path }, { "path", path },
						  { "debugName", slash ? slash + 1 : path }, { "debugPath", path },
						  { "breakpadId", "" } };

		output_puts(writer->to, i > 1 ? ",\n{\"arch\":\"\"" : "{\"arch\":\"\"");
		for (size_t j = 0; j < ARRAY_LENGTH(values); j++) {
			output_print(writer->to, ",\"%s\":", values[j][0]);
			json_write_string(writer->to, values[j][1]);
		}
		output_puts(writer->to, ",\"codeId\":");
		if (file->build_id.index)
			json_write_string(writer->to, profile_text(profile, file->build_id));
		else
			output_puts(writer->to, "null");
		output_puts(writer->to, "}");
	}
	output_puts(writer->to, "],\n");
}

/* --- Threads ---------------------------------------------------------------------------------------- */

/* A length of time in milliseconds, exactly. */
static void ms_write(struct firefox_writer *writer, uint64_t ns)
{
	output_print(writer->to, "%" PRIu64 ".%06" PRIu64, ns / NS_PER_MS, ns % NS_PER_MS);
}

/* Times are told from the first second on, since a double has no room for the date and nanoseconds; that second begins as the
 * profile's own do, so that they are the same ones again. */
static void time_write(struct firefox_writer *writer, uint64_t ns)
{
	ms_write(writer, ns > writer->first_ns ? ns - writer->first_ns : 0);
}

static uint64_t first_ns(const struct profile *profile)
{
	uint64_t first = UINT64_MAX, phase;

	for (size_t i = 1; i < profile_slice_count(profile); i++)
		if (profile_slice_at(profile, i)->start_ns < first)
			first = profile_slice_at(profile, i)->start_ns;
	phase = first == UINT64_MAX ? 0 : first % SECOND_NS;
	for (size_t i = 0; i < profile_interval_count(profile); i++)
		if (profile_interval_at(profile, i)->start_ns < first)
			first = profile_interval_at(profile, i)->start_ns;
	if (first == UINT64_MAX || first < phase)
		return 0;
	return first - (first - phase) % SECOND_NS;
}

/* Evenly over their slice, or over a second where no time is known. */
static void times_write(struct firefox_writer *writer, size_t from, size_t end)
{
	const struct profile *profile = writer->flat.choice.profile;
	uint64_t at = 0;
	size_t in = from;

	for (size_t i = from; i < end; i++) {
		const struct slice *slice = profile_slice_at(profile, writer->flat.weights[i].slice.index);

		if (i == in) {
			while (in < end && writer->flat.weights[in].slice.index == writer->flat.weights[i].slice.index)
				in++;
			at = slice->start_ns > at ? slice->start_ns : at;
			at = at > writer->first_ns ? at : writer->first_ns;
		} else {
			at += (slice->end_ns > slice->start_ns ? slice->end_ns - slice->start_ns : SECOND_NS) / (in - from + 1);
		}
		output_puts(writer->to, i > from ? "," : "");
		time_write(writer, at);
	}
}

static void samples_write(struct firefox_writer *writer, size_t from, size_t end)
{
	const char *unit = choice_unit(&writer->flat.choice);
	bool time = !strcmp(unit, "ns"), bytes = !strcmp(unit, "bytes");

	output_puts(writer->to, "\"samples\":{\"stack\":[");
	for (size_t i = from; i < end; i++) {
		output_puts(writer->to, i > from ? "," : "");
		if (writer->sample_stacks[i])
			output_print(writer->to, "%u", writer->sample_stacks[i] - 1);
		else
			output_puts(writer->to, "null");
	}
	output_puts(writer->to, "],\"time\":[");
	times_write(writer, from, end);
	output_puts(writer->to, "],\"weight\":[");
	for (size_t i = from; i < end; i++) {
		output_puts(writer->to, i > from ? "," : "");
		if (time)
			ms_write(writer, writer->flat.weights[i].weight);
		else
			output_print(writer->to, "%" PRIu64, writer->flat.weights[i].weight);
	}
	output_print(writer->to, "],\"weightType\":\"%s\",\"length\":%zu}",
		     time ? "tracing-ms" : bytes ? "bytes" : "samples", end - from);
}

static void marker_times_write(struct firefox_writer *writer, const char *name, struct thread_id thread, bool ends)
{
	size_t first = writer->starts[thread.index], end = writer->starts[thread.index + 1];

	output_print(writer->to, ",\"%s\":[", name);
	for (size_t i = first; i < end; i++) {
		const struct interval *interval = profile_interval_at(writer->flat.choice.profile, writer->intervals[i]);

		output_puts(writer->to, i > first ? "," : "");
		time_write(writer, ends ? interval->end_ns : interval->start_ns);
	}
	output_puts(writer->to, "]");
}

static void constants_write(struct firefox_writer *writer, const char *name, const char *value, size_t count)
{
	output_print(writer->to, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		output_print(writer->to, "%s%s", i ? "," : "", value);
	output_puts(writer->to, "]");
}

static void markers_write(struct firefox_writer *writer, struct thread_id thread)
{
	const struct profile *profile = writer->flat.choice.profile;
	size_t first = writer->starts[thread.index], end = writer->starts[thread.index + 1];
	char text[NAME_LIMIT];

	output_puts(writer->to, ",\"markers\":{\"name\":[");
	for (size_t i = first; i < end; i++) {
		const struct interval *interval = profile_interval_at(profile, writer->intervals[i]);

		output_print(writer->to, "%s%u", i > first ? "," : "",
			     intern_put(writer->strings, timeline_name(profile, interval, text, sizeof(text))));
	}
	output_puts(writer->to, "]");
	marker_times_write(writer, "startTime", thread, false);
	marker_times_write(writer, "endTime", thread, true);
	constants_write(writer, "data", "null", end - first);
	constants_write(writer, "phase", "1", end - first);          /* an interval */
	constants_write(writer, "category", "0", end - first);
	output_print(writer->to, ",\"length\":%zu}}", end - first);
}

static void thread_write(struct firefox_writer *writer, struct thread_id id, size_t from, size_t end)
{
	const struct profile *profile = writer->flat.choice.profile;
	const struct thread *thread = profile_thread_at(profile, id.index);
	const struct process *process = profile_process_at(profile, thread->process.index);

	output_puts(writer->to, "{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
				"\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"isMainThread\":");
	output_puts(writer->to, process->pid && process->pid == thread->tid ? "true,\"name\":" : "false,\"name\":");
	json_write_string(writer->to, choice_comm(profile, id));
	output_puts(writer->to, ",\"processName\":");
	json_write_string(writer->to, profile_text(profile, process->comm));
	output_print(writer->to, ",\"pid\":\"%u\",\"tid\":%u,", process->pid, thread->tid);
	samples_write(writer, from, end);
	markers_write(writer, id);
}

/* Every thread with weight or intervals. */
static void threads_write(struct firefox_writer *writer)
{
	const struct profile *profile = writer->flat.choice.profile;
	size_t from = 0, end;
	bool first = true;

	output_puts(writer->to, "\"threads\":[");
	for (uint32_t i = 0; i < profile_thread_count(profile); i++) {
		struct thread_id id = { i };

		end = from < writer->flat.weight_count && thread_is(writer->flat.weights[from].thread, id)
			      ? flat_thread_end(&writer->flat, from) : from;
		if (end == from && writer->starts[i] == writer->starts[i + 1])
			continue;
		output_puts(writer->to, first ? "" : ",\n");
		thread_write(writer, id, from, end);
		first = false;
		from = end;
	}
	output_puts(writer->to, "],\n");
}

/* How the dimension's weights were measured: of several ways the one that says least. */
static struct measure measure_of(const struct choice *choice)
{
	struct measure measure = { 0 };

	for (size_t i = 0; i < profile_cell_count(choice->profile); i++) {
		const struct cell *cell = profile_cell_at(choice->profile, i);
		const struct measure *row = profile_measure_at(choice->profile, cell->measure.index);

		if (row->weighting > measure.weighting && choice_has(choice, cell))
			measure = *row;
	}
	return measure;
}

static void meta_write(struct firefox_writer *writer)
{
	struct measure measure = measure_of(&writer->flat.choice);
	CLEANUP_TEXT char *name = choice_name(writer->flat.choice.profile, writer->flat.choice.dimension);

	output_print(writer->to,
		     "{\"meta\":{\"version\":%d,\"preprocessedProfileVersion\":%d,\"processType\":0,\"stackwalk\":1,"
		     "\"debug\":false,\"interval\":1,\"symbolicated\":true,\"importedFrom\":\"crosscut@" CROSSCUT_VERSION
		     "\",\"markerSchema\":[],\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
		     "\"subcategories\":[\"Other\"]}],\"startTime\":",
		     GECKO_VERSION, PROCESSED_VERSION);
	ms_write(writer, profile_meta_number(writer->flat.choice.profile, "capture.start_wall_ns",
					     writer->first_ns > YEAR_2000_NS ? writer->first_ns : 0));
	output_puts(writer->to, ",\"product\":");
	json_write_string(writer->to, name);
	output_puts(writer->to, ",\"crosscut\":{\"unit\":");      /* for our reader: there are but three types of weights */
	json_write_string(writer->to, choice_unit(&writer->flat.choice));
	output_print(writer->to, ",\"weighting\":%d,\"period\":%" PRIu64 "}},\n",
		     (int)measure.weighting, measure.period);
}

int firefox_write(const struct profile *profile, const struct format_options *options, struct output *to,
		  struct error *err)
{
	struct firefox_writer writer = { .to = to };
	int r = flat_make(profile, options, FLAT_PLACES, &writer.flat, err);

	if (r < 0)
		return r;
	if (choice_is_of_intervals(&writer.flat.choice))
		writer.flat.weight_count = 0;
	writer.intervals = timeline_by_thread(profile, &writer.starts);
	writer.first_ns = first_ns(profile);
	firefox_tables_make(&writer);
	meta_write(&writer);
	libraries_write(&writer);
	output_puts(to, "\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n");
	threads_write(&writer);
	firefox_tables_write(&writer);
	output_puts(to, "}\n");
	firefox_tables_free(&writer);
	free(writer.intervals);
	free(writer.starts);
	flat_done(&writer.flat);
	return 0;
}
