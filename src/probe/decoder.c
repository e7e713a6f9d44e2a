/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links wire records into a profile. Everything here is keyed by numbers that the kernel half gave (serials, stack ids)
 * and none of it is trusted: a record may name a thread or a stack that was lost, and then gets "none".
 */
#include "probe/decoder_state.h"

#include "base/map.h"
#include "base/memory.h"
#include "base/number_map.h"
#include "base/young_map.h"
#include "probe/heap_book.h"
#include "probe/interrupt_book.h"
#include "probe/probe.h"
#include "probe/request_book.h"
#include "probe/space.h"

#include <stdio.h>
#include <string.h>

struct decoder *decoder_new(struct profile *into)
{
	struct decoder *decoder = xcalloc(1, sizeof(*decoder));

	decoder->profile = into;
	decoder->spaces = spaces_new();
	decoder->threads = map_new(sizeof(uint32_t));
	decoder->threads_by_tid = map_new(sizeof(uint32_t));
	decoder->processes = map_new(sizeof(uint32_t));
	decoder->joined = map_new(sizeof(struct stack_pair));
	for (size_t i = 0; i < ARRAY_LENGTH(decoder->copied); i++) {
		decoder->stacks[i] = number_map_new();
		decoder->copied[i] = number_map_new();
	}
	decoder->requests = request_book_new(into);
	decoder->heap = heap_book_new(into);
	decoder->interrupts = interrupt_book_new();
	decoder->kernel_names = map_new(sizeof(uint64_t));
	decoder->codes = young_map_new(sizeof(struct code_key), KNOWN_CODE_LIMIT);
	decoder->evaluators = map_new(sizeof(uint32_t));
	decoder->locks = young_map_new(sizeof(struct lock_key), KNOWN_LOCK_LIMIT);
	decoder->files = map_new(sizeof(struct wire_file));
	decoder->linked = map_new(sizeof(uint32_t));
	decoder->kernel = profile_file(into, "[kernel]", NULL);
	decoder->unmapped = profile_file(into, "[unmapped]", NULL);
	return decoder;
}

void decoder_free(struct decoder *decoder)
{
	if (!decoder)
		return;
	spaces_free(decoder->spaces);
	request_book_free(decoder->requests);
	heap_book_free(decoder->heap);
	interrupt_book_free(decoder->interrupts);
	map_free(decoder->threads);
	map_free(decoder->threads_by_tid);
	map_free(decoder->processes);
	map_free(decoder->joined);
	for (size_t i = 0; i < ARRAY_LENGTH(decoder->copied); i++) {
		number_map_free(decoder->stacks[i]);
		number_map_free(decoder->copied[i]);
	}
	map_free(decoder->kernel_names);
	young_map_free(decoder->codes);
	map_free(decoder->evaluators);
	young_map_free(decoder->locks);
	map_free(decoder->files);
	map_free(decoder->linked);
	free(decoder->links);
	free(decoder->ended);
	free(decoder->evaluator_rows);
	free(decoder);
}

struct profile *decoder_profile(struct decoder *decoder)
{
	return decoder->profile;
}

struct request_book *decoder_requests(struct decoder *decoder)
{
	return decoder->requests;
}

struct heap_book *decoder_heap(struct decoder *decoder)
{
	return decoder->heap;
}

struct interrupt_book *decoder_interrupts(struct decoder *decoder)
{
	return decoder->interrupts;
}

struct slice_id decoder_slice(const struct decoder *decoder)
{
	return decoder->slice;
}

struct thread_id decoder_thread(const struct decoder *decoder, uint32_t serial)
{
	const uint32_t *id = map_find(decoder->threads, &serial);

	return (struct thread_id){ id ? *id : 0 };
}

struct thread_id decoder_waker(struct decoder *decoder, uint32_t tid)
{
	const uint32_t *id = tid ? map_find(decoder->threads_by_tid, &tid) : NULL;

	return (struct thread_id){ id ? *id : 0 };
}

bool decoder_knows_process(const struct decoder *decoder, uint32_t pid)
{
	return map_find(decoder->processes, &pid) != NULL;
}

bool decoder_knows_kernel_address(const struct decoder *decoder, uint64_t address)
{
	return map_find(decoder->kernel_names, &address) != NULL;
}

