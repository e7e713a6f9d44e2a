/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu-clock events, one per CPU. A target that works in a steady rhythm may stay in step with one period for as long as that lasts,
 * so it is changed often. Each change restarts the clock, which loses half a period on average: at one in five hundred periods
 * that is a thousandth of the samples, far below what the gate `sampling-bias` can see.
 */
#include "capture/sampler.h"

#include "base/error.h"
#include "base/memory.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CHANGE_PERIODS = 500, CHANGE_LEAST_NS = 100000000 };

struct sampler {
	int *fds;
	struct bpf_link **links;
	int cpus;
	double rate_hz;
	uint64_t next_change_ns;
	unsigned seed;
};

/* Within 8 % of the rate asked for. */
static uint64_t random_period_ns(struct sampler *sampler)
{
	double share = 0.92 + 0.16 * (double)rand_r(&sampler->seed) / (double)RAND_MAX;

	return (uint64_t)(1e9 / (sampler->rate_hz * share));
}

static int open_clock(int cpu, uint64_t period_ns)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attributes),
		.sample_period = period_ns, .disabled = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_cpu(struct sampler *sampler, struct bpf_program *program, int cpu, struct error *err)
{
	struct bpf_link *link;
	int fd = open_clock(cpu, random_period_ns(sampler));

	if (fd < 0 && errno == ENODEV)
		return 0;                               /* the CPU is offline */
	if (fd < 0) {
		fail(err, FAILURE_CANNOT, -errno, "cannot sample CPU %d", cpu);
		return error_try(err, "run it as root, or lower kernel.perf_event_paranoid; crosscut doctor");
	}
	link = bpf_program__attach_perf_event(program, fd);
	if (!link) {
		int code = -errno;

		(void)close(fd);
		return fail(err, FAILURE_CANNOT, code, "cannot attach the sampler to CPU %d", cpu);
	}
	/* Attaching enables the event; the clock starts when all are there. */
	(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	sampler->fds[cpu] = fd;
	sampler->links[cpu] = link;
	return 0;
}

int sampler_open(struct sampler **ret, struct bpf_program *program, double rate_hz, struct error *err)
{
	CLEANUP(sampler) struct sampler *sampler = xcalloc(1, sizeof(*sampler));

	sampler->cpus = libbpf_num_possible_cpus();
	sampler->fds = xcalloc((size_t)sampler->cpus, sizeof(*sampler->fds));
	sampler->links = xcalloc((size_t)sampler->cpus, sizeof(struct bpf_link *));
	sampler->rate_hz = rate_hz;
	sampler->seed = (unsigned)time(NULL) ^ (unsigned)getpid();
	for (int cpu = 0; cpu < sampler->cpus; cpu++)
		sampler->fds[cpu] = -1;
	for (int cpu = 0; cpu < sampler->cpus; cpu++) {
		int r = open_cpu(sampler, program, cpu, err);

		if (r < 0)
			return r;
	}
	*ret = take(sampler);
	return 0;
}

int sampler_enable(struct sampler *sampler, struct error *err)
{
	for (int cpu = 0; cpu < sampler->cpus; cpu++)
		if (sampler->fds[cpu] >= 0 && ioctl(sampler->fds[cpu], PERF_EVENT_IOC_ENABLE, 0))
			return fail(err, FAILURE_CANNOT, -errno, "cannot start the sampler on CPU %d", cpu);
	return 0;
}

void sampler_set_rate(struct sampler *sampler, double rate_hz)
{
	sampler->rate_hz = rate_hz;
	for (int cpu = 0; cpu < sampler->cpus; cpu++) {
		uint64_t period_ns = rate_hz > 0 ? random_period_ns(sampler) : 0;

		if (sampler->fds[cpu] >= 0 && period_ns)
			(void)ioctl(sampler->fds[cpu], PERF_EVENT_IOC_PERIOD, &period_ns);
		else if (sampler->fds[cpu] >= 0)
			(void)ioctl(sampler->fds[cpu], PERF_EVENT_IOC_DISABLE, 0);
	}
}

void sampler_step(struct sampler *sampler, uint64_t now_ns)
{
	uint64_t wait_ns = sampler->rate_hz > 0 ? (uint64_t)(CHANGE_PERIODS * 1e9 / sampler->rate_hz) : 0;

	if (now_ns < sampler->next_change_ns || sampler->rate_hz <= 0)
		return;
	for (int cpu = 0; cpu < sampler->cpus && sampler->next_change_ns; cpu++) {
		uint64_t period_ns = random_period_ns(sampler);

		if (sampler->fds[cpu] >= 0)
			(void)ioctl(sampler->fds[cpu], PERF_EVENT_IOC_PERIOD, &period_ns);      /* else it goes on as it was */
	}
	sampler->next_change_ns = now_ns + (wait_ns > CHANGE_LEAST_NS ? wait_ns : CHANGE_LEAST_NS);
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	for (int cpu = 0; cpu < sampler->cpus; cpu++)
		if (sampler->links && sampler->links[cpu])
			(void)bpf_link__destroy(sampler->links[cpu]);   /* closes the event */
	free(sampler->links);
	free(sampler->fds);
	free(sampler);
}
