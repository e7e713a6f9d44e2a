/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals are kept per thread for as long as a decomposed request is open that the thread has to do with. A request is
 * worked out only when it closes: which of the threads that were woken on its way took it along is known from then on.
 */
#include "probe/request_book.h"

#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { INTERVAL_LIMIT = 65536, TOUCH_LIMIT = 65536, OPEN_LIMIT = 65536, HAND_LIMIT = 64, PART_LIMIT = 1024, PRUNE_FIRST = 512 };

struct touch { uint64_t at_ns; uint32_t request; };

/* One that has to do with open requests: users says with how many. */
struct worker {
	uint32_t serial, users;
	struct request_interval *intervals;
	size_t interval_count, interval_room;
	struct touch *touches;
	size_t touch_count, touch_room;
	size_t prune_at;                     /* so many of both: look which are needed no more */
};

struct hand { uint32_t from, to; uint64_t since_ns, at_ns; };

struct open_request {
	struct request_opening opening;      /* request 0: the place is free */
	struct hand *hands;
	size_t hand_count, hand_room;
};

struct request_book {
	struct profile *profile;
	struct map *open_ids;                /* request to its place in open */
	struct open_request *open;
	size_t open_count, open_room;
	struct map *worker_ids;              /* serial to its place in workers */
	struct worker *workers;
	size_t worker_count, worker_room;
	struct request_statistics statistics;
	struct part *parts;                  /* of the request at hand */
	size_t part_count, part_room;
};

struct request_book *request_book_new(struct profile *into)
{
	struct request_book *book = xcalloc(1, sizeof(*book));

	book->profile = into;
	book->open_ids = map_new(sizeof(uint32_t));
	book->worker_ids = map_new(sizeof(uint32_t));
	return book;
}

void request_book_free(struct request_book *book)
{
	if (!book)
		return;
	for (size_t i = 0; i < book->open_count; i++)
		free(book->open[i].hands);
	for (size_t i = 0; i < book->worker_count; i++) {
		free(book->workers[i].intervals);
		free(book->workers[i].touches);
	}
	map_free(book->open_ids);
	map_free(book->worker_ids);
	free(book->open);
	free(book->workers);
	free(book->parts);
	free(book);
}

void request_book_statistics(const struct request_book *book, struct request_statistics *ret)
{
	*ret = book->statistics;
}

/* --- Who is watched --------------------------------------------------------------------------------------------- */

static struct worker *worker_of(struct request_book *book, uint32_t serial)
{
	const uint32_t *at = map_find(book->worker_ids, &serial);

	return at && book->workers[*at].users ? &book->workers[*at] : NULL;
}

static void worker_use(struct request_book *book, uint32_t serial)
{
	bool added = false;
	uint32_t *at = map_put(book->worker_ids, &serial, &added);

	if (added) {
		grow(book->workers, book->worker_count, book->worker_room);
		book->workers[book->worker_count] = (struct worker){ .serial = serial, .prune_at = PRUNE_FIRST };
		*at = (uint32_t)book->worker_count++;
	}
	book->workers[*at].users++;
}

static void worker_release(struct request_book *book, uint32_t serial)
{
	struct worker *worker = worker_of(book, serial);

	if (!worker || --worker->users)
		return;
	free(worker->intervals);
	free(worker->touches);
	*worker = (struct worker){ .serial = serial, .prune_at = PRUNE_FIRST };
}

static struct open_request *request_of(struct request_book *book, uint32_t request)
{
	const uint32_t *at = request ? map_find(book->open_ids, &request) : NULL;

	return at && book->open[*at].opening.request == request ? &book->open[*at] : NULL;
}

static size_t free_place(struct request_book *book)
{
	for (size_t i = 0; i < book->open_count; i++)
		if (!book->open[i].opening.request)
			return i;
	grow(book->open, book->open_count, book->open_room);
	return book->open_count++;
}

void request_book_open(struct request_book *book, const struct request_opening *opening)
{
	size_t place;

	if (!opening->request || request_of(book, opening->request))
		return;
	place = free_place(book);
	if (place >= OPEN_LIMIT) {
		book->open_count--;
		return;
	}
	book->open[place] = (struct open_request){ .opening = *opening };
	*map_put(book->open_ids, &opening->request, NULL) = (uint32_t)place;
	worker_use(book, opening->thread);
}

static void request_end(struct request_book *book, struct open_request *request)
{
	worker_release(book, request->opening.thread);
	for (size_t i = 0; i < request->hand_count; i++)
		worker_release(book, request->hands[i].to);
	free(request->hands);
	*request = (struct open_request){ 0 };
}

void request_book_abandon(struct request_book *book, uint32_t id, uint64_t at_ns)
{
	struct open_request *request = request_of(book, id);

	(void)at_ns;
	book->statistics.abandoned++;
	if (request)
		request_end(book, request);
}

