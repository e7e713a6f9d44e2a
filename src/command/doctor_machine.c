/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the running kernel and the caller's privilege allow. Each row looks at one thing the way a capture would use it:
 * features are tried, not guessed from the kernel's version.
 */
#include "base/cleanup.h"
#include "command/doctor.h"
#include "result/document.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { FOUND_SIZE = 160 };

struct look {                   /* one thing, as found */
	enum doctor_verdict verdict;
	char found[FOUND_SIZE];
	const char *costs, *change;
};

static struct look look(enum doctor_verdict verdict, const char *found, const char *costs, const char *change)
{
	struct look ret = { .verdict = verdict, .costs = costs, .change = change };

	(void)snprintf(ret.found, sizeof(ret.found), "%s", found);
	return ret;
}

/* The first line of a small file; "" where it cannot be read. */
static const char *read_line(const char *path, char line[FOUND_SIZE])
{
	FILE *file = fopen(path, "re");

	line[0] = 0;
	if (file) {
		if (!fgets(line, FOUND_SIZE, file))
			line[0] = 0;
		(void)fclose(file);
	}
	line[strcspn(line, "\n")] = 0;
	return line;
}

static struct look look_kernel(void)
{
	struct utsname name;
	struct look ret;

	(void)uname(&name);
	ret = look(DOCTOR_OK, "", NULL, NULL);
	(void)snprintf(ret.found, sizeof(ret.found), "%.80s %.60s", name.release, name.machine);
	if (strcmp(name.machine, "x86_64") != 0) {
		ret.verdict = DOCTOR_IMPOSSIBLE;
		ret.costs = "the kernel half reads the registers of x86_64 only";
		ret.change = "run it on an x86_64 machine";
	}
	return ret;
}

static struct look look_btf(void)
{
	struct doctor_btf *btf = doctor_btf_read(DOCTOR_BTF);

	if (!btf)
		return look(DOCTOR_IMPOSSIBLE, "cannot read " DOCTOR_BTF, "the kernel half cannot be fitted to this kernel",
			    "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y (Debian's own are)");
	doctor_btf_free(btf);
	return look(DOCTOR_OK, "readable", NULL, NULL);
}

static bool has_capability(uint64_t effective, unsigned capability)
{
	return effective >> capability & 1;
}

static uint64_t effective_capabilities(void)
{
	char line[FOUND_SIZE];
	uint64_t effective = 0;
	FILE *file = fopen("/proc/self/status", "re");

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "CapEff:", 7))
			effective = strtoull(line + 7, NULL, 16);
	if (file)
		(void)fclose(file);
	return effective;
}

static struct look look_privilege(void)
{
	uint64_t effective = effective_capabilities();
	struct look ret = look(DOCTOR_OK, "", NULL, NULL);
	bool bpf = has_capability(effective, CAP_BPF), perfmon = has_capability(effective, CAP_PERFMON);

	if (has_capability(effective, CAP_SYS_ADMIN))
		return look(DOCTOR_OK, "CAP_SYS_ADMIN", NULL, NULL);
	(void)snprintf(ret.found, sizeof(ret.found), "CAP_BPF %s, CAP_PERFMON %s, CAP_SYS_PTRACE %s", bpf ? "yes" : "no",
		       perfmon ? "yes" : "no", has_capability(effective, CAP_SYS_PTRACE) ? "yes" : "no");
	if (!bpf || !perfmon) {
		ret.verdict = DOCTOR_IMPOSSIBLE;
		ret.costs = "the kernel half cannot be loaded";
		ret.change = "run as root, or: setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep crosscut";
	} else if (!has_capability(effective, CAP_SYS_PTRACE)) {
		ret.verdict = DOCTOR_LIMITED;
		ret.costs = "mappings of other users' processes cannot be read, so that their frames stay unnamed";
		ret.change = "setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep crosscut";
	}
	return ret;
}

static struct look look_bpf(void)
{
	int r = doctor_bpf_map();

