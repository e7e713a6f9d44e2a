/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a runbook says becomes the options that the command line left open: its keys are the options' names and their values
 * are read as the options' are, so that nothing is checked twice or otherwise.
 */
#include "command/record.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "command/command.h"
#include "runbook/runbook.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool list_has(const struct option_list *list, const char *item, size_t size)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strncmp(list->items[i], item, size) && (!list->items[i][size] || list->items[i][size] == '='))
			return true;
	return false;
}

/* Puts the place in front of what the option said. */
static int at_line(const struct runbook *runbook, const struct runbook_entry *entry, int r, struct error *err)
{
	CLEANUP_TEXT char *what = r < 0 ? xstrdup(err->what) : NULL;

	if (what)
		(void)snprintf(err->what, sizeof(err->what), "%s:%u: %s", runbook_path(runbook), entry->line, what);
	return r;
}

/* "a, b", without what the command line says the opposite of. */
static int add_probes(const struct option *options, struct record_config *config, const struct runbook_entry *entry, struct error *err)
{
	const struct option_list *opposite = strcmp(entry->key, "with") ? &config->with : &config->without;
	int r = 0;

	for (const char *at = entry->value; *at && !r; at += strspn(at, ", \t")) {
		size_t size = strcspn(at, ", \t");
		CLEANUP_TEXT char *name = xstrndup(at, size);

		if (size && !list_has(opposite, name, size))
			r = option_set(options, entry->key, name, config, err);
		at += size;
	}
	return r;
}

static int add_label(const struct option *options, struct record_job *job, struct record_config *config,
		     const struct runbook_entry *entry, struct error *err)
{
	if (list_has(&config->labels, entry->key, strlen(entry->key)))
		return 0;
	grow(job->texts, job->text_count, job->text_room);
	job->texts[job->text_count] = xasprintf("%s=%s", entry->key, entry->value);
	return option_set(options, "label", job->texts[job->text_count++], config, err);
}

/* Bounds that are numbers hold, whatever else was asked for. */
static int apply_bounds(const struct runbook *runbook, struct record_config *config, struct error *err)
{
	const char *longest = runbook_value(runbook, "bounds", "longest");
	struct error no_time;
	uint64_t most_ns;
	double share;

	if (longest && !quantity_parse_duration(longest, &most_ns, &no_time)) {
		if (!config->duration_ns)
			config->duration_ns = most_ns;
		if (config->duration_ns > most_ns) {
			fail(err, FAILURE_USAGE, -ERANGE, "%s: longer than [bounds] longest = %s", runbook_path(runbook), longest);
			error_because(err, "a bound that a command line could lift would be none");
			return error_try(err, "--duration %s, or another runbook", longest);
		}
	}
	if (runbook_share(runbook, "bounds", "overhead", &share) && (config->budget < 0 || config->budget > share))
		config->budget = share;
	if (runbook_share(runbook, "bounds", "abort", &share) && (config->abort < 0 || config->abort > share))
		config->abort = share;
	return 0;
}

int record_runbook(struct record_job *job, struct record_config *config, const struct option_arguments *arguments, struct error *err)
{
	const struct option *options = command_find("record")->options;
	int r = config->runbook ? runbook_read(config->runbook, &job->runbook, err) : 0;

	for (size_t i = 0; !r && job->runbook && i < runbook_count(job->runbook); i++) {
		const struct runbook_entry *entry = runbook_at(job->runbook, i);

		if (!strcmp(entry->section, "labels"))
			r = add_label(options, job, config, entry, err);
		else if (!strcmp(entry->section, "capture") && !strncmp(entry->key, "with", 4))
			r = add_probes(options, config, entry, err);
		else if (!strcmp(entry->section, "capture") && !option_was_given(options, arguments, entry->key))
			r = option_set(options, entry->key, entry->value, config, err);
		r = at_line(job->runbook, entry, r, err);
	}
	if (!r)
		r = runbook_state(&job->runbook, config->contract.items, config->contract.count, err);
	job->recording.runbook = job->runbook;
	return r || !job->runbook ? r : apply_bounds(job->runbook, config, err);
}