void request_book_hand(struct request_book *book, uint32_t id, uint32_t from, uint32_t to, uint64_t since_ns, uint64_t at_ns)
{
	struct open_request *request = request_of(book, id);

	if (!request || request->hand_count == HAND_LIMIT)
		return;
	grow(request->hands, request->hand_count, request->hand_room);
	request->hands[request->hand_count++] = (struct hand){ .from = from, .to = to, .since_ns = since_ns, .at_ns = at_ns };
	worker_use(book, to);
}

static bool has_worker(const struct open_request *request, uint32_t serial)
{
	if (!request->opening.request)
		return false;
	for (size_t i = 0; i < request->hand_count; i++)
		if (request->hands[i].to == serial)
			return true;
	return request->opening.thread == serial;
}

static struct open_request *oldest_of(struct request_book *book, uint32_t serial)
{
	struct open_request *oldest = NULL;

	for (size_t i = 0; i < book->open_count; i++)
		if (has_worker(&book->open[i], serial) && (!oldest || book->open[i].opening.opened_ns < oldest->opening.opened_ns))
			oldest = &book->open[i];
	return oldest;
}

/* A thread that always has some request open would gather intervals for ever: those before its oldest request go. One that
 * was open for so long that the rest has no room is given up; its end may have been lost. */
static bool make_room(struct request_book *book, struct worker *worker)
{
	uint32_t serial = worker->serial;
	struct open_request *oldest;
	uint64_t since_ns;
	size_t kept = 0;

	if (worker->interval_count + worker->touch_count < worker->prune_at)
		return true;
	oldest = oldest_of(book, serial);
	since_ns = oldest ? oldest->opening.opened_ns : 0;
	for (size_t i = 0; i < worker->interval_count; i++)
		if (worker->intervals[i].end_ns > since_ns)
			worker->intervals[kept++] = worker->intervals[i];
	worker->interval_count = kept;
	kept = 0;
	for (size_t i = 0; i < worker->touch_count; i++)
		if (worker->touches[i].at_ns >= since_ns)
			worker->touches[kept++] = worker->touches[i];
	worker->touch_count = kept;
	worker->prune_at = 2 * (worker->interval_count + worker->touch_count) + PRUNE_FIRST;
	if (worker->interval_count < INTERVAL_LIMIT && worker->touch_count < TOUCH_LIMIT)
		return true;
	if (oldest) {
		book->statistics.abandoned++;
		request_end(book, oldest);
	}
	return false;
}

void request_book_touch(struct request_book *book, uint32_t thread, uint32_t request, uint64_t at_ns)
{
	struct worker *worker = worker_of(book, thread);

	if (!worker || !make_room(book, worker))
		return;
	grow(worker->touches, worker->touch_count, worker->touch_room);
	worker->touches[worker->touch_count++] = (struct touch){ at_ns, request };
}

void request_book_interval(struct request_book *book, uint32_t thread, const struct request_interval *interval)
{
	struct worker *worker = worker_of(book, thread);

	if (!worker || interval->start_ns >= interval->end_ns || !make_room(book, worker))
		return;
	grow(worker->intervals, worker->interval_count, worker->interval_room);
	worker->intervals[worker->interval_count++] = *interval;
}

/* --- A request that closed -------------------------------------------------------------------------------------- */

static struct dimension_id dimension_of(struct request_book *book, const char *parent, const char *name)
{
	return profile_dimension(book->profile, dimension_row_find(parent, name));
}

static void add_part(struct request_book *book, struct part part)
{
	for (size_t i = 0; i < book->part_count; i++) {
		struct part *known = &book->parts[i];

		if (known->evidence.index == part.evidence.index && known->dimension.index == part.dimension.index &&
		    known->stack.index == part.stack.index && known->other.index == part.other.index) {
			known->ns += part.ns;
			return;
		}
	}
	if (book->part_count >= PART_LIMIT && (part.stack.index || part.other.index)) {
		part.stack.index = part.other.index = 0;        /* by class alone: of these there are few */
		add_part(book, part);
		return;
	}
	grow(book->parts, book->part_count, book->part_room);
	book->parts[book->part_count++] = part;
}

/* [start, end) of a thread that ran: for this request where it was touched last. */
static void add_running(struct request_book *book, const struct worker *worker, uint32_t request, uint64_t from_ns,
			uint64_t start_ns, uint64_t end_ns)
{
	struct dimension_id mine = dimension_of(book, NULL, "oncpu"), behind = dimension_of(book, "runnable", "behind");
	uint32_t current = request;

	for (size_t i = 0; worker && i < worker->touch_count && start_ns < end_ns; i++) {
		const struct touch *touch = &worker->touches[i];

		if (touch->at_ns < from_ns)             /* before this thread had it */
			continue;
		if (touch->at_ns > start_ns && touch->at_ns < end_ns) {
			add_part(book, (struct part){ .dimension = current == request ? mine : behind, .ns = touch->at_ns - start_ns });
			start_ns = touch->at_ns;
		}
		if (touch->at_ns <= start_ns)
			current = touch->request;
	}
	if (start_ns < end_ns)
		add_part(book, (struct part){ .dimension = current == request ? mine : behind, .ns = end_ns - start_ns });
}

