/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the tables: one pair of functions per noun, all alike. An index at or beyond the count is
 * a mistake of ours, never of a file: readers check ids before they become rows.
 */
#include "profile/profile.h"

#include "base/intern.h"
#include "base/pages.h"
#include "profile/storage.h"

#include <assert.h>

#define READ(noun)                                                                    \
	size_t profile_##noun##_count(const struct profile *profile)                  \
	{                                                                             \
		return profile->noun##_count;                                         \
	}                                                                             \
	const struct noun *profile_##noun##_at(const struct profile *profile, size_t index) \
	{                                                                             \
		assert(index < profile->noun##_count);                                \
		return &profile->noun##_rows[index];                                  \
	}
FOR_EACH_DICTIONARY(READ)
FOR_EACH_LIST(READ)

#define READ_PAGED(noun)                                                              \
	size_t profile_##noun##_count(const struct profile *profile)                  \
	{                                                                             \
		return pages_count(profile->noun##_pages);                            \
	}                                                                             \
	const struct noun *profile_##noun##_at(const struct profile *profile, size_t index) \
	{                                                                             \
		return pages_at(profile->noun##_pages, index);                        \
	}
FOR_EACH_PAGED(READ_PAGED)

#define NEXT(noun)                                                                   \
	size_t profile_##noun##_next(const struct profile *profile, size_t index)     \
	{                                                                             \
		return pages_next(profile->noun##_pages, index);                      \
	}
FOR_EACH_PAGED(NEXT)

size_t profile_string_count(const struct profile *profile)
{
	return intern_count(profile->strings);
}

const char *profile_text(const struct profile *profile, struct string_id id)
{
	return intern_text(profile->strings, id.index);
}
