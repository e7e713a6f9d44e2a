/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each event is opened as precise as this processor has it: the less precise, the further behind its cause the address lies. The
 * way over hardware counters has been tried on no real one: machines without them end at counters_have_hardware().
 */
#include "capture/counters.h"

#include "base/error.h"
#include "base/memory.h"
#include "probe/counters.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crosscut.skel.h"

struct counter { int fd; struct bpf_link *link; size_t event; };

struct counters { struct counter *rows; size_t count, room; };

static int open_event(const struct counter_event *event, pid_t pid, int cpu)
{
	struct perf_event_attr attributes = {
		.type = event->type, .size = sizeof(attributes), .config = event->config, .sample_period = event->period, .disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = -1;

	for (int precise = counter_is_hardware(event) ? 2 : 0; precise >= 0 && fd < 0; precise--) {
		attributes.precise_ip = (unsigned)precise & 3;
		fd = (int)syscall(SYS_perf_event_open, &attributes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd;
}

bool counters_have_hardware(void)
{
	for (size_t i = 0; i < counter_event_count; i++) {
		int fd = counter_is_hardware(&counter_events[i]) ? open_event(&counter_events[i], 0, -1) : -1;

		if (fd < 0)
			continue;
		(void)close(fd);
		return true;
	}
	return false;
}

static int add(struct counters *counters, struct crosscut_bpf *bpf, size_t event, int cpu, struct error *err)
{
	bool hardware = counter_is_hardware(&counter_events[event]);
	struct bpf_program *program = hardware ? bpf->progs.counter_passed : bpf->progs.fault_passed;
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = event);
	int fd = open_event(&counter_events[event], -1, cpu);
	struct bpf_link *link;

	if (fd < 0 && (errno == ENODEV || errno == ENOENT || errno == EOPNOTSUPP || errno == EINVAL))
		return 0;                       /* the CPU is offline, or has no such counter */
	if (fd < 0) {
		fail(err, FAILURE_CANNOT, -errno, "cannot count %s on CPU %d", counter_events[event].name, cpu);
		return error_try(err, "run it as root, or lower kernel.perf_event_paranoid; crosscut doctor");
	}
	link = bpf_program__attach_perf_event_opts(program, fd, &options);
	if (!link) {
		int code = -errno;

		(void)close(fd);
		return fail(err, FAILURE_CANNOT, code, "cannot attach to %s on CPU %d", counter_events[event].name, cpu);
	}
	(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	grow(counters->rows, counters->count, counters->room);
	counters->rows[counters->count++] = (struct counter){ fd, link, event };
	return 0;
}

int counters_open(struct counters **ret, struct crosscut_bpf *bpf, bool faults, bool hardware, struct error *err)
{
	CLEANUP(counters) struct counters *counters = xcalloc(1, sizeof(*counters));

	for (size_t event = 0; event < counter_event_count; event++) {
		if (counter_is_hardware(&counter_events[event]) ? !hardware : !faults)
			continue;
		for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++) {
			int r = add(counters, bpf, event, cpu, err);

			if (r < 0)
				return r;
		}
	}
	*ret = take(counters);
	return 0;
}

int counters_enable(struct counters *counters, struct error *err)
{
	for (size_t i = 0; i < counters->count; i++)
		if (ioctl(counters->rows[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			return fail(err, FAILURE_CANNOT, -errno, "cannot start a counter");
	return 0;
}

void counters_time(const struct counters *counters, size_t event, uint64_t *ret_enabled_ns, uint64_t *ret_running_ns)
{
	*ret_enabled_ns = *ret_running_ns = 0;
	for (size_t i = 0; i < counters->count; i++) {
		struct { uint64_t value, enabled_ns, running_ns; } read_now;

		if (counters->rows[i].event != event || read(counters->rows[i].fd, &read_now, sizeof(read_now)) != sizeof(read_now))
			continue;
		*ret_enabled_ns += read_now.enabled_ns;
		*ret_running_ns += read_now.running_ns;
	}
}

bool counters_has(const struct counters *counters, size_t event)
{
	for (size_t i = 0; i < counters->count; i++)
		if (counters->rows[i].event == event)
			return true;
	return false;
}

void counters_free(struct counters *counters)
{
	if (!counters)
		return;
	for (size_t i = 0; i < counters->count; i++)
		(void)bpf_link__destroy(counters->rows[i].link);        /* closes the event */
	free(counters->rows);
	free(counters);
}