bool decoder_knows_code(struct decoder *decoder, uint32_t process, uint64_t code, uint64_t instruction)
{
	struct code_key key = { code, instruction, process };

	return young_map_find(decoder->codes, &key, NULL);
}

struct string_id decoder_kernel_name(const struct decoder *decoder, uint64_t address)
{
	const uint32_t *name = map_find(decoder->kernel_names, &address);

	return (struct string_id){ name ? *name : 0 };
}

struct evidence_id decoder_evidence(struct decoder *decoder, const struct wire_evidence *seen)
{
	struct wait_evidence evidence = {
		.task_state = seen->task_state, .syscall = seen->syscall, .flags = seen->flags, .wake_context = seen->wake_context,
		.contention = seen->contention, .futex_word = seen->futex_word, .futex_owner = seen->futex_owner,
		.futex_operation = seen->futex_operation, .file_type = seen->file_type, .socket_family = seen->socket_family,
		.socket_type = seen->socket_type, .socket_state = seen->socket_state,
		.file_release = seen->file_release ? decoder_kernel_name(decoder, seen->file_release) : (struct string_id){ 0 },
		.kernel_stack = seen->kernel_stack ? decoder_stack_of(decoder, seen->kernel_stack) : (struct stack_id){ 0 },
	};

	return profile_evidence(decoder->profile, &evidence);
}

const char *wire_text(const struct wire_head *head, size_t struct_size, unsigned index)
{
	const char *text = (const char *)head + struct_size, *end = (const char *)head + head->size;

	while (text < end) {
		size_t length = strnlen(text, (size_t)(end - text));

		if (text + length == end)
			return "";              /* it does not end in a zero byte: not a text */
		if (!index--)
			return text;
		text += length + 1;
	}
	return "";
}

/* --- The records that no single probe owns --------------------------------------------------------------------- */

static struct process_id process_now(struct decoder *decoder, uint32_t pid)
{
	struct process_id id = profile_process(decoder->profile, (struct process){
		.pid = pid, .generation = spaces_generation(decoder->spaces, pid) });

	*map_put(decoder->processes, &pid, NULL) = id.index;
	return id;
}

static struct string_id comm_of(struct decoder *decoder, const char comm[WIRE_COMM])
{
	return profile_string_size(decoder->profile, comm, WIRE_COMM);
}

static void decode_thread(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_thread *thread = (const void *)record;
	struct process_id process = process_now(decoder, thread->process);
	uint64_t window = profile_meta_number(decoder->profile, "capture.start_ns", 0);
	struct process *row;
	struct thread_id id;

	if (!process.index)                     /* the table is full, and that was counted */
		return;
	row = profile_process_edit(decoder->profile, process);
	row->parent_pid = row->parent_pid ? row->parent_pid : thread->parent;
	row->namespace_pid = thread->namespace_process;
	if (thread->tid == thread->process || !row->comm.index)
		row->comm = comm_of(decoder, thread->comm);
	id = profile_thread(decoder->profile, (struct thread){
		.process = process, .tid = thread->tid, .namespace_tid = thread->namespace_tid, .comm = comm_of(decoder, thread->comm),
		.start_ns = thread->start_ns > window ? thread->start_ns : window, .born = thread->start_ns > window });
	*map_put(decoder->threads, &thread->thread, NULL) = id.index;
	*map_put(decoder->threads_by_tid, &thread->tid, NULL) = id.index;
}

static void decode_rename(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_rename *rename = (const void *)record;
	struct thread_id id = decoder_thread(decoder, rename->thread);
	struct thread *thread;
	struct process *process;

	if (!id.index)
		return;
	thread = profile_thread_edit(decoder->profile, id);
	thread->comm = comm_of(decoder, rename->comm);
	if (!thread->process.index)
		return;
	process = profile_process_edit(decoder->profile, thread->process);
	if (process->pid == rename->tid)
		process->comm = thread->comm;
}

static void end_thread(struct decoder *decoder, uint32_t serial, uint64_t end_ns, uint64_t runtime_ns, bool died)
{
	struct thread_id id = decoder_thread(decoder, serial);
	struct thread *thread;

	if (!id.index)
		return;
	thread = profile_thread_edit(decoder->profile, id);
	thread->end_ns = end_ns > thread->start_ns ? end_ns : thread->start_ns;         /* it may have died before the window */
	thread->kernel_runtime_ns = runtime_ns;
	thread->died = died;
}

