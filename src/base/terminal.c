/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Honours NO_COLOR, TERM=dumb and pipes: colour and progress appear only where a person looks at a terminal.
 */
#include "base/terminal.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PROGRESS_PERIOD_NS = 100000000, WIDTH_LIMIT = 1000, WIDTH_USUAL = 80 };

/* Can it move its cursor? */
static bool can_rewrite(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool terminal_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR");

	return !(no_colour && *no_colour) && can_rewrite(fd);
}

unsigned terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned long width = 0;

	if (columns)
		width = strtoul(columns, NULL, 10);
	else if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	return width < WIDTH_LIMIT ? (unsigned)width : WIDTH_LIMIT;
}

void progress_init(struct progress *progress, FILE *file)
{
	*progress = (struct progress){ .file = file, .shows = can_rewrite(fileno(file)) };
}

void progress_show(struct progress *progress, const char *format, ...)
{
	char line[WIDTH_LIMIT + 1];
	unsigned width = terminal_width(fileno(progress->file));
	uint64_t now_ns = clock_now_ns();
	va_list arguments;

	if (!progress->shows || (progress->shown && now_ns - progress->last_ns < PROGRESS_PERIOD_NS))
		return;
	va_start(arguments, format);
	(void)vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (!width)
		width = WIDTH_USUAL;
	fprintf(progress->file, "\r%.*s\033[K", (int)width - 1, line);
	(void)fflush(progress->file);
	progress->shown = true;
	progress->last_ns = now_ns;
}

void progress_clear(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", progress->file);
	(void)fflush(progress->file);
	progress->shown = false;
}
