/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * How reasons of runnable delays lie in a profile: cells of the role DETAIL and this source, on the part of runnable that they
 * explain. The thread could run; other is who had the processor, object the reason. Only delays of 20 us and more are there:
 * what the part's exact total has beyond them is short ones.
 */
#define READY_REASONS "runnable-reasons"
/* struct object.kind: the thread went on where it was, or on another processor. */
#define READY_STAYED "runnable-reason"
#define READY_MOVED "runnable-reason-moved"
/* Its names, which analysis/runnable.c explains. */
#define READY_PREEMPTED "preempted"
#define READY_YIELDED "yielded"
#define READY_THROTTLED "throttled"
#define READY_QUEUED "queued"
#define READY_IDLE "idle-processor"
#define READY_UNSEEN "cut"
