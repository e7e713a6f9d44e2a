/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What the program under test has allocated and not freed, with sanitizers and without. */
#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_current_allocated_bytes(void);
#else
#include <malloc.h>
#endif

static inline size_t bytes_in_use(void)
{
#ifdef __SANITIZE_ADDRESS__
	return __sanitizer_get_current_allocated_bytes();
#else
	struct mallinfo2 now = mallinfo2();

	return now.uordblks + now.hblkhd;
#endif
}