static void decode_exit(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_exit *gone = (const void *)record;

	end_thread(decoder, gone->thread, record->time_ns, gone->runtime_ns, true);
	decoder_thread_ended(decoder, gone->thread);
}

static void decode_ledger(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_ledger *ledger = (const void *)record;

	end_thread(decoder, ledger->thread, record->time_ns, ledger->runtime_ns, false);
}

static void decode_process(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_process *wire = (const void *)record;
	struct process_id id = process_now(decoder, wire->process);
	struct process none = { 0 }, *process = id.index ? profile_process_edit(decoder->profile, id) : &none;
	struct string_id *texts[] = { &process->comm, &process->cgroup, &process->executable, &process->runtime,
				      &process->pid_namespace, &process->arguments };

	for (unsigned i = 0; i < ARRAY_LENGTH(texts); i++) {
		const char *text = wire_text(record, sizeof(*wire), i);

		if (*text)
			*texts[i] = profile_string(decoder->profile, text);
	}
	process->parent_pid = wire->parent ? wire->parent : process->parent_pid;
	process->namespace_pid = wire->namespace_process ? wire->namespace_process : process->namespace_pid;
}

static void decode_space_fork(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_space *space = (const void *)record;

	spaces_fork(decoder->spaces, space->process, space->parent);
}

static void decode_space_end(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_space *space = (const void *)record;
	const uint32_t *process = map_find(decoder->processes, &space->process);

	spaces_end(decoder->spaces, space->process);
	decoder_process_ended(decoder, (struct process_id){ process ? *process : 0 }, space->process);
}

/* A new image, and with it a new generation of the process: its threads go on in that one. */
static void decode_space_exec(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_space *space = (const void *)record;
	const uint32_t *known = map_find(decoder->processes, &space->process);
	struct process before;
	struct process_id old = { known ? *known : 0 }, now;
	const uint32_t *thread;

	spaces_exec(decoder->spaces, space->process);
	if (!old.index)
		return;
	before = *profile_process_at(decoder->profile, old.index);
	now = process_now(decoder, space->process);
	if (!now.index)
		return;
	*profile_process_edit(decoder->profile, now) = (struct process){
		.pid = before.pid, .generation = spaces_generation(decoder->spaces, before.pid), .namespace_pid = before.namespace_pid,
		.parent_pid = before.parent_pid, .comm = before.comm, .cgroup = before.cgroup, .pid_namespace = before.pid_namespace };
	if (!process_is(now, old))
		decoder_process_ended(decoder, old, 0);
	thread = map_find(decoder->threads_by_tid, &space->process);
	if (thread && *thread)
		profile_thread_edit(decoder->profile, (struct thread_id){ *thread })->process = now;
}

static void decode_mapping(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_mapping *wire = (const void *)record;
	const char *path = wire_text(record, sizeof(*wire), 0), *build_id = wire_text(record, sizeof(*wire), 1);
	char anonymous[32];

	/* Generated code: an address means something only with its process. */
	if (!*path || !strcmp(path, "[anon]")) {
		(void)snprintf(anonymous, sizeof(anonymous), "[anon:%u]", wire->process);
		path = anonymous;
	}
	spaces_add(decoder->spaces, wire->process, (struct space_mapping){
		.start = wire->start, .end = wire->end, .offset = wire->offset,
		.file = profile_file(decoder->profile, path, build_id) });
}

static void decode_kernel_name(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_kernel_name *wire = (const void *)record;

	if (map_count(decoder->kernel_names) < KNOWN_NAME_LIMIT)
		*map_put(decoder->kernel_names, &wire->address, NULL) =
			profile_string(decoder->profile, wire_text(record, sizeof(*wire), 0)).index;
}

static void decode_outsider(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_outsider *wire = (const void *)record;
	struct thread_id id = profile_thread(decoder->profile, (struct thread){
		.process = process_now(decoder, wire->process), .tid = wire->tid, .outside = true,
		.comm = profile_string(decoder->profile, wire_text(record, sizeof(*wire), 0)) });

	*map_put(decoder->threads_by_tid, &wire->tid, NULL) = id.index;
}

