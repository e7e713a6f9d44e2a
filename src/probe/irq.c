/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts become parts of the on-CPU time of the threads that they interrupted: what is told here waits in a book until
 * the on-CPU time that holds it is told, in this slice or in a later one, and is taken out of that (sched.c). So the parts of
 * a thread add up to what it had before, slice by slice, and nothing is counted twice.
 */
#include "probe/interrupt_book.h"
#include "probe/probe.h"

static void decode_interrupt(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_interrupt *wire = (const void *)record;

	interrupt_book_add(decoder_interrupts(decoder), wire->key.thread, wire->key.softirq ? INTERRUPT_SOFTIRQ : INTERRUPT_HANDLER,
			   (struct interrupted){ wire->value.count, wire->value.ns, wire->value.maximum_ns });
}

static const struct wire_decoder decoders[] = {
	{ WIRE_INTERRUPT, sizeof(struct wire_interrupt), decode_interrupt },
	{ 0 },
};

extern const struct probe probe_irq;
const struct probe probe_irq = {
	.name = "irq", .summary = "interrupts: the on-CPU time of threads that handlers took",
	.fills = "oncpu/irq, oncpu/softirq", .without = "what interrupts take of a thread counts as its own on-CPU time",
	.paid = "each interrupt and each softirq of the host pays two programs, whomever it interrupts",
	.programs = {
		{ "softirq_begun", "softirq_entry", 80 }, { "softirq_left", "softirq_exit", 120 },
		{ "irq_device_begun", "irq_handler_entry", 80 }, { "irq_device_left", "irq_handler_exit", 120 },
		{ "irq_timer_begun", "local_timer_entry", 80 }, { "irq_timer_left", "local_timer_exit", 120 },
		{ "irq_reschedule_begun", "reschedule_entry", 80 }, { "irq_reschedule_left", "reschedule_exit", 120 },
		{ "irq_call_begun", "call_function_entry", 80 }, { "irq_call_left", "call_function_exit", 120 },
		{ "irq_call_single_begun", "call_function_single_entry", 80 },
		{ "irq_call_single_left", "call_function_single_exit", 120 },
		{ "irq_work_begun", "irq_work_entry", 80 }, { "irq_work_left", "irq_work_exit", 120 },
	},
	.decoders = decoders,
};
