/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of each kind of content is in a profile. A kind whose amount is zero cannot be lost by a
 * conversion, whatever the format.
 */
#include "format/content.h"

#include "base/memory.h"
#include "format/choice.h"
#include "format/utf8_text.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

/* --- Dimensions ------------------------------------------------------------------------------- */

static uint64_t dimensions_used(const struct profile *profile, bool roots)
{
	bool *used = xcalloc(profile_dimension_count(profile), sizeof(*used)), *sums = choice_interval_sums(profile);
	uint64_t count = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		struct dimension_id id = profile_cell_dimension(profile, profile_cell_at(profile, i));

		used[roots ? profile_dimension_root(profile, id).index : id.index] = true;
	}
	for (size_t i = 1; i < profile_dimension_count(profile); i++)
		count += used[i] && !sums[i] && (roots || profile_dimension_at(profile, i)->parent.index);
	free(used);
	free(sums);
	return count;
}

/* One is no loss: the format holds it. What but sums up the intervals goes with them. */
static uint64_t events_amount(const struct profile *profile)
{
	uint64_t count = dimensions_used(profile, true);

	return count > 1 ? count : 0;
}

static uint64_t parts_amount(const struct profile *profile)
{
	return dimensions_used(profile, false);
}

static uint64_t units_amount(const struct profile *profile)
{
	uint64_t count = 0;

	for (size_t i = 1; i < profile_measure_count(profile); i++) {
		const struct measure *measure = profile_measure_at(profile, i);
		const struct dimension *dimension = profile_dimension_at(profile, measure->dimension.index);
		const char *unit = profile_text(profile, dimension->unit), *name = profile_text(profile, dimension->name);

		count += *unit && (strcmp(unit, "samples") != 0 || strcmp(name, "samples") != 0);
	}
	return count;
}

/* Sampled, without a period, is what is assumed of a format that does not say. */
static uint64_t weighting_amount(const struct profile *profile)
{
	uint64_t count = 0;

	for (size_t i = 1; i < profile_measure_count(profile); i++) {
		const struct measure *measure = profile_measure_at(profile, i);

		count += measure->weighting != WEIGHTING_SAMPLED || measure->period;
	}
	return count;
}

/* --- Cells ------------------------------------------------------------------------------------ */

static uint64_t cells_that(const struct profile *profile, bool (*has)(const struct profile *, const struct cell *))
{
	uint64_t count = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++)
		count += has(profile, profile_cell_at(profile, i));
	return count;
}

static bool has_stack(const struct profile *profile, const struct cell *cell)
{
	(void)profile;
	return cell->stack.index != 0;
}

static bool has_label(const struct profile *profile, const struct cell *cell)
{
	(void)profile;
	return cell->object.index != 0;
}

static bool has_other(const struct profile *profile, const struct cell *cell)
{
	(void)profile;
	return cell->other.index != 0;
}

/* What formats that merge make one row of: a thread's weight on a stack. */
static int by_row(const void *left, const void *right, void *cells)
{
	const struct cell *a = *(const struct cell *const *)left, *b = *(const struct cell *const *)right;

	(void)cells;
	return a->measure.index != b->measure.index ? (a->measure.index < b->measure.index ? -1 : 1)
	       : a->thread.index != b->thread.index ? (a->thread.index < b->thread.index ? -1 : 1)
	       : a->stack.index != b->stack.index   ? (a->stack.index < b->stack.index ? -1 : 1)
						    : 0;
}

/* Rows of more than one event, where the weight does not count them itself. */
static uint64_t counts_amount(const struct profile *profile)
{
	size_t all = profile_cell_count(profile);
	const struct cell **cells = xcalloc(all + 1, sizeof(*cells));
	uint64_t count = 0;

	for (size_t i = 0; i < all; i++)
		cells[i] = profile_cell_at(profile, i);
	qsort_r(cells, all, sizeof(*cells), by_row, NULL);
	for (size_t from = 0, end; from < all; from = end) {
		uint64_t events = 0, weight = 0;

		for (end = from; end < all && !by_row(&cells[end], &cells[from], NULL); end++) {
			events += cells[end]->count;
			weight += cells[end]->value;
		}
		count += events > 1 && events != weight;
	}
	free(cells);
	return count;
}

