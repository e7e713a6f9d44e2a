/* SPDX-License-Identifier: Apache-2.0 */
#include "base/terminal.h"

#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

/* A real terminal: what is written to *screen can be read from *keyboard. */
static void open_terminal(int *keyboard, FILE **screen)
{
	struct winsize size = { .ws_row = 24, .ws_col = 40 };
	int fd;

	assert_int_equal(openpty(keyboard, &fd, NULL, NULL, &size), 0);
	*screen = fdopen(fd, "w");
	unsetenv("COLUMNS");
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
}

static const char *read_screen(int keyboard)
{
	static char text[4096];
	ssize_t size;

	fcntl(keyboard, F_SETFL, O_NONBLOCK);
	size = read(keyboard, text, sizeof(text) - 1);
	text[size > 0 ? size : 0] = 0;
	return text;
}

TEST(colour_needs_a_terminal_that_has_it_and_a_person_who_wants_it)
{
	FILE *screen;
	int keyboard, pipes[2];

	open_terminal(&keyboard, &screen);
	assert_true(terminal_colour(fileno(screen)));
	setenv("NO_COLOR", "", 1);
	assert_true(terminal_colour(fileno(screen)));
	setenv("NO_COLOR", "1", 1);
	assert_false(terminal_colour(fileno(screen)));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	assert_false(terminal_colour(fileno(screen)));
	setenv("TERM", "xterm", 1);
	assert_int_equal(pipe(pipes), 0);
	assert_false(terminal_colour(pipes[1]));
	close(pipes[0]);
	close(pipes[1]);
	fclose(screen);
	close(keyboard);
}

TEST(columns_overrides_the_width_of_the_terminal)
{
	FILE *screen;
	int keyboard;

	open_terminal(&keyboard, &screen);
	assert_int_equal(terminal_width(fileno(screen)), 40);
	setenv("COLUMNS", "123", 1);
	assert_int_equal(terminal_width(fileno(screen)), 123);
	setenv("COLUMNS", "99999999", 1);
	assert_int_equal(terminal_width(fileno(screen)), 1000);
	setenv("COLUMNS", "wide", 1);
	assert_int_equal(terminal_width(fileno(screen)), 0);
	unsetenv("COLUMNS");
	assert_int_equal(terminal_width(-1), 0);
	fclose(screen);
	close(keyboard);
}

TEST(progress_rewrites_one_line_cut_at_the_width_and_leaves_nothing)
{
	struct progress progress;
	FILE *screen;
	int keyboard;

	open_terminal(&keyboard, &screen);
	progress_init(&progress, screen);
	progress_show(&progress, "%060d", 7);
	assert_string_equal(read_screen(keyboard), "\r000000000000000000000000000000000000000\033[K");
	progress_show(&progress, "too soon");
	assert_string_equal(read_screen(keyboard), "");
	progress_clear(&progress);
	assert_string_equal(read_screen(keyboard), "\r\033[K");
	progress_clear(&progress);
	assert_string_equal(read_screen(keyboard), "");
	fclose(screen);
	close(keyboard);
}

TEST(progress_writes_nothing_to_a_pipe)
{
	struct progress progress;
	char *bytes = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&bytes, &size);

	progress_init(&progress, memory);
	progress_show(&progress, "working");
	progress_clear(&progress);
	fclose(memory);
	assert_int_equal(size, 0);
	free(bytes);
}
