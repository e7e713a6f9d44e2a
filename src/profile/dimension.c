/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger's states and their parts as data. A class of waits names one of these rows; a dimension that no row here
 * has can still be filled by whoever brings it (an importer, a new probe).
 */
#include "profile/dimension.h"

#include "base/cleanup.h"

#include <string.h>

static const char *const kind_names[] = {
	[DIMENSION_RUNNING] = "running", [DIMENSION_READY] = "ready",   [DIMENSION_WAITING] = "waiting",
	[DIMENSION_IDLE] = "idle",       [DIMENSION_AMOUNT] = "amount", [DIMENSION_LEVEL] = "level",
};

const char *dimension_kind_name(enum dimension_kind kind)
{
	return kind >= DIMENSION_RUNNING && kind <= DIMENSION_LEVEL ? kind_names[kind] : "?";
}

enum dimension_kind dimension_kind_of(const char *name)
{
	for (size_t i = DIMENSION_RUNNING; i < ARRAY_LENGTH(kind_names); i++)
		if (!strcmp(kind_names[i], name))
			return (enum dimension_kind)i;
	return 0;
}

#define STATE(n, k, m) { .name = n, .unit = "ns", .kind = DIMENSION_##k, .meaning = m }
#define PART(p, n, k, m) { .name = n, .parent = p, .unit = "ns", .kind = DIMENSION_##k, .meaning = m }
#define DETAIL(p, n, u, m) { .name = n, .parent = p, .unit = u, .kind = DIMENSION_AMOUNT, .meaning = m }
#define LEVEL(n, u, m) { .name = n, .unit = u, .kind = DIMENSION_LEVEL, .meaning = m }
#define LEVEL_PART(p, n, u, m) { .name = n, .parent = p, .unit = u, .kind = DIMENSION_LEVEL, .meaning = m }
#define COUNTER(n, m) AMOUNT(n, "count", m), DETAIL(n, "user", "count", "in user mode"), DETAIL(n, "kernel", "count", "in kernel mode")
#define AMOUNT(n, u, m) { .name = n, .unit = u, .kind = DIMENSION_AMOUNT, .meaning = m }