	if (r == -ENOSYS)
		return look(DOCTOR_IMPOSSIBLE, "this kernel has no bpf()", "the kernel half cannot be loaded",
			    "boot a kernel built with CONFIG_BPF_SYSCALL=y");
	if (r < 0)
		return look(DOCTOR_IMPOSSIBLE, strerror(-r), "the kernel half cannot be loaded",
			    "run as root; in a container, allow bpf() in its seccomp profile");
	return look(DOCTOR_OK, "a map could be made", NULL, NULL);
}

static struct look look_task_storage(void)
{
	struct doctor_btf *btf = doctor_btf_read(DOCTOR_BTF);
	uint32_t id = doctor_btf_tracepoint(btf, "sched_switch");
	int r = id ? doctor_bpf_task_storage(id) : -ENOENT;

	doctor_btf_free(btf);
	if (r == 0)
		return look(DOCTOR_OK, "a program could be loaded", NULL, NULL);
	if (r == -EPERM)
		return look(DOCTOR_IMPOSSIBLE, "not permitted", "the kernel half cannot be loaded", "run as root");
	if (r == -ENOENT)
		return look(DOCTOR_IMPOSSIBLE, "not tried: no type of sched_switch", "the kernel half cannot be loaded",
			    "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y");
	return look(DOCTOR_IMPOSSIBLE, strerror(-r), "this kernel has no task storage for tracing programs",
		    "boot Linux 5.13 or later (Debian 12 has 6.1)");
}

static int perf_open(uint32_t type, uint64_t event)
{
	struct perf_event_attr attributes = {
		.type = type, .size = sizeof(attributes), .config = event, .disabled = 1, .sample_period = 1000000,
	};
	CLEANUP_FD int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : 0;
}

static struct look look_cpu_clock(void)
{
	int r = perf_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);

	if (r < 0)
		return look(DOCTOR_LIMITED, strerror(-r), "no on-CPU stacks: time on the processor is a number only",
			    "run as root, or: sysctl kernel.perf_event_paranoid=-1");
	return look(DOCTOR_OK, "can be sampled", NULL, NULL);
}

static struct look look_pmu(void)
{
	int r = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	if (r == -ENOENT || r == -EOPNOTSUPP || r == -ENODEV)
		return look(DOCTOR_LIMITED, "this machine shows none (a virtual machine?)",
			    "no cycles, instructions or cache misses; samples are by time",
			    "give the virtual machine a virtual PMU, or measure on hardware");
	if (r < 0)
		return look(DOCTOR_LIMITED, strerror(-r), "no cycles, instructions or cache misses; samples are by time",
			    "run as root, or: sysctl kernel.perf_event_paranoid=-1");
	return look(DOCTOR_OK, "cycles can be counted", NULL, NULL);
}

static struct look look_perf_paranoid(void)
{
	char line[FOUND_SIZE];
	uint64_t effective = effective_capabilities();
	bool privileged = has_capability(effective, CAP_PERFMON) || has_capability(effective, CAP_SYS_ADMIN);

	read_line("/proc/sys/kernel/perf_event_paranoid", line);
	if (!*line)
		return look(DOCTOR_LIMITED, "this kernel has no perf events", "no on-CPU stacks",
			    "boot a kernel built with CONFIG_PERF_EVENTS=y");
	if (!privileged && atoi(line) > 0)
		return look(DOCTOR_LIMITED, line, "processors cannot be sampled without privilege",
			    "run as root, or: sysctl kernel.perf_event_paranoid=-1");
	return look(DOCTOR_OK, line, NULL, NULL);
}

/* Addresses read as zero where the reader may not see them. */
static struct look look_kallsyms(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long long address = 0;
	char line[FOUND_SIZE];

	for (int i = 0; file && !address && i < 64 && fgets(line, sizeof(line), file); i++)
		address = strtoull(line, NULL, 16);
	if (file)
		(void)fclose(file);
	if (!address)
		return look(DOCTOR_LIMITED, file ? "addresses are hidden" : "cannot be read",
			    "kernel frames stay unnamed, and waits told by their kernel stack (disk, paging) are unknown",
			    "sysctl kernel.kptr_restrict=1, and run as root or with CAP_SYSLOG");
	return look(DOCTOR_OK, "addresses are shown", NULL, NULL);
}

