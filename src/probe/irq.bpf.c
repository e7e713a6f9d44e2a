/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Interrupts: for how long a thread that had the processor ran handlers in place of its own code. Exact, by thread, and a part of
 * its on-CPU time that is named for what it is; the ledger's states stay as they are.
 *
 *	thread ──┐          ┌──────────────────┐            ┌── thread
 *	         └─ handler ┘   softirq   ┌────┘  softirq   │
 *	           (IRQ)                  └ handler (IRQ) ──┘      SOFTIRQ is what is left of it without the handlers inside
 *
 * Hard interrupts do not nest on Linux, and neither switches threads: each interval lies inside one on-CPU interval of the thread
 * that it interrupts. What the processor does before the tracepoint and after it (some hundred ns of entry code) is not in it. A
 * softirq that a thread's own send raises runs at the end of that call, in the thread: it is softirq time as well, as the
 * kernel's own accounting has it.
 */
#include "probe/irq.bpf.h"

const volatile bool irq_watched = false;

PAIR_OF_MAPS(interrupts, 16384, BPF_F_NO_PREALLOC, struct wire_interrupt_key, struct wire_interrupt_value);

/* Of one CPU: since when a handler, a softirq runs (0: none does), and how long handlers ran inside that softirq. */
struct irq_cpu { __u64 handler_ns, softirq_ns, inside_ns; };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct irq_cpu);
} irq_cpus SEC(".maps");

static __always_inline struct irq_cpu *irq_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&irq_cpus, &zero);
}

HIDDEN bool irq_in_softirq(void)
{
	struct irq_cpu *cpu = irq_cpu();

	return cpu && cpu->softirq_ns;
}

/* The ledger of the thread that is interrupted; NULL where none of the population is. */
static __always_inline struct task_ledger *interrupted(void)
{
	struct task_ledger *ledger = ledger_of(bpf_get_current_task_btf(), false);

	return ledger && ledger->serial ? ledger : NULL;
}

/* By one thread, and handlers and softirqs have a key each: no race. */
VERIFIED_ONCE int irq_add(__u32 thread, __u32 softirq, __u64 ns)
{
	struct wire_interrupt_key key = { .thread = thread, .softirq = softirq };
	struct wire_interrupt_value *value;

	count(COUNT_INTERRUPTS);
	value = PAIR_VALUE(interrupts, &key);
	if (!value) {
		count(COUNT_INTERRUPTS_LOST);
		return 0;
	}
	value->count++;
	value->ns += ns;
	if (ns > value->maximum_ns)
		value->maximum_ns = ns;
	return 0;
}

/* The part of it that lies in the window. */
static __always_inline __u64 length(__u64 from, __u64 to)
{
	if (from < window_start_ns)
		from = window_start_ns;
	if (to > window_end_ns)
		to = window_end_ns;
	return to > from ? to - from : 0;
}

static __always_inline int handler_begun(void)
{
	struct irq_cpu *cpu = irq_cpu();

	if (cpu && interrupted())
		cpu->handler_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int handler_left(void)
{
	struct irq_cpu *cpu = irq_cpu();
	struct task_ledger *ledger;
	__u64 begun, ns;

	if (!cpu || !cpu->handler_ns)
		return 0;
	begun = cpu->handler_ns;
	cpu->handler_ns = 0;
	ledger = interrupted();
	ns = length(begun, bpf_ktime_get_ns());
	if (!ledger || !ns)
		return 0;
	if (cpu->softirq_ns)
		cpu->inside_ns += ns;
	irq_add(ledger->serial, 0, ns);
	return 0;
}

SEC("?tp_btf/softirq_entry")
int BPF_PROG(softirq_begun, unsigned int vector)
{
	struct irq_cpu *cpu = irq_cpu();

	if (!cpu || !interrupted())
		return 0;
	cpu->inside_ns = 0;
	cpu->softirq_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("?tp_btf/softirq_exit")
int BPF_PROG(softirq_left, unsigned int vector)
{
	struct irq_cpu *cpu = irq_cpu();
	struct task_ledger *ledger;
	__u64 begun, inside, ns;

	if (!cpu || !cpu->softirq_ns)
		return 0;
	ns = bpf_ktime_get_ns();                        /* a handler that comes now is outside */
	begun = cpu->softirq_ns;
	inside = cpu->inside_ns;
	cpu->softirq_ns = 0;
	ledger = interrupted();
	ns = length(begun, ns);
	if (ledger && ns > inside)
		irq_add(ledger->serial, 1, ns - inside);
	return 0;
}

/* What a handler is told does not matter here. */
#define HANDLER(name, tracepoint)                                               \
	SEC("?tp_btf/" #tracepoint "_entry")                                    \
	int BPF_PROG(name##_begun)                                              \
	{                                                                       \
		return handler_begun();                                         \
	}                                                                       \
	SEC("?tp_btf/" #tracepoint "_exit")                                     \
	int BPF_PROG(name##_left)                                               \
	{                                                                       \
		return handler_left();                                          \
	}

HANDLER(irq_device, irq_handler)
HANDLER(irq_timer, local_timer)
HANDLER(irq_reschedule, reschedule)
HANDLER(irq_call, call_function)
HANDLER(irq_call_single, call_function_single)
HANDLER(irq_work, irq_work)
