/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A log that a test writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char log_folder[64], log_path[128];

static inline void log_append_to(const char *path, const char *text)
{
	FILE *file = fopen(path, "ae");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static inline void log_append(const char *text)
{
	log_append_to(log_path, text);
}

static inline void log_make(const char *text)
{
	(void)snprintf(log_folder, sizeof(log_folder), "/tmp/crosscut-log-XXXXXX");
	assert_non_null(mkdtemp(log_folder));
	(void)snprintf(log_path, sizeof(log_path), "%s/app.log", log_folder);
	log_append(text);
}

static inline const char *log_rotate(void)
{
	static char rotated[140];

	(void)snprintf(rotated, sizeof(rotated), "%s.1", log_path);
	assert_int_equal(rename(log_path, rotated), 0);
	return rotated;
}

static inline void log_remove(void)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -r %s", log_folder);
	assert_int_equal(system(command), 0);
}