static int compare_intervals(const void *left, const void *right)
{
	const struct request_interval *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

static void add_unknown(struct request_book *book, uint64_t start_ns, uint64_t end_ns)
{
	if (start_ns >= end_ns)
		return;
	add_part(book, (struct part){ .dimension = dimension_of(book, NULL, "unknown"), .ns = end_ns - start_ns });
}

/* What a thread did in [from, to), at whose end it runs, since since_ns. */
static void add_stretch(struct request_book *book, uint32_t serial, uint32_t request, uint64_t from_ns, uint64_t to_ns,
			uint64_t since_ns)
{
	struct worker *worker = worker_of(book, serial);
	uint64_t at_ns = from_ns, last_ns = since_ns < from_ns ? from_ns : since_ns > to_ns ? to_ns : since_ns;

	if (worker && worker->interval_count)
		qsort(worker->intervals, worker->interval_count, sizeof(*worker->intervals), compare_intervals);
	for (size_t i = 0; worker && i < worker->interval_count && at_ns < last_ns; i++) {
		const struct request_interval *interval = &worker->intervals[i];
		uint64_t start_ns = interval->start_ns > at_ns ? interval->start_ns : at_ns;
		uint64_t end_ns = interval->end_ns < last_ns ? interval->end_ns : last_ns;

		if (start_ns >= end_ns)
			continue;
		add_unknown(book, at_ns, start_ns);
		if (interval->running)
			add_running(book, worker, request, from_ns, start_ns, end_ns);
		else
			add_part(book, (struct part){ .evidence = interval->evidence, .dimension = interval->dimension,
						      .stack = interval->stack, .other = interval->other, .ns = end_ns - start_ns });
		at_ns = end_ns;
	}
	add_unknown(book, at_ns, last_ns);
	add_running(book, worker, request, from_ns, last_ns, to_ns);
}

static const struct hand *hand_to(const struct open_request *request, uint32_t thread, uint64_t before_ns)
{
	for (size_t i = request->hand_count; i-- > 0;)
		if (request->hands[i].to == thread && request->hands[i].at_ns < before_ns)
			return &request->hands[i];
	return NULL;
}

/* From its end back to who opened it. */
static void follow(struct request_book *book, const struct open_request *request, const struct request_closing *closing)
{
	uint64_t opened_ns = request->opening.opened_ns, at_ns = closing->closed_ns, since_ns = closing->since_ns;
	uint32_t thread = closing->thread;

	while (thread != request->opening.thread && at_ns > opened_ns) {
		const struct hand *hand = hand_to(request, thread, at_ns);

		if (!hand) {                            /* nobody was seen to hand it over */
			uint64_t known_ns = since_ns > opened_ns ? since_ns : opened_ns;

			add_unknown(book, opened_ns, known_ns);
			add_running(book, NULL, request->opening.request, known_ns, known_ns, at_ns);
			return;
		}
		add_stretch(book, thread, request->opening.request, hand->at_ns > opened_ns ? hand->at_ns : opened_ns, at_ns, since_ns);
		thread = hand->from;
		at_ns = hand->at_ns;
		since_ns = hand->since_ns;
	}
	if (at_ns > opened_ns)
		add_stretch(book, thread, request->opening.request, opened_ns, at_ns, since_ns);
}

/* Records that contradict each other tell nothing: all of it is unknown then. */
static void settle_parts(struct request_book *book, uint64_t opened_ns, uint64_t closed_ns)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < book->part_count; i++)
		sum += book->parts[i].ns;
	if (!book->part_count || sum == closed_ns - opened_ns)
		return;
	book->part_count = 0;
	add_unknown(book, opened_ns, closed_ns);
}

void request_book_close(struct request_book *book, const struct request_closing *closing, struct thread_id thread)
{
	struct open_request *request = request_of(book, closing->request);
	uint32_t row = (uint32_t)profile_request_count(book->profile);
	uint64_t opened_ns = request ? request->opening.opened_ns : 0;

	if (!request)
		return;
	if (closing->closed_ns < opened_ns || opened_ns < profile_meta_number(book->profile, "capture.start_ns", 0)) {
		request_end(book, request);
		return;
	}
	book->part_count = 0;
	follow(book, request, closing);
	settle_parts(book, opened_ns, closing->closed_ns);
	profile_add_request(book->profile, (struct request){
		.thread = thread, .class = request->opening.class, .outcome = closing->outcome, .trace_id = request->opening.trace_id,
		.overlap = closing->overlap, .one_in = request->opening.one_in, .arrived_ns = request->opening.arrived_ns,
		.opened_ns = opened_ns, .closed_ns = closing->closed_ns, .status = closing->status });
	for (size_t i = 0; i < book->part_count && profile_request_count(book->profile) > row; i++) {
		book->parts[i].request = row;
		profile_add_part(book->profile, book->parts[i]);
	}
	book->statistics.closed++;
	request_end(book, request);
}
