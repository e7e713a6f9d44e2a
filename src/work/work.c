/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of work/, sorted by name, and how --work is read. */
#include "work/work.h"

#include "base/error.h"
#include "base/option.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

extern const struct work work_count_row, work_http, work_log, work_marker, work_resp, work_uprobe, work_usdt;

const struct work *const works[] = {
	&work_count_row, &work_http, &work_log, &work_marker, &work_resp, &work_uprobe, &work_usdt, NULL,
};

const struct work *work_find(const char *name)
{
	for (const struct work *const *work = works; *work; work++)
		if (!strcmp((*work)->name, name))
			return *work;
	return NULL;
}

/* "correct:5,incorrect:1" is the long way to say count. */
static const char *work_name_of(const char *spec, size_t length)
{
	return !strncmp(spec, "correct", length) && length == 7 ? "count" : NULL;
}

int work_parse(const char *spec, const struct work **ret, const char **ret_argument, struct error *err)
{
	const char *colon = strchr(spec, ':'), *alias;
	size_t length = colon ? (size_t)(colon - spec) : strlen(spec);
	const char *names[16] = { NULL }, *near;
	char name[32] = "";
	size_t count = 0;

	if (length < sizeof(name))
		memcpy(name, spec, length);
	alias = work_name_of(name, length);
	*ret = work_find(alias ? alias : name);
	*ret_argument = alias ? spec : colon ? colon + 1 : NULL;
	if (*ret)
		return (*ret)->check ? (*ret)->check(*ret_argument, err) : 0;
	for (const struct work *const *work = works; *work && count < 15; work++)
		names[count++] = (*work)->name;
	near = nearest_name(name, names);
	fail(err, FAILURE_USAGE, -EINVAL, "there is no useful work called '%s'", spec);
	error_because(err, "crosscut list work shows what can be counted");
	return error_try(err, "--work %s", near ? near : "http");
}

static bool class_matches(const char *pattern, size_t length, const char *class)
{
	if (strlen(class) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (tolower((unsigned char)pattern[i]) != 'x' && pattern[i] != class[i])
			return false;
	return true;
}

bool work_class_listed(const char *list, const char *class)
{
	while (*list) {
		size_t length = strcspn(list, ",");

		if (class_matches(list, length, class))
			return true;
		list += length + (list[length] == ',');
	}
	return false;
}
