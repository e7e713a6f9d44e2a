/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept may name what a person runs, so only they may look: folders are made 0700. */
#include "base/directory.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *directory_of_caches(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return xasprintf("%s/crosscut", cache);
	if (!geteuid() || !home || *home != '/')
		return xstrdup("/var/cache/crosscut");
	return xasprintf("%s/.cache/crosscut", home);
}

int directory_make(const char *path)
{
	CLEANUP_TEXT char *way = xstrdup(path);
	int first = 0;                          /* why a folder above is not there: the last one would only say that it is missing */

	for (char *slash = *way ? strchr(way + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(way, 0700) && errno != EEXIST && !first)
			first = -errno;
		*slash = '/';
	}
	if (!mkdir(way, 0700) || errno == EEXIST)
		return 0;
	return errno == ENOENT && first ? first : -errno;
}
