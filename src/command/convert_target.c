/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam between formats, which write profiles, and views, which draw documents: a view is given the
 * ledger and the call trees, or the one tree that was named. A new row of either set is a new target.
 */
#include "command/convert_target.h"

#include "analysis/analysis.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/option.h"
#include "format/content.h"
#include "format/format.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "result/document.h"
#include "view/view.h"

#include <errno.h>
#include <string.h>

/* What a document of the ledger and of trees still says, whatever draws it. */
#define DOCUMENT_KEEPS (KEEPS(EVENTS) | KEEPS(PARTS) | KEEPS(UNITS) | KEEPS(WEIGHTING) | KEEPS(COUNTS) | KEEPS(STACKS) | KEEPS(TOTALS) | KEEPS(ARGUMENTS))

enum { NAMES_MOST = 128 };

static struct target of_format(const struct format *format)
{
	return (struct target){ format->name, format->summary, format, NULL, format->keeps };
}

static struct target of_view(const struct view *view)
{
	return (struct target){ view->name, view->summary, NULL, view, DOCUMENT_KEEPS };
}

static bool ends_in(const char *path, const char *suffix)
{
	size_t size = strlen(path), suffix_size = suffix ? strlen(suffix) : 0;

	return suffix_size && size > suffix_size && !strcmp(path + size - suffix_size, suffix);
}

static bool find(const char *name, const char *path, struct target *ret)
{
	const struct format *format = name ? format_find(name) : format_of_suffix(path);

	if (format) {
		*ret = of_format(format);
		return true;
	}
	for (size_t i = 0; views[i]; i++)
		if (name ? !strcmp(views[i]->name, name) || !strcmp(views[i]->suffix + 1, name) : ends_in(path, views[i]->suffix)) {
			*ret = of_view(views[i]);
			return true;
		}
	return false;
}

static int fail_unknown(const char *name, struct error *err)
{
	const char *names[NAMES_MOST] = { NULL }, *near;
	size_t count = 0;

	for (size_t i = 0; formats[i] && count < NAMES_MOST - 1; i++)
		names[count++] = formats[i]->name;
	for (size_t i = 0; views[i] && count < NAMES_MOST - 1; i++)
		names[count++] = views[i]->name;
	near = nearest_name(name, names);
	(void)fail(err, FAILURE_USAGE, -EINVAL, "unknown format '%.64s'", name);
	(void)error_because(err, "crosscut has no format of that name");
	return near ? error_try(err, "--to %s", near) : error_try(err, "crosscut list formats");
}

int target_choose(const char *name, const char *path, struct target *ret, struct error *err)
{
	if (!find(name, path, ret)) {
		if (name)
			return fail_unknown(name, err);
		(void)fail(err, FAILURE_USAGE, -EINVAL, "'%.128s' does not name a format", path);
		(void)error_because(err, "its name ends like none that crosscut writes");
		return error_try(err, "--to folded");
	}
	if (ret->format && !ret->format->write) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "format '%s' cannot be written", ret->name);
		(void)error_because(err, "it can only be read");
		return error_try(err, "crosscut list formats");
	}
	return 0;
}

static int draw(const struct view *view, const struct profile *profile, const char *dimension, const char *title,
		struct output *to, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.ledger/1", title);
	CLEANUP(selection) struct selection *selection = selection_new();
	const struct question question = { .profile = profile, .selection = selection, .dimension = dimension };
	int r = dimension ? 0 : analysis_find("ledger")->run(&question, document, err);

	if (r >= 0)
		r = analysis_find("tree")->run(&question, document, err);
	if (r < 0)
		return r;
	r = view->render(document, &(struct view_style){ 0 }, to);
	return r < 0 ? fail(err, FAILURE_WORK, r, "cannot draw '%s'", title) : 0;
}

int target_write(const struct target *target, const struct profile *profile, const struct format_options *options,
		 const char *title, struct output *to, struct error *err)
{
	if (target->format)
		return target->format->write(profile, options, to, err);
	return draw(target->view, profile, options->dimension, title, to, err);
}
