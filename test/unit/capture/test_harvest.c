/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "capture/harvest.h"
#include "child.h"
#include "symbol/elf_file.h"
#include "symbol/vdso.h"

struct seen {
	const char *name;                            /* of the path's end to look for */
	struct harvested_mapping mapping;
	int matches, all;
};

static void look(void *context, const struct harvested_mapping *mapping)
{
	struct seen *seen = context;
	size_t length = strlen(mapping->path), size = strlen(seen->name);

	seen->all++;
	if (length < size || strcmp(mapping->path + length - size, seen->name) != 0)
		return;
	seen->mapping = *mapping;
	seen->matches++;
}

static struct seen *find(struct harvest *harvest, pid_t pid, const char *name)
{
	static struct seen seen;
	int count;

	memset(&seen, 0, sizeof(seen));
	seen.name = name;
	count = harvest_mappings(harvest, pid, look, &seen);
	assert_int_equal(count, seen.all);
	return &seen;
}

TEST(a_process_is_described)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	static struct harvested_process process;
	pid_t pid = child_begin("/bin/sleep", "1000");
	char executable[4096], link[64];
	ssize_t length;

	assert_int_equal(harvest_process(harvest, pid, &process), 0);
	(void)snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	length = readlink(link, executable, sizeof(executable) - 1);
	executable[length] = '\0';
	assert_int_equal(process.pid, pid);
	assert_int_equal(process.parent_pid, getpid());
	assert_string_equal(process.comm, "sleep");
	assert_string_equal(process.executable, executable);
	assert_true(process.namespace_pid > 0);
	assert_int_equal(strncmp(process.pid_namespace, "pid:[", 5), 0);
	assert_int_equal(process.cgroup[0], '/');
	assert_true(process.cgroup_hierarchy[0] != '\0');
	assert_string_equal(process.runtime, "");
	assert_false(process.kernel);
	child_end(pid);
}

TEST(a_process_that_is_gone_is_no_such_process)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	static struct harvested_process process;
	struct seen seen = { .name = "" };
	struct harvested_thread thread;
	char text[16];
	pid_t pid = child_begin("/bin/sleep", "1000");

	child_end(pid);
	assert_int_equal(harvest_process(harvest, pid, &process), -ESRCH);
	assert_int_equal(harvest_mappings(harvest, pid, look, &seen), -ESRCH);
	assert_int_equal(harvest_threads(pid, NULL, NULL), -ESRCH);
	assert_int_equal(harvest_thread(pid, &thread), -ESRCH);
	assert_int_equal(harvest_arguments(pid, text, sizeof(text)), -ESRCH);
}

TEST(a_kernel_thread_is_one_and_has_no_mappings)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	static struct harvested_process process;

	if (harvest_process(harvest, 2, &process) < 0 || strcmp(process.comm, "kthreadd") != 0)
		skip();
	assert_true(process.kernel);
	assert_string_equal(process.executable, "");
	assert_int_equal(find(harvest, 2, "")->all, 0);
}

TEST(a_name_with_a_line_feed_is_read_as_it_is)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	static struct harvested_process process;
	char before[16];

	assert_int_equal(prctl(PR_GET_NAME, before), 0);
	assert_int_equal(prctl(PR_SET_NAME, "a\nb\\c"), 0);
	assert_int_equal(harvest_process(harvest, getpid(), &process), 0);
	assert_int_equal(prctl(PR_SET_NAME, before), 0);
	assert_string_equal(process.comm, "a\nb\\c");
}

TEST(arguments_are_set_apart_by_blanks)
{
	char text[64], cut[6];
	pid_t pid = child_begin("/bin/sleep", "1000");

	assert_int_equal(harvest_arguments(pid, text, sizeof(text)), 0);
	assert_string_equal(text, "/bin/sleep 1000");
	assert_int_equal(harvest_arguments(pid, cut, sizeof(cut)), 0);
	assert_string_equal(cut, "/bin/");
	child_end(pid);
}

TEST(a_mapping_has_the_build_id_of_its_file)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	char build_id[BUILD_ID_SIZE];
	pid_t pid = child_begin("/bin/sleep", "1000");
	const struct harvested_mapping *mapping;
	const struct seen *seen = find(harvest, pid, "/bin/sleep");

	assert_int_equal(elf_build_id("/bin/sleep", build_id), 0);
	assert_true(strlen(build_id) > 0);
	assert_int_equal(seen->matches, 1);
	mapping = &seen->mapping;
	assert_string_equal(mapping->build_id, build_id);
	assert_true(mapping->end > mapping->start && mapping->inode > 0 && !mapping->deleted);
	assert_int_equal(mapping->offset % 4096, 0);
	child_end(pid);
}

