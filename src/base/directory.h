/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Where things are kept that can be made again: $XDG_CACHE_HOME/crosscut, root's in /var/cache/crosscut. */

char *directory_of_caches(void);                     /* the caller frees it; it need not exist */
/* Makes every folder on the way, for its owner alone; those that are there already stay as they are. */
int directory_make(const char *path);
