/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way in, as HotSpot made it: a file .attach_pidN in its /tmp and a SIGQUIT make it listen at /tmp/.java_pidN; there it
 * takes "1", a command and three arguments, each ended by a zero byte, and answers with a line of digits ("0": done) and a
 * text. It accepts only its own user, so a child of ours takes that user's identity.
 *
 * SIGQUIT ends a process that does not handle it. So it is sent only to one that has libjvm.so mapped and catches it, which
 * a machine with -Xrs does not.
 */
#include "capture/jvm_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "capture/harvest_file.h"
#include "capture/proc.h"
#include "profile/profile.h"

enum { LISTEN_ROUNDS = 100, ROUND_US = 30000, ANSWER_S = 5, CHILD_S = 10 };

struct machine {
	pid_t pid;
	uint32_t namespace_pid;
	unsigned user, group;
	bool is_java, catches_quit;
};

static void look_for_jvm(void *context, const struct harvested_mapping *mapping)
{
	const char *slash = strrchr(mapping->path, '/');

	if (slash && !strcmp(slash, "/libjvm.so"))
		((struct machine *)context)->is_java = true;
}

/* "Uid:" and "Gid:" are the real, the effective, the saved and the file system's. */
static int read_machine(pid_t pid, struct machine *ret)
{
	char status[8192], value[256];
	uint64_t caught;

	*ret = (struct machine){ .pid = pid };
	if (proc_read(pid, "status", status, sizeof(status)) <= 0)
		return -ESRCH;
	ret->namespace_pid = proc_last_number(proc_field(status, "NSpid", value, sizeof(value)));
	if (!ret->namespace_pid)
		ret->namespace_pid = (uint32_t)pid;
	if (sscanf(proc_field(status, "Uid", value, sizeof(value)), "%*u %u", &ret->user) != 1 ||
	    sscanf(proc_field(status, "Gid", value, sizeof(value)), "%*u %u", &ret->group) != 1)
		return -EPROTO;
	caught = strtoull(proc_field(status, "SigCgt", value, sizeof(value)), NULL, 16);
	ret->catches_quit = caught >> (SIGQUIT - 1) & 1;
	(void)mappings_walk(pid, look_for_jvm, ret);
	return 0;
}

/* --- In the child, as the machine's user ------------------------------------------------------------------------ */

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = ANSWER_S };
	int fd;

	if (snprintf(address.sun_path, sizeof(address.sun_path), "%s", path) >= (int)sizeof(address.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	(void)close(fd);
	return -errno;
}

/* Makes it listen. The file is there only until it does. */
static int wake_listener(const struct machine *machine, const char *socket_path)
{
	char path[96];
	int fd, socket_fd = -ETIMEDOUT;

	(void)snprintf(path, sizeof(path), "/proc/%d/root/tmp/.attach_pid%u", (int)machine->pid, machine->namespace_pid);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && errno != EEXIST)
		return -errno;
	if (fd >= 0)
		(void)close(fd);
	if (kill(machine->pid, SIGQUIT) < 0)
		socket_fd = -errno;
	for (int i = 0; i < LISTEN_ROUNDS && socket_fd != -ESRCH && socket_fd < 0; i++) {
		(void)usleep(ROUND_US);
		socket_fd = connect_to(socket_path);
	}
	(void)unlink(path);
	return socket_fd;
}

static int ask(const struct machine *machine, char answer[JVM_ANSWER_SIZE])
{
	static const char command[] = "1\0jcmd\0Compiler.perfmap\0\0";      /* and the array's own zero byte */
	char path[96];
	size_t have = 0;
	ssize_t got;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/root/tmp/.java_pid%u", (int)machine->pid, machine->namespace_pid);
	fd = connect_to(path);
	if (fd < 0)
		fd = wake_listener(machine, path);
	if (fd < 0)
		return fd;
	if (send(fd, command, sizeof(command), MSG_NOSIGNAL) != (ssize_t)sizeof(command))
		return -EIO;
	while (have < JVM_ANSWER_SIZE - 1 && (got = read(fd, answer + have, JVM_ANSWER_SIZE - 1 - have)) > 0)
		have += (size_t)got;
	answer[have] = '\0';
	return have && !strncmp(answer, "0\n", 2) ? 0 : -EPROTO;
}

static void become(const struct machine *machine)
{
	if (geteuid() == machine->user && getegid() == machine->group)
		return;
	if (setgroups(0, NULL) < 0 || setresgid(machine->group, machine->group, machine->group) < 0 ||
	    setresuid(machine->user, machine->user, machine->user) < 0)
		_exit(EPERM);
}

/* --- In ourselves ----------------------------------------------------------------------------------------------- */

static int ask_as_its_user(const struct machine *machine, char answer[JVM_ANSWER_SIZE])
{
	int ends[2], status = 0;
	ssize_t got;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	child = fork();
	if (child == 0) {
		char text[JVM_ANSWER_SIZE] = "";
		int r;

		(void)alarm(CHILD_S);                        /* whatever the machine does, this ends */
		become(machine);
		r = ask(machine, text);
		(void)!write(ends[1], text, strlen(text));
		_exit(-r);
	}
	(void)close(ends[1]);
	got = child < 0 ? -1 : read(ends[0], answer, JVM_ANSWER_SIZE - 1);
	answer[got > 0 ? got : 0] = '\0';
	(void)close(ends[0]);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -ECHILD;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -ETIMEDOUT;
}

int jvm_attach_perf_map(pid_t pid, char answer[JVM_ANSWER_SIZE])
{
	struct machine machine;
	int r = read_machine(pid, &machine);

	answer[0] = '\0';
	if (!r && !machine.is_java) {
		r = -EINVAL;
		(void)snprintf(answer, JVM_ANSWER_SIZE, "it has no libjvm.so mapped");
	} else if (!r && !machine.catches_quit) {
		r = -EPERM;
		(void)snprintf(answer, JVM_ANSWER_SIZE, "it does not catch SIGQUIT (-Xrs): asking would end it");
	} else if (!r) {
		r = ask_as_its_user(&machine, answer);
	}
	for (char *at = answer; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
	if (r < 0 && !answer[0])
		(void)snprintf(answer, JVM_ANSWER_SIZE, "%s", strerror(-r));
	return r;
}

void jvm_attach_all(struct profile *profile)
{
	for (size_t i = 1; i < profile_process_count(profile); i = profile_process_next(profile, i + 1)) {
		const struct process *process = profile_process_at(profile, i);
		char key[64], answer[JVM_ANSWER_SIZE], text[JVM_ANSWER_SIZE + 32];

		(void)snprintf(key, sizeof(key), "capture.jvm_attach.%u", process->pid);
		if (strncmp(profile_text(profile, process->runtime), "java", 4) || profile_meta(profile, key))
			continue;
		if (jvm_attach_perf_map((pid_t)process->pid, answer) < 0)
			(void)snprintf(text, sizeof(text), "failed: %s", answer);
		else
			(void)snprintf(text, sizeof(text), "Compiler.perfmap: done");
		profile_set_meta(profile, key, text);
	}
}