static struct look look_cgroup(void)
{
	FILE *file = fopen("/proc/self/mounts", "re");
	bool one = false, two = false;
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		two = two || strstr(line, " cgroup2 ");
		one = one || strstr(line, " cgroup ");
	}
	if (file)
		(void)fclose(file);
	if (!two)
		return look(DOCTOR_LIMITED, one ? "version 1 only" : "none mounted", "--cgroup cannot choose a population",
			    "mount -t cgroup2 none /sys/fs/cgroup/unified");
	return look(DOCTOR_OK, one ? "versions 1 and 2" : "version 2", NULL, NULL);
}

/* Since 5.11 a map's memory is charged to its control group, so this limit binds only mappings of perf buffers. */
static struct look look_memlock(void)
{
	struct rlimit limit;
	struct look ret = look(DOCTOR_OK, "unlimited", NULL, NULL);

	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		(void)snprintf(ret.found, sizeof(ret.found), "%llu KiB; maps are charged to the control group",
			       (unsigned long long)limit.rlim_cur / 1024);
	return ret;
}

static struct look look_lockdown(void)
{
	char line[FOUND_SIZE];

	read_line("/sys/kernel/security/lockdown", line);
	if (strstr(line, "[confidentiality]"))
		return look(DOCTOR_IMPOSSIBLE, "confidentiality", "programs may not read kernel memory",
			    "boot without lockdown=confidentiality");
	return look(DOCTOR_OK, strstr(line, "[integrity]") ? "integrity" : "none", NULL, NULL);
}

static struct look look_namespace(void)
{
	enum { INITIAL_PID_NAMESPACE = 0xEFFFFFFCu };
	char target[64] = "";
	unsigned long inode = 0;

	if (readlink("/proc/self/ns/pid", target, sizeof(target) - 1) > 0 && !strncmp(target, "pid:[", 5))
		inode = strtoul(target + 5, NULL, 10);
	if (inode && inode != INITIAL_PID_NAMESPACE)
		return look(DOCTOR_LIMITED, "a container's", "only processes of this container can be named by -p",
			    "run it on the host, or with --pid=host");
	return look(DOCTOR_OK, "the host's", NULL, NULL);
}

static const struct {
	const char *name;
	struct look (*look)(void);
} looks[] = {
	{ "kernel", look_kernel },
	{ "BTF", look_btf },
	{ "privilege", look_privilege },
	{ "lockdown", look_lockdown },
	{ "BPF", look_bpf },
	{ "task storage", look_task_storage },
	{ "cpu-clock", look_cpu_clock },
	{ "PMU", look_pmu },
	{ "perf_event_paranoid", look_perf_paranoid },
	{ "kallsyms", look_kallsyms },
	{ "cgroup", look_cgroup },
	{ "PID namespace", look_namespace },
	{ "memlock", look_memlock },
};

static const struct column columns[] = {
	{ .key = "name", .title = "what", .unit = "" },
	{ .key = "verdict", .title = "here", .unit = "" },
	{ .key = "found", .title = "found", .unit = "" },
	{ .key = "costs", .title = "costs", .unit = "", .hints = COLUMN_MACHINE },
	{ .key = "change", .title = "change", .unit = "", .hints = COLUMN_MACHINE },
};

void doctor_machine(struct doctor *doctor)
{
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));

	for (size_t i = 0; i < ARRAY_LENGTH(looks); i++) {
		struct look now = looks[i].look();

		table_add(table, (struct value[]){
			value_text(looks[i].name), value_text(doctor_verdict_name(now.verdict)), value_text(now.found),
			now.costs ? value_text(now.costs) : value_none(), now.change ? value_text(now.change) : value_none(),
		});
		doctor_judge(doctor, now.verdict, looks[i].name, now.costs, now.change);
	}
	document_add_table(doctor->document, "machine", "this machine", table);
}