static uint64_t stacks_amount(const struct profile *profile) { return cells_that(profile, has_stack); }
static uint64_t labels_amount(const struct profile *profile) { return cells_that(profile, has_label); }

/* Exact totals whose state was split by stack through sampling, or by an estimate. */
static uint64_t totals_amount(const struct profile *profile)
{
	bool *sampled = xcalloc(profile_dimension_count(profile), sizeof(*sampled));
	uint64_t count = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < profile_cell_count(profile); i++) {
			const struct cell *cell = profile_cell_at(profile, i);
			const struct measure *measure = profile_measure_at(profile, cell->measure.index);
			uint32_t root = profile_dimension_root(profile, profile_cell_dimension(profile, cell)).index;

			if (measure->role == ROLE_SPLIT && measure->weighting != WEIGHTING_EXACT)
				sampled[root] = true;
			else if (pass && measure->role == ROLE_TOTAL && measure->weighting == WEIGHTING_EXACT)
				count += sampled[root];
		}
	free(sampled);
	return count;
}

/* --- Whose, and when -------------------------------------------------------------------------- */

static uint64_t processes_amount(const struct profile *profile)
{
	uint64_t count = 0;

	for (size_t i = 1; i < profile_process_count(profile); i++)
		count += profile_process_at(profile, i)->pid != 0;
	return count;
}

static uint64_t threads_amount(const struct profile *profile)
{
	uint64_t count = 0;

	for (size_t i = 1; i < profile_thread_count(profile); i++)
		count += profile_thread_at(profile, i)->tid != 0;
	return count;
}

static uint64_t comms_amount(const struct profile *profile)
{
	uint64_t count = 0;

	for (size_t i = 1; i < profile_thread_count(profile); i++)
		count += *choice_comm(profile, (struct thread_id){ i }) != '\0';
	return count;
}

static uint64_t time_amount(const struct profile *profile)
{
	uint64_t count = 0;

	for (size_t i = 1; i < profile_slice_count(profile); i++)
		count += profile_slice_at(profile, i)->start_ns != 0;
	return count;
}

static uint64_t intervals_amount(const struct profile *profile)
{
	return profile_interval_count(profile);
}

static uint64_t wakers_amount(const struct profile *profile)
{
	uint64_t count = cells_that(profile, has_other);

	for (size_t i = 0; i < profile_interval_count(profile); i++)
		count += profile_interval_at(profile, i)->waker.index != 0;
	return count;
}

/* --- Frames ----------------------------------------------------------------------------------- */

static uint64_t frames_that(const struct profile *profile, bool (*has)(const struct profile *, const struct frame *))
{
	uint64_t count = 0;

	for (size_t i = 1; i < profile_frame_count(profile); i++)
		count += has(profile, profile_frame_at(profile, i));
	return count;
}

static bool has_module(const struct profile *profile, const struct frame *frame)
{
	return profile_file_at(profile, frame->file.index)->path.index != 0;
}

/* What folded stacks part frames and lines by, what is no text to JSON and to protocol buffers, and blanks in front. */
static bool is_awkward(const char *name)
{
	if (*name == ' ')
		return true;
	for (; *name; name += utf8_sequence(name))
		if (*name == ';' || *name == '\n' || *name == '\r' || !utf8_sequence(name))
			return true;
	return false;
}

static bool has_awkward_name(const struct profile *profile, const struct frame *frame)
{
	return is_awkward(profile_text(profile, frame->name));
}

static bool has_address(const struct profile *profile, const struct frame *frame)
{
	(void)profile;
	return frame->offset != 0 && !(frame->offset >> 63) && frame->method != METHOD_KERNEL && has_module(profile, frame);
}

static bool is_kernel(const struct profile *profile, const struct frame *frame)
{
	(void)profile;
	return frame->method == METHOD_KERNEL;
}

static bool has_source(const struct profile *profile, const struct frame *frame)
{
	(void)profile;
	return frame->path.index != 0;
}

