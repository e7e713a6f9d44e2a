/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "unit/format/imported.h"

/* As protobuf's JSON mapping has it: 64 bits in quotes, a kernel's address that takes all of them, ids in hex, what is 0
 * left out, and a field that nobody here knows. */
#define RESOURCES(names)                                                                                              \
	"{\"resourceProfiles\":[{\"resource\":{\"attributes\":[{\"key\":\"process.pid\",\"value\":{\"intValue\":\"77\"}}]}," \
	"\"scopeProfiles\":[{\"scope\":{\"name\":\"agent\",\"version\":\"2\"},\"profiles\":[{"                              \
	"\"sampleType\":{\"typeStrindex\":1,\"unitStrindex\":2},\"" names "\":[{\"stackIndex\":1,\"attributeIndices\":[1]," \
	"\"linkIndex\":1,\"values\":[\"5\",7],\"timestampsUnixNano\":[\"3000000001\",\"5000000002\"]}],"                   \
	"\"timeUnixNano\":\"3000000000\",\"durationNano\":\"4000000000\",\"later\":{\"than\":[\"this\"]}}]}]}],"
#define DICTIONARY                                                                                                    \
	"\"dictionary\":{\"mappingTable\":[{},{\"memoryStart\":\"18446744071562067968\",\"memoryLimit\":"                   \
	"\"18446744071562133504\",\"filenameStrindex\":5}],\"locationTable\":[{},{\"mappingIndex\":1,"                     \
	"\"address\":\"18446744071562067984\"},{\"lines\":[{\"functionIndex\":1,\"line\":\"12\"}]}],"                      \
	"\"functionTable\":[{},{\"nameStrindex\":3,\"filenameStrindex\":4}],"                                               \
	"\"linkTable\":[{},{\"traceId\":\"30313233343536373839616263646566\",\"spanId\":\"3031323334353637\"}],"           \
	"\"stringTable\":[\"\",\"samples\",\"count\",\"main\",\"ma\\u0069n.c\",\"/bin/app\",\"host.name\"],"               \
	"\"attributeTable\":[{},{\"keyStrindex\":6,\"value\":{\"stringValue\":\"db1\"}}],"                                 \
	"\"stackTable\":[{},{\"locationIndices\":[1,2]}]}}"
#define LABELS "[host.name=\"db1\", span_id=\"3031323334353637\", trace_id=\"30313233343536373839616263646566\"]"
static const char file[] = RESOURCES("samples") DICTIONARY;
static const char expected[] = "samples=5 (5) " LABELS " app+0x10 < main\nsamples=7 (7) " LABELS " app+0x10 < main\n";

TEST(it_reads_what_the_same_messages_say_as_protobuf)
{
	struct profile *profile = imported("otlp-json", file, sizeof(file) - 1);
	char *cells = imported_cells(profile);

	assert_string_equal(cells, expected);
	assert_int_equal(profile_slice_count(profile), 3);
	assert_int_equal(profile_process_at(profile, profile_thread_at(profile, 1)->process.index)->pid, 77);
	assert_string_equal(profile_meta(profile, "import.source"), "agent 2");
	free(cells);
	profile_free(profile);
}

TEST(older_names_of_fields_and_those_of_the_schema_itself_are_known)
{
	imported_text_is("otlp-json", RESOURCES("sample") DICTIONARY, expected);
	imported_text_is("otlp-json",
			 "{\"resource_profiles\":[{\"scope_profiles\":[{\"profiles\":[{\"sample_type\":{\"type_strindex\":1},"
			 "\"samples\":[{\"stack_index\":1,\"values\":[3e0]}]}]}]}],\"dictionary\":{\"location_table\":[{},"
			 "{\"lines\":[{\"function_index\":1}]}],\"function_table\":[{},{\"name_strindex\":2}],"
			 "\"string_table\":[\"\",\"samples\",\"main\"],\"stack_table\":[{},{\"location_indices\":[1]}]}}",
			 "samples=3 (3) main\n");
}

TEST(each_line_may_be_a_message)
{
	CLEANUP_TEXT char *two = xasprintf("%s\n%s\n", file, file);
	struct profile *profile = imported("otlp-json", two, strlen(two));
	char *cells = imported_cells(profile);

	assert_string_equal(cells, "samples=10 (10) " LABELS " app+0x10 < main\nsamples=14 (14) " LABELS " app+0x10 < main\n");
	free(cells);
	profile_free(profile);
}

TEST(it_is_recognised_and_another_signal_is_not)
{
	static const char spans[] = "{\"resourceSpans\":[{\"scopeSpans\":[]}]}";
	const struct format *format = format_find("otlp-json");

	assert_true(format->recognise(file, sizeof(file) - 1) >= 80);
	assert_int_equal(format->recognise(spans, sizeof(spans) - 1), 0);
	assert_int_equal(format->recognise("samples 1\n", 10), 0);
}

TEST(what_makes_no_sense_is_refused_with_its_place)
{
	imported_refused("otlp-json", RESOURCES("samples") "\"dictionary\":{\"stringTable\":[1]}}",
			 "something else stands where a text belongs");
	imported_refused("otlp-json", "{\"resourceProfiles\":{\"scopeProfiles\":7}}", "where an object belongs (as otlp-json, at byte 37)");
	imported_refused("otlp-json", "{\"dictionary\":{\"linkTable\":[{\"traceId\":\"xyz\"}]}}", "not in hex");
	imported_refused("otlp-json", "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"sampleType\":[]}]}]}]}",
			 "of the schema of 1.7 or before");
	imported_refused("otlp-json", "{\"resourceProfiles\":[]}", "there is no dictionary");
	imported_refused("otlp-json", "{\"resourceProfiles\":[", "it ends in the middle");
}

TEST(every_cut_of_a_file_is_refused)
{
	for (size_t size = 1; size < sizeof(file) - 1; size++) {
		struct profile *profile = NULL;
		struct error err = { 0 };
		char *cut = memcpy(xmalloc(size), file, size);           /* its own end, which the sanitizer sees */

		assert_true(imported_as("otlp-json", cut, size, &profile, &err) < 0);
		assert_int_equal(err.kind, FAILURE_WORK);
		free(cut);
	}
}
