/* SPDX-License-Identifier: Apache-2.0 */
/* Truth against ledger, thread by thread; the worst thread decides, and says in words what is wrong with it. */
#include "command/calibrate_judge.h"

#include "profile/profile.h"
#include "profile/summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *calibration_verdict_name(enum calibration_verdict verdict)
{
	static const char *const names[] = {
		[CALIBRATION_NOT_RUN] = "not run", [CALIBRATION_WITHIN] = "yes", [CALIBRATION_OUTSIDE] = "NO",
	};

	return verdict >= CALIBRATION_NOT_RUN && verdict <= CALIBRATION_OUTSIDE ? names[verdict] : "?";
}

/* What a capture holds of one thread. */
struct ledger {
	const struct thread *thread;
	double oncpu_ns, woken_ns, preempted_ns, throttled_ns;
	double blocked_ns, lost_ns;             /* lost is in none of the others */
	double state_ns, part_ns;               /* in the row's */
	double other_ns;                        /* the largest other class of its blocked time … */
	char other[96];                         /* … and its name */
};

/* The first thing found wrong is told; one reason is enough to look. */
static void wrong(struct calibration *ret, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void wrong(struct calibration *ret, const char *format, ...)
{
	va_list arguments;

	if (ret->verdict == CALIBRATION_OUTSIDE)
		return;
	ret->verdict = CALIBRATION_OUTSIDE;
	va_start(arguments, format);
	(void)vsnprintf(ret->why, sizeof(ret->why), format, arguments);
	va_end(arguments);
}

/* --- What the capture holds ------------------------------------------------------------------------------------- */

static const char *dimension_text(const struct profile *profile, struct dimension_id id)
{
	return profile_text(profile, profile_dimension_at(profile, id.index)->name);
}

static void add_ready(struct ledger *ledger, const char *part, double ns)
{
	if (!strcmp(part, "woken"))
		ledger->woken_ns += ns;
	else if (!strcmp(part, "throttled"))
		ledger->throttled_ns += ns;
	else
		ledger->preempted_ns += ns;
}

static void name_class(const struct profile *profile, struct dimension_id class, const struct evidence *evidence, char *text,
		       size_t size)
{
	struct dimension_id root = profile_dimension_root(profile, class);
	const char *rule = evidence ? profile_text(profile, evidence->rule) : "";
	const char *slash = root.index == class.index ? "" : "/";

	(void)snprintf(text, size, "%s%s%s, %s%s", dimension_text(profile, root), slash,
		       *slash ? dimension_text(profile, class) : "", *rule ? "by rule " : "for which there is no rule", rule);
}

static void add_blocked(const struct profile *profile, const struct truth *row, const struct cell *cell, struct ledger *ledger)
{
	struct dimension_id class = profile_cell_dimension(profile, cell);
	struct dimension_id root = profile_dimension_root(profile, class);
	const struct evidence *evidence = cell->evidence.index ? profile_evidence_at(profile, cell->evidence.index) : NULL;
	bool in_state = row->state && !strcmp(dimension_text(profile, root), row->state);
	bool in_part = in_state && (!row->part || !strcmp(dimension_text(profile, class), row->part));
	double ns = (double)cell->value;

	if (evidence && evidence->seen.flags & EVIDENCE_LOST) {
		ledger->lost_ns += ns;
		return;
	}
	ledger->blocked_ns += ns;
	ledger->state_ns += in_state ? ns : 0;
	ledger->part_ns += in_part ? ns : 0;
	if (!in_part && ns > ledger->other_ns) {
		ledger->other_ns = ns;
		name_class(profile, class, evidence, ledger->other, sizeof(ledger->other));
	}
}

static void add_cell(const struct profile *profile, const struct truth *row, const struct cell *cell, struct ledger *ledger)
{
	struct dimension_id class = profile_cell_dimension(profile, cell);
	struct dimension_id root = profile_dimension_root(profile, class);

	switch (profile_dimension_at(profile, root.index)->kind) {
	case DIMENSION_RUNNING:
		ledger->oncpu_ns += (double)cell->value;
		break;
	case DIMENSION_READY:
		add_ready(ledger, dimension_text(profile, class), (double)cell->value);
		break;
	case DIMENSION_WAITING:
	case DIMENSION_IDLE:
		add_blocked(profile, row, cell, ledger);
		break;
	default:
		break;
	}
}

/* Its row in the capture is the one of its id that lived when it lived. */
static const struct thread *thread_of(const struct profile *profile, const struct truth_thread *own, uint32_t *ret_index)
{
	for (size_t i = 1; i < profile_thread_count(profile); i++) {
		const struct thread *thread = profile_thread_at(profile, i);

		if (thread->outside || thread->tid != (uint32_t)own->tid || thread->start_ns > own->end_ns ||
		    thread->end_ns < own->start_ns)
			continue;
		*ret_index = (uint32_t)i;
		return thread;
	}
	return NULL;
}

static bool ledger_of(const struct profile *profile, const struct truth *row, const struct truth_thread *own, struct ledger *ret)
{
	uint32_t index = 0;

	*ret = (struct ledger){ .thread = thread_of(profile, own, &index) };
	if (!ret->thread)
		return false;
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (cell->thread.index == index && profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL)
			add_cell(profile, row, cell, ret);
	}
	return true;
}

