/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "format/protobuf.h"
#include "unit/format/imported.h"

#include <errno.h>

static const struct format_options newest = { 0 }, old = { .schema = "1.7" };

/* A pprof-like profile with all that OTLP has room for: by way of the readers of other formats. */
static const char threads[] = "--- threadz 1 ---\n\n"
			      "--- Thread 7f (name: main/10) stack: ---\n"
			      "  0x00000011: helper(arg*)\n  0x00000022: main\n"
			      "--- Thread 7e (name: worker/11) stack: ---\n"
			      "  0x00000015: other\n"
			      "--- Memory map: ---\n  00000010-00000030: /bin/app\n";
static const char heap[] = "heap profile: 3: 30 [ 3: 30] @ heapprofile\n"
			   "2: 20 [2: 20] @ 0x101 0x201\n1: 10 [1: 10] @ 0x301\n";

static void comes_back(const char *format, const char *text, const struct format_options *options)
{
	struct profile *profile = imported(format, text, strlen(text));
	struct profile *again = imported_again(profile, "otlp", options);
	char *before = imported_cells(profile), *after = imported_cells(again);

	assert_string_equal(after, before);
	assert_int_equal(profile_thread_count(again), profile_thread_count(profile));
	assert_int_equal(profile_dimension_count(again), profile_dimension_count(profile));
	for (uint32_t i = 1; i < profile_measure_count(profile); i++)
		assert_int_equal(profile_measure_at(again, i)->weighting,
				 profile_measure_at(profile, i)->weighting);
	free(before);
	free(after);
	profile_free(profile);
	profile_free(again);
}

TEST(what_is_written_is_read_again_in_both_schemas)
{
	comes_back("threadz", threads, &newest);
	comes_back("threadz", threads, &old);
	comes_back("heapz", heap, &newest);
	comes_back("heapz", heap, &old);
	comes_back("folded", "main;serve;parse 40\nmain;idle 2\n", &newest);
}

/* --- What others write ------------------------------------------------------------------------ */

static void nest(struct text *to, unsigned field, struct text *message)
{
	protobuf_message(to, field, message);
	text_done(message);
}

static struct text value_type(uint64_t type, uint64_t unit)
{
	struct text message = TEXT(64);

	protobuf_number(&message, 1, type);
	protobuf_number(&message, 2, unit);
	return message;
}

static struct text pair(unsigned key_field, const char *key, uint64_t index, const char *text)
{
	struct text message = TEXT(256), any = TEXT(128);

	if (key)
		protobuf_string(&message, key_field, key);
	else
		protobuf_number(&message, key_field, index);
	protobuf_string(&any, 1, text);
	nest(&message, 2, &any);
	return message;
}

/* A stack main (a function with a file) < 0x1010 in /bin/app, seen at two times. */
static struct text foreign(bool with_values)
{
	static const char *const strings[] = { "", "samples", "count", "main", "main.c", "/bin/app",
					       "host.name", "profile.frame.type" };
	struct text file = TEXT(4096), dictionary = TEXT(2048), resource = TEXT(512),
		    resources = TEXT(2048), scopes = TEXT(2048), profile = TEXT(1024),
		    sample = TEXT(256), link = TEXT(64), mapping = TEXT(64), location = TEXT(64),
		    line = TEXT(64), function = TEXT(64), stack = TEXT(64), type = value_type(1, 2);
	struct text attribute = pair(1, "process.pid", 0, "77");
	uint64_t values[] = { 5, 7 }, times[] = { 3000000001, 5000000002 }, places[] = { 1, 2 },
		 one = 1;

	nest(&resource, 1, &attribute);
	nest(&resources, 1, &resource);
	nest(&profile, 1, &type);
	protobuf_number(&sample, 1, 1);
	protobuf_numbers(&sample, 2, &one, 1);
	protobuf_number(&sample, 3, 1);
	if (with_values)
		protobuf_numbers(&sample, 4, values, 2);
	protobuf_fixed64s(&sample, 5, times, 2);
	nest(&profile, 2, &sample);
	protobuf_fixed64(&profile, 3, 2500000000);
	protobuf_number(&profile, 4, 4000000000);
	nest(&scopes, 2, &profile);
	nest(&resources, 2, &scopes);
	nest(&file, 1, &resources);
	protobuf_bytes(&dictionary, 1, "", 0);
	protobuf_number(&mapping, 1, 0x1000);
	protobuf_number(&mapping, 2, 0x2000);
	protobuf_number(&mapping, 4, 5);
	nest(&dictionary, 1, &mapping);
	protobuf_bytes(&dictionary, 2, "", 0);
	protobuf_number(&location, 1, 1);
	protobuf_number(&location, 2, 0x1010);
	nest(&dictionary, 2, &location);
	location = TEXT(64);
	protobuf_number(&line, 1, 1);
	protobuf_number(&line, 2, 12);
	nest(&location, 3, &line);
	nest(&dictionary, 2, &location);
	protobuf_bytes(&dictionary, 3, "", 0);
	protobuf_number(&function, 1, 3);
	protobuf_number(&function, 3, 4);
	nest(&dictionary, 3, &function);
	protobuf_bytes(&dictionary, 4, "", 0);
	protobuf_bytes(&link, 1, "0123456789abcdef", 16);
	protobuf_bytes(&link, 2, "01234567", 8);
	nest(&dictionary, 4, &link);
	for (size_t i = 0; i < ARRAY_LENGTH(strings); i++)
		protobuf_bytes(&dictionary, 5, strings[i], strlen(strings[i]));
	protobuf_bytes(&dictionary, 6, "", 0);
	attribute = pair(1, NULL, 6, "db1");
	nest(&dictionary, 6, &attribute);
	protobuf_bytes(&dictionary, 7, "", 0);
	protobuf_numbers(&stack, 1, places, 2);
	nest(&dictionary, 7, &stack);
	nest(&file, 2, &dictionary);
	return file;
}

