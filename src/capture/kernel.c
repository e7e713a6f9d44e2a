/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel half from the outside. Which programs are loaded is decided by asking the kernel's BTF whether the
 * tracepoint exists, never by its version. Iterators and the sampler are attached by those who use them.
 */
#include "capture/kernel.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/kernel_field.h"
#include "probe/probe.h"
#include "profile/profile.h"
#include "work/work.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "crosscut.skel.h"

enum { LINK_LIMIT = 128, ITERATOR_BYTES = 256 << 20 };
/* A second of 150,000 intervals; the ring is emptied ten times a second. */
enum { TIMELINE_RING_BYTES = 32 << 20 };
enum { CALL_ENTRIES = 32768 };          /* of each of the pair of maps: 3 MB where all are used */

struct kernel {
	struct crosscut_bpf *bpf;
	struct bpf_link *links[LINK_LIMIT];
	const char *linked[LINK_LIMIT];      /* the programs behind them */
	size_t link_count;
};

/* The loader's last words, for the error: its own lines are for its developers. */
static char loader_said[512];

static int loader_print(enum libbpf_print_level level, const char *format, va_list arguments)
{
	char line[512];

	if (getenv("CROSSCUT_DEBUG_LOADER"))
		return vfprintf(stderr, format, arguments);
	if (level != LIBBPF_WARN)
		return 0;
	(void)vsnprintf(line, sizeof(line), format, arguments);
	line[strcspn(line, "\n")] = '\0';
	if (!strstr(line, "BPF program load failed") && *loader_said)
		return 0;
	(void)snprintf(loader_said, sizeof(loader_said), "%s", !strncmp(line, "libbpf: ", 8) ? line + 8 : line);
	return 0;
}

static int no_privilege(struct error *err, int code)
{
	fail(err, FAILURE_CANNOT, code, "cannot load the kernel half");
	error_because(err, "it needs CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE");
	return error_try(err, "run it as root: sudo crosscut …; crosscut doctor says what this machine allows");
}

static int open_btf(struct btf **ret, struct error *err)
{
	*ret = btf__load_vmlinux_btf();
	if (*ret)
		return 0;
	fail(err, FAILURE_CANNOT, -ENOENT, "cannot relocate the kernel half");
	error_because(err, "this kernel offers no type information (/sys/kernel/btf/vmlinux)");
	return error_try(err, "a kernel built with CONFIG_DEBUG_INFO_BTF, as distributions ship; crosscut doctor");
}

static bool has_tracepoint(const struct btf *btf, const char *tracepoint)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	return btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF) > 0;
}

static bool has_enumerator(const struct btf *btf, const char *type, const char *enumerator)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_ENUM);
	const struct btf_type *row = id > 0 ? btf__type_by_id(btf, (unsigned)id) : NULL;

	for (int i = 0; row && i < btf_vlen(row); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(row)[i].name_off), enumerator))
			return true;
	return false;
}

/* What no capture can do without, beyond tracepoints. */
static int check_kernel(const struct btf *btf, struct error *err)
{
	static const struct { const char *helper, *meaning; } needs[] = {
		{ "BPF_FUNC_task_storage_get", "task storage for tracing programs (Linux 5.11)" },
		{ "BPF_FUNC_task_pt_regs", "the registers of a sleeping task (Linux 5.15)" },
		{ "BPF_FUNC_loop", "loops that are not unrolled (Linux 5.17)" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(needs); i++) {
		if (has_enumerator(btf, "bpf_func_id", needs[i].helper))
			continue;
		fail(err, FAILURE_CANNOT, -ENOSYS, "cannot capture on this kernel");
		error_because(err, "it lacks %s", needs[i].meaning);
		return error_try(err, "Linux 6.1 or later");
	}
	return 0;
}

static bool is_named(const char *const *names, unsigned count, const char *probe)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(names[i], probe))
			return true;
	return false;
}

static bool is_left_out(const struct capture_config *config, const struct probe *probe)
{
	if (!strcmp(probe->name, "sampler") && config->sample_rate_hz <= 0)
		return true;
	return !probe->required && is_named(config->without, config->without_count, probe->name);
}

static bool is_chosen(const struct capture_config *config, const struct probe *probe)
{
	if (is_left_out(config, probe))
		return false;
	if (!strcmp(probe->name, "network") && is_named(config->with, config->with_count, "tls"))
		return true;                            /* whose handshakes would nobody know */
	return probe->required || probe->by_default || is_named(config->with, config->with_count, probe->name);
}

static void choose_program(struct crosscut_bpf *bpf, const char *name, bool chosen)
{
	struct bpf_program *program = bpf_object__find_program_by_name(bpf->obj, name);

	if (program)
		(void)bpf_program__set_autoload(program, chosen);
}

