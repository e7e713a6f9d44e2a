/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a running process allows: who it is, which runtime it runs, and every file that its code comes from. Files are
 * opened through the process (map_files, its root), so that a container's and a deleted file are the ones that run.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/harvest.h"
#include "capture/harvest_generated.h"
#include "command/doctor.h"
#include "interpreter/interpreter.h"
#include "result/document.h"
#include "symbol/generated.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, FILE_LIMIT = 256, COMMAND_LIMIT = 64 * 1024, MAPS_LIMIT = 16 << 20 };

/* A runtime is known by a file it maps, or by the program's name. */
static const struct runtime {
	const char *name, *file;
	const char *costs, *option, *change;    /* change is due unless there is a perf map or the command line has the option;
						 * no option: only what is said of its own frames counts */
} runtimes[] = {
	{ "Java", "libjvm.so", "compiled methods show as [jit]", "-XX:+DumpPerfMapAtExit",
	  "jcmd PID Compiler.perfmap before the end of a capture, or crosscut record --jvm-attach, which does that" },
	{ "Node.js", "node", "JavaScript functions show as [jit]", "--perf-basic-prof",
	  "start it with --perf-basic-prof --interpreted-frames-native-stack" },
	{ "Node.js", "libnode.so", "JavaScript functions show as [jit]", "--perf-basic-prof",
	  "start it with --perf-basic-prof --interpreted-frames-native-stack" },
	{ "Python", "libpython", NULL, NULL, "CPython 3.11 to 3.13" },
	{ "Python", "python", NULL, NULL, "CPython 3.11 to 3.13" },
	{ ".NET", "libcoreclr.so", "managed functions show as [jit]", "DOTNET_PerfMapEnabled",
	  "start it with DOTNET_PerfMapEnabled=1" },
	{ "Ruby", "libruby", "stacks show the interpreter's functions, not Ruby's", "--yjit-perf",
	  "start it with --yjit-perf" },
};

struct seen {                           /* what the mappings of one process show */
	struct doctor *doctor;
	struct table *files;
	const struct runtime *runtime;
	char runtime_file[PATH_SIZE];
	const char *language;           /* of the program itself */
	char root[32];                  /* "/proc/1234/root" */
	char program[PATH_SIZE];
	size_t file_count, left_out;
	size_t unreadable, without_way;
	bool generates;                 /* it has executable memory of no file */
	bool perf_map;                  /* as a capture will see it: there, and believed */
	const char *perf_map_refused;   /* why it is not, or only in part; NULL: there is nothing to say */
	char last[PATH_SIZE];
	int own_frames;                 /* 0: its own frames can be read; -ENOENT: nothing is known of such; -ENOTSUP: why not */
	char own_frames_text[INTERPRETER_WHY];
};

static int open_proc(pid_t pid, const char *name, int flags)
{
	CLEANUP_TEXT char *path = xasprintf("/proc/%d/%s", (int)pid, name);

	return open(path, flags | O_CLOEXEC);
}

static void read_link(pid_t pid, const char *name, char target[PATH_SIZE])
{
	CLEANUP_TEXT char *path = xasprintf("/proc/%d/%s", (int)pid, name);
	ssize_t size = readlink(path, target, PATH_SIZE - 1);

	target[size > 0 ? size : 0] = 0;
}

static bool same_namespace(pid_t pid, const char *kind)
{
	char name[64], ours[PATH_SIZE], theirs[PATH_SIZE];

	(void)snprintf(name, sizeof(name), "ns/%s", kind);
	read_link(getpid(), name, ours);
	read_link(pid, name, theirs);
	return *theirs && !strcmp(ours, theirs);
}

/* The words of its command line, each between spaces. */
static void read_command(pid_t pid, struct text *ret)
{
	CLEANUP_FD int fd = open_proc(pid, "cmdline", O_RDONLY);
	char bytes[4096];
	ssize_t size;

	text_append(ret, " ", 1);
	while (fd >= 0 && (size = read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < size; i++)
			bytes[i] = bytes[i] ? bytes[i] : ' ';
		text_append(ret, bytes, (size_t)size);
	}
}

static int open_mapped(pid_t pid, unsigned long long start, unsigned long long end, const char *path)
{
	char name[PATH_SIZE + 64];
	int fd;

	(void)snprintf(name, sizeof(name), "map_files/%llx-%llx", start, end);
	fd = open_proc(pid, name, O_RDONLY);
	if (fd >= 0)
		return fd;
	(void)snprintf(name, sizeof(name), "root%s", path);
	return open_proc(pid, name, O_RDONLY | O_NONBLOCK);
}

/* A name and a version may follow, but no other letter: "python3.11" is Python, "pythonista" is not. */
static const struct runtime *runtime_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	for (size_t i = 0; i < ARRAY_LENGTH(runtimes); i++) {
		size_t length = strlen(runtimes[i].file);

		if (!strncmp(base, runtimes[i].file, length) && (!base[length] || strchr("0123456789.-", base[length])))
			return &runtimes[i];
	}
	return NULL;
}

