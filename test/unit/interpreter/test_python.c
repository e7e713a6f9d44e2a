/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "interpreter/interpreter.h"
#include "interpreter/python_layout.h"
#include "unit/interpreter/reading.h"

extern const struct interpreter interpreter_python;

/* --- A program that waits, and what its own faulthandler says of it ---------------------------------------------- */

struct program { pid_t pid; char told[64]; struct unwind_memory memory; struct interpreter_state *state; };

static void begin(struct program *program, const char *python, const char *path)
{
	char start[512];

	(void)snprintf(program->told, sizeof(program->told), "/tmp/crosscut-python-XXXXXX");
	(void)close(mkstemp(program->told));
	(void)snprintf(start, sizeof(start),
		       "import faulthandler, signal, sys; faulthandler.register(signal.SIGUSR1, file=open('%s', 'w')); "
		       "exec(compile(open('%s').read(), '%s', 'exec'))", program->told, path, path);
	program->pid = fork();
	assert_true(program->pid >= 0);
	if (!program->pid) {
		int null = open("/dev/null", O_RDWR);

		(void)setpgid(0, 0);
		(void)dup2(null, 0);
		(void)dup2(null, 1);
		(void)execl(python, python, "-c", start, (char *)NULL);
		_exit(127);
	}
	interpreter_memory_of(program->pid, &program->memory);
	program->state = NULL;
}

static void end(struct program *program)
{
	if (program->state)
		interpreter_python.forget(program->state);
	(void)kill(program->pid, SIGKILL);
	(void)waitpid(program->pid, NULL, 0);
	(void)unlink(program->told);
}

static int recognise(struct program *program, char why[INTERPRETER_WHY])
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", program->pid);
	CLEANUP_TEXT char *maps = read_all(path);
	struct interpreter_process process = { .pid = program->pid, .memory = &program->memory, .maps = maps };

	return interpreter_python.recognise(&process, &program->state, why);
}

struct telling { struct program *program; struct text text; unsigned threads, frames, unnumbered; };

static void tell_thread(void *context, pid_t tid, const struct interpreter_walked *frames, size_t count)
{
	struct telling *telling = context;

	telling->threads++;
	telling->unnumbered += tid <= 0;
	text_print(&telling->text, "thread\n");
	for (size_t i = 0; i < count && i < 100; i++) {
		struct interpreter_frame frame;

		telling->frames++;
		if (interpreter_python.name_of(telling->program->state, frames[i].code, frames[i].instruction, &frame) < 0)
			text_print(&telling->text, "gone\n");
		else
			text_print(&telling->text, "%s:%u %s\n", frame.file, frame.line, frame.name);
	}
}

static struct telling tell(struct program *program)
{
	struct telling telling = { .program = program, .text = TEXT(4 << 20) };

	if (program->state)
		(void)interpreter_python.threads(program->state, tell_thread, &telling);
	return telling;
}

/* 'File "x.py", line 3 in f' → "x.py:3 f"; beyond ASCII it writes \xf6, \u540d or \U0001d4bd. */
static void put_told_line(struct text *to, const char *line)
{
	char file[1024], name[512], whole[2048], plain[2048], *out = plain;
	unsigned number;

	if (sscanf(line, "  File \"%1023[^\"]\", line %u in %511[^\n]", file, &number, name) != 3)
		return;
	(void)snprintf(whole, sizeof(whole), "%s:%u %s", file, number, name);
	for (const char *at = whole; *at;) {
		unsigned point, digits = at[1] == 'x' ? 2 : at[1] == 'u' ? 4 : 8;
		char text[16] = "";

		if (*at != '\\' || !strchr("xuU", at[1])) {
			*out++ = *at++;
			continue;
		}
		(void)snprintf(text, sizeof(text), "%.*s", (int)digits, at + 2);
		point = (unsigned)strtoul(text, NULL, 16);
		if (point < 0x800) {
			*out++ = (char)(0xc0 | point >> 6);
		} else if (point < 0x10000) {
			*out++ = (char)(0xe0 | point >> 12);
			*out++ = (char)(0x80 | (point >> 6 & 63));
		} else {
			*out++ = (char)(0xf0 | point >> 18);
			*out++ = (char)(0x80 | (point >> 12 & 63));
			*out++ = (char)(0x80 | (point >> 6 & 63));
		}
		*out++ = (char)(0x80 | (point & 63));
		at += 2 + digits;
	}
	*out = '\0';
	text_print(to, "%s\n", plain);
}

static char *told(struct program *program)
{
	CLEANUP_TEXT char *bytes = read_all(program->told);
	struct text text = TEXT(4 << 20);
	char *rest = NULL;

	for (char *line = strtok_r(bytes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strstr(line, "(most recent call first)"))
			text_print(&text, "thread\n");
		put_told_line(&text, line);
	}
	return text_take(&text);
}

/* It waits for good once two looks, a while apart, see the same: by then no thread of it has anything left to do. */
static struct telling settled(struct program *program)
{
	struct telling before = { .text = TEXT(1) }, now;
	char why[INTERPRETER_WHY];
	unsigned same = 0;