/* --- Verdict on one thread -------------------------------------------------------------------------------------- */

/* What was seen of one thread where the row looks, and the doubt about it: what it cannot know is what comes before its
 * first statement and after its last, and where else it was kept from running. */
struct seen { double low_ns, doubt_ns, allowed_ns, truth_ns, error_ns; };

/* The thread's way from its birth to its first statement is in its ledger, but in none of its own sums. */
static double birth_ns(const struct ledger *ledger, const struct truth_thread *own)
{
	return ledger->thread->born ? (double)own->start_ns - (double)ledger->thread->start_ns : 0;
}

static void see_waits(const struct ledger *ledger, const struct truth_thread *own, struct seen *ret)
{
	double own_outside_ns = (double)own->cpu_ns - (double)own->wait_cpu_ns;
	double birth = fmin(fmax(0, birth_ns(ledger, own)), ledger->woken_ns);

	ret->low_ns = ledger->blocked_ns + ledger->woken_ns - birth + fmax(0, ledger->oncpu_ns - own_outside_ns);
	ret->doubt_ns = ledger->preempted_ns + ledger->throttled_ns + birth + ledger->lost_ns;
	ret->allowed_ns = fmax(CALIBRATION_WAIT_ERROR * ret->truth_ns, (double)CALIBRATION_WAIT_NS * (double)own->wait_count);
}

/* The kernel's account charges some 20 us more per wake-up from idle, and may leave out interrupts and what the host stole;
 * a thread's own ends with its last statement, not with its exit. */
static void see_running(const struct ledger *ledger, const struct truth_thread *own, const struct profile *profile,
			struct seen *ret)
{
	ret->low_ns = ledger->oncpu_ns;
	ret->truth_ns = (double)own->cpu_ns;
	ret->doubt_ns = ledger->lost_ns;
	ret->allowed_ns = CALIBRATION_CPU_ERROR * ret->truth_ns + CALIBRATION_EDGES_NS + 20000.0 * (double)own->wait_count +
			  (double)profile_meta_number(profile, "host.steal_ns", 0) +
			  (double)profile_meta_number(profile, "host.irq_ns", 0);
}

static void see_queue(const struct ledger *ledger, const struct truth_thread *own, struct seen *ret)
{
	double ready_ns = ledger->woken_ns + ledger->preempted_ns + ledger->throttled_ns;
	double unknown_ns = fmax(0, (double)ledger->thread->end_ns - (double)own->end_ns);

	if (!own->ready_known)                          /* by its own clock it knows not of its birth */
		unknown_ns += fmax(0, birth_ns(ledger, own));
	unknown_ns = fmin(unknown_ns, ready_ns);
	ret->low_ns = ready_ns - unknown_ns;
	ret->doubt_ns = ledger->lost_ns + unknown_ns;
	ret->allowed_ns = fmax(CALIBRATION_WAIT_ERROR * ret->truth_ns, CALIBRATION_WAIT_NS);
}

static void see(const struct truth *row, const struct ledger *ledger, const struct truth_thread *own,
		const struct profile *profile, struct seen *ret)
{
	*ret = (struct seen){ .truth_ns = (double)truth_expected_ns(row, own) };
	if (row->measure == TRUTH_WAITED)
		see_waits(ledger, own, ret);
	else if (row->measure == TRUTH_RAN)
		see_running(ledger, own, profile, ret);
	else
		see_queue(ledger, own, ret);
	if (ret->truth_ns < ret->low_ns)
		ret->error_ns = ret->low_ns - ret->truth_ns;
	else if (ret->truth_ns > ret->low_ns + ret->doubt_ns)
		ret->error_ns = ret->low_ns + ret->doubt_ns - ret->truth_ns;
}

