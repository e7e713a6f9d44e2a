/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What the halves of the decoder share: decoder.c links threads, processes and facts, decoder_stack.c makes stacks. */
#include "probe/decoder.h"

struct map;
struct number_map;
struct spaces;
struct young_map;

/* Of stacks at least twice as many as the kernel half remembers to have sent: whom it still names must be known here. */
enum { COPIED_STACK_LIMIT = 64 << 10, KNOWN_STACK_LIMIT = 128 << 10, JOINED_STACK_LIMIT = 16 << 10,
       KNOWN_NAME_LIMIT = 1 << 20 };

/* A thread that died; or, where the serial number is 0, a process, or what it was before a new image: then its number is not free,
 * and pid 0. */
struct ended { uint32_t slice, serial; struct process_id process; uint32_t pid, generation; };

struct stack_pair { uint64_t user, kernel; };
struct code_key { uint64_t code, instruction, process; };
struct evaluator { uint64_t start, end; };
struct lock_key { uint64_t lock, process; };
struct pending_link { struct link link; uint32_t next; };       /* next: index + 1 of the same thread's */
enum { PENDING_LINK_LIMIT = 256 << 10 };
/* Of processes that come and go, too; who is forgotten is told again. */
enum { KNOWN_LOCK_LIMIT = 64 << 10, KNOWN_CODE_LIMIT = 64 << 10 };

struct decoder {
	struct profile *profile;
	struct slice_id slice;
	struct spaces *spaces;
	struct map *threads;            /* serial -> thread_id */
	struct ended *ended;            /* first the one that ended first */
	size_t ended_count, ended_room;
	uint32_t ended_kept;            /* slices beyond those in which facts of theirs still come */
	struct map *threads_by_tid;     /* tid -> thread_id, the newest */
	struct map *processes;          /* pid -> process_id of its present generation */
	struct number_map *stacks[2];          /* wire stack id -> stack_id, those that were told or asked for lately first */
	struct number_map *copied[2];          /* the same of those that were copied */
	struct map *joined;             /* struct stack_pair -> stack_id */
	struct map *kernel_names;       /* address -> string_id */
	struct young_map *codes;        /* struct code_key -> frame_id */
	struct map *evaluators;         /* pid -> index */
	struct young_map *locks;        /* struct lock_key -> object_id */
	struct map *files;              /* struct wire_file -> string_id */
	struct map *linked;             /* serial -> index + 1 of the links that wait for their interval, newest first */
	struct pending_link *links;
	size_t link_count, link_room, links_open;
	struct evaluator *evaluator_rows;
	size_t evaluator_count, evaluator_room;
	struct file_id kernel, unmapped;
	struct interrupt_book *interrupts;
	struct request_book *requests;
	struct heap_book *heap;
	uint64_t malformed;
};

/* decoder_ended.c: facts of who ended come for some slices more; then what is kept of them goes. */
void decoder_thread_ended(struct decoder *decoder, uint32_t serial);
void decoder_process_ended(struct decoder *decoder, struct process_id id, uint32_t pid);
void decoder_forget_ended(struct decoder *decoder);
struct string_id decoder_kernel_name(const struct decoder *decoder, uint64_t address);    /* none where it was never told */
struct stack_id decoder_stack_of(struct decoder *decoder, uint64_t id);             /* by the id on the wire */
void decoder_decode_stack(struct decoder *decoder, const struct wire_head *record);
void decoder_decode_evaluator(struct decoder *decoder, const struct wire_head *record);
void decoder_decode_code_name(struct decoder *decoder, const struct wire_head *record);