	for (int i = 0; i < 300; i++) {
		(void)usleep(50000);
		if (!program->state && recognise(program, why) < 0)
			continue;
		now = tell(program);
		same = now.frames > 1 && !strcmp(text_string(&now.text), text_string(&before.text)) ? same + 1 : 0;
		text_done(&before.text);
		before = now;
		if (same == 12)
			break;
	}
	return before;
}

static unsigned compared_programs, compared_threads, compared_frames;

static void compare(const char *python, const char *path)
{
	struct program program;
	struct telling telling;
	char *expected = NULL;

	begin(&program, python, path);
	telling = settled(&program);
	assert_non_null(program.state);
	assert_int_equal(kill(program.pid, SIGUSR1), 0);
	for (int i = 0; i < 100; i++) {
		(void)usleep(50000);
		free(expected);
		expected = told(&program);
		if (strlen(expected) >= telling.text.size)
			break;
	}
	if (strcmp(expected, text_string(&telling.text)))
		print_error("%s %s\nexpected:\n%s\nread:\n%s", python, path, expected, text_string(&telling.text));
	assert_string_equal(expected, text_string(&telling.text));
	assert_int_equal(telling.unnumbered, 0);
	compared_programs++;
	compared_threads += telling.threads;
	compared_frames += telling.frames;
	free(expected);
	text_done(&telling.text);
	end(&program);
}

/* Every interpreter of a version at hand: of the path, and beside it. */
static bool find_python(const char *version, char path[256])
{
	char pattern[256];
	const char *const places[] = { "/usr/bin/python%s", "/usr/local/bin/python%s", "%2$s/.pyenv/versions/%1$s.*/bin/python%1$s" };

	for (size_t i = 0; i < ARRAY_LENGTH(places); i++) {
		glob_t found = { 0 };
		bool is = false;

		if (i == 2)
			(void)snprintf(pattern, sizeof(pattern), "%s/.pyenv/versions/%s.*/bin/python%s", getenv("HOME") ?: "", version,
				       version);
		else
			(void)snprintf(pattern, sizeof(pattern), "%s/python%s", i ? "/usr/local/bin" : "/usr/bin", version);
		if (!glob(pattern, 0, NULL, &found) && found.gl_pathc && (is = !access(found.gl_pathv[0], X_OK)))
			(void)snprintf(path, 256, "%s", found.gl_pathv[0]);
		globfree(&found);
		if (is)
			return true;
	}
	return false;
}

static void compare_all(const char *version)
{
	glob_t programs = { 0 };
	char python[256];

	if (!find_python(version, python)) {
		print_message("no python%s is installed\n", version);
		skip();
	}
	assert_int_equal(glob("test/unit/interpreter/python/*.py", 0, NULL, &programs), 0);
	assert_true(programs.gl_pathc >= 10);
	compared_programs = compared_threads = compared_frames = 0;
	for (size_t i = 0; i < programs.gl_pathc; i++)
		compare(python, programs.gl_pathv[i]);
	globfree(&programs);
	print_message("%s: %u programs, %u threads, %u frames equal to faulthandler\n", python, compared_programs,
		      compared_threads, compared_frames);
}

TEST(frames_of_3_11_equal_faulthandler)
{
	compare_all("3.11");
}

TEST(frames_of_3_12_equal_faulthandler)
{
	compare_all("3.12");
}

TEST(frames_of_3_13_equal_faulthandler)
{
	compare_all("3.13");
}

TEST(a_process_that_runs_no_python_is_not_recognised)
{
	struct program program = { .pid = getpid() };
	char why[INTERPRETER_WHY];

	interpreter_memory_of(getpid(), &program.memory);
	assert_int_equal(recognise(&program, why), -ENOENT);
}

/* --- Without a process ------------------------------------------------------------------------------------------ */

TEST(lines_follow_the_table_of_locations)
{
	static const uint8_t table[] = {
		0x80 | 0 << 3 | 1, 0x10,                /* 2 units, the same line, columns in one byte */
		0x80 | 11 << 3 | 0, 0x01, 0x02,         /* 1 unit, one line on */
		0x80 | 13 << 3 | 0, 0x42, 0x01,         /* 1 unit, a signed number of two bytes: 0x42 → 2 + (1 << 6) = 66 → +33 */
		0x80 | 15 << 3 | 0,                     /* 1 unit, no line */
		0x80 | 14 << 3 | 7, 0x05, 0x00, 0x01, 0x02,     /* 8 units, -2 lines */
	};

	assert_int_equal(python_line(table, sizeof(table), 10, -2), 10);
	assert_int_equal(python_line(table, sizeof(table), 10, 0), 10);
	assert_int_equal(python_line(table, sizeof(table), 10, 2), 10);
	assert_int_equal(python_line(table, sizeof(table), 10, 4), 11);
	assert_int_equal(python_line(table, sizeof(table), 10, 6), 44);
	assert_int_equal(python_line(table, sizeof(table), 10, 8), 0);
	assert_int_equal(python_line(table, sizeof(table), 10, 10), 42);
	assert_int_equal(python_line(table, sizeof(table), 10, 26), 0);         /* beyond the table */
	for (uint32_t size = 0; size < sizeof(table); size++)
		(void)python_line(table, size, 10, 1000);
}
