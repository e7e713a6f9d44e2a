/* SPDX-License-Identifier: Apache-2.0 */
/* The rows, and the memory they read. */
#include "interpreter/interpreter.h"

#include <errno.h>
#include <sys/uio.h>

extern const struct interpreter interpreter_hotspot, interpreter_python;

const struct interpreter *const interpreters[] = {
	&interpreter_hotspot,
	&interpreter_python,
	NULL,
};

static int read_process(void *context, void *to, __u32 size, __u64 address)
{
	struct iovec here = { .iov_base = to, .iov_len = size };
	struct iovec there = { .iov_base = (void *)(uintptr_t)address, .iov_len = size };

	return process_vm_readv((pid_t)(intptr_t)context, &here, 1, &there, 1, 0) == (ssize_t)size ? 0 : -EFAULT;
}

void interpreter_memory_of(pid_t pid, struct unwind_memory *ret)
{
	*ret = (struct unwind_memory){ .read = read_process, .context = (void *)(intptr_t)pid };
}

int interpreter_recognise(const struct interpreter_process *process, const struct interpreter **ret_row,
			  struct interpreter_state **ret_state, char why[INTERPRETER_WHY])
{
	int result = -ENOENT;

	why[0] = '\0';
	for (const struct interpreter *const *row = interpreters; *row; row++) {
		int r = (*row)->recognise(process, ret_state, why);

		*ret_row = *row;
		if (r == 0)
			return 0;
		if (r == -ENOTSUP)
			return r;
	}
	return result;
}
