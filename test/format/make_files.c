/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the sample profile's disk waits as pprof, and prints what a reader must find in it, one
 * "name value" a line. For test/format/run, where readers that we did not write open the file.
 */
#include "../unit/format/sample.h"

#include "base/output.h"
#include "format/choice.h"

#include <inttypes.h>

int main(int count, char **arguments)
{
	const struct format_options options = { .dimension = "disk" };
	uint64_t events = 0, weight = 0;
	struct profile *profile = sample_whole();
	struct choice choice;
	struct output to;
	struct error err;

	profile_freeze(profile);
	if (count != 3 || output_open(&to, arguments[1], OUTPUT_REPLACE, &err) < 0)
		return 2;
	if (format_find("pprof")->write(profile, &options, &to, &err) < 0 ||
	    output_finish(&to, &err) < 0 || choice_make(profile, &options, &choice, &err) < 0 ||
	    !sample_record(arguments[2], true, &err))
		return 4;
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (!choice_has(&choice, cell))
			continue;
		events += cell->count;
		weight += cell->value << cell->p_log2;
	}
	(void)printf("type disk_events/count disk/nanoseconds\nevents %" PRIu64 "\nweight %" PRIu64
		     "\n",
		     events, weight);
	(void)printf("mapping /usr/bin/store abcdef0123456789\nthread worker\ntid 4243\ninlined "
		     "inner outer\n");
	profile_free(profile);
	return 0;
}
