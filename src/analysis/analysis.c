/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows. A new question is one file that ends in its row, and its name here.
 */
#include "analysis/analysis.h"

#include "profile/cohort.h"
#include "result/document.h"

#include <string.h>

extern const struct analysis analysis_chain, analysis_io, analysis_ledger, analysis_locks,
	analysis_memory, analysis_network, analysis_oncpu, analysis_requests, analysis_runnable,
	analysis_stacks, analysis_syscalls, analysis_timeline, analysis_tree, analysis_waits,
	analysis_wakers;

const struct analysis *const analyses[] = {      /* sorted by name; a test says so */
	&analysis_chain,
	&analysis_io,
	&analysis_ledger,
	&analysis_locks,
	&analysis_memory,
	&analysis_network,
	&analysis_oncpu,
	&analysis_requests,
	&analysis_runnable,
	&analysis_stacks,
	&analysis_syscalls,
	&analysis_timeline,
	&analysis_tree,
	&analysis_waits,
	&analysis_wakers,
	NULL,
};

const struct analysis *analysis_find(const char *name)
{
	for (const struct analysis *const *row = analyses; *row; row++)
		if (!strcmp((*row)->name, name))
			return *row;
	return NULL;
}

int analysis_run(const struct analysis *analysis, const struct question *question, struct document *into, struct error *err)
{
	if (!analysis->not_by_request || !cohort_is(question->profile))
		return analysis->run(question, into, err);
	if (question->alone)
		document_add_finding(into, SEVERITY_WARNING, "%s", analysis->not_by_request);
	return 0;
}