TEST(samples_with_times_keep_them_and_their_links)
{
	static const char labels[] = "[host.name=\"db1\", span_id=\"3031323334353637\", "
				     "trace_id=\"30313233343536373839616263646566\"]";
	struct text bytes = foreign(true), expected = TEXT(1024);
	struct profile *profile = imported("otlp", bytes.bytes, bytes.size);
	char *cells = imported_cells(profile);

	text_print(&expected, "samples=5 (5) %s app+0x10 < main\nsamples=7 (7) %s app+0x10 < main\n", labels,
		   labels);
	assert_string_equal(cells, text_string(&expected));
	assert_int_equal(profile_slice_count(profile), 3);
	assert_int_equal(profile_slice_at(profile, 1)->start_ns, 2500000000);    /* counted from the profile's own start */
	assert_int_equal(profile_process_at(profile, profile_thread_at(profile, 1)->process.index)->pid, 77);
	assert_true(format_find("otlp")->recognise(bytes.bytes, bytes.size) >
		    format_find("pprof")->recognise(bytes.bytes, bytes.size));
	free(cells);
	text_done(&expected);
	text_done(&bytes);
	profile_free(profile);
}

TEST(a_time_without_a_value_is_one_sample)
{
	struct text bytes = foreign(false);
	struct profile *profile = imported("otlp", bytes.bytes, bytes.size);
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++)
		if (profile_cell_at(profile, i)->stack.index)
			sum += profile_cell_at(profile, i)->value;
	assert_int_equal(sum, 2);
	profile_free(profile);
	text_done(&bytes);
}

TEST(every_cut_of_a_file_is_refused_or_read_and_never_more)
{
	struct text bytes = foreign(true);
	struct error err;

	for (size_t size = 0; size < bytes.size; size++) {
		struct profile *profile = NULL;
		char *cut = xmalloc(size + 1);

		memcpy(cut, bytes.bytes, size);          /* its own end, which the sanitizer sees */
		if (imported_as("otlp", cut, size, &profile, &err) < 0)
			assert_int_equal(err.kind, FAILURE_WORK);
		profile_free(profile);
		free(cut);
	}
	text_done(&bytes);
}

TEST(a_schema_that_does_not_exist_is_asked_wrongly)
{
	struct profile *profile = imported("folded", "main 1\n", 7);
	struct text bytes = TEXT(1 << 16);
	struct error err = { 0 };
	struct output to;

	output_to_text(&to, &bytes);
	assert_true(format_find("otlp")->write(profile, &(struct format_options){ .schema = "2" }, &to, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	(void)output_finish(&to, &err);
	text_done(&bytes);
	profile_free(profile);
}

TEST(a_profile_of_zeros_is_not_written_as_a_file_of_nothing)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct dimension_row row = { .name = "x", .unit = "count", .kind = DIMENSION_AMOUNT, .meaning = "nothing" };
	struct measure measure = { .dimension = profile_dimension(profile, &row), .role = ROLE_TOTAL, .weighting = WEIGHTING_SAMPLED };
	struct text text = TEXT(1 << 16);
	struct error err = { 0 };
	struct output to;

	profile_add_cell(profile, (struct cell){ .slice = profile_slice(profile, 0, 1), .measure = profile_measure(profile, measure) });
	profile_freeze(profile);
	output_to_text(&to, &text);
	assert_int_equal(format_find("otlp")->write(profile, NULL, &to, &err), -ENODATA);
	assert_int_equal(err.kind, FAILURE_WORK);
	(void)output_finish(&to, &(struct error){ 0 });
	text_done(&text);
}
