/* SPDX-License-Identifier: Apache-2.0 */
/* Works on the processor for a second, in functions that are known. For test/perfscript/run. */
#include <time.h>

static volatile unsigned long sum;

__attribute__((noinline)) void leaf(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		sum += i * i;
}

__attribute__((noinline)) void middle(unsigned count)
{
	leaf(count);
	sum++;
}

__attribute__((noinline)) void other(unsigned count)
{
	leaf(count / 2);
	sum++;
}

int main(void)
{
	time_t end = time(NULL) + 2;

	while (time(NULL) < end) {
		middle(100000);
		other(100000);
	}
	return 0;
}