/* Of blocked time; of what a thread that never waits did not run. */
static double share_of(const struct truth *row, const struct ledger *ledger, double ns)
{
	double ready_ns = ledger->woken_ns + ledger->preempted_ns + ledger->throttled_ns;

	if (row->measure == TRUTH_WAITED)
		return ledger->blocked_ns > 0 ? ns / ledger->blocked_ns : 0;
	if (row->measure == TRUTH_QUEUED)
		return ready_ns > 0 ? ready_ns / (ready_ns + ledger->blocked_ns) : 0;
	return NAN;
}

static double part_of(const struct truth *row, const struct ledger *ledger)
{
	double ready_ns = ledger->woken_ns + ledger->preempted_ns + ledger->throttled_ns;

	if (row->measure != TRUTH_QUEUED || !row->part)
		return share_of(row, ledger, ledger->part_ns);
	return (!strcmp(row->part, "throttled") ? ledger->throttled_ns : ledger->preempted_ns) / ready_ns;
}

static void judge_life(const struct ledger *ledger, const struct truth_thread *own, struct calibration *ret)
{
	double early = (double)ledger->thread->start_ns - (double)own->start_ns;
	double late = (double)own->end_ns - (double)ledger->thread->end_ns;

	ret->outside_ns = fmax(ret->outside_ns, fmax(early, late));
	if (ret->outside_ns > CALIBRATION_LIFE_NS)
		wrong(ret, "thread %d lived %.0f ns outside of its lifetime in the capture", (int)own->tid, ret->outside_ns);
}

static void judge_share(const struct ledger *ledger, struct calibration *ret)
{
	double share = share_of(ret->row, ledger, ledger->state_ns), part = part_of(ret->row, ledger);
	double least = ret->untimed ? CALIBRATION_SHARE_UNTIMED : CALIBRATION_SHARE;

	if (isnan(share) || (!isnan(ret->share) && part >= ret->part_share && share >= ret->share))
		return;
	ret->share = fmin(share, isnan(ret->share) ? 1 : ret->share);
	ret->part_share = fmin(part, isnan(ret->part_share) ? 1 : ret->part_share);
	if (!ledger->blocked_ns && ret->row->measure == TRUTH_WAITED)
		wrong(ret, "a thread was never blocked: its waits did not happen, or were not seen");
	else if (share < least)
		wrong(ret, "%.2f %% of the time is in %s; most of the rest is %s", 100 * share, ret->row->state, ledger->other);
	else if (part < least && ret->row->measure == TRUTH_WAITED)
		wrong(ret, "%.2f %% of the time is in %s/%s; most of the rest is %s", 100 * part, ret->row->state,
		      ret->row->part, ledger->other);
}

static void judge_thread(const struct truth_thread *own, const struct profile *profile, struct calibration *ret)
{
	struct ledger ledger;
	struct seen seen;

	if (!ledger_of(profile, ret->row, own, &ledger)) {
		wrong(ret, "thread %d is not in the capture", (int)own->tid);
		return;
	}
	see(ret->row, &ledger, own, profile, &seen);
	ret->threads++;
	ret->waits += own->wait_count;
	ret->truth_ns += seen.truth_ns;
	ret->seen_ns += seen.truth_ns + seen.error_ns;
	ret->blocked_ns += ledger.blocked_ns;
	ret->ready_ns += ledger.woken_ns + ledger.preempted_ns + ledger.throttled_ns;
	ret->oncpu_ns += ledger.oncpu_ns;
	ret->doubt_ns += seen.doubt_ns;
	ret->lost_ns += ledger.lost_ns;
	ret->kernel_ready_ns += own->ready_known ? (double)own->ready_ns : NAN;
	ret->own_wait_cpu_ns += (double)own->wait_cpu_ns;
	if (!ret->allowed_ns || fabs(seen.error_ns) / seen.allowed_ns > fabs(ret->error_ns) / ret->allowed_ns) {
		ret->error_ns = seen.error_ns;
		ret->allowed_ns = seen.allowed_ns;
	}
	judge_life(&ledger, own, ret);
	judge_share(&ledger, ret);
	if (!ret->untimed && fabs(seen.error_ns) > seen.allowed_ns)
		wrong(ret, "thread %d: off by %+.0f us of %.0f us, allowed are %.0f us", (int)own->tid, seen.error_ns / 1e3,
		      seen.truth_ns / 1e3, seen.allowed_ns / 1e3);
}

