/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What the parts of `crosscut doctor` share. Each part looks at one thing (the machine, its tracepoints, a process, a
 * file), adds a section to the document, and for each thing that is missing says what it costs and what to change.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct document;
struct error;

enum doctor_verdict {
	DOCTOR_OK = 1,
	DOCTOR_LIMITED,         /* something will be missing from a capture */
	DOCTOR_IMPOSSIBLE,      /* there will be no capture */
};
const char *doctor_verdict_name(enum doctor_verdict verdict);        /* "ok", "limited", "no" */

enum { DOCTOR_FINDING_LIMIT = 64 };

struct doctor_finding {
	enum doctor_verdict verdict;
	char text[480];         /* "NAME: COSTS; CHANGE" */
};

struct doctor {
	struct document *document;
	enum doctor_verdict worst;
	/* They end the document, since people look at the end of what a terminal shows. */
	struct doctor_finding findings[DOCTOR_FINDING_LIMIT];
	size_t finding_count;
};

/* Keeps the worst verdict, and a finding where it is not ok. */
void doctor_judge(struct doctor *doctor, enum doctor_verdict verdict, const char *name, const char *costs,
		  const char *change);

void doctor_machine(struct doctor *doctor);
void doctor_tracepoints(struct doctor *doctor);
int doctor_process(struct doctor *doctor, pid_t pid, struct error *err);
int doctor_binary(struct doctor *doctor, const char *path, struct error *err);

/* Tracepoints that the running kernel's type information knows. NULL where it cannot be read. */
struct doctor_btf;
struct doctor_btf *doctor_btf_read(const char *path);
void doctor_btf_free(struct doctor_btf *btf);
/* The id of the type that a program attaches to: 0 where the kernel has no such tracepoint, or no such function. */
uint32_t doctor_btf_tracepoint(const struct doctor_btf *btf, const char *name);
uint32_t doctor_btf_function(const struct doctor_btf *btf, const char *name);
#define DOCTOR_BTF "/sys/kernel/btf/vmlinux"

/* The bpf() system call with the smallest map and program that say whether captures can work. 0 or negative errno. */
int doctor_bpf_map(void);
int doctor_bpf_task_storage(uint32_t sched_switch_id);

/* What an ELF file allows. */
struct doctor_elf {
	const char *kind;               /* "executable", "shared library" … */
	const char *language;           /* "Go", "Rust"; "" for others */
	bool foreign;                   /* of another processor */
	char build_id[65], debug_link[256];
	uint64_t symbols, dynamic_symbols;      /* entries of .symtab and .dynsym */
	bool unwind_tables, debug_frame, debug_info;
	bool go_table;                  /* .gopclntab, of a version that is read: rows and names, also where it is stripped */
	bool debug_found, debug_symbols;        /* its debug file is here, and names functions */
	int debug_error;                        /* why it is not here, as symbol_module has it */
	uint64_t functions, functions_with_frame;       /* looked at, and how many set up a frame pointer */
	uint64_t producers, producers_unoptimised;      /* distinct compiler command lines in the debug information */
};
int doctor_elf_read(int fd, struct doctor_elf *ret);     /* -ENOEXEC: no ELF file */
/* Looks for its debug file where a capture does: `root` is put before the path ("" for none). */
void doctor_debug_read(int fd, const char *root, const char *path, struct doctor_elf *facts);
const char *doctor_elf_frame_pointers(const struct doctor_elf *elf);    /* "yes", "no", "partly", "unknown" */
const char *doctor_elf_symbols(const struct doctor_elf *elf);           /* "full", ".gopclntab", "apart", "exported only", "stripped" */
const char *doctor_elf_optimised(const struct doctor_elf *elf);         /* "yes", "no", "partly", "unknown" */

/* The table of files, shared by processes and binaries. */
struct table;
struct table *doctor_file_table(void);
void doctor_file_add(struct doctor *doctor, struct table *table, const char *path, const struct doctor_elf *elf,
		     bool judge);