static int choose_probe(struct kernel *kernel, const struct capture_config *config, const struct btf *btf,
			const struct probe *probe, struct profile *profile, struct error *err)
{
	bool chosen = is_chosen(config, probe);

	if (is_left_out(config, probe)) {
		char key[96];

		(void)snprintf(key, sizeof(key), "probe.left-out.%s", probe->name);
		profile_set_meta(profile, key, probe->without);
	}
	for (const struct probe_program *program = probe->programs; program->program; program++) {
		bool present = !program->tracepoint || has_tracepoint(btf, program->tracepoint);
		char key[96];

		choose_program(kernel->bpf, program->program, chosen && present);
		if (present || !chosen)
			continue;
		if (probe->required) {
			fail(err, FAILURE_CANNOT, -ENOSYS, "cannot capture on this kernel");
			error_because(err, "it lacks the tracepoint %s", program->tracepoint);
			return error_try(err, "Linux 6.1 or later");
		}
		(void)snprintf(key, sizeof(key), "probe.missing.%s", program->tracepoint);
		profile_set_meta(profile, key, probe->without);
	}
	return 0;
}

static bool follows_requests(const struct capture_config *config, const struct work *work)
{
	return config->requests && work->class_of && is_chosen(config, probe_find("request"));
}

static int choose_work(struct kernel *kernel, const struct capture_config *config, const struct btf *btf, struct error *err)
{
	const struct work *work;
	const char *argument;
	int r = config->work ? work_parse(config->work, &work, &argument, err) : 0;

	if (r < 0 || !config->work)
		return r;
	for (const struct probe_program *program = work->request_programs; program->program; program++)
		choose_program(kernel->bpf, program->program, follows_requests(config, work) && (!program->tracepoint || has_tracepoint(btf, program->tracepoint)));
	kernel->bpf->rodata->requests = follows_requests(config, work);
	for (const struct probe_program *program = work->programs; program->program; program++) {
		choose_program(kernel->bpf, program->program, true);
		if (!program->tracepoint || has_tracepoint(btf, program->tracepoint))
			continue;
		fail(err, FAILURE_CANNOT, -ENOSYS, "cannot count --work %s", config->work);
		error_because(err, "this kernel lacks the tracepoint %s", program->tracepoint);
		return error_try(err, "Linux 6.3 or later, or --work log:FILE:REGEX, or --work count:N");
	}
	kernel->bpf->rodata->speaks_resp = !strcmp(work->name, "resp");
	if ((!strcmp(work->name, "http") || !strcmp(work->name, "resp")) && argument)
		kernel->bpf->rodata->http_port = (unsigned short)atoi(argument);
	return 0;
}

/* A bounded number of entries of a known type: setting it before load cannot fail. */
static void make_room_for_calls(struct crosscut_bpf *bpf)
{
	(void)bpf_map__set_max_entries(bpf->maps.calls_even, CALL_ENTRIES);
	(void)bpf_map__set_max_entries(bpf->maps.calls_odd, CALL_ENTRIES);
	(void)bpf_map__set_max_entries(bpf->maps.call_splits_even, CALL_ENTRIES);
	(void)bpf_map__set_max_entries(bpf->maps.call_splits_odd, CALL_ENTRIES);
}

/* Its maps are large; the coarse clock's resolution is the kernel's jiffy. */
static void choose_network(struct crosscut_bpf *bpf, bool chosen)
{
	struct bpf_map *maps[] = { bpf->maps.connections_even, bpf->maps.connections_odd, bpf->maps.socket_deliveries };
	struct timespec jiffy = { 0 };

	(void)clock_getres(CLOCK_MONOTONIC_COARSE, &jiffy);
	bpf->rodata->network_watched = chosen;
	bpf->rodata->jiffy_ns = (unsigned)jiffy.tv_nsec;
	for (size_t i = 0; !chosen && i < ARRAY_LENGTH(maps); i++)
		(void)bpf_map__set_max_entries(maps[i], 1);
}

static void choose_heap(struct crosscut_bpf *bpf, uint64_t mean_bytes, bool chosen)
{
	bpf->rodata->heap_mean_bytes = mean_bytes;
	if (!chosen)
		(void)bpf_map__set_max_entries(bpf->maps.heap_objects, 1);
}

enum { TOLD_A_SECOND = 4 };                  /* a newborn's mappings are known here within a quarter of one */