/* --- Verdict on a kind ------------------------------------------------------------------------------------------ */

static void judge_lost(struct calibration *ret)
{
	double all_ns = ret->blocked_ns + ret->ready_ns + ret->oncpu_ns + ret->lost_ns;

	if (ret->lost_ns > fmax(CALIBRATION_LOST * all_ns, CALIBRATION_LOST_NS))
		wrong(ret, "%.1f %% of the threads' time was lost: switches in contexts that are closed to tracing",
		      100 * ret->lost_ns / all_ns);
}

void calibration_judge(const struct truth_report *report, const struct profile *profile, struct calibration *ret)
{
	unsigned count = report->thread_count;
	struct summary summary;

	if (truth_is_amount(ret->row)) {
		calibration_judge_amounts(report, profile, ret);
		return;
	}
	summary_of(profile, &summary);
	*ret = (struct calibration){ .row = ret->row, .untimed = ret->untimed, .attempts = ret->attempts,
				     .verdict = CALIBRATION_WITHIN, .share = NAN, .part_share = NAN, .sampling_z = NAN };
	ret->conservation_ns = summary.conservation_error_ns;
	if (!(ret->conservation_ns <= CALIBRATION_LIFE_NS))
		wrong(ret, "the states of a thread miss its lifetime by %.0f ns", ret->conservation_ns);
	for (unsigned i = 0; i < count && i < TRUTH_THREADS; i++)
		judge_thread(&report->threads[i], profile, ret);
	if (!count)
		wrong(ret, "the program reported no thread");
	judge_lost(ret);
	if (ret->row->measure != TRUTH_RAN)
		return;
	ret->sampling_z = summary.sampling_z;
	if (!ret->untimed && fabs(ret->sampling_z) > CALIBRATION_BIAS_Z)
		wrong(ret, "samples do not agree with on-CPU time: %+.1f standard errors", ret->sampling_z);
}

/* --- The machine ------------------------------------------------------------------------------------------------ */

static void add_machine_cell(const struct profile *profile, const struct cell *cell, struct machine_balance *ret)
{
	struct dimension_id root = profile_dimension_root(profile, profile_cell_dimension(profile, cell));
	enum dimension_kind kind = profile_dimension_at(profile, root.index)->kind;

	if (kind == DIMENSION_RUNNING)
		ret->threads_ns += (double)cell->value;
	else if (cell->evidence.index && (kind == DIMENSION_WAITING || kind == DIMENSION_IDLE) &&
		 profile_evidence_at(profile, cell->evidence.index)->seen.flags & EVIDENCE_LOST)
		ret->lost_ns += (double)cell->value;
}

void calibration_balance(const struct profile *profile, struct machine_balance *ret)
{
	struct summary summary;
	double all_ns;

	summary_of(profile, &summary);
	*ret = (struct machine_balance){ .window_ns = summary.wall_ns, .verdict = CALIBRATION_WITHIN };
	ret->cpus = (double)profile_meta_number(profile, "host.cpus", 0);
	ret->conservation_ns = summary.conservation_error_ns;
	ret->idle_ns = (double)profile_meta_number(profile, "idle.cpu_ns", 0);
	ret->outside_ns = (double)profile_meta_number(profile, "outside.cpu_ns", 0);
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL)
			add_machine_cell(profile, cell, ret);
	}
	all_ns = ret->cpus * ret->window_ns;
	ret->error_fraction = all_ns > 0 ? (ret->threads_ns + ret->idle_ns + ret->outside_ns) / all_ns - 1 : NAN;
	if (!(fabs(ret->error_fraction) <= CALIBRATION_MACHINE_ERROR))
		ret->verdict = CALIBRATION_OUTSIDE;
	else if (!(ret->conservation_ns <= CALIBRATION_LIFE_NS))
		ret->verdict = CALIBRATION_OUTSIDE;
	if (ret->verdict == CALIBRATION_OUTSIDE)
		(void)snprintf(ret->why, sizeof(ret->why),
			       "the CPUs' time is off by %+.3f %%, the worst thread's states by %.0f ns",
			       100 * ret->error_fraction, ret->conservation_ns);
}
