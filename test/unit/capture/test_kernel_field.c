/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that lack a field: made by renaming it in a copy of this kernel's type information, so that the kernel half is
 * relocated, verified and loaded as it would be there.
 */
#include "test.h"

#include "base/cleanup.h"
#include "capture/kernel_field.h"
#include "profile/profile.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crosscut.skel.h"

static const char *const optional[] = {
	"in_iowait", "files", "thread_pid", "throttled", "throttle_count", "addr", "sk_max_ack_backlog", "bi_iter", "__sector",
	"on_cpu", "frozen", "sum_exec_runtime", "f_op", "private_data", "skc_state", "cfs_rq", "last_arrival", "clock",
};

/* --- Type information of our own ------------------------------------------------------------------------------ */

static int add_variable(struct btf *btf, const char *name, int type)
{
	return btf__add_var(btf, name, BTF_VAR_GLOBAL_ALLOCATED, type);
}

/* With the runqueue at 64; preempt_count as a variable at 16, or in the middle of pcpu_hot at 32, or not at all. */
static struct btf *kernel_of(bool own, bool hot)
{
	struct btf *btf = btf__new_empty();
	int word = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), queue, inner, pcpu_hot, variables[3];

	/* fields go into the struct that was added last */
	queue = btf__add_struct(btf, "cfs_rq", 8);
	(void)btf__add_field(btf, "rq", word, 0, 0);
	(void)btf__add_struct(btf, "sched_entity", 8);
	(void)btf__add_field(btf, "cfs_rq", queue, 0, 0);
	inner = btf__add_struct(btf, NULL, 8);
	(void)btf__add_field(btf, "current_task", word, 0, 0);
	(void)btf__add_field(btf, "preempt_count", word, 32, 0);
	pcpu_hot = btf__add_struct(btf, "pcpu_hot", 16);
	(void)btf__add_field(btf, NULL, inner, 64, 0);
	variables[0] = add_variable(btf, "runqueues", queue);
	variables[1] = own ? add_variable(btf, "__preempt_count", word) : 0;
	variables[2] = hot ? add_variable(btf, "pcpu_hot", pcpu_hot) : 0;
	(void)btf__add_datasec(btf, ".data..percpu", 128);
	if (own)
		(void)btf__add_datasec_var_info(btf, variables[1], 16, 4);
	if (hot)
		(void)btf__add_datasec_var_info(btf, variables[2], 32, 16);
	(void)btf__add_datasec_var_info(btf, variables[0], 64, 8);
	return btf;
}

static long distance_in(bool own, bool hot)
{
	struct btf *btf = kernel_of(own, hot);
	long distance = kernel_preempt_count_distance(btf);

	btf__free(btf);
	return distance;
}

TEST(interrupts_in_progress_are_found_as_a_variable)
{
	assert_int_equal(distance_in(true, false), 16 - 64);
}

TEST(interrupts_in_progress_are_found_in_the_middle_of_a_struct)
{
	assert_int_equal(distance_in(false, true), 32 + 8 + 4 - 64);
}

TEST(interrupts_in_progress_may_not_be_found)
{
	assert_int_equal(distance_in(false, false), 0);
}

TEST(a_missing_field_is_named_with_what_it_costs)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct btf *btf = kernel_of(false, false);

	(void)btf__add_struct(btf, "request", 8);
	(void)btf__add_field(btf, "__sector", 1, 0, 0);
	kernel_note_missing_fields(btf, profile);
	btf__free(btf);
	assert_non_null(strstr(profile_meta(profile, "probe.missing.task_struct.in_iowait"), "disk"));
	assert_non_null(profile_meta(profile, "probe.missing.preempt_count"));
	assert_null(profile_meta(profile, "probe.missing.request.__sector"));
}

/* --- This kernel's, with a field less ------------------------------------------------------------------------- */

struct kernel_types { char *bytes; size_t size; };

static bool read_types(struct kernel_types *ret)
{
	FILE *file = geteuid() ? NULL : fopen("/sys/kernel/btf/vmlinux", "re");
	size_t room = 64u << 20;

	*ret = (struct kernel_types){ 0 };
	if (!file)
		return false;
	ret->bytes = malloc(room);
	assert_non_null(ret->bytes);
	ret->size = fread(ret->bytes, 1, room, file);
	(void)fclose(file);
	return true;
}

/* Its name begins with another letter from here on. */
static void hide(struct kernel_types *types, const char *field)
{
	size_t length = strlen(field) + 1;
	char *at = types->bytes;

	while ((at = memmem(at, (size_t)(types->bytes + types->size - at), field, length))) {
		if (!at[-1])
			*at = 'Z';
		at += length;
	}
}

static int load_with(const struct kernel_types *types)
{
	char path[] = "/tmp/crosscut-types-XXXXXX";
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = path);
	int fd = mkstemp(path), r = -1;
	struct crosscut_bpf *bpf;

	assert_true(fd >= 0 && write(fd, types->bytes, types->size) == (ssize_t)types->size);
	(void)close(fd);
	(void)libbpf_set_print(NULL);           /* what the verifier says of a failure is a book; the field's name is enough */
	bpf = crosscut_bpf__open_opts(&options);
	if (bpf) {
		struct bpf_program *program;

		bpf_object__for_each_program(program, bpf->obj)
			(void)bpf_program__set_autoload(program, true);
		r = crosscut_bpf__load(bpf);
		crosscut_bpf__destroy(bpf);
	}
	(void)unlink(path);
	return r;
}

/* False where BPF cannot be loaded at all. */
static bool can_load(void)
{
	struct kernel_types types;
	bool can = read_types(&types) && !load_with(&types);

	free(types.bytes);
	return can;
}

TEST(a_kernel_without_one_of_the_optional_fields_loads)
{
	if (!can_load())
		skip();
	for (size_t i = 0; i < ARRAY_LENGTH(optional); i++) {
		struct kernel_types types;

		assert_true(read_types(&types));
		hide(&types, optional[i]);
		assert_string_equal(load_with(&types) ? optional[i] : "", "");
		free(types.bytes);
	}
}

TEST(a_kernel_without_any_optional_field_loads)
{
	struct kernel_types types;

	if (!can_load())
		skip();
	assert_true(read_types(&types));
	for (size_t i = 0; i < ARRAY_LENGTH(optional); i++)
		hide(&types, optional[i]);
	assert_int_equal(load_with(&types), 0);
	free(types.bytes);
}

TEST(a_kernel_without_what_every_capture_needs_does_not_load)
{
	struct kernel_types types;

	if (!can_load())
		skip();
	assert_true(read_types(&types));
	hide(&types, "__state");
	assert_int_not_equal(load_with(&types), 0);
	free(types.bytes);
}