static void add_file(struct seen *seen, int fd, const char *path)
{
	bool program = !strcmp(path, seen->program);
	struct doctor_elf elf;

	if (seen->file_count == FILE_LIMIT) {
		seen->left_out++;
		return;
	}
	if (doctor_elf_read(fd, &elf) < 0)
		return;
	doctor_debug_read(fd, seen->root, path, &elf);
	seen->file_count++;
	seen->without_way += !program && !elf.unwind_tables && !elf.debug_frame && !elf.go_table && strcmp(doctor_elf_frame_pointers(&elf), "yes") != 0;
	if (program)
		seen->language = elf.language;
	doctor_file_add(seen->doctor, seen->files, path, &elf, program);
	if (!seen->runtime && (seen->runtime = runtime_of(path)))
		(void)snprintf(seen->runtime_file, sizeof(seen->runtime_file), "%s", path);
}

/* "7f00-7f10 r-xp 00001000 08:01 1234   /usr/lib/x.so": a file appears once per mapping, one after the other. */
static void read_mapping(struct seen *seen, pid_t pid, const char *line)
{
	unsigned long long start, end;
	char mode[8], path[PATH_SIZE] = "";
	int fd, fields;

	fields = sscanf(line, "%llx-%llx %7s %*s %*s %*s %4095[^\n]", &start, &end, mode, path);

	seen->generates |= fields == 3 && mode[2] == 'x';
	if (fields < 4)
		return;
	if (mode[2] != 'x' || path[0] != '/' || !strcmp(path, seen->last))
		return;
	(void)snprintf(seen->last, sizeof(seen->last), "%s", path);
	fd = open_mapped(pid, start, end, path);
	if (fd >= 0)
		add_file(seen, fd, path);
	else
		seen->unreadable++;
	if (fd >= 0)
		(void)close(fd);
}

static int read_mappings(struct seen *seen, pid_t pid)
{
	int fd = open_proc(pid, "maps", O_RDONLY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char line[2 * PATH_SIZE];

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		read_mapping(seen, pid, line);
	(void)fclose(file);
	return 0;
}

static size_t count_threads(pid_t pid)
{
	char path[64];
	size_t count = 0;
	DIR *folder;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		count += entry->d_name[0] != '.';
	if (folder)
		(void)closedir(folder);
	return count;
}

/* "NSpid:	1234	1": its number in each namespace, the innermost last. */
static void read_status(pid_t pid, char name[32], char inner_pid[32])
{
	int fd = open_proc(pid, "status", O_RDONLY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "Name:\t", 6))
			(void)snprintf(name, 32, "%.31s", line + 6);
		if (!strncmp(line, "NSpid:", 6) && strrchr(line, '\t'))
			(void)snprintf(inner_pid, 32, "%.31s", strrchr(line, '\t') + 1);
	}
	if (file)
		(void)fclose(file);
}

/* Asks the code that looks for it in a capture. */
static void look_for_map(struct seen *seen, pid_t pid, const char *inner_pid)
{
	CLEANUP(harvest_generated) struct harvest_generated *harvest = harvest_generated_new();
	static struct harvested_process process;
	const struct generated_file *files;
	size_t count;

	process.pid = (uint32_t)pid;
	process.namespace_pid = (uint32_t)atoi(inner_pid);
	harvest_generated_process(harvest, &process);
	files = harvest_generated_files(harvest, 0, 0, &count);
	for (size_t i = 0; i < count; i++) {
		if (files[i].kind != GENERATED_PERF_MAP)
			continue;
		seen->perf_map = !files[i].refused;
		seen->perf_map_refused = files[i].refused ? files[i].refused :
					 files[i].size > GENERATED_MAP_LIMIT ? "it is too large, and read in part" : NULL;
	}
}

/* Tries what a capture would: its structures are found, or it is said why they are not. */
static void read_own_frames(struct seen *seen, pid_t pid)
{
	struct text maps = TEXT(MAPS_LIMIT);
	struct unwind_memory memory;
	struct interpreter_process process = { .pid = pid, .memory = &memory };
	struct interpreter_state *state = NULL;
	const struct interpreter *row;
	CLEANUP_FD int fd = open_proc(pid, "maps", O_RDONLY);
	char bytes[65536];
	ssize_t size;

	while (fd >= 0 && (size = read(fd, bytes, sizeof(bytes))) > 0)
		text_append(&maps, bytes, (size_t)size);
	interpreter_memory_of(pid, &memory);
	process.maps = text_string(&maps);
	seen->own_frames = interpreter_recognise(&process, &row, &state, seen->own_frames_text);
	if (!seen->own_frames) {
		row->describe(state, seen->own_frames_text);
		row->forget(state);
	}
	text_done(&maps);
}

