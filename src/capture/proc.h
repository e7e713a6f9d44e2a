/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Bounded reads below /proc/PID. */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads at most size-1 bytes of /proc/PID/NAME and ends them with a zero byte. Bytes read, or a negative errno. */
ssize_t proc_read(pid_t pid, const char *name, char *text, size_t size);
ssize_t proc_link(pid_t pid, const char *name, char *text, size_t size);         /* where the link leads; the same */
/* Path in the mount namespace of the process: /proc/PID/root and path. */
ssize_t proc_read_inside(pid_t pid, const char *path, char *text, size_t size);

/* The value of "Key:\tvalue" in a status text, up to the end of its line; "" where it is absent. */
const char *proc_field(const char *status, const char *key, char *value, size_t size);
uint32_t proc_last_number(const char *value);        /* of numbers set apart by blanks, the last: the innermost namespace's */

/* What the exit of a process' first thread meant, by what "stat" says of the process then; "" where there is none any more. It may
 * be on its way out still, or its others go on without it; or one of them began a new image, or another process has the number. */
enum process_end { PROCESS_ENDED, PROCESS_ENDING, PROCESS_LIVES };
enum process_end proc_end(const char *stat);
