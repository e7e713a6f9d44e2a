/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where a group with the wanted controller can be made, by trying: /proc/self/mounts names
 * the hierarchies, /proc/self/cgroup our place in each, and a new folder shows by its files what it
 * can do. In the unified hierarchy a controller is usable only where the group above hands it down,
 * hence the walk upwards.
 */
#include "truth/group.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "truth/stage.h"
#include "truth/staging.h"

static bool has_word(const char *list, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += size)
		if ((at == list || at[-1] == ',') && (at[size] == ',' || at[size] == '\0'))
			return true;
	return false;
}

/* The mount point of the controller's own hierarchy, or of the unified one (controller NULL). */
static bool find_mount(const char *controller, char *point, size_t size)
{
	FILE *mounts = fopen("/proc/self/mounts", "re");
	char line[2048], where[512], type[64], options[1024];
	bool found = false;

	while (mounts && !found && fgets(line, sizeof(line), mounts)) {
		if (sscanf(line, "%*s %511s %63s %1023s", where, type, options) != 3)
			continue;
		found = controller ? strcmp(type, "cgroup") == 0 && has_word(options, controller)
				   : strcmp(type, "cgroup2") == 0;
	}
	if (mounts)
		(void)fclose(mounts);
	return found && snprintf(point, size, "%s", where) < (int)size;
}

/*
 * Lines are "number:controllers:path"; the unified hierarchy is number 0 and names no controllers.
 */
static bool find_own_path(const char *controller, char *path, size_t size)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[1024], *controllers, *place;
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		controllers = strchr(line, ':');
		place = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!place)
			continue;
		*place++ = '\0';
		found = controller ? has_word(controllers + 1, controller) : controllers[1] == '\0';
		if (found &&
		    (strstr(place, "..") || snprintf(path, size, "%s", place) >= (int)size))
			*path = '\0';   /* not within our namespace: start at the top */
	}
	if (file)
		(void)fclose(file);
	return found;
}

/* Makes one below `above`, if the file appears in it. */
static int try_group(const char *above, const char *file, char *group, size_t size)
{
	char path[1024];

	if (snprintf(group, size, "%s/crosscut-truth-%d", above, (int)getpid()) >= (int)size)
		return -ENAMETOOLONG;
	if (mkdir(group, 0755) < 0 && errno != EEXIST)
		return -errno;
	if (snprintf(path, sizeof(path), "%s/%s", group, file) < (int)sizeof(path) &&
	    access(path, W_OK) == 0)
		return 0;
	(void)rmdir(group);
	return -ENOENT;
}

static int make_group(const char *controller, const char *file, char *group, size_t size)
{
	char point[512], own[512] = "", above[1024], *end;
	int r = -ENOENT;

	if (!find_mount(controller, point, sizeof(point)) ||
	    !find_own_path(controller, own, sizeof(own)))
		return -ENOENT;
	for (;;) {
		(void)snprintf(above, sizeof(above), "%s%s", point,
			       strcmp(own, "/") == 0 ? "" : own);
		r = try_group(above, file, group, size);
		end = strrchr(own, '/');
		if (r == 0 || !end || end[1] == '\0')
			return r;
		end[end == own] = '\0';         /* "/a/b" → "/a" → "/" */
	}
}

static int find_group(const struct group_kind *kind, char *group, size_t size, bool *ret_two)
{
	int r = kind->file_one ? make_group(kind->controller, kind->file_one, group, size)
			       : -ENOENT;

	*ret_two = r < 0 && kind->file_two;
	return *ret_two ? make_group(NULL, kind->file_two, group, size) : r;
}

static int group_refused(const struct group_kind *kind, int code, struct error *err)
{
	(void)fail(err, FAILURE_CANNOT, code, "cannot make a control group for '%s'",
		   kind->controller);
	if (code == -ENOENT)
		return error_because(err, "no hierarchy that is mounted here hands down '%s'",
				     kind->file_two && !kind->file_one ? kind->file_two
								       : kind->controller);
	return code;
}

int group_possible(const struct group_kind *kind, struct error *err)
{
	char group[512];
	bool two;
	int r = find_group(kind, group, sizeof(group), &two);

	if (r < 0)
		return group_refused(kind, r, err);
	(void)rmdir(group);
	return 0;
}

int group_create(struct truth_context *context, const struct group_kind *kind, struct error *err)
{
	int r = staging_guard(context, err);

	if (r < 0)
		return r;
	r = find_group(kind, context->group, sizeof(context->group), &context->group_two);
	if (r < 0) {
		context->group[0] = '\0';
		return group_refused(kind, r, err);
	}
	return 0;
}

static int open_file(const struct truth_context *context, const char *file, int flags)
{
	char path[1024];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", context->group, file);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int group_write(const struct truth_context *context, const char *file, const char *value,
		struct error *err)
{
	int fd = open_file(context, file, O_WRONLY), r = 0;

	if (fd < 0)
		r = fd;
	else if (write(fd, value, strlen(value)) < 0)
		r = -errno;
	if (fd >= 0)
		(void)close(fd);
	return r < 0 ? fail(err, FAILURE_CANNOT, r, "cannot write '%s' to '%s/%s'", value,
			    context->group, file)
		     : 0;
}

int group_read(const struct truth_context *context, const char *file, char *text, size_t size)
{
	int fd = open_file(context, file, O_RDONLY);
	ssize_t length = fd < 0 ? fd : read(fd, text, size - 1);

	if (fd >= 0)
		(void)close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length < 0 ? (int)length : 0;
}

int group_enter(const struct truth_context *context, pid_t pid, struct error *err)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", (int)pid);
	return group_write(context, "cgroup.procs", text, err);
}

static void kill_members(struct truth_context *context)
{
	struct error ignored;
	char text[4096];

	/* A frozen task does not die. */
	(void)group_write(context, context->group_two ? "cgroup.freeze" : "freezer.state",
			  context->group_two ? "0" : "THAWED", &ignored);
	if (group_read(context, "cgroup.procs", text, sizeof(text)) < 0)
		return;
	for (char *at = text, *end; *at; at = *end ? end + 1 : end) {
		long pid = strtol(at, &end, 10);

		if (end == at)
			break;
		if (pid > 1 && pid != getpid())
			(void)kill((pid_t)pid, SIGKILL);
	}
}

void group_remove(struct truth_context *context)
{
	if (!context->group[0])
		return;
	for (unsigned attempt = 0; rmdir(context->group) < 0 && errno == EBUSY && attempt < 400;
	     attempt++) {
		kill_members(context);
		stage_sleep_ns(5 * STAGE_PACE_NS);
	}
	context->group[0] = '\0';
}
