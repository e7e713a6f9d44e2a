/* SPDX-License-Identifier: Apache-2.0 */
/* What every part of `crosscut doctor` says its findings with. */
#include "command/doctor.h"

#include <stdio.h>

const char *doctor_verdict_name(enum doctor_verdict verdict)
{
	return verdict == DOCTOR_IMPOSSIBLE ? "no" : verdict == DOCTOR_LIMITED ? "limited" : "ok";
}

void doctor_judge(struct doctor *doctor, enum doctor_verdict verdict, const char *name, const char *costs,
		  const char *change)
{
	struct doctor_finding *finding;

	if (verdict > doctor->worst)
		doctor->worst = verdict;
	if (verdict == DOCTOR_OK || doctor->finding_count == DOCTOR_FINDING_LIMIT)
		return;
	finding = &doctor->findings[doctor->finding_count++];
	finding->verdict = verdict;
	(void)snprintf(finding->text, sizeof(finding->text), "%s: %s; %s", name, costs, change);
}
