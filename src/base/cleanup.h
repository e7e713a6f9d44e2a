/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Release at the end of the scope, and hand over with take().
 *
 *	CLEANUP(profile) struct profile *profile = profile_new();    calls profile_free(profile)
 *	CLEANUP_TEXT char *name = xstrdup(path);                     calls free(name)
 *	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);        closes it unless negative
 *	return take(name);                                           the caller owns it now
 */
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(noun) __attribute__((cleanup(noun##_cleanup)))
#define DEFINE_CLEANUP(noun)                                  \
	static inline void noun##_cleanup(struct noun **object) \
	{                                                       \
		noun##_free(*object);                           \
	}

#define CLEANUP_TEXT __attribute__((cleanup(text_pointer_cleanup)))
#define CLEANUP_FD __attribute__((cleanup(fd_cleanup)))

#define take(pointer)                              \
	({                                         \
		__typeof__(pointer) taken = (pointer); \
		(pointer) = NULL;                  \
		taken;                             \
	})

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static inline void text_pointer_cleanup(void *pointer)
{
	free(*(void **)pointer);
}

static inline void fd_cleanup(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}