static bool has_line(const struct profile *profile, const struct frame *frame)
{
	(void)profile;
	return frame->line != 0;
}

static uint64_t modules_amount(const struct profile *profile) { return frames_that(profile, has_module); }
static uint64_t addresses_amount(const struct profile *profile) { return frames_that(profile, has_address); }
static uint64_t kernel_amount(const struct profile *profile) { return frames_that(profile, is_kernel); }

static uint64_t names_amount(const struct profile *profile)
{
	uint64_t count = frames_that(profile, has_awkward_name);

	for (size_t i = 0; i < profile_symbol_count(profile); i++)
		count += is_awkward(profile_text(profile, profile_symbol_at(profile, i)->name));
	return count;
}

static uint64_t build_ids_amount(const struct profile *profile)
{
	uint64_t count = 0;

	for (size_t i = 1; i < profile_file_count(profile); i++)
		count += profile_file_at(profile, i)->build_id.index != 0;
	return count;
}

static uint64_t source_amount(const struct profile *profile)
{
	uint64_t count = frames_that(profile, has_source);

	for (size_t i = 0; i < profile_symbol_count(profile); i++)
		count += profile_symbol_at(profile, i)->path.index != 0;
	return count;
}

static uint64_t lines_amount(const struct profile *profile)
{
	uint64_t count = frames_that(profile, has_line);

	for (size_t i = 0; i < profile_symbol_count(profile); i++)
		count += profile_symbol_at(profile, i)->line != 0;
	return count;
}

static uint64_t inlined_amount(const struct profile *profile)
{
	uint64_t count = 0;

	for (size_t i = 0; i < profile_symbol_count(profile); i++)
		count += profile_symbol_at(profile, i)->depth != 0;
	return count;
}

bool content_stacks_checked(const struct profile *profile)
{
	bool any = false;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (!cell->stack.index || profile_measure_at(profile, cell->measure.index)->role != ROLE_SPLIT)
			continue;
		if (profile_stack_at(profile, cell->stack.index).status == STACK_UNVERIFIED)
			return false;
		any = true;
	}
	return any;
}

/* That a stack reaches its root, where that is known of all, and why it does not. */
static uint64_t causes_amount(const struct profile *profile)
{
	enum stack_status least = content_stacks_checked(profile) ? STACK_COMPLETE : STACK_TRUNCATED;
	uint64_t count = 0;

	for (size_t i = 1; i < profile_stack_count(profile); i++)
		count += profile_stack_at(profile, i).status >= least;
	return count;
}

/* --- The rest --------------------------------------------------------------------------------- */

static uint64_t requests_amount(const struct profile *profile) { return profile_request_count(profile); }
static uint64_t completions_amount(const struct profile *profile) { return profile_completion_count(profile); }
static uint64_t losses_amount(const struct profile *profile) { return profile_loss_count(profile); }

/* What stackcollapse-perf.pl, which folded stacks of perf's samples are to be equal to, leaves out. */
static uint64_t arguments_amount(const struct profile *profile)
{
	const char *format = profile_meta(profile, "import.format");
	uint64_t count = 0;

	for (size_t i = 1; format && !strncmp(format, "perf", 4) && i < profile_frame_count(profile); i++)
		count += strpbrk(profile_text(profile, profile_frame_at(profile, i)->name), "(\"'") != NULL;
	return count;
}

/* Looked for, and there was nothing: known to be 0. */
static uint64_t zeros_amount(const struct profile *profile)
{
	bool *used = xcalloc(profile_dimension_count(profile), sizeof(*used));
	uint64_t count = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++)
		used[profile_dimension_root(profile, profile_cell_dimension(profile, profile_cell_at(profile, i))).index] = true;
	for (size_t i = 0; i < profile_interval_count(profile); i++)
		used[profile_dimension_root(profile, profile_interval_at(profile, i)->dimension).index] = true;
	for (uint32_t i = 1; i < profile_dimension_count(profile); i++)
		count += !used[i] && !profile_dimension_at(profile, i)->parent.index;
	free(used);
	return count;
}

#define BIAS "import.bias"