static void set_constants(struct kernel *kernel, const struct capture_config *config, const struct btf *btf)
{
	const struct population *population = &config->population;

	kernel->bpf->rodata->population_all = population->kind == POPULATION_ALL;
	kernel->bpf->rodata->population_by_thread = population->kind == POPULATION_THREADS;
	kernel->bpf->rodata->population_by_comm = population->kind == POPULATION_COMM;
	kernel->bpf->rodata->population_at_exec = population->kind == POPULATION_COMMAND;
	if (population->kind == POPULATION_COMM)
		memcpy((char *)kernel->bpf->rodata->population_comm, population->name,
		       strnlen(population->name, WIRE_COMM - 1));
	kernel->bpf->rodata->watch_idle = population->kind == POPULATION_ALL;
	kernel->bpf->rodata->stacks_on_wait = config->wait_stacks;
	kernel->bpf->rodata->stack_depth = config->stack_depth;
	if (config->sample_rate_hz / TOLD_A_SECOND > kernel->bpf->rodata->copies_most)
		kernel->bpf->rodata->copies_most = (uint32_t)(config->sample_rate_hz / TOLD_A_SECOND);
	kernel->bpf->rodata->preempt_count_offset = kernel_preempt_count_distance(btf);
	kernel->bpf->rodata->timeline = is_chosen(config, probe_find("timeline"));
	kernel->bpf->rodata->locks_watched = is_chosen(config, probe_find("locks"));
	kernel->bpf->rodata->waker_stacks = is_chosen(config, probe_find("wakers"));
	choose_network(kernel->bpf, is_chosen(config, probe_find("network")));
	kernel->bpf->rodata->tls_watched = is_chosen(config, probe_find("tls"));
	if (kernel->bpf->rodata->timeline || kernel->bpf->rodata->requests)
		(void)bpf_map__set_max_entries(kernel->bpf->maps.timeline_ring, TIMELINE_RING_BYTES);
	choose_heap(kernel->bpf, config->heap_mean_bytes, is_chosen(config, probe_find("heap-running")));
	kernel->bpf->rodata->runnable_watched = is_chosen(config, probe_find("runnable"));
	kernel->bpf->rodata->irq_watched = is_chosen(config, probe_find("irq"));
	kernel->bpf->rodata->syscalls_watched = is_chosen(config, probe_find("syscalls"));
	if (kernel->bpf->rodata->syscalls_watched)
		make_room_for_calls(kernel->bpf);
	choose_program(kernel->bpf, "task_renamed", has_tracepoint(btf, "task_rename"));
	choose_program(kernel->bpf, "sched_execed", population->kind == POPULATION_COMM || population->kind == POPULATION_COMMAND);
}

static int load(struct kernel *kernel, struct error *err)
{
	int r;

	*loader_said = '\0';
	r = crosscut_bpf__load(kernel->bpf);
	if (!r)
		return 0;
	if (r == -EPERM || r == -EACCES) {
		if (geteuid())
			return no_privilege(err, r);
	}
	fail(err, FAILURE_CANNOT, r, "cannot load the kernel half");
	error_because(err, "%s", *loader_said ? loader_said : strerror(-r));
	return error_try(err, "crosscut doctor; CROSSCUT_DEBUG_LOADER=1 shows the loader's own messages");
}

int kernel_load(struct kernel **ret, const struct capture_config *config, struct profile *profile, struct error *err)
{
	CLEANUP(kernel) struct kernel *kernel = xcalloc(1, sizeof(*kernel));
	struct btf *btf = NULL;
	int r;

	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	(void)libbpf_set_print(loader_print);
	r = open_btf(&btf, err);
	if (r < 0)
		return r;
	r = check_kernel(btf, err);
	if (!r) {
		kernel->bpf = crosscut_bpf__open();
		if (!kernel->bpf)
			r = errno == EPERM ? no_privilege(err, -EPERM) : fail(err, FAILURE_CANNOT, -errno, "cannot open the kernel half");
	}
	for (const struct probe *const *probe = probes; !r && *probe; probe++)
		r = choose_probe(kernel, config, btf, *probe, profile, err);
	if (!r)
		r = choose_work(kernel, config, btf, err);
	if (!r) {
		set_constants(kernel, config, btf);
		kernel_note_missing_fields(btf, profile);
		r = load(kernel, err);
	}
	btf__free(btf);
	if (r)
		return r;
	*ret = take(kernel);
	return 0;
}

int kernel_attach(struct kernel *kernel, struct error *err)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, kernel->bpf->obj) {
		struct bpf_link *link;

		if (!bpf_program__autoload(program) || strncmp(bpf_program__section_name(program), "tp_btf/", 7))
			continue;
		link = bpf_program__attach(program);
		if (!link) {
			fail(err, FAILURE_CANNOT, -errno, "cannot attach %s", bpf_program__section_name(program));
			return error_try(err, "crosscut doctor");
		}
		kernel->linked[kernel->link_count] = bpf_program__name(program);
		kernel->links[kernel->link_count++] = link;
	}
	return 0;
}

