/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of files that code comes from, and what each file's state costs. A process has dozens of them: only its
 * program and its largest troubles are worth a finding each, so the callers say which rows are judged.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "command/doctor.h"
#include "result/document.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct column columns[] = {
	{ .key = "path", .title = "file", .unit = "", .hints = COLUMN_CODE },
	{ .key = "frame_pointers", .title = "frames", .unit = "" },
	{ .key = "unwind_tables", .title = "unwind", .unit = "" },
	{ .key = "symbols", .title = "symbols", .unit = "" },
	{ .key = "debug_information", .title = "debug", .unit = "" },
	{ .key = "optimised", .title = "optimised", .unit = "", .hints = COLUMN_MACHINE },
	{ .key = "debug_link", .title = "debug file", .unit = "", .hints = COLUMN_MACHINE },
	{ .key = "build_id", .title = "build id", .unit = "", .hints = COLUMN_MACHINE | COLUMN_CODE },
	{ .key = "kind", .title = "kind", .unit = "", .hints = COLUMN_MACHINE },
	{ .key = "language", .title = "language", .unit = "", .hints = COLUMN_MACHINE },
	{ .key = "functions_seen", .title = "functions looked at", .unit = "count", .hints = COLUMN_MACHINE },
	{ .key = "functions_with_frame", .title = "of them with a frame", .unit = "count", .hints = COLUMN_MACHINE },
};

struct table *doctor_file_table(void)
{
	return table_new(columns, ARRAY_LENGTH(columns));
}

static struct value debug_value(const struct doctor_elf *elf)
{
	if (elf->debug_info)
		return value_text("here");
	if (elf->debug_found)
		return value_text("apart");
	if (elf->debug_error == -EBADMSG || elf->debug_error == -ESTALE)
		return value_text("refused");
	return value_text(*elf->debug_link ? "absent" : "none");
}

static struct value text_or_none(const char *text)
{
	return *text ? value_text(text) : value_none();
}

static const char *unwind_name(const struct doctor_elf *elf)
{
	if (elf->go_table && !elf->unwind_tables)
		return ".gopclntab";
	if (elf->unwind_tables)
		return elf->debug_frame ? "both" : ".eh_frame";
	return elf->debug_frame ? ".debug_frame" : "none";
}

static void judge_stripped(struct doctor *doctor, const char *base, const struct doctor_elf *elf)
{
	const char *unnamed = "functions that it does not export stay unnamed";
	const char *link = *elf->debug_link ? elf->debug_link : "by the build id";
	char costs[448];

	if (elf->debug_error == -EBADMSG)
		(void)snprintf(costs, sizeof(costs), "stripped, and its debug file %.200s is refused, since its checksum is not what .gnu_debuglink tells: %s", link, unnamed);
	else if (elf->debug_error == -ESTALE)
		(void)snprintf(costs, sizeof(costs), "stripped, and its debug file %.200s is refused, since it is of another build: %s", link, unnamed);
	else if (*elf->debug_link)
		(void)snprintf(costs, sizeof(costs), "stripped, and its debug file %.200s is not here: %s", link, unnamed);
	else
		(void)snprintf(costs, sizeof(costs), "stripped: %s", unnamed);
	doctor_judge(doctor, DOCTOR_LIMITED, base, costs,
		     *elf->build_id ? "install its debug symbols; they are found by the build id" :
				      "keep the symbols, or build it with -Wl,--build-id");
}

static void judge_file(struct doctor *doctor, const char *path, const struct doctor_elf *elf)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const char *frame = doctor_elf_frame_pointers(elf);

	if (elf->foreign)
		doctor_judge(doctor, DOCTOR_IMPOSSIBLE, base, "it is built for another processor",
			     "profile it where it runs");
	if (!elf->unwind_tables && !elf->debug_frame && !elf->go_table && strcmp(frame, "yes") != 0)
		doctor_judge(doctor, DOCTOR_LIMITED, base,
			     "neither unwind tables nor frame pointers: its stacks lose callers (states and totals stay exact)",
			     "build it with -fasynchronous-unwind-tables");
	if (elf->symbols <= 1 && !elf->debug_info && !elf->debug_symbols && !elf->go_table)
		judge_stripped(doctor, base, elf);
	if (!*elf->build_id)
		doctor_judge(doctor, DOCTOR_LIMITED, base, "no build id: names can be given only while this file stays",
			     "build it with -Wl,--build-id");
	if (elf->producers_unoptimised)
		doctor_judge(doctor, DOCTOR_LIMITED, base,
			     "parts are built without optimisation: a profile of it says little about a release",
			     "profile the build that is released");
}

void doctor_file_add(struct doctor *doctor, struct table *table, const char *path, const struct doctor_elf *elf,
		     bool judge)
{
	table_add(table, (struct value[]){
		value_text(path), value_text(doctor_elf_frame_pointers(elf)), value_text(unwind_name(elf)),
		value_text(doctor_elf_symbols(elf)), debug_value(elf), value_text(doctor_elf_optimised(elf)),
		text_or_none(elf->debug_link), text_or_none(elf->build_id), value_text(elf->kind),
		text_or_none(elf->language), value_integer((int64_t)elf->functions),
		value_integer((int64_t)elf->functions_with_frame),
	});
	if (judge)
		judge_file(doctor, path, elf);
}

static struct record *program_record(const struct doctor_elf *elf)
{
	struct record *record = record_new();

	record_add(record, "kind", "kind", "", value_text(elf->kind));
	record_add(record, "language", "language", "", text_or_none(elf->language));
	record_add(record, "build_id", "build id", "", text_or_none(elf->build_id));
	record_add(record, "debug_file", "debug file", "", text_or_none(elf->debug_link));
	record_add(record, "optimised", "optimised", "", value_text(doctor_elf_optimised(elf)));
	record_add(record, "frames", "functions with a frame", "",
		   value_print("%llu of %llu looked at", (unsigned long long)elf->functions_with_frame,
			       (unsigned long long)elf->functions));
	return record;
}

int doctor_binary(struct doctor *doctor, const char *path, struct error *err)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct doctor_elf elf;
	struct table *table;
	struct stat status;
	int r;

	if (fd < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot read '%s'", path);
	if (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)) {
		fail(err, FAILURE_WORK, -EINVAL, "cannot read '%s'", path);
		return error_because(err, "it is no regular file");
	}
	r = doctor_elf_read(fd, &elf);
	if (r < 0) {
		fail(err, FAILURE_WORK, r, "'%s' is no program", path);
		return error_because(err, "it is no ELF file");
	}
	doctor_debug_read(fd, "", path, &elf);
	table = doctor_file_table();
	doctor_file_add(doctor, table, path, &elf, true);
	document_add_record(doctor->document, "program", "program", program_record(&elf));
	document_add_table(doctor->document, "files", "file", table);
	return 0;
}
