/* SPDX-License-Identifier: Apache-2.0 */
/* Attaches the programs of floor.bpf.o and holds them until it is told to end: floor FILE. */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open(argv[1]) : NULL;
	struct bpf_program *program;
	sigset_t ends;
	int which;

	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &ends, NULL);
	if (!object || bpf_object__load(object)) {
		perror("floor");
		return 1;
	}
	bpf_object__for_each_program(program, object)
		if (!bpf_program__attach(program)) {
			perror("floor");
			return 1;
		}
	return sigwait(&ends, &which);
}