static void decode_completion(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_completion *wire = (const void *)record;
	const uint32_t *process = map_find(decoder->processes, &wire->process);

	if (wire->outcome < OUTCOME_CORRECT || wire->outcome >= OUTCOME_COUNT) {
		decoder->malformed++;
		return;
	}
	profile_add_completion(decoder->profile, (struct completion){
		.slice = decoder->slice, .source = profile_string(decoder->profile, wire_text(record, sizeof(*wire), 0)),
		.class = profile_string(decoder->profile, wire_text(record, sizeof(*wire), 1)), .process = { process ? *process : 0 },
		.port = wire->port, .outcome = wire->outcome, .count = wire->count });
}

static void decode_loss(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_loss *wire = (const void *)record;

	profile_add_loss(decoder->profile, (struct loss){
		.slice = decoder->slice, .source = profile_string(decoder->profile, wire_text(record, sizeof(*wire), 0)),
		.seen = wire->seen, .lost = wire->lost });
}

static void decode_cost(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_cost *wire = (const void *)record;

	profile_add_own_cost(decoder->profile, (struct own_cost){
		.slice = decoder->slice, .source = profile_string(decoder->profile, wire_text(record, sizeof(*wire), 0)),
		.ns = wire->ns, .events = wire->events });
}

static void decode_slice(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_slice *wire = (const void *)record;

	if (wire->start_ns > wire->end_ns) {
		decoder->malformed++;
		return;
	}
	decoder->slice = profile_slice(decoder->profile, wire->start_ns, wire->end_ns);
	decoder_forget_ended(decoder);          /* a machine on which they come and go would fill memory with them */
}

static const struct wire_decoder decoders[] = {
	{ WIRE_THREAD, sizeof(struct wire_thread), decode_thread },
	{ WIRE_RENAME, sizeof(struct wire_rename), decode_rename },
	{ WIRE_EXIT, sizeof(struct wire_exit), decode_exit },
	{ WIRE_STACK, sizeof(struct wire_stack), decoder_decode_stack },
	{ WIRE_LEDGER, sizeof(struct wire_ledger), decode_ledger },
	{ WIRE_COMPLETION, sizeof(struct wire_completion), decode_completion },
	{ WIRE_LOSS, sizeof(struct wire_loss), decode_loss },
	{ WIRE_COST, sizeof(struct wire_cost), decode_cost },
	{ WIRE_PROCESS, sizeof(struct wire_process), decode_process },
	{ WIRE_SPACE_EXEC, sizeof(struct wire_space), decode_space_exec },
	{ WIRE_SPACE_FORK, sizeof(struct wire_space), decode_space_fork },
	{ WIRE_SPACE_END, sizeof(struct wire_space), decode_space_end },
	{ WIRE_MAPPING, sizeof(struct wire_mapping), decode_mapping },
	{ WIRE_KERNEL_NAME, sizeof(struct wire_kernel_name), decode_kernel_name },
	{ WIRE_EVALUATOR, sizeof(struct wire_evaluator), decoder_decode_evaluator },
	{ WIRE_CODE_NAME, sizeof(struct wire_code_name), decoder_decode_code_name },
	{ WIRE_OUTSIDER, sizeof(struct wire_outsider), decode_outsider },
	{ WIRE_SLICE, sizeof(struct wire_slice), decode_slice },
};

static const struct wire_decoder *decoder_row(unsigned kind)
{
	for (size_t i = 0; i < ARRAY_LENGTH(decoders); i++)
		if (decoders[i].kind == kind)
			return &decoders[i];
	return probe_decoder_of(kind);
}

size_t decoder_feed(struct decoder *decoder, const void *bytes, size_t size)
{
	const char *at = bytes, *end = at + size;
	uint64_t before = decoder->malformed;

	while ((size_t)(end - at) >= sizeof(struct wire_head)) {
		const struct wire_head *head = (const void *)at;
		const struct wire_decoder *row = decoder_row(head->kind);

		if (head->size < sizeof(*head) || head->size % 8 || head->size > (size_t)(end - at)) {
			decoder->malformed++;
			return decoder->malformed - before;
		}
		if (row && head->size >= row->size)
			row->decode(decoder, head);
		else if (row)
			decoder->malformed++;
		at += head->size;
	}
	if (at != end)
		decoder->malformed++;
	return decoder->malformed - before;
}
