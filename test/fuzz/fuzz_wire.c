/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wire records from anywhere: the decoder must believe no size, no id and no text. Whatever it makes of them is a sound
 * profile, which classification and freezing then accept.
 */
#include "classify/classify.h"
#include "probe/decoder.h"
#include "profile/profile.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct profile *profile = profile_new();
	struct decoder *decoder = decoder_new(profile);
	uint64_t *aligned = malloc(size + 8);
	const char *broken;

	memcpy(aligned, bytes, size);
	(void)decoder_feed(decoder, aligned, size);
	classify_profile(profile, false);
	profile_freeze(profile);
	broken = profile_broken(profile);
	if (broken) {
		fprintf(stderr, "broken: %s\n", broken);
		abort();
	}
	decoder_free(decoder);
	profile_free(profile);
	free(aligned);
	return 0;
}
