/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The contract between the heap shim inside a target and the recorder: one shared file with two rings that many processes
 * write and one reads. A writer claims a place by advancing `next` while it is less than a lap ahead of `read`, fills it and
 * publishes it by setting `ready` there to where it was claimed + 1; a full ring drops and counts, and never waits. Events are
 * all of one size, and claimed by number; samples are as long as their stacks, claimed by byte, and never wrap: where one does
 * not fit before the end, a filler does. The reader takes the events first and the samples after them, so that it never sees the end of an object before its beginning.
 *
 * Nothing in here is trusted by the reader: the target can write all of it.
 */
#include <stdint.h>

#define HEAP_CHANNEL_MAGIC 0x70616568746375ull
#define HEAP_CHANNEL_VARIABLE "CROSSCUT_HEAP_CHANNEL"
enum {
	HEAP_CHANNEL_VERSION = 1, HEAP_EVENTS = 32768, HEAP_REGISTERS = 17, HEAP_STACK_BYTES = 28672 - 256,
	HEAP_SAMPLE_BYTES = 32 << 20, HEAP_SAMPLE_STEP = 64,     /* of the ring; every sample is a multiple of */
};

enum heap_event_kind {
	HEAP_BEGAN = 1,         /* the shim is at work in a process, or in its new image */
	HEAP_FREED,             /* a sampled object */
	HEAP_REFUSED,           /* the process has an allocator of its own that the shim does not stand before */
};

struct heap_event {
	uint64_t ready;
	uint64_t time_ns, id;
	uint32_t process, kind;
};

/* An allocation that was sampled: who, how much, and where from: the caller's registers (DWARF order, the address last) and
 * its stack from the stack pointer on. */
struct heap_sample {
	uint64_t ready;
	uint32_t room;                  /* in the ring, a multiple of HEAP_SAMPLE_STEP */
	uint32_t bytes;                 /* of stack that follow; HEAP_FILLER: this is one */
	uint64_t time_ns, id, size;
	uint32_t process, thread;
	uint64_t registers[HEAP_REGISTERS];
};
#define HEAP_FILLER 0xffffffffu

struct heap_ring { uint64_t next, read, lost, reserved[5]; };

struct heap_channel {
	uint64_t magic, version, size;
	uint64_t mean_bytes;            /* between two samples, on average */
	uint64_t closed;                /* the recorder is gone: sample no more */
	uint64_t next_id;
	uint64_t unsampled;             /* chosen, but there was no room for the object where sampled ones live */
	uint64_t reserved;
	struct heap_ring event_ring, sample_ring;
	struct heap_event events[HEAP_EVENTS];
	uint8_t samples[HEAP_SAMPLE_BYTES];
};

_Static_assert(sizeof(struct heap_event) == 32, "channel layout");
_Static_assert(sizeof(struct heap_sample) == 48 + 136, "channel layout");
_Static_assert(sizeof(struct heap_channel) % 64 == 0, "channel layout");
_Static_assert(sizeof(struct heap_ring) == 64, "channel layout");
