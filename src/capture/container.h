/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A container is known to the kernel by its cgroup alone, and the engines name that by the container's id:
 *
 *	docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope, libpod-ID.scope      a systemd scope, on both versions
 *	docker/ID, kubepods/burstable/podUID/ID, libpod_parent/libpod-ID              without systemd
 *	SLICE:cri-containerd:ID                                                       containerd's own form
 *
 * So no engine is asked, and none needs to be there.
 */
#include <stdbool.h>

struct error;

enum { CONTAINER_PREFIX_LEAST = 8, CONTAINER_ID_LIMIT = 64 };

/* Is this a container's id, whole or the start of one? FAILURE_USAGE where not. */
int container_check(const char *id, struct error *err);
/* The cgroup below root ("/sys/fs/cgroup") of the container whose id begins so; of several hierarchies one in which it has
 * processes. FAILURE_CANNOT where there is none, FAILURE_USAGE where it could be several. *ret_path is the caller's to free. */
int container_find(const char *root, const char *id, char **ret_path, struct error *err);
