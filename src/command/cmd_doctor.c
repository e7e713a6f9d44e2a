/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut doctor`: can this machine, this process, this program be profiled honestly, and what to change. Each thing
 * that is missing is named with what it costs, because most of them cost one part of an answer and not the answer.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/quantity.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/doctor.h"
#include "result/document.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct doctor_config {
	const char *pid;
	bool json;
};

static const struct option doctor_options[] = {
	{ .name = "json", .type = OPTION_FLAG, .into = offsetof(struct doctor_config, json),
	  .help = "print the findings as JSON", .example = "--json" },
	{ .name = "pid", .letter = 'p', .type = OPTION_TEXT, .into = offsetof(struct doctor_config, pid), .value = "PID",
	  .help = "also look at this running process and the files it has mapped", .example = "--pid 1234" },
	{ 0 },
};

static int parse_pid(const char *text, pid_t *ret, struct error *err)
{
	uint64_t pid;

	if (quantity_parse_count(text, &pid, err) < 0 || pid == 0 || pid > INT_MAX) {
		fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no process number", text);
		error_because(err, "a process is named by its number");
		return error_try(err, "crosscut doctor -p $(pgrep -o NAME)");
	}
	*ret = (pid_t)pid;
	return 0;
}

/* A program is looked at as a file: what this machine allows is not asked then. */
static int look(struct doctor *doctor, const struct doctor_config *config, const struct option_arguments *arguments,
		struct error *err)
{
	pid_t pid = 0;
	int r = config->pid ? parse_pid(config->pid, &pid, err) : 0;

	if (r < 0)
		return r;
	if (arguments->operand_count > 1) {
		fail(err, FAILURE_USAGE, -E2BIG, "more than one program");
		return error_because(err, "'%s' is one too many", arguments->operands[1]);
	}
	if (arguments->operand_count && config->pid) {
		fail(err, FAILURE_USAGE, -EINVAL, "a program and a process");
		return error_because(err, "one of the two can be looked at");
	}
	if (arguments->operand_count)
		return doctor_binary(doctor, arguments->operands[0], err);
	doctor_machine(doctor);
	doctor_tracepoints(doctor);
	return pid ? doctor_process(doctor, pid, err) : 0;
}

static void add_answer(const struct doctor *doctor)
{
	static const char *const words[] = {
		[DOCTOR_OK] = "yes", [DOCTOR_LIMITED] = "yes, within the limits named below", [DOCTOR_IMPOSSIBLE] = "no",
	};
	struct record *answer = record_new();

	record_add(answer, "profilable", "can be profiled", "", value_text(words[doctor->worst]));
	document_add_record(doctor->document, "answer", "answer", answer);
	for (size_t i = 0; i < doctor->finding_count; i++)
		document_add_finding(doctor->document,
				     doctor->findings[i].verdict == DOCTOR_IMPOSSIBLE ? SEVERITY_FAILURE : SEVERITY_WARNING,
				     "%s", doctor->findings[i].text);
}

/* The answer is printed in any case; where it is a plain no, that is also the error. */
static int conclude(const struct doctor *doctor, bool json, struct error *err)
{
	int r;

	add_answer(doctor);
	r = answer_print(doctor->document, json, err);
	if (r < 0)
		return r;
	if (doctor->worst == DOCTOR_IMPOSSIBLE) {
		fail(err, FAILURE_CANNOT, -ENOTSUP, "no capture is possible here");
		return error_because(err, "what was found above says why, and what to change");
	}
	return doctor->worst == DOCTOR_OK ? 0 : 1;
}

static int doctor_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.doctor/1", "what can be profiled here");
	struct doctor doctor = { .document = document, .worst = DOCTOR_OK };
	int r = look(&doctor, config, arguments, err);

	return r < 0 ? r : conclude(&doctor, ((struct doctor_config *)config)->json, err);
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "can this machine, process or program be profiled, and what to change",
	.synopsis = "crosscut doctor [OPTIONS] [PROGRAM]",
	.example = "crosscut doctor -p 1234",
	.options = doctor_options,
	.config_size = sizeof(struct doctor_config),
	.run = doctor_run,
};
