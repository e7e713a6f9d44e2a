/* SPDX-License-Identifier: Apache-2.0 */
/* Names of what records refer to by number, told to the decoder before the record that needs them. */
#include "capture/drain_state.h"

#include "capture/harvest.h"
#include "capture/interpreting.h"
#include "capture/lock_names.h"
#include "interpreter/interpreter.h"
#include "probe/decoder.h"
#include "profile/profile.h"
#include "symbol/kallsyms.h"

#include <stdio.h>

void drain_name_kernel_address(struct drain *drain, uint64_t address, bool is_return)
{
	struct wire_kernel_name wire = { .address = address };
	const char *name;

	if (!address || decoder_knows_kernel_address(drain->options.decoder, address))
		return;
	name = kallsyms_name(drain->kernel, address - is_return, (uint64_t *)&wire.start);
	batch_put(&drain->extra, WIRE_KERNEL_NAME, 0, &wire, sizeof(wire), (const char *const[]){ name ? name : "", NULL });
	drain_feed_extra(drain);
}

void drain_name_kernel_stack(struct drain *drain, const struct wire_stack *stack)
{
	const uint64_t *addresses = (const void *)(stack + 1);

	if (stack->process || stack->depth > WIRE_STACK_DEPTH || sizeof(*stack) + stack->depth * 8 > stack->head.size)
		return;
	for (uint32_t i = 0; i < stack->depth; i++)
		drain_name_kernel_address(drain, addresses[i], i > 0);
}

void drain_name_interpreted(struct drain *drain, const struct wire_stack *stack)
{
	const struct wire_interpreted *frames = (const void *)((const uint64_t *)(stack + 1) + stack->depth);

	if (!stack->interpreted || sizeof(*stack) + stack->depth * 8ul + stack->interpreted * sizeof(*frames) > stack->head.size)
		return;
	for (unsigned i = 0; i < stack->interpreted; i++) {
		struct wire_code_name wire = { .code = frames[i].code, .process = stack->process,
					       .instruction = frames[i].instruction & ~WIRE_INTERPRETED_ENTRY };
		struct interpreter_frame frame = { .line = 0 };

		if (decoder_knows_code(drain->options.decoder, wire.process, wire.code, wire.instruction))
			continue;
		if (!interpreting_name(drain->interpreting, wire.process, wire.code, wire.instruction, &frame))
			wire.line = frame.line;
		batch_put(&drain->extra, WIRE_CODE_NAME, 0, &wire, sizeof(wire),
			  (const char *const[]){ frame.function, frame.file, NULL });
		drain_feed_extra(drain);
	}
}

void drain_name_waker(struct drain *drain, uint32_t tid)
{
	drain_name_outsider(drain, tid, "(gone)");
}

void drain_name_outsider(struct drain *drain, uint32_t tid, const char *comm)
{
	struct wire_outsider wire = { .tid = tid };
	struct harvested_thread thread = { .comm = "" };

	if (!tid || decoder_waker(drain->options.decoder, tid).index)
		return;
	(void)snprintf(thread.comm, sizeof(thread.comm), "%.15s", comm);
	if (!harvest_thread((pid_t)tid, &thread))
		wire.process = thread.pid;
	batch_put(&drain->extra, WIRE_OUTSIDER, 0, &wire, sizeof(wire), (const char *const[]){ thread.comm, NULL });
	drain_feed_extra(drain);
}

/* Its variables lie behind its code: the file is that of the last code before. Of a number that had several images it is the newest. */
static const struct mapping *code_before(const struct profile *profile, uint32_t process, uint64_t address)
{
	const struct mapping *before = NULL;

	for (size_t i = profile_mapping_next(profile, 0); i < profile_mapping_count(profile); i = profile_mapping_next(profile, i + 1)) {
		const struct mapping *mapping = profile_mapping_at(profile, i);

		if (mapping->start > address || profile_process_at(profile, mapping->process.index)->pid != process)
			continue;
		if (!before || mapping->process.index > before->process.index ||
		    (mapping->process.index == before->process.index && mapping->start > before->start))
			before = mapping;
	}
	return before;
}

static void name_lock_of_gone(struct drain *drain, uint32_t process, uint64_t lock, char name[LOCK_NAME_SIZE])
{
	const struct profile *profile = decoder_profile(drain->options.decoder);
	const struct mapping *code = lock_names_may_look(drain->lock_names) ? code_before(profile, process, lock) : NULL;
	const struct file *file = code ? profile_file_at(profile, code->file.index) : NULL;

	if (file && code->offset <= code->start)
		lock_names_find_gone(drain->lock_names, profile_text(profile, file->path), profile_text(profile, file->build_id),
				     lock - (code->start - code->offset), name);
}

void drain_name_lock(struct drain *drain, uint32_t process, uint64_t lock, uint32_t contention)
{
	struct wire_lock_name wire = { .lock = lock, .process = process };
	char name[LOCK_NAME_SIZE] = "";

	if (decoder_knows_lock(drain->options.decoder, process, lock))
		return;
	lock_names_find(drain->lock_names, process, lock, contention, name);
	if (process && !*name)
		name_lock_of_gone(drain, process, lock, name);
	batch_put(&drain->extra, WIRE_LOCK_NAME, 0, &wire, sizeof(wire),
		  (const char *const[]){ lock_kind(process, contention), name, NULL });
	drain_feed_extra(drain);
}
