/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * An error says three things to a person: what failed, why, and what to try next. Functions return a negative
 * errno and fill one; only command/ prints it. Its kind decides the exit code, so that no caller has to guess it.
 *
 *	r = fail(err, FAILURE_CANNOT, -ENOENT, "cannot watch '%s'", name);
 *	error_because(err, "this kernel has no such tracepoint");
 *	return error_try(err, "crosscut doctor");
 */
enum failure {
	FAILURE_USAGE = 2,      /* asked wrongly: unknown name, no target */
	FAILURE_CANNOT = 3,     /* cannot be measured here: no privilege, no BTF, no such process */
	FAILURE_WORK = 4,       /* failed while doing it: missing or damaged file, full disk */
};

struct error {
	int code;               /* negative errno, for callers that branch; 0 = no error */
	enum failure kind;
	char what[256];         /* lower case, no full stop, the subject in quotes */
	char why[512];
	char next[512];         /* a command to run or a thing to change; may be empty */
};

/* Fills *err (never NULL) and returns code. The reason is strerror(-code) until error_because() replaces it, the remedy
 * what usually helps against that code, if anything does, until error_try() replaces it. */
int fail(struct error *err, enum failure kind, int code, const char *what, ...)
	__attribute__((format(printf, 4, 5)));

/* Both return err->code, so that they can end a function. */
int error_because(struct error *err, const char *why, ...) __attribute__((format(printf, 2, 3)));
int error_try(struct error *err, const char *next, ...) __attribute__((format(printf, 2, 3)));