TEST(a_deleted_program_is_still_identified_and_can_be_opened)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	char build_id[BUILD_ID_SIZE], path[128], again[BUILD_ID_SIZE];
	const struct seen *seen;
	pid_t pid;
	int fd;

	if (geteuid() != 0)
		skip();                              /* map_files takes CAP_SYS_ADMIN */
	child_make_folder();
	(void)snprintf(path, sizeof(path), "%s/nap", child_folder);
	child_run("cp /bin/sleep %s", path);
	pid = child_begin(path, "1000");
	child_run("rm -r %s", child_folder);
	assert_int_equal(elf_build_id("/bin/sleep", build_id), 0);
	seen = find(harvest, pid, "/nap");
	assert_int_equal(seen->matches, 1);
	assert_true(seen->mapping.deleted);
	assert_string_equal(seen->mapping.path, path);
	assert_string_equal(seen->mapping.build_id, build_id);
	child_end(pid);
	fd = harvest_open(harvest, path, build_id);
	assert_true(fd >= 0);
	assert_int_equal(elf_build_id_of_fd(fd, again), 0);
	assert_string_equal(again, build_id);
	(void)close(fd);
	assert_int_equal(harvest_open(harvest, path, "00"), -ENOENT);
	assert_int_equal(harvest_open(harvest, "/elsewhere", ""), -ENOENT);
}

TEST(a_replaced_program_is_identified_by_what_runs)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	char sleep_id[BUILD_ID_SIZE], path[128];
	pid_t pid;
	int fd;

	if (geteuid() != 0)
		skip();
	child_make_folder();
	(void)snprintf(path, sizeof(path), "%s/nap", child_folder);
	child_run("cp /bin/sleep %s", path);
	pid = child_begin(path, "1000");
	child_run("cp /bin/true %s.new && mv %s.new %s", path, path, path);
	assert_int_equal(elf_build_id("/bin/sleep", sleep_id), 0);
	assert_string_equal(find(harvest, pid, "/nap")->mapping.build_id, sleep_id);
	fd = harvest_open(harvest, path, sleep_id);
	assert_true(fd >= 0);
	(void)close(fd);
	child_end(pid);
	child_run("rm -r %s", child_folder);
}

TEST(one_file_is_looked_into_once)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	struct harvest_statistics first, second;
	pid_t one = child_begin("/bin/sleep", "1000"), other = child_begin("/bin/sleep", "1000");

	(void)find(harvest, one, "libc.so.6");
	harvest_statistics(harvest, &first);
	(void)find(harvest, other, "libc.so.6");
	harvest_statistics(harvest, &second);
	assert_true(first.files_opened > 0);
	assert_int_equal(second.files_opened, first.files_opened);
	assert_true(second.files_seen > first.files_seen);
	assert_int_equal(second.files_kept, 0);              /* our own paths lead to them */
	child_end(one);
	child_end(other);
}

TEST(code_without_a_file_has_addresses_for_offsets)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	void *code = mmap(NULL, 3 * 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct seen *seen = find(harvest, getpid(), "[anon]");

	assert_true(code != MAP_FAILED);
	assert_true(seen->matches >= 1);
	assert_int_equal(seen->mapping.offset, seen->mapping.start);
	assert_string_equal(seen->mapping.build_id, "");
	(void)munmap(code, 3 * 4096);
}

TEST(the_vdso_has_its_build_id)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	char build_id[BUILD_ID_SIZE];
	size_t size = 0;
	const void *image = vdso_image(&size);
	pid_t pid = child_begin("/bin/sleep", "1000");
	const struct seen *seen = find(harvest, pid, "[vdso]");

	if (!image) {
		child_end(pid);
		skip();
	}
	assert_int_equal(elf_build_id_of_image(image, size, build_id), 0);
	assert_int_equal(seen->matches, 1);
	assert_string_equal(seen->mapping.build_id, build_id);
	assert_int_equal(seen->mapping.offset, 0);
	child_end(pid);
}

TEST(paths_of_the_kernel_are_brought_to_one_form)
{
	static struct harvested_mapping mapping;
	static const struct { const char *from, *to; bool deleted; } rows[] = {
		{ "/usr/bin/x (deleted)", "/usr/bin/x", true }, { "//anon", "[anon]", false }, { "", "[anon]", false },
		{ "[heap]", "[anon]", false }, { "[stack]", "[anon]", false }, { "[anon:JavaHeap]", "[anon]", false },
		{ "[vdso]", "[vdso]", false }, { " (deleted)", " (deleted)", false },
		{ "/memfd:jit (deleted)", "/memfd:jit", true },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		mapping = (struct harvested_mapping){ .start = 4096, .end = 8192, .offset = 64 };
		(void)snprintf(mapping.path, sizeof(mapping.path), "%s", rows[i].from);
		harvest_normalize(&mapping);
		assert_string_equal(mapping.path, rows[i].to);
		assert_int_equal(mapping.deleted, rows[i].deleted);
		assert_int_equal(mapping.offset, !strcmp(rows[i].to, "[anon]") ? 4096 : rows[i].to[0] == '[' ? 0 : 64);
	}
}

/* sleep under another name, with what the runtime's own files hold beside it. */
static const char *runtime_of(const char *name, const char *prepare)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	static struct harvested_process process;
	char path[256];
	pid_t pid;

	child_make_folder();
	(void)snprintf(path, sizeof(path), "%s/%s", child_folder, name);
	child_run("mkdir -p $(dirname %s) && cp /bin/sleep %s", path, path);
	child_run("cd %s && %s", child_folder, prepare);
	pid = child_begin(path, "1000");
	assert_int_equal(harvest_process(harvest, pid, &process), 0);
	child_end(pid);
	child_run("rm -r %s", child_folder);
	return process.runtime;
}

