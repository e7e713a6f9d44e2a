/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Bytes in, profile out. A decoder holds what links wire records to each other (serial numbers, stack ids, address
 * spaces, kernel names); it touches no kernel, so tests and fuzzers feed it bytes. Records of one batch come sorted by
 * time; a malformed one is skipped and counted.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/profile.h"
#include "wire/wire.h"

struct decoder;
struct heap_book;
struct interrupt_book;
struct request_book;

struct decoder *decoder_new(struct profile *into);       /* borrows the profile */
void decoder_free(struct decoder *decoder);
DEFINE_CLEANUP(decoder)
/* Facts of the last so many slices may still be stored: whoever ended in one of them is not let go. */
void decoder_remember_ended(struct decoder *decoder, uint32_t slices);

/* Decodes all records in bytes. Returns how many were malformed; a size that cannot be believed ends the batch. */
size_t decoder_feed(struct decoder *decoder, const void *bytes, size_t size);
/* Where in the batch a record goes wrong is not kept; that one did is: a loss row "decode" per slice. */

/* --- For the probes' decode functions -------------------------------------------------------------------------- */
struct profile *decoder_profile(struct decoder *decoder);
struct slice_id decoder_slice(const struct decoder *decoder);
struct thread_id decoder_thread(const struct decoder *decoder, uint32_t serial);         /* none where unknown */
struct thread_id decoder_waker(struct decoder *decoder, uint32_t tid);                   /* the newest thread of that id */
struct evidence_id decoder_evidence(struct decoder *decoder, const struct wire_evidence *seen);
struct stack_id decoder_stack(struct decoder *decoder, uint64_t user, uint64_t kernel);  /* joined: kernel on top */
struct interrupt_book *decoder_interrupts(struct decoder *decoder);
struct request_book *decoder_requests(struct decoder *decoder);
struct heap_book *decoder_heap(struct decoder *decoder);
struct stack_id decoder_waker_stack(struct decoder *decoder, uint64_t id);         /* of a program or of the kernel */
bool decoder_knows_lock(struct decoder *decoder, uint32_t process, uint64_t lock);
/* What was sent of a thread's wait before the wait itself: now it is there, as the newest interval. */
void decoder_link_interval(struct decoder *decoder, uint32_t serial, uint64_t start_ns, uint64_t end_ns);
bool decoder_knows_process(const struct decoder *decoder, uint32_t pid);
bool decoder_knows_code(struct decoder *decoder, uint32_t process, uint64_t code, uint64_t instruction);
bool decoder_knows_kernel_address(const struct decoder *decoder, uint64_t address);

/* A text that follows a record's struct: the index-th; "" beyond the last. Never reads past the record. */
const char *wire_text(const struct wire_head *head, size_t struct_size, unsigned index);

/* One kind of record: which struct it holds at least, and what it means. Rows lie with the probe that writes the kind. */
struct wire_decoder {
	enum wire_kind kind;
	size_t size;                         /* the smallest record that holds its struct */
	void (*decode)(struct decoder *decoder, const struct wire_head *record);
};
