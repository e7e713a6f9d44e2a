/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of probe/, sorted by name, and the decoders they bring. */
#include "probe/probe.h"

#include <string.h>

extern const struct probe probe_block, probe_contention, probe_counters, probe_faults,
	probe_files, probe_heap, probe_heap_running, probe_irq, probe_locks, probe_network, probe_reclaim, probe_request,
	probe_resident, probe_runnable, probe_sampler, probe_sched, probe_syscalls, probe_timeline, probe_tls,
	probe_unwind, probe_wakers;

const struct probe *const probes[] = {
	&probe_block, &probe_contention, &probe_counters, &probe_faults, &probe_files, &probe_heap,
	&probe_heap_running, &probe_irq, &probe_locks, &probe_network, &probe_reclaim, &probe_request, &probe_resident, &probe_runnable,
	&probe_sampler, &probe_sched, &probe_syscalls, &probe_timeline, &probe_tls, &probe_unwind, &probe_wakers, NULL,
};

const struct probe *probe_find(const char *name)
{
	for (const struct probe *const *probe = probes; *probe; probe++)
		if (!strcmp((*probe)->name, name))
			return *probe;
	return NULL;
}

const struct wire_decoder *probe_decoder_of(unsigned kind)
{
	for (const struct probe *const *probe = probes; *probe; probe++)
		for (const struct wire_decoder *row = (*probe)->decoders; row && row->kind; row++)
			if (row->kind == kind)
				return row;
	return NULL;
}
