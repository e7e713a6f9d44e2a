/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The kernel half of CPython: the frames of the thread that runs or blocks, two reads each, as they stand at this
 * very moment. The user half says which process is one, where its version keeps what, and which thread has which state; it
 * learns the names of the code while the process lives. What is read of an interpreter caught in the middle of a call may be
 * anything: every address is only ever read from, and it is the user half that believes it or not.
 */
#include "probe/kernel.bpf.h"

#include "wire/python_stamp.h"

enum { FRAME_WORDS = 9, FLAGS_WORD = 8, OWNER_C_STACK = 3 };

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);                     /* process */
	__type(value, struct wire_python);
} python_processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);                     /* tid */
	__type(value, struct wire_python_thread);
} python_threads SEC(".maps");

/* Processes of which a thread was seen whose state is not known: the user half reads their list of threads again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u32);
} python_missing SEC(".maps");

struct python_walk {
	struct stack_buffer *buffer;
	const struct wire_python *layout;
	__u64 frame;
	__u32 at, count;                        /* the next word to write; frames written */
};

static __always_inline void put_word(struct stack_buffer *buffer, __u32 at, __u64 word)
{
	if (at < WIRE_STACK_WORDS)
		buffer->addresses[at] = word;
}

/* A word of those that were read, chosen without an index: the verifier follows a stack slot, not a number. */
static __always_inline __u64 word_of(const __u64 words[FRAME_WORDS], __u8 which)
{
	__u64 word = 0;

#pragma unroll
	for (int i = 0; i < FRAME_WORDS; i++)
		if (which == i)
			word = words[i];
	return word;
}

/* Where the texts cannot be read the stamp fits no code: it will not be named. */
static __always_inline __u64 stamped(const struct wire_python *layout, __u64 code)
{
	__u64 texts[PYTHON_STAMP_WORDS] = { 0 };

	bpf_probe_read_user(texts, sizeof(texts), (void *)(code + layout->code_texts));
	return (code & ((1ull << PYTHON_STAMP_SHIFT) - 1)) | python_stamp(texts);
}

static long python_frame(__u32 index, struct python_walk *walk)
{
	const struct wire_python *layout = walk->layout;
	__u64 words[FRAME_WORDS], instruction;
	__u32 last = walk->at - 1;

	if (!walk->frame || walk->count >= WIRE_INTERPRETED_LIMIT ||
	    bpf_probe_read_user(words, sizeof(words), (void *)walk->frame))
		return 1;
	walk->frame = word_of(words, layout->previous);
	if (!layout->has_entry_flag && ((words[FLAGS_WORD] >> (layout->owner_shift & 63)) & 0xff) == OWNER_C_STACK) {
		if (walk->count && last < WIRE_STACK_WORDS)
			walk->buffer->addresses[last] |= WIRE_INTERPRETED_ENTRY;
		return 0;
	}
	instruction = word_of(words, layout->instruction) & ~WIRE_INTERPRETED_ENTRY;
	if (layout->has_entry_flag && ((words[FLAGS_WORD] >> (layout->entry_shift & 63)) & 0xff))
		instruction |= WIRE_INTERPRETED_ENTRY;
	put_word(walk->buffer, walk->at, stamped(layout, word_of(words, layout->code)));
	put_word(walk->buffer, walk->at + 1, instruction);
	walk->at += 2;
	walk->count++;
	return 0;
}

VERIFIED_ONCE __u32 python_take(struct stack_buffer *buffer, __u32 depth)
{
	__u64 both = bpf_get_current_pid_tgid(), frame = 0;
	__u32 process = both >> 32, tid = both;
	struct python_walk walk = { .buffer = buffer, .at = depth };
	const struct wire_python_thread *thread;

	if (!buffer || depth > WIRE_STACK_DEPTH_LIMIT)
		return 0;
	walk.layout = bpf_map_lookup_elem(&python_processes, &process);
	if (!walk.layout)
		return 0;
	thread = bpf_map_lookup_elem(&python_threads, &tid);
	if (!thread || thread->process != process) {
		bpf_map_update_elem(&python_missing, &process, &tid, BPF_ANY);
		return 0;
	}
	if (!thread->state)                     /* it is known to be none of the interpreter's */
		return 0;
	if (bpf_probe_read_user(&frame, sizeof(frame), (void *)(thread->state + walk.layout->thread_frame)))
		return 0;
	if (walk.layout->has_cframe && bpf_probe_read_user(&frame, sizeof(frame), (void *)(frame + walk.layout->cframe_frame)))
		return 0;
	walk.frame = frame;
	bpf_loop(2 * WIRE_INTERPRETED_LIMIT, python_frame, &walk, 0);
	return walk.count;
}
