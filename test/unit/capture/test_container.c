/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of cgroups as docker, podman, containerd, cri-o and kubernetes make them, in a plain folder. */
#include "test.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/container.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ID_A "2f0c81a9d3b54e6708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f"
#define ID_B "2f0c81a9ffff4e6708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f"

static char *root_new(void)
{
	char path[] = "/tmp/crosscut-container-XXXXXX";

	assert_non_null(mkdtemp(path));
	return xstrdup(path);
}

static void root_done(char *root)
{
	CLEANUP_TEXT char *command = xasprintf("rm -r '%s'", root);

	assert_int_equal(system(command), 0);
	free(root);
}

static void cgroup_make(const char *root, const char *path, const char *members)
{
	CLEANUP_TEXT char *command = xasprintf("mkdir -p '%s/%s' && printf '%s' >'%s/%s/cgroup.procs'", root, path, members, root, path);

	assert_int_equal(system(command), 0);
}

static void assert_found(const char *made)
{
	char *root = root_new(), *path = NULL;
	struct error err;

	cgroup_make(root, made, "12\n");
	assert_int_equal(container_find(root, "2f0c81a9", &path, &err), 0);
	assert_string_equal(path + strlen(root) + 1, made);
	free(path);
	root_done(root);
}

TEST(a_container_is_found_however_its_engine_names_its_cgroup)
{
	assert_found("system.slice/docker-" ID_A ".scope");
	assert_found("docker/" ID_A);
	assert_found("machine.slice/libpod-" ID_A ".scope");
	assert_found("kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1b2c_3d.slice/cri-containerd-" ID_A ".scope");
	assert_found("kubepods/burstable/pod0a1b2c3d-1111-2222-3333-0123456789ab/" ID_A);
	assert_found("kubepods.slice/crio-" ID_A ".scope");
	assert_found("system.slice/kubepods-pod1.slice:cri-containerd:" ID_A);
}

TEST(the_monitor_beside_a_container_is_not_the_container)
{
	char *root = root_new(), *path = NULL;
	struct error err;

	cgroup_make(root, "machine.slice/libpod-conmon-" ID_A ".scope", "7\n");
	cgroup_make(root, "machine.slice/libpod-" ID_A ".scope/container", "12\n");
	assert_int_equal(container_find(root, ID_A, &path, &err), 0);
	assert_string_equal(path + strlen(root) + 1, "machine.slice/libpod-" ID_A ".scope");
	free(path);
	root_done(root);
}

TEST(of_several_hierarchies_the_one_with_processes_is_taken)
{
	char *root = root_new(), *path = NULL;
	struct error err;

	cgroup_make(root, "cpu/docker/" ID_A, "");
	cgroup_make(root, "memory/docker/" ID_A, "12\n");
	cgroup_make(root, "unified/docker/" ID_A, "");
	assert_int_equal(container_find(root, "2f0c81a9d3b5", &path, &err), 0);
	assert_string_equal(path + strlen(root) + 1, "memory/docker/" ID_A);
	free(path);
	root_done(root);
}

TEST(a_prefix_of_two_containers_names_both)
{
	char *root = root_new(), *path = NULL;
	struct error err;

	cgroup_make(root, "docker/" ID_A, "12\n");
	cgroup_make(root, "docker/" ID_B, "13\n");
	assert_true(container_find(root, "2f0c81a9", &path, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_non_null(strstr(err.why, "2f0c81a9d3b5"));
	assert_non_null(strstr(err.why, "2f0c81a9ffff"));
	assert_null(path);
	root_done(root);
}

TEST(a_container_that_does_not_run_cannot_be_measured)
{
	char *root = root_new(), *path = NULL;
	struct error err;

	cgroup_make(root, "docker/" ID_A, "12\n");
	assert_true(container_find(root, "00000000", &path, &err) < 0);
	assert_int_equal(err.kind, FAILURE_CANNOT);
	root_done(root);
}

TEST(what_is_no_id_is_a_wrong_question)
{
	static const char *const wrong[] = { "", "2f0c81a", "web-frontend", "2f0c81a9x", ID_A "0", "../../etc" };
	struct error err;

	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		assert_true(container_check(wrong[i], &err) < 0);
		assert_int_equal(err.kind, FAILURE_USAGE);
	}
	assert_int_equal(container_check(ID_A, &err), 0);
}
