/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A capture into a file, from the first probe to the seal: what `record`, `demo` and `calibrate` have in common. It ends
 * when its time is up, its target is gone, its command has ended, the file is full, or somebody asks (a signal, or
 * until()).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/launch.h"

struct document;
struct error;
struct runbook;
struct trigger;

struct recording {
	struct capture_config capture;       /* slice and to are set by recording_run() */
	const char *path;
	bool replace, progress;
	bool redact;                         /* no names and paths in the file */
	uint64_t size_limit_bytes;           /* 0: none */
	uint64_t duration_ns;                /* 0: until something ends it */
	uint64_t jitter_ns;                  /* it starts after a random time of at most this */
	uint64_t keep_ns;                    /* 0: every slice is written; else the last of so long, once the trigger fires … */
	const struct trigger *trigger;       /* … which ends the capture */
	const char *const *labels;           /* "key=value" */
	size_t label_count;
	const char *const *notes;            /* meta of its own, key and value in turn, NULL-terminated; may be NULL */
	const struct runbook *runbook;       /* whose contract is stored; NULL: none */
	const char *command;                 /* for the provenance; may be NULL */
	struct launch *launch;               /* prepared, not yet going; NULL: none */
	void (*opened)(void *context);       /* called when the window is open; may be NULL */
	bool (*until)(void *context);        /* asked ten times a second; may be NULL */
	/* Called right after the window closed, before the last slice: capture_count() still counts. May be NULL. */
	int (*closed)(void *context, struct capture *capture, struct error *err);
	const char *work_source, *work_unit; /* the denominator where closed() counts it; NULL: the first --work */
	void *context;
};

struct recording_result {
	uint64_t start_ns, duration_ns, file_bytes, events, lost, threads;
	char *filter;
	bool full, interrupted, given_up;    /* given_up: by the guard */
	bool untriggered;                    /* the trigger never fired: there is no file */
	bool blind;                          /* nothing could fire it any more: the guard gave up what it needs */
	char trigger[256];                   /* what fired it; empty where there was none */
};

int recording_run(const struct recording *recording, struct recording_result *ret, struct error *err);
void recording_result_done(struct recording_result *result);
void recording_document(const struct recording_result *result, const char *path, const struct launch *launch,
			struct document *into);