TEST(runtimes_are_known_by_their_files)
{
	assert_string_equal(runtime_of("python3.11", "true"), "python 3.11");
	assert_string_equal(runtime_of("libruby-3.1.so.3.1.2", "true"), "ruby 3.1");
	assert_string_equal(runtime_of("node-exporter", "true"), "");
	assert_string_equal(runtime_of("pythonic", "true"), "");
	assert_string_equal(runtime_of("lib/server/libjvm.so", "printf 'X=1\\nJAVA_VERSION=\"17.0.15\"\\n' > release"), "java 17.0.15");
	assert_string_equal(runtime_of("lib/server/libjvm.so", "true"), "java");
	assert_string_equal(runtime_of("bin/node", "mkdir -p include/node && printf '#define NODE_MAJOR_VERSION 20\\n"
		"#define NODE_MINOR_VERSION 19\\n#define NODE_PATCH_VERSION 1\\n' > include/node/node_version.h"), "node 20.19.1");
}

TEST(compiled_languages_are_known_by_their_notes)
{
	assert_string_equal(runtime_of("server", "printf '\\377 Go buildinf:\\010\\002' > n; head -c 16 /dev/zero >> n; "
		"printf '\\010go1.21.5' >> n; objcopy --add-section .go.buildinfo=n server"), "go 1.21.5");
	assert_string_equal(runtime_of("server", "printf '\\377 Go buildinf:\\010\\000' > n; head -c 16 /dev/zero >> n; "
		"objcopy --add-section .go.buildinfo=n server"), "go");
	assert_string_equal(runtime_of("server", "printf 'GCC: 12\\000rustc version 1.75.0 (82e1608df 2023)\\000' > n; "
		"objcopy --remove-section .comment server; objcopy --add-section .comment=n server"), "rust 1.75.0");
}

struct thread_list {
	int count, named;
};

static void note_thread(void *context, const struct harvested_thread *thread)
{
	struct thread_list *list = context;

	struct harvested_thread again;

	list->count++;
	assert_int_equal(thread->pid, getpid());
	assert_int_equal(harvest_thread((pid_t)thread->tid, &again), 0);
	assert_int_equal(again.pid, getpid());
	assert_int_equal(again.tid, thread->tid);
	assert_string_equal(again.comm, thread->comm);
	list->named += strcmp(thread->comm, "worker-7") == 0 && thread->tid > 0 && thread->namespace_tid > 0;
}

static pthread_barrier_t ready, over;

static void *worker(void *nothing)
{
	(void)prctl(PR_SET_NAME, "worker-7");
	(void)pthread_barrier_wait(&ready);
	(void)pthread_barrier_wait(&over);
	return nothing;
}

TEST(threads_are_listed_with_their_names)
{
	struct thread_list list = { 0 };
	pthread_t thread;
	int count;

	(void)pthread_barrier_init(&ready, NULL, 2);
	(void)pthread_barrier_init(&over, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, worker, NULL), 0);
	(void)pthread_barrier_wait(&ready);
	count = harvest_threads(getpid(), note_thread, &list);
	(void)pthread_barrier_wait(&over);
	(void)pthread_join(thread, NULL);
	assert_true(list.count >= 2);
	assert_int_equal(count, list.count);
	assert_int_equal(list.named, 1);
}

TEST(in_a_container_a_process_has_another_number)
{
	CLEANUP(harvest) struct harvest *harvest = harvest_new();
	static struct harvested_process process, own;
	int ends[2], back[2], status;
	char byte = 0;
	pid_t outer, pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC) | pipe2(back, O_CLOEXEC), 0);
	outer = fork();
	if (outer == 0) {
		if (unshare(CLONE_NEWPID) < 0)
			_exit(77);
		pid = fork();
		if (pid == 0) {
			(void)!read(back[0], &byte, 1);
			_exit(0);
		}
		(void)!write(ends[1], &pid, sizeof(pid));
		(void)waitpid(pid, NULL, 0);
		_exit(0);
	}
	(void)close(ends[1]);
	if (read(ends[0], &pid, sizeof(pid)) == (ssize_t)sizeof(pid)) {
		assert_int_equal(harvest_process(harvest, pid, &process), 0);
		assert_int_equal(harvest_process(harvest, getpid(), &own), 0);
		(void)!write(back[1], &byte, 1);
	}
	assert_int_equal(waitpid(outer, &status, 0), outer);
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(process.namespace_pid, 1);
	assert_string_not_equal(process.pid_namespace, own.pid_namespace);
}

static void count_own(void *context, pid_t pid)
{
	*(int *)context += pid == getpid();
}

TEST(all_processes_are_listed)
{
	int own = 0;

	assert_true(harvest_pids(count_own, &own) > 1);
	assert_int_equal(own, 1);
}