static void judge_runtime(struct doctor *doctor, const struct seen *seen, pid_t pid)
{
	const struct runtime *runtime = seen->runtime;
	struct text command = TEXT(COMMAND_LIMIT);

	read_command(pid, &command);
	if (seen->own_frames == -ENOTSUP)
		doctor_judge(doctor, DOCTOR_LIMITED, runtime->name, seen->own_frames_text, runtime->change);
	else if (runtime->option && !seen->perf_map && !strstr(text_string(&command), runtime->option))
		doctor_judge(doctor, DOCTOR_LIMITED, runtime->name, runtime->costs, runtime->change);
	text_done(&command);
}

static void judge_process(struct doctor *doctor, const struct seen *seen, pid_t pid)
{
	char costs[128];

	if (seen->runtime)
		judge_runtime(doctor, seen, pid);
	(void)snprintf(costs, sizeof(costs), "%s: generated code shows as [jit]", seen->perf_map_refused ? seen->perf_map_refused : "");
	if (seen->perf_map_refused && (seen->runtime || seen->generates))       /* others need none */
		doctor_judge(doctor, DOCTOR_LIMITED, "perf map", costs, "let the process write it anew, as its own user");
	if (strstr(seen->program, " (deleted)"))
		doctor_judge(doctor, DOCTOR_LIMITED, "program", "its file was replaced: names come only from the running copy",
			     "keep the old file until the capture is symbolized");
	(void)snprintf(costs, sizeof(costs), "%zu of %zu files have neither unwind tables nor frame pointers: stacks through them lose callers",
		       seen->without_way, seen->file_count);
	if (seen->without_way)
		doctor_judge(doctor, DOCTOR_LIMITED, "libraries", costs, "use builds with -fasynchronous-unwind-tables");
	(void)snprintf(costs, sizeof(costs), "%zu mapped files cannot be read: their frames stay unnamed", seen->unreadable);
	if (seen->unreadable)
		doctor_judge(doctor, DOCTOR_LIMITED, "mappings", costs, "run as root, or with CAP_SYS_PTRACE");
}

static struct record *process_record(pid_t pid, const struct seen *seen, const char *name, const char *inner_pid)
{
	const char *runtime = seen->runtime ? seen->runtime->name : seen->language;
	struct record *record = record_new();

	record_add_hinted(record, "pid", "process", "", COLUMN_LEFT, value_integer(pid));
	record_add(record, "name", "name", "", value_text(name));
	record_add(record, "program", "program", "", *seen->program ? value_text(seen->program) : value_none());
	record_add(record, "threads", "threads", "count", value_integer((int64_t)count_threads(pid)));
	record_add(record, "same_pid_namespace", "in our PID namespace", "", value_truth(same_namespace(pid, "pid")));
	record_add(record, "pid_inside", "its PID inside", "", value_text(inner_pid));
	record_add(record, "same_mounts", "sees our files", "", value_truth(same_namespace(pid, "mnt")));
	record_add(record, "runtime", "runtime", "", runtime && *runtime ? value_text(runtime) : value_text("native"));
	if (seen->runtime)
		record_add(record, "runtime_file", "seen by", "", value_text(seen->runtime_file));
	if (seen->own_frames != -ENOENT)
		record_add(record, "own_frames", seen->own_frames ? "its own frames: no" : "its own frames", "",
			   value_text(seen->own_frames_text));
	record_add(record, "perf_map", "perf map", "", value_truth(seen->perf_map));
	return record;
}

static int no_process(pid_t pid, struct error *err)
{
	fail(err, FAILURE_CANNOT, -ESRCH, "no process %d", (int)pid);
	error_because(err, "/proc shows none of that number");
	return error_try(err, "pgrep -a NAME");
}

int doctor_process(struct doctor *doctor, pid_t pid, struct error *err)
{
	struct seen seen = { .doctor = doctor, .language = "" };
	char name[32] = "", inner_pid[32] = "";
	int r;

	if (count_threads(pid) == 0)
		return no_process(pid, err);
	(void)snprintf(seen.root, sizeof(seen.root), "/proc/%d/root", (int)pid);
	read_link(pid, "exe", seen.program);
	read_status(pid, name, inner_pid);
	seen.files = doctor_file_table();
	r = read_mappings(&seen, pid);
	if (r < 0)
		doctor_judge(doctor, DOCTOR_LIMITED, "mappings", "they cannot be read: user frames stay unnamed",
			     "run as root, or with CAP_SYS_PTRACE");
	seen.files->rows_left_out += seen.left_out;
	look_for_map(&seen, pid, inner_pid);
	read_own_frames(&seen, pid);
	document_add_record(doctor->document, "process", "process",
			    process_record(pid, &seen, name, inner_pid));
	document_add_table(doctor->document, "files", "files that its code comes from", seen.files);
	judge_process(doctor, &seen, pid);
	return 0;
}