/* What ends something must stay: a thread would wait for a lock for ever. Requests stay, since idle time is told by them. */
static bool is_detail(const char *name)
{
	size_t length = strlen(name);

	if (length > 6 && !strcmp(name + length - 6, "_ended"))
		return false;
	for (const struct probe *const *probe = probes; *probe; probe++)
		for (const struct probe_program *program = (*probe)->programs; program->program; program++)
			if (!strcmp(program->program, name))
				return !(*probe)->required && strcmp((*probe)->name, "request") != 0;
	return false;
}

void kernel_narrow(struct kernel *kernel, struct text *names)
{
	for (size_t i = 0; i < kernel->link_count; i++) {
		if (!kernel->links[i] || !is_detail(kernel->linked[i]))
			continue;
		(void)bpf_link__destroy(take(kernel->links[i]));
		text_print(names, "%s%s", names->size ? ", " : "", kernel->linked[i]);
	}
}

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	for (size_t i = 0; i < kernel->link_count; i++)
		(void)bpf_link__destroy(kernel->links[i]);      /* NULL is fine */
	crosscut_bpf__destroy(kernel->bpf);
	free(kernel);
}

struct crosscut_bpf *kernel_bpf(struct kernel *kernel)
{
	return kernel->bpf;
}

int kernel_iterate(struct kernel *kernel, bool end, struct text *bytes, struct error *err)
{
	struct bpf_program *program = end ? kernel->bpf->progs.ledger_end : kernel->bpf->progs.ledger_begin;
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	char buffer[16384];
	ssize_t size = 0;

	while (fd >= 0 && (size = read(fd, buffer, sizeof(buffer))) > 0)
		if (bytes)
			text_append(bytes, buffer, (size_t)size);
	if (fd < 0 || size < 0)
		fail(err, FAILURE_CANNOT, -errno, "cannot read the state of all threads");
	if (fd >= 0)
		(void)close(fd);
	if (link)
		(void)bpf_link__destroy(link);
	return fd < 0 || size < 0 ? err->code : 0;
}

size_t kernel_probe_facts(const struct capture_config *config, struct capture_probe_fact *facts, size_t room)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct work *work;
	const char *argument;
	struct error ignored;
	size_t count = 0;

	for (const struct probe *const *probe = probes; *probe; probe++)
		for (const struct probe_program *program = (*probe)->programs; program->program && count < room; program++)
			facts[count++] = (struct capture_probe_fact){
				.probe = (*probe)->name, .program = program->program, .tracepoint = program->tracepoint,
				.without = (*probe)->without, .cost_ns = program->cost_ns, .required = (*probe)->required,
				.present = btf && (!program->tracepoint || has_tracepoint(btf, program->tracepoint)),
				.chosen = is_chosen(config, *probe) };
	if (config->work && !work_parse(config->work, &work, &argument, &ignored))
		for (const struct probe_program *program = work->programs; program->program && count < room; program++)
			facts[count++] = (struct capture_probe_fact){
				.probe = work->name, .program = program->program, .tracepoint = program->tracepoint,
				.without = work->summary, .cost_ns = program->cost_ns, .required = true, .chosen = true,
				.present = btf && (!program->tracepoint || has_tracepoint(btf, program->tracepoint)) };
	if (config->work && !work_parse(config->work, &work, &argument, &ignored) && follows_requests(config, work))
		for (const struct probe_program *program = work->request_programs; program->program && count < room; program++)
			facts[count++] = (struct capture_probe_fact){
				.probe = work->name, .program = program->program, .tracepoint = program->tracepoint,
				.without = "requests are not followed", .cost_ns = program->cost_ns, .chosen = true,
				.present = btf && (!program->tracepoint || has_tracepoint(btf, program->tracepoint)) };
	btf__free(btf);
	return count;
}

void kernel_cost(const struct kernel *kernel, struct kernel_cost *ret)
{
	struct bpf_program *program;

	*ret = (struct kernel_cost){ 0 };
	bpf_object__for_each_program(program, kernel->bpf->obj) {
		struct bpf_prog_info info = { 0 };
		__u32 size = sizeof(info);

		if (!bpf_program__autoload(program) || bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
			continue;
		ret->run_ns += info.run_time_ns;
		ret->runs += info.run_cnt;
		ret->misses += info.recursion_misses;
	}
}

void kernel_note_costs(const struct kernel *kernel, struct profile *profile)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, kernel->bpf->obj) {
		struct bpf_prog_info info = { 0 };
		__u32 size = sizeof(info);
		char key[96];

		if (!bpf_program__autoload(program) || bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) || !info.run_cnt)
			continue;
		(void)snprintf(key, sizeof(key), "program.%s.runs", bpf_program__name(program));
		profile_set_meta_number(profile, key, info.run_cnt);
		(void)snprintf(key, sizeof(key), "program.%s.run_ns", bpf_program__name(program));
		profile_set_meta_number(profile, key, info.run_time_ns);
	}
}
