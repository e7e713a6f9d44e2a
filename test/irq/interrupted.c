/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that knows what interrupts it: it computes alone on one processor, as a real-time thread, for so long, and reads the
 * kernel's own counts of that processor before and after; or it sends to itself over the loopback device, whose other half is a
 * softirq at the end of each of its own calls. Prints handlers (or packets), softirqs, ns.
 *
 *	interrupted compute CPU
 *	interrupted send CPU
 */
#include <arpa/inet.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PACKETS = 20000, COMPUTE_NS = 2000000000 };

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The column of a processor, summed over all rows whose name is long enough for one or is that of a vector that is watched. */
static uint64_t column_of(const char *path, int cpu, const char *only)
{
	char line[8192];
	FILE *file = fopen(path, "re");
	uint64_t sum = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		char *name = line + strspn(line, " "), *at = strchr(name, ':');

		if (!at)
			continue;
		*at++ = '\0';
		if (only && !strstr(only, name) && (*name < '0' || *name > '9'))
			continue;
		for (int i = 0; i < cpu; i++)
			(void)strtoull(at, &at, 10);
		sum += strtoull(at, NULL, 10);
	}
	(void)fclose(file);
	return sum;
}

static uint64_t handlers(int cpu)
{
	return column_of("/proc/interrupts", cpu, "LOC RES CAL IWI");
}

static void compute(int cpu, uint64_t length_ns)
{
	uint64_t before[] = { handlers(cpu), column_of("/proc/softirqs", cpu, NULL) }, begun = now_ns();

	while (now_ns() - begun < length_ns)
		;
	printf("%llu %llu %llu\n", (unsigned long long)(handlers(cpu) - before[0]),
	       (unsigned long long)(column_of("/proc/softirqs", cpu, NULL) - before[1]), (unsigned long long)(now_ns() - begun));
}

static int send_to_oneself(int cpu)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t before, begun = now_ns();
	char packet[64] = { 0 };

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) || getsockname(fd, (struct sockaddr *)&address, &size) ||
	    connect(fd, (struct sockaddr *)&address, size))
		return 1;
	before = column_of("/proc/softirqs", cpu, NULL);
	for (int i = 0; i < PACKETS; i++)
		if (send(fd, packet, sizeof(packet), 0) < 0 || recv(fd, packet, sizeof(packet), MSG_DONTWAIT) < 0)
			return 1;
	printf("%d %llu %llu\n", PACKETS, (unsigned long long)(column_of("/proc/softirqs", cpu, NULL) - before),
	       (unsigned long long)(now_ns() - begun));
	return close(fd);
}

int main(int count, char **arguments)
{
	struct sched_param parameter = { .sched_priority = 10 };
	int cpu = count > 2 ? atoi(arguments[2]) : 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (count != 3 || sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_FIFO, &parameter))
		return 77;
	if (!strcmp(arguments[1], "send"))
		return send_to_oneself(cpu);
	compute(cpu, COMPUTE_NS);
	return 0;
}
