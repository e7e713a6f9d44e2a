/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at this very process, and at one that is not there. */
#include "command/doctor.h"

#include "base/error.h"
#include "result/document.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static const struct value *field_of(const struct document *document, const char *key)
{
	const struct section *section = document_find(document, "process");

	assert_non_null(section);
	for (size_t i = 0; i < section->record->count; i++)
		if (!strcmp(section->record->fields[i].key, key))
			return &section->record->fields[i].value;
	return NULL;
}

static const struct value *cell_of(const struct table *table, size_t row, const char *key)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (!strcmp(table->columns[i].key, key))
			return &table->cells[row * table->column_count + i];
	return NULL;
}

TEST(a_process_is_described_with_every_file_its_code_comes_from)
{
	CLEANUP(document) struct document *document = document_new("crosscut.doctor/1", "test");
	struct doctor doctor = { .document = document, .worst = DOCTOR_OK };
	const struct table *files;
	char program[PATH_MAX] = "";
	struct error err;
	bool found = false, libc = false;

	assert_true(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	assert_int_equal(doctor_process(&doctor, getpid(), &err), 0);
	assert_int_equal(field_of(document, "pid")->integer, getpid());
	assert_string_equal(field_of(document, "program")->text, program);
	assert_true(field_of(document, "same_pid_namespace")->truth);
	assert_string_equal(field_of(document, "runtime")->text, "native");
	files = document_find(document, "files")->table;
	for (size_t row = 0; row < files->row_count; row++) {
		const char *path = cell_of(files, row, "path")->text;

		libc = libc || strstr(path, "/libc.so");
		if (strcmp(path, program) != 0)
			continue;
		found = true;
		assert_string_equal(cell_of(files, row, "frame_pointers")->text, "yes");
		assert_string_equal(cell_of(files, row, "symbols")->text, "full");
	}
	assert_true(found);
	assert_true(libc);
}

TEST(a_process_that_is_not_there_cannot_be_measured)
{
	CLEANUP(document) struct document *document = document_new("crosscut.doctor/1", "test");
	struct doctor doctor = { .document = document };
	struct error err;

	assert_int_equal(doctor_process(&doctor, 4194303, &err), -ESRCH);
	assert_int_equal(err.kind, FAILURE_CANNOT);
	assert_int_equal(document->section_count, 0);
}

TEST(findings_keep_the_worst_verdict_and_have_a_limit)
{
	CLEANUP(document) struct document *document = document_new("crosscut.doctor/1", "test");
	struct doctor doctor = { .document = document, .worst = DOCTOR_OK };

	doctor_judge(&doctor, DOCTOR_OK, "fine", NULL, NULL);
	assert_int_equal(doctor.finding_count, 0);
	doctor_judge(&doctor, DOCTOR_IMPOSSIBLE, "BPF", "nothing works", "run as root");
	doctor_judge(&doctor, DOCTOR_LIMITED, "PMU", "no cycles", "hardware");
	assert_int_equal(doctor.worst, DOCTOR_IMPOSSIBLE);
	assert_string_equal(doctor.findings[0].text, "BPF: nothing works; run as root");
	for (int i = 0; i < 1000; i++)
		doctor_judge(&doctor, DOCTOR_LIMITED, "x", "y", "z");
	assert_int_equal(doctor.finding_count, DOCTOR_FINDING_LIMIT);
}