static bool is_bias(const char *key)
{
	return !strncmp(key, BIAS, strlen(BIAS)) && (!key[strlen(BIAS)] || key[strlen(BIAS)] == '=');
}

/* What an import says of itself is said anew by the next one. */
static uint64_t meta_amount(const struct profile *profile)
{
	const char *key, *value;
	uint64_t count = 0;

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		count += content_travels(key) && !is_bias(key);
	}
	return count;
}

static uint64_t bias_amount(const struct profile *profile)
{
	return profile_meta(profile, BIAS) != NULL;
}

bool content_travels(const char *key)
{
	return !strncmp(key, "label.", 6) || !strncmp(key, "host.", 5) || is_bias(key);
}

const struct content_row contents[CONTENT_COUNT] = {
	[CONTENT_EVENTS] = { "events", "more than one kind of event", events_amount },
	[CONTENT_PARTS] = { "parts", "parts of a state, such as disk/read", parts_amount },
	[CONTENT_UNITS] = { "units", "what weights are of, and their unit", units_amount },
	[CONTENT_WEIGHTING] = { "weighting", "which weights are exact, sampled (with which period) or estimated", weighting_amount },
	[CONTENT_COUNTS] = { "counts", "how many events a weight stands for", counts_amount },
	[CONTENT_FUNCTIONS] = { "functions", "weights by function", stacks_amount },
	[CONTENT_STACKS] = { "stacks", "weights by stack", stacks_amount },
	[CONTENT_TOTALS] = { "totals", "exact totals beside sampled stacks", totals_amount },
	[CONTENT_NAMES] = { "names", "names with ';', line ends, no UTF-8 or blanks in front, as they are", names_amount },
	[CONTENT_PROCESSES] = { "processes", "numbers of processes", processes_amount },
	[CONTENT_THREADS] = { "threads", "numbers of threads", threads_amount },
	[CONTENT_COMMS] = { "comms", "names of threads", comms_amount },
	[CONTENT_TIME] = { "time", "when it happened, by the second", time_amount },
	[CONTENT_INTERVALS] = { "intervals", "each stretch of running and waiting", intervals_amount },
	[CONTENT_WAKERS] = { "wakers", "who ended a wait", wakers_amount },
	[CONTENT_MODULES] = { "modules", "which file a frame's code is in", modules_amount },
	[CONTENT_BUILD_IDS] = { "build-ids", "which build of it", build_ids_amount },
	[CONTENT_ADDRESSES] = { "addresses", "where in it", addresses_amount },
	[CONTENT_SOURCE] = { "source", "files of source", source_amount },
	[CONTENT_LINES] = { "lines", "lines of source", lines_amount },
	[CONTENT_INLINED] = { "inlined", "calls that were inlined, as such", inlined_amount },
	[CONTENT_KERNEL] = { "kernel", "which frames are the kernel's, and where in it", kernel_amount },
	[CONTENT_LABELS] = { "labels", "locks, files and labels", labels_amount },
	[CONTENT_CAUSES] = { "causes", "whether stacks reach their roots, and why not", causes_amount },
	[CONTENT_REQUESTS] = { "requests", "requests and their parts", requests_amount },
	[CONTENT_COMPLETIONS] = { "completions", "completions of useful work", completions_amount },
	[CONTENT_LOSSES] = { "losses", "what was lost while recording", losses_amount },
	[CONTENT_ARGUMENTS] = { "arguments", "arguments and quotes in names of perf's samples", arguments_amount },
	[CONTENT_ZEROS] = { "zeros", "kinds of event that were looked for and never came", zeros_amount },
	[CONTENT_BIAS] = { "bias", "where alone samples could be taken", bias_amount },
	[CONTENT_META] = { "provenance", "host, contract and labels", meta_amount },
};

uint64_t content_amount(const struct profile *profile, enum content content, uint32_t keeps)
{
	uint64_t count = 0;

	if (content != CONTENT_WEIGHTING || !(keeps & TAKES_AS_EXACT))
		return contents[content].amount(profile);
	for (size_t i = 1; i < profile_measure_count(profile); i++)
		count += profile_measure_at(profile, i)->weighting != WEIGHTING_EXACT;
	return count;
}