const struct dimension_row dimension_rows[] = {
	STATE("oncpu", RUNNING, "running on a processor"),
	PART("oncpu", "user", RUNNING, "running the program's own code"),
	PART("oncpu", "kernel", RUNNING, "running kernel code on the thread's behalf"),
	PART("oncpu", "irq", RUNNING, "interrupted: the processor runs a device's, a timer's or another CPU's handler"),
	PART("oncpu", "softirq", RUNNING, "interrupted: the processor does what handlers, or its own sends, left for later"),
	STATE("runnable", READY, "could run, waits for a processor"),
	PART("runnable", "preempted", READY, "taken off the processor while it still had work"),
	PART("runnable", "woken", READY, "woken, not yet on a processor"),
	PART("runnable", "throttled", READY, "held back by the cgroup's CPU quota"),
	PART("runnable", "behind", READY, "a request's: its thread runs for another request"),
	STATE("lock", WAITING, "waits for a lock that another thread holds"),
	PART("lock", "mutex", WAITING, "a mutex in user space"),
	PART("lock", "rwlock", WAITING, "a reader-writer lock in user space"),
	PART("lock", "file", WAITING, "a lock on a file"),
	PART("lock", "kernel", WAITING, "a mutex or semaphore inside the kernel"),
	STATE("disk", WAITING, "waits for storage"),
	PART("disk", "read", WAITING, "a read from a device"),
	PART("disk", "write", WAITING, "a write to a device, or the write-back it waits for"),
	PART("disk", "flush", WAITING, "a flush, a journal commit or a sync"),
	PART("disk", "metadata", WAITING, "file-system metadata"),
	PART("disk", "throttled", WAITING, "held back because too much is dirty or queued"),
	STATE("network", WAITING, "waits for a peer or for the network"),
	PART("network", "connect", WAITING, "a connection being made"),
	PART("network", "receive", WAITING, "data from a peer"),
	PART("network", "send", WAITING, "room in a send buffer"),
	STATE("paging", WAITING, "waits for memory"),
	PART("paging", "major-fault", WAITING, "a page read from a file"),
	PART("paging", "swap", WAITING, "a page read from swap"),
	PART("paging", "reclaim", WAITING, "memory being freed"),
	PART("paging", "compaction", WAITING, "memory being moved together"),
	STATE("ipc", WAITING, "waits for a peer on this host that has work outstanding"),
	PART("ipc", "pipe", WAITING, "room in a pipe, or data from one"),
	PART("ipc", "unix-socket", WAITING, "a peer behind a unix socket"),
	PART("ipc", "peer", WAITING, "another thread: a barrier, a hand-off"),
	PART("ipc", "io-uring", WAITING, "completions of an io_uring or of libaio"),
	PART("ipc", "kernel", WAITING, "work handed to the kernel: a worker, a grace period"),
	STATE("timer", WAITING, "a planned sleep"),
	STATE("child", WAITING, "waits for a thread or process to end"),
	PART("child", "join", WAITING, "a thread of the same process"),
	PART("child", "process", WAITING, "a child process"),
	STATE("idle", IDLE, "waits for work to arrive"),
	PART("idle", "poll", IDLE, "epoll, poll or select"),
	PART("idle", "accept", IDLE, "a new connection"),
	PART("idle", "receive", IDLE, "the next request on an accepted connection"),
	PART("idle", "queue", IDLE, "a condition, semaphore, pipe or queue with nothing outstanding"),
	PART("idle", "terminal", IDLE, "input from a terminal"),
	PART("idle", "signal", IDLE, "a signal"),
	PART("idle", "kernel-thread", IDLE, "a kernel thread without work"),
	STATE("stopped", IDLE, "stopped by a signal, a tracer or the freezer"),
	PART("stopped", "signal", IDLE, "stopped by a signal"),
	PART("stopped", "traced", IDLE, "stopped by a tracer"),
	PART("stopped", "frozen", IDLE, "frozen with its cgroup"),
	STATE("unknown", WAITING, "no rule fits, the sides disagree, or a side was lost"),
	AMOUNT("context-switches", "count", "times a thread left a processor"),
	AMOUNT("migrations", "count", "times a thread went on on another processor"),
	AMOUNT("interrupts", "count", "times a running thread was interrupted by a handler"),
	AMOUNT("softirqs", "count", "times a running thread was held up by what handlers, or its own sends, left for later"),
	AMOUNT("block-operations", "count", "requests that block devices completed, whoever asked"),
	DETAIL("block-operations", "queue", "ns", "from a request's making to its issue to the device"),
	DETAIL("block-operations", "device", "ns", "from a request's issue to its completion"),
	DETAIL("block-operations", "errors", "count", "completions with an error"),
	DETAIL("block-operations", "retries", "count", "times a request was put back and issued again"),
	DETAIL("block-operations", "merges", "count", "pieces that joined a request of the queue, by threads that waited"),
	DETAIL("block-operations", "waits", "count", "waits that ended with the thread's own request"),
	DETAIL("block-operations", "wait-queue", "ns", "of these, from submission to issue"),
	DETAIL("block-operations", "wait-device", "ns", "of these, from issue to completion"),
	DETAIL("block-operations", "wait-wake", "ns", "of these, from completion to the wake-up"),
	DETAIL("block-operations", "wait-runnable", "ns", "of these, from the wake-up until it ran"),
	DETAIL("block-operations", "file-requests", "count", "requests of a file, by who submitted them"),
	DETAIL("block-operations", "file-bytes", "bytes", "their bytes"),
	DETAIL("block-operations", "file-time", "ns", "from a piece's submission to the completion of its request"),
	DETAIL("block-operations", "file-dirtied", "count", "clean pages of a file that a thread made dirty"),
	DETAIL("block-operations", "cache-found", "count", "reads of a file whose pages were in memory: no request of a device"),
	DETAIL("block-operations", "cache-missed", "count", "reads of a file that had to fetch their pages first"),
	AMOUNT("block-bytes", "bytes", "bytes of these requests"),
	AMOUNT("system-calls", "count", "system calls that ended"),
	AMOUNT("system-call-time", "ns", "time in these calls, waiting included"),
	AMOUNT("system-call-oncpu", "ns", "of oncpu, what was spent in system calls"),
	AMOUNT("system-call-errors", "count", "calls that failed, by error"),
	AMOUNT("system-call-bytes", "bytes", "bytes that calls said they moved"),
	AMOUNT("network-waits", "ns", "waits in calls on sockets, by endpoint; part of them are idle"),
	DETAIL("network-waits", "connect", "ns", "waits in connect()"),
	DETAIL("network-waits", "receive", "ns", "waits for data"),
	DETAIL("network-waits", "send", "ns", "waits for room in the send buffer"),
	DETAIL("network-waits", "accept", "ns", "waits for a new connection"),
	DETAIL("network-waits", "softirq", "ns", "of these, with what ended them already in this host's receive queue"),
	DETAIL("network-waits", "window", "ns", "of those to send, while the peer's window held the connection back"),
	DETAIL("network-waits", "recovery", "ns", "of these, those that ended while the connection repaired a loss"),
	AMOUNT("network-phases", "ns", "what connections went through, waited for or not"),
	DETAIL("network-phases", "connect", "ns", "from the first packet of a connection to its being made"),
	DETAIL("network-phases", "lookup", "ns", "from a question to a name server to its last answer"),
	DETAIL("network-phases", "handshake", "ns", "from the start of a TLS handshake to its end"),
	DETAIL("network-phases", "first-byte", "ns", "from sending to the first byte that comes after it"),
	AMOUNT("connections", "count", "network connections made, or worked on first after they came in"),
	DETAIL("connections", "failed", "count", "connections that could not be made"),
	DETAIL("connections", "answered", "count", "lookups with an answer"),
	DETAIL("connections", "sends", "count", "successful sends"),
	DETAIL("connections", "receives", "count", "successful receives"),
	DETAIL("connections", "queue", "ns", "time in which data lay in the socket, unread"),
	DETAIL("connections", "round-trip", "ns", "the kernel's smoothed round trip, sampled at waits and first bytes"),
	DETAIL("connections", "zero-windows", "count", "waits to send that began at a closed window"),
	AMOUNT("retransmits", "count", "TCP segments sent again"),
	DETAIL("retransmits", "timeouts", "count", "of these, after a timeout"),
	AMOUNT("resets", "count", "TCP connections reset"),
	DETAIL("resets", "received", "count", "by the peer"),
	DETAIL("resets", "sent", "count", "by this host"),
	AMOUNT("network-bytes", "bytes", "bytes sent and received by sockets"),
	DETAIL("network-bytes", "sent", "bytes", "bytes sent"),
	DETAIL("network-bytes", "received", "bytes", "bytes received"),
	AMOUNT("page-faults", "count", "pages that were touched and not mapped"),
	DETAIL("page-faults", "minor", "count", "of these, found in memory or made there"),
	DETAIL("page-faults", "major", "count", "of these, read from a file or from swap"),
	COUNTER("cycles", "cycles of a processor, not halted"),
	COUNTER("instructions", "instructions retired"),
	COUNTER("cache-references", "accesses that reached the last-level cache"),
	COUNTER("cache-misses", "of these, not answered by it"),
	COUNTER("branches", "branch instructions retired"),
	COUNTER("branch-misses", "of these, predicted wrongly"),
	COUNTER("stalls-frontend", "cycles without instructions to start on"),
	COUNTER("stalls-backend", "cycles in which instructions waited for a resource"),
	AMOUNT("alloc_space", "bytes", "bytes that programs asked their allocator for"),
	AMOUNT("alloc_objects", "count", "times they asked it"),
	LEVEL("inuse_space", "bytes", "of these bytes: not freed when the window closed, or when the process ended"),
	LEVEL("inuse_objects", "count", "of these objects: not freed then"),
	DETAIL("alloc_space", "freed", "bytes", "bytes freed in the window, by how long they lived"),
	LEVEL("resident", "bytes", "a process' memory that lies in memory, at the last look"),
	LEVEL_PART("resident", "heap", "bytes", "anonymous memory, where allocators have theirs"),
	LEVEL_PART("resident", "files", "bytes", "pages of mapped files, code among them"),
	LEVEL_PART("resident", "shared", "bytes", "shared memory"),
	LEVEL_PART("resident", "stacks", "bytes", "stacks of threads"),
	LEVEL_PART("resident", "generated", "bytes", "anonymous memory that can be executed: generated code"),
	LEVEL_PART("resident", "classes", "bytes", "what a Java machine keeps of classes, as far as it tells"),
	LEVEL_PART("resident", "other", "bytes", "anything else"),
	LEVEL("page-tables", "bytes", "the kernel's tables for a process' memory"),
	LEVEL("swapped", "bytes", "a process' memory that lies in swap"),
};
const size_t dimension_row_count = ARRAY_LENGTH(dimension_rows);

const struct dimension_row *dimension_row_find(const char *parent, const char *name)
{
	for (size_t i = 0; i < dimension_row_count; i++) {
		const struct dimension_row *row = &dimension_rows[i];

		if (strcmp(row->name, name))
			continue;
		if (parent && row->parent ? !strcmp(parent, row->parent) : parent == row->parent)
			return row;
	}
	return NULL;
}
