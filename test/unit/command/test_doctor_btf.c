/* SPDX-License-Identifier: Apache-2.0 */
#include "command/doctor.h"

#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

/* A file of its own kind information: one int, one struct of two members, one tracepoint's typedef, one function. */
struct btf_image {
	struct btf_header head;
	struct btf_type integer;
	uint32_t encoding;
	struct btf_type structure;
	struct btf_member members[2];
	struct btf_type tracepoint, function;
	char strings[64];
};

static const char strings[64] = "\0int\0btf_trace_sched_switch\0bpf_iter_task";

static struct btf_image image_make(void)
{
	return (struct btf_image){
		.head = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(struct btf_header),
			  .type_len = offsetof(struct btf_image, strings) - sizeof(struct btf_header),
			  .str_off = offsetof(struct btf_image, strings) - sizeof(struct btf_header), .str_len = 64 },
		.integer = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
		.encoding = 32,
		.structure = { .info = BTF_KIND_STRUCT << 24 | 2, .size = 8 },
		.tracepoint = { .name_off = 5, .info = BTF_KIND_TYPEDEF << 24, .type = 1 },
		.function = { .name_off = 28, .info = BTF_KIND_FUNC << 24, .type = 1 },
	};
}

static struct doctor_btf *read_image(struct btf_image *image, size_t size)
{
	char path[] = "/tmp/btf-XXXXXX";
	int fd = mkstemp(path);
	struct doctor_btf *btf;

	memcpy(image->strings, strings, sizeof(strings));
	assert_true(fd >= 0);
	assert_int_equal(write(fd, image, size), (ssize_t)size);
	close(fd);
	btf = doctor_btf_read(path);
	unlink(path);
	return btf;
}

TEST(tracepoints_and_functions_are_found_behind_types_of_other_kinds)
{
	struct btf_image image = image_make();
	struct doctor_btf *btf = read_image(&image, sizeof(image));

	assert_non_null(btf);
	assert_int_equal(doctor_btf_tracepoint(btf, "sched_switch"), 3);
	assert_int_equal(doctor_btf_function(btf, "bpf_iter_task"), 4);
	assert_int_equal(doctor_btf_tracepoint(btf, "sched_waking"), 0);
	assert_int_equal(doctor_btf_function(btf, "sched_switch"), 0);
	doctor_btf_free(btf);
}

TEST(damaged_type_information_is_refused_or_answers_no)
{
	struct btf_image image = image_make();
	struct doctor_btf *btf;

	image.head.magic = 0;
	assert_null(read_image(&image, sizeof(image)));
	image = image_make();
	image.head.type_len = UINT32_MAX;
	assert_null(read_image(&image, sizeof(image)));
	image = image_make();
	assert_null(read_image(&image, sizeof(image.head) - 1));
	assert_null(read_image(&image, sizeof(image) - 1));
	image.structure.info = BTF_KIND_STRUCT << 24 | 0xffff;
	btf = read_image(&image, sizeof(image));
	assert_non_null(btf);
	assert_int_equal(doctor_btf_tracepoint(btf, "sched_switch"), 0);
	doctor_btf_free(btf);
	image = image_make();
	image.structure.info = 31u << 24;
	btf = read_image(&image, sizeof(image));
	assert_int_equal(doctor_btf_tracepoint(btf, "sched_switch"), 0);
	doctor_btf_free(btf);
}

TEST(without_type_information_nothing_is_known)
{
	assert_null(doctor_btf_read("/nonexistent"));
	assert_int_equal(doctor_btf_tracepoint(NULL, "sched_switch"), 0);
	doctor_btf_free(NULL);
}

TEST(the_running_kernel_has_the_switch_of_threads)
{
	struct doctor_btf *btf = doctor_btf_read(DOCTOR_BTF);

	if (!btf)
		skip();
	assert_true(doctor_btf_tracepoint(btf, "sched_switch") > 0);
	assert_true(doctor_btf_function(btf, "bpf_iter_task") > 0);
	doctor_btf_free(btf);
}
