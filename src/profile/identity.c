/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence that is counted twice looks twice as sure. A recording has an id; what a flight recorder keeps of one at several
 * times differs by when it began.
 */
#include "profile/profile.h"

#include <stddef.h>
#include <stdio.h>

bool profile_identity(const struct profile *profile, char ret[PROFILE_IDENTITY_SIZE])
{
	const char *id = profile_meta(profile, "capture.id"), *start = profile_meta(profile, "capture.start_ns");

	(void)snprintf(ret, PROFILE_IDENTITY_SIZE, "%.64s %.32s", id ? id : "", start ? start : "");
	return id != NULL;
}
