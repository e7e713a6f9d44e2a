/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Asks a running Java virtual machine to write its perf map, as `jcmd PID Compiler.perfmap` does, but without a JDK at hand:
 * over the machine's own attach socket, in its own /tmp and as its own user. It makes the machine do something, so it
 * happens only where the user asked for it (record --jvm-attach), after the window has closed, and it is written down.
 */
#include <stddef.h>
#include <sys/types.h>

struct profile;

enum { JVM_ANSWER_SIZE = 256 };

/* 0, and the map is written; or a negative errno, and answer says why not. It takes at most a few seconds. */
int jvm_attach_perf_map(pid_t pid, char answer[JVM_ANSWER_SIZE]);
/* For every living Java process of the profile. What came of it goes into its meta: "capture.jvm_attach.PID". */
void jvm_attach_all(struct profile *profile);
