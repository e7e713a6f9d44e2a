/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/host.h"

TEST(the_host_is_described)
{
	struct utsname names;
	struct host host;

	host_read(&host);
	assert_int_equal(uname(&names), 0);
	assert_string_equal(host.kernel, names.release);
	assert_string_equal(host.architecture, names.machine);
	assert_string_equal(host.name, names.nodename);
	assert_int_equal(host.processors_online, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(host.processors_possible >= host.processors_online);
	assert_true(host.memory_bytes > 1 << 20);
	if (access("/sys/kernel/notes", R_OK) == 0 && host.kernel_build_id[0])
		assert_in_range(strlen(host.kernel_build_id), 16, 64);
	if (strcmp(host.architecture, "x86_64") == 0)
		assert_true(strlen(host.processor) > 3);
}

/* All kinds together are the processors' time: ticks make that coarse. */
TEST(the_times_of_all_kinds_add_up_to_the_processors_time)
{
	struct host_time before, after, between;
	struct host host;
	uint64_t start_ns = clock_now_ns(), sum_ns, wall_ns;

	host_read(&host);
	assert_int_equal(host_time_read(&before), 0);
	while (clock_now_ns() - start_ns < 300000000)
		;
	assert_int_equal(host_time_read(&after), 0);
	wall_ns = (clock_now_ns() - start_ns) * host.processors_online;
	between = host_time_between(&before, &after);
	sum_ns = between.user_ns + between.system_ns + between.idle_ns + between.iowait_ns + between.irq_ns + between.softirq_ns +
		 between.steal_ns;
	assert_in_range(sum_ns, wall_ns / 2, wall_ns * 3 / 2);
	assert_true(between.user_ns > 100000000);
}

TEST(time_that_runs_backwards_is_none)
{
	struct host_time earlier = { .idle_ns = 50, .steal_ns = 10 }, later = { .idle_ns = 40, .steal_ns = 30 };
	struct host_time between = host_time_between(&earlier, &later);

	assert_int_equal(between.idle_ns, 0);
	assert_int_equal(between.steal_ns, 20);
}
