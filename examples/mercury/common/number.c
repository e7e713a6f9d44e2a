/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers on the command line. strtoull alone would take a sign, spaces and what follows. */
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

bool number_parse(const char *text, uint64_t low, uint64_t high, uint64_t *ret)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || errno || value < low || value > high)
		return false;
	*ret = value;
	return true;
}
