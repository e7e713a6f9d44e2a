/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Puts together where the time of a decomposed request went. It hears of requests that open, close and change hands and of
 * the intervals of their threads, in the order of time; when one closes it follows it back from the thread that answered to
 * the one that opened it and adds up what these threads did meanwhile:
 *
 *	thread A   ▐ oncpu ▌   opened, handed over ──┐
 *	thread B              … woken ▌ oncpu ▐ lock ▌ oncpu ▐  closed
 *
 * The parts of a request sum to its latency exactly: what no interval covers is unknown, and counted. While its thread runs
 * for another request that it has open, a request is runnable behind that one.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/profile.h"

struct request_book;

/* What a thread did: a wait has an evidence, all else a dimension. */
struct request_interval {
	uint64_t start_ns, end_ns;
	struct dimension_id dimension;
	struct evidence_id evidence;
	struct stack_id stack;
	struct thread_id other;              /* who ended a wait */
	bool running;
};

struct request_opening {
	uint32_t request, thread, one_in;    /* thread: its serial number, as everywhere here */
	uint64_t arrived_ns, opened_ns;
	struct string_id class, trace_id;
};

struct request_closing {
	uint32_t request, thread, status;
	uint64_t closed_ns, since_ns;        /* the thread runs since then */
	bool overlap;
	struct string_id outcome;
};

struct request_statistics { uint64_t closed, abandoned; };

struct request_book *request_book_new(struct profile *into);             /* borrows the profile */
void request_book_free(struct request_book *book);
DEFINE_CLEANUP(request_book)

void request_book_open(struct request_book *book, const struct request_opening *opening);
void request_book_touch(struct request_book *book, uint32_t thread, uint32_t request, uint64_t at_ns);
void request_book_hand(struct request_book *book, uint32_t request, uint32_t from, uint32_t to, uint64_t since_ns, uint64_t at_ns);
void request_book_interval(struct request_book *book, uint32_t thread, const struct request_interval *interval);
/* Adds the request and its parts to the profile; thread is the one that answered. */
void request_book_close(struct request_book *book, const struct request_closing *closing, struct thread_id thread);
void request_book_abandon(struct request_book *book, uint32_t request, uint64_t at_ns);
void request_book_statistics(const struct request_book *book, struct request_statistics *ret);
