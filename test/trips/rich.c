/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a capture that holds some of everything, and names as hostile as users' programs make them: not ASCII, not even
 * UTF-8, with the signs by which formats part their fields, and stacks that are empty, deep, cut, inlined, interpreted or
 * half in the kernel. For test/trips/run. build/rich FILE.xcut
 */
#include "base/error.h"
#include "format/native.h"
#include "profile/profile.h"

#include <stdio.h>
#include <string.h>

enum { SECOND = 1000000000, SLICES = 3, DEPTH = 300 };

static struct profile *profile;
static struct thread_id threads[4];
static struct measure_id user, kernel, oncpu_total, waits, waits_total, bytes;
static struct evidence_id disk, idle;
static struct object_id lock;
static struct frame_id inlined_call;

static const char *const names[] = {
	"main", "Größe::naïve(λ x)", "日本語", "operator<<(std::ostream&, char const*)", "a;b", "name 42", "quote\"back\\slash",
	"<script>alert(1)</script>", "tab\there", "new\nline", "100%", "{}[],:", " leading", "trailing ", "(in ?)", "-1", "😀",
	"std::vector<int, std::allocator<int> >::push_back(int&&)", "net/http.(*Client).Do", "Lcom/example/Store$Inner;::get",
	"truncated", "not\xff\xfeutf8", "fn=", "calls=1 2", "/* c */", "#hash", "'single'", "$schema", "\\u0041", "__proto__",
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static struct string_id text(const char *bytes_of) { return profile_string(profile, bytes_of); }

static struct stack_id push(struct stack_id stack, struct frame frame, enum stack_status status)
{
	return profile_stack(profile, stack, profile_frame(profile, frame), status);
}

static struct frame named(const char *name, uint32_t line, enum frame_method method)
{
	return (struct frame){ .name = text(name), .line = line, .path = line ? text("src/größe file.py") : (struct string_id){ 0 },
			       .method = method };
}

static void put(uint32_t slice, struct thread_id thread, struct measure_id measure, struct evidence_id evidence,
		struct stack_id stack, uint64_t count, uint64_t value, uint8_t p_log2)
{
	profile_add_cell(profile, (struct cell){ .slice = { slice }, .thread = thread, .measure = measure, .evidence = evidence,
						 .stack = stack, .count = count, .value = value, .p_log2 = p_log2,
						 .maximum = count ? value / count : 0 });
}

/* --- What is the same in all slices ----------------------------------------------------------- */

static void processes_make(void)
{
	static const char *const comms[] = { "worker", "Größe ☃", "a;b \"c\"<", "kworker/0:1" };
	struct process_id first = profile_process(profile, (struct process){
		.pid = 4242, .generation = 1, .parent_pid = 1, .comm = text("store"), .executable = text("/usr/bin/store"),
		.cgroup = text("/a/b") });
	struct process_id second = profile_process(profile, (struct process){ .pid = 77, .generation = 1, .comm = text("python3"),
									      .runtime = text("python 3.11") });

	for (uint32_t i = 0; i < 4; i++)
		threads[i] = profile_thread(profile, (struct thread){
			.process = i == 3 ? (struct process_id){ 0 } : i == 2 ? second : first, .tid = i ? 5000 + i : 4242,
			.comm = text(comms[i]), .outside = i == 3, .start_ns = SECOND, .end_ns = (SLICES + 1ull) * SECOND });
}

static struct measure_id measure(const char *state, const char *part, enum measure_role role, uint64_t period)
{
	struct dimension_id dimension = state ? profile_dimension(profile, dimension_row_find(state, part)) : (struct dimension_id){ 0 };

	return profile_measure(profile, (struct measure){
		.dimension = dimension, .role = role, .weighting = period ? WEIGHTING_SAMPLED : WEIGHTING_EXACT,
		.source = text(state ? "cpu-clock" : "sched"), .period = period });
}

static void measures_make(void)
{
	static const struct dimension_row amount = { .name = "fetched", .unit = "bytes", .kind = DIMENSION_AMOUNT, .meaning = "bytes fetched" };
	struct wait_evidence seen = { .task_state = 2, .syscall = 17, .flags = EVIDENCE_IOWAIT };

	user = measure("oncpu", "user", ROLE_SPLIT, 10101010);
	kernel = measure("oncpu", "kernel", ROLE_SPLIT, 10101010);
	oncpu_total = measure("oncpu", "user", ROLE_TOTAL, 0);
	waits = measure(NULL, NULL, ROLE_SPLIT, 0);
	waits_total = measure(NULL, NULL, ROLE_TOTAL, 0);
	bytes = profile_measure(profile, (struct measure){ .dimension = profile_dimension(profile, &amount), .role = ROLE_SPLIT,
							   .weighting = WEIGHTING_EXACT, .source = text("fetched") });
	disk = profile_evidence(profile, &seen);
	seen.syscall = 232;
	idle = profile_evidence(profile, &seen);
	profile_evidence_class(profile, disk, profile_dimension(profile, dimension_row_find("disk", "read")), text("disk-read"), false);
	profile_evidence_class(profile, idle, profile_dimension(profile, dimension_row_find("idle", "queue")), text("idle-queue"), false);
	lock = profile_object(profile, (struct object){ text("lock"), text("cache, \"the\" größe"), 0xffff888000000000 });
}

/* main → the program → an inlined pair → libc → the kernel */
static struct stack_id native_stack(void)
{
	struct file_id program = profile_file(profile, "/usr/bin/store größe", "abcdef0123456789");
	struct file_id library = profile_file(profile, "/lib/libc.so.6", "0011223344556677");
	struct file_id code = profile_file(profile, "[kernel]", NULL);
	struct process_id process = profile_thread_at(profile, threads[0].index)->process;
	struct stack_id stack = { 0 };
	struct frame_id inlined;

	profile_mapping(profile, (struct mapping){ process, program, 0x400000, 0x480000, 0x1000, 5 });
	profile_mapping(profile, (struct mapping){ process, library, 0x7f0000000000, 0x7f0000100000, 0, 5 });
	stack = push(stack, (struct frame){ .file = program, .offset = 0x1100, .method = METHOD_FRAME_POINTER }, STACK_COMPLETE);
	inlined = profile_frame(profile, (struct frame){ .file = program, .offset = 0x2200, .method = METHOD_FRAME_POINTER });
	stack = profile_stack(profile, stack, inlined, STACK_COMPLETE);
	inlined_call = inlined;
	stack = push(stack, (struct frame){ .file = library, .offset = 0x3300, .method = METHOD_CFI }, STACK_COMPLETE);
	return push(stack, (struct frame){ .file = code, .offset = 0xffffffff81012345, .method = METHOD_KERNEL,
					   .name = text("io_schedule") }, STACK_COMPLETE);
}

static struct stack_id interpreted_stack(void)
{
	struct stack_id stack = push((struct stack_id){ 0 }, named("<module>", 3, METHOD_INTERPRETER), STACK_COMPLETE);

	stack = push(stack, named("größe", 17, METHOD_INTERPRETER), STACK_COMPLETE);
	return push(stack, named("größe", 18, METHOD_INTERPRETER), STACK_COMPLETE);
}

static struct stack_id deep_stack(void)
{
	struct stack_id stack = { 0 };

	for (uint32_t i = 0; i < DEPTH; i++)
		stack = push(stack, named(i % 2 ? "ping" : "pong", 0, METHOD_IMPORTED), STACK_COMPLETE);
	return stack;
}

static struct stack_id cut_stack(void)
{
	return push(push((struct stack_id){ 0 }, named("upper", 0, METHOD_IMPORTED), STACK_TRUNCATED),
		    named("leaf", 0, METHOD_IMPORTED), STACK_TRUNCATED);
}

static struct stack_id long_name_stack(void)
{
	static char name[3000];

	memset(name, 'x', sizeof(name) - 1);
	return push((struct stack_id){ 0 }, named(name, 0, METHOD_IMPORTED), STACK_COMPLETE);
}

/* --- What happened ---------------------------------------------------------------------------- */

static void stacks_put(uint32_t slice)
{
	put(slice, threads[0], user, (struct evidence_id){ 0 }, native_stack(), 3, 3 * 10101010ull, 0);
	put(slice, threads[0], kernel, (struct evidence_id){ 0 }, native_stack(), 2, 2 * 10101010ull, 0);
	put(slice, threads[1], user, (struct evidence_id){ 0 }, (struct stack_id){ 0 }, 1, 10101010, 0);
	put(slice, threads[1], user, (struct evidence_id){ 0 }, deep_stack(), 1, 10101010, 0);
	put(slice, threads[2], user, (struct evidence_id){ 0 }, interpreted_stack(), 4, 40404040, 0);
	put(slice, threads[2], user, (struct evidence_id){ 0 }, cut_stack(), 1, 10101010, 0);
	put(slice, threads[2], user, (struct evidence_id){ 0 }, long_name_stack(), 1, 10101010, 0);
	for (uint32_t i = 0; i < NAMES; i++)
		put(slice, threads[i % 3], user, (struct evidence_id){ 0 },
		    push(push((struct stack_id){ 0 }, named("root", 0, METHOD_IMPORTED), STACK_COMPLETE),
			 named(names[i], 0, METHOD_IMPORTED), STACK_COMPLETE), 1, 1000 + i, 0);
}

static void waits_put(uint32_t slice)
{
	struct cell cell = { .slice = { slice }, .thread = threads[0], .measure = waits, .evidence = disk, .stack = native_stack(),
			     .object = lock, .other = threads[3], .count = 5, .value = 1000003, .p_log2 = 3, .maximum = 300000 };

	profile_add_cell(profile, cell);
	put(slice, threads[2], waits, idle, interpreted_stack(), 9, 777, 0);
	put(slice, threads[0], waits_total, disk, (struct stack_id){ 0 }, 40, 8000024, 0);
	put(slice, threads[0], oncpu_total, (struct evidence_id){ 0 }, (struct stack_id){ 0 }, 7, 700000000, 0);
	put(slice, threads[0], bytes, (struct evidence_id){ 0 }, native_stack(), 6, 9007199254740993ull, 0);
}

static void events_put(uint32_t slice)
{
	uint64_t start = (uint64_t)slice * SECOND;

	profile_add_interval(profile, (struct interval){ threads[0], start + 1000, start + 6000, disk, native_stack(), threads[3], { 0 },
							 { 0 } });
	profile_add_interval(profile, (struct interval){ threads[2], start + 10, start + 777, idle, { 0 }, threads[0], { 0 }, { 0 } });
	profile_add_request(profile, (struct request){ threads[0], text("GET /"), text("correct"), text("trace-1"), false, 16, 200,
						       start, start + 1, start + 78 });
	profile_add_completion(profile, (struct completion){ { slice }, text("http"), { 1 }, 80, text("200"), OUTCOME_CORRECT, 100 });
	profile_add_loss(profile, (struct loss){ { slice }, text("ring"), 1000, slice });
}

int main(int count, char **arguments)
{
	struct native *native = native_new();
	struct error err = { 0 };
	int r;

	if (count != 2)
		return 2;
	profile = profile_new();
	profile_set_meta(profile, "label.build", "b17 'größe'");
	profile_set_meta(profile, "import.bias", "allocation");
	profile_set_meta_number(profile, "capture.start_wall_ns", 1764410400000000000);
	processes_make();
	measures_make();
	r = native_create(native, arguments[1], true, 0, &err);
	for (uint32_t i = 1; r >= 0 && i <= SLICES; i++) {
		struct slice_id slice = profile_slice(profile, (uint64_t)i * SECOND, (i + 1ull) * SECOND);

		stacks_put(i);
		waits_put(i);
		events_put(i);
		r = native_slice(native, profile, slice, &err);
		profile_clear_facts(profile);
	}
	profile_add_symbol(profile, (struct symbol){ inlined_call, 1, text("outer"), text("a.c"), text("dwarf"), 10 });
	profile_add_symbol(profile, (struct symbol){ inlined_call, 0, text("inner"), text("dir/b größe.h"), text("dwarf"), 20 });
	if (r >= 0)
		r = native_seal(native, profile, &err);
	if (r < 0)
		(void)fprintf(stderr, "%s: %s\n", err.what, err.why);
	native_free(native);
	profile_free(profile);
	return r < 0 ? 4 : 0;
}
