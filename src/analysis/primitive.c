/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows are asked from the innermost frame outwards, and the first function that is known decides: a condition's own
 * re-lock is found before the condition, an allocator's lock before who called malloc(). Names are compared without leading
 * underscores and without a version behind '@'. A row that ends in '*' matches what begins so, one that begins with '*' what
 * contains it.
 *
 * Names are those of glibc 2.31 to 2.42, musl 1.2, Rust's standard library and parking_lot, HotSpot, folly, abseil and Go.
 * A thread of Go that waits in a futex is idle: goroutines that wait for a lock hold no thread, which no futex can show.
 */
#include "analysis/primitive.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "profile/evidence.h"

enum { COMMAND = 127, DO_WAIT = 0, DO_LOCK_PI = 6, DO_WAIT_BITSET = 9, DO_LOCK_PI2 = 13, CALL_FUTEX = 202, REALTIME = 256, NAME_SIZE = 512 };
enum { READS = 2, WRITES = 4, RTMUTEX = 8, PER_CPU = 16, KERNEL_MUTEX = 32, MMAP = 64 };

struct primitive_row { const char *function, *primitive; };

#define MUTEX "mutex"
static const struct primitive_row rows[] = {
	/* glibc and musl */
	{ "pthread_mutex_cond_lock*", "mutex (re-lock after condition)" },
	{ "pthread_mutex_lock*", MUTEX },
	{ "pthread_mutex_timedlock*", "mutex (timed)" }, { "pthread_mutex_clocklock*", "mutex (timed)" },
	{ "pthread_rwlock_rdlock*", "rwlock (read)" }, { "pthread_rwlock_timedrdlock*", "rwlock (read)" },
	{ "pthread_rwlock_clockrdlock*", "rwlock (read)" },
	{ "pthread_rwlock_wrlock*", "rwlock (write)" }, { "pthread_rwlock_timedwrlock*", "rwlock (write)" },
	{ "pthread_rwlock_clockwrlock*", "rwlock (write)" },
	{ "pthread_cond_*", "condition" }, { "cnd_*", "condition" }, { "private_cond_*", "condition" },
	{ "new_sem_*", "semaphore" }, { "sem_*", "semaphore" },
	{ "pthread_barrier_*", "barrier" },
	{ "pthread_join*", "join" }, { "pthread_clockjoin*", "join" }, { "pthread_timedjoin*", "join" }, { "thrd_join", "join" },
	{ "pthread_once*", "once" },
	{ "mtx_*", MUTEX },
	/* locks of the C library itself */
	{ "malloc*", "allocator" }, { "free", "allocator" }, { "calloc", "allocator" }, { "realloc*", "allocator" },
	{ "memalign", "allocator" }, { "posix_memalign", "allocator" }, { "aligned_alloc", "allocator" }, { "cfree", "allocator" },
	{ "int_malloc", "allocator" }, { "int_free*", "allocator" }, { "int_realloc", "allocator" }, { "int_memalign", "allocator" },
	{ "libc_malloc", "allocator" }, { "libc_free", "allocator" }, { "libc_calloc", "allocator" }, { "libc_realloc", "allocator" },
	{ "arena_get*", "allocator" }, { "tcache_*", "allocator" }, { "je_*", "allocator" }, { "mi_*", "allocator" },
	{ "*tcmalloc::", "allocator" }, { "wrlock", "allocator" }, { "alloc_slot", "allocator" },
	{ "flockfile", "stdio" }, { "lockfile", "stdio" }, { "IO_*", "stdio" }, { "fputs", "stdio" }, { "puts", "stdio" },
	{ "fwrite", "stdio" }, { "fread", "stdio" }, { "fflush", "stdio" }, { "putc", "stdio" }, { "fputc", "stdio" },
	{ "putchar", "stdio" }, { "getc", "stdio" }, { "fgetc", "stdio" }, { "fgets", "stdio" }, { "getline", "stdio" },
	{ "vfprintf*", "stdio" }, { "printf*", "stdio" }, { "fprintf*", "stdio" }, { "fclose", "stdio" }, { "setvbuf", "stdio" },
	{ "dl_*", "dynamic linker" }, { "dlopen*", "dynamic linker" }, { "dlsym*", "dynamic linker" }, { "rtld_*", "dynamic linker" },
	/* Rust */
	{ "*mutex::futex::Mutex::lock", "mutex (Rust)" }, { "*futex_mutex::Mutex::lock", "mutex (Rust)" },
	{ "*futex::RwLock::read", "rwlock (read, Rust)" }, { "*futex_rwlock::RwLock::read", "rwlock (read, Rust)" },
	{ "*futex::RwLock::write", "rwlock (write, Rust)" }, { "*futex_rwlock::RwLock::write", "rwlock (write, Rust)" },
	{ "*futex::Condvar::wait", "condition (Rust)" }, { "*futex_condvar::Condvar::wait", "condition (Rust)" },
	{ "*futex::Once::", "once (Rust)" }, { "*thread::park", "park (Rust)" }, { "*Parker::park", "park (Rust)" },
	{ "*raw_mutex::RawMutex::lock_slow", "mutex (parking_lot)" }, { "*raw_rwlock::RawRwLock::lock_shared_slow", "rwlock (read, parking_lot)" },
	{ "*raw_rwlock::RawRwLock::lock_exclusive_slow", "rwlock (write, parking_lot)" },
	{ "*condvar::Condvar::wait", "condition (Rust)" },
	/* HotSpot */
	{ "ObjectMonitor::enter*", "monitor (Java)" }, { "ObjectMonitor::EnterI*", "monitor (Java)" },
	{ "ObjectMonitor::ReenterI*", "monitor (Java, re-lock after wait)" }, { "ObjectMonitor::wait*", "condition (Java)" },
	{ "Unsafe_Park", "park (Java)" }, { "Monitor::lock*", "mutex (JVM)" }, { "Mutex::lock*", "mutex (JVM)" },
	{ "Monitor::wait*", "condition (JVM)" },
	/* C++ libraries */
	{ "*folly::SharedMutexImpl", "rwlock (folly)" }, { "*folly::MicroLock", "mutex (folly)" },
	{ "*folly::DistributedMutex", "mutex (folly)" }, { "*folly::Baton", "baton (folly)" },
	{ "absl::Mutex::Lock*", "mutex (abseil)" }, { "absl::CondVar::*", "condition (abseil)" },
	{ "absl::Mutex::*Reader*", "rwlock (abseil)" },
	/* Go */
	{ "runtime.lock*", "runtime lock (Go)" }, { "runtime.notesleep*", "idle thread (Go)" }, { "runtime.notetsleep*", "idle thread (Go)" },
	{ "runtime.futexsleep*", "idle thread (Go)" },
};

static bool matches(const char *pattern, const char *name, size_t length)
{
	size_t size = strlen(pattern);

	if (*pattern == '*')
		return memmem(name, length, pattern + 1, size - 1) != NULL;
	if (pattern[size - 1] == '*')
		return length >= size - 1 && !strncmp(name, pattern, size - 1);
	return length == size && !strncmp(name, pattern, size);
}

/* Newer Rust puts the type of a method in brackets, "<std::sys::sync::mutex::futex::Mutex>::lock", as older does not: they go. */
static size_t plain_name(const char *name, size_t length, char plain[NAME_SIZE])
{
	size_t used = 0;

	for (size_t i = 0; i < length && used < NAME_SIZE; i++)
		if (name[i] != '>' || length - i < 3 || name[i + 1] != ':' || name[i + 2] != ':')
			plain[used++] = name[i];
	return used;
}

static const char *primitive_of_function(const char *name)
{
	char plain[NAME_SIZE];
	size_t length;

	while (*name == '_')
		name++;
	length = strcspn(name, "@");
	if (*name == '<') {
		length = plain_name(name, length, plain);
		name = plain;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		if (matches(rows[i].function, name, length))
			return rows[i].primitive;
	return NULL;
}

/* What the operation and the value tell by themselves. */
static const char *primitive_of_futex(const struct wait_evidence *seen)
{
	uint32_t command = seen->futex_operation & COMMAND;

	if (command == DO_LOCK_PI || command == DO_LOCK_PI2)
		return "mutex (priority inheritance)";
	if (command == DO_WAIT && seen->futex_word == FUTEX_WORD_THREAD)
		return seen->futex_owner == FUTEX_OWNER_THREAD ? "mutex (robust)" : "join";
	if (command == DO_WAIT && seen->futex_word == FUTEX_WORD_TWO)
		return MUTEX;
	if (command != DO_WAIT_BITSET)
		return command == DO_WAIT ? "barrier or condition" : "condition";
	if (seen->futex_word == FUTEX_WORD_TWO && seen->futex_owner == FUTEX_OWNER_THREAD)
		return "mutex (timed)";
	if (seen->futex_word == FUTEX_WORD_TWO || seen->futex_word == FUTEX_WORD_THREE)
		return seen->futex_operation & REALTIME ? "rwlock" : "mutex or condition";
	return seen->futex_word == FUTEX_WORD_THREAD ? "join" : "condition or semaphore";
}

static const char *primitive_of_kernel(const struct wait_evidence *seen)
{
	if (seen->contention & KERNEL_MUTEX)
		return "kernel mutex";
	if (seen->contention & RTMUTEX)
		return "kernel rtmutex";
	if (seen->contention & PER_CPU)
		return seen->contention & WRITES ? "kernel percpu-rwsem (write)" : "kernel percpu-rwsem (read)";
	if (seen->contention & (READS | WRITES))
		return seen->contention & WRITES ? "kernel rwsem (write)" : "kernel rwsem (read)";
	return "kernel semaphore";
}

const char *primitive_of(const struct wait_evidence *seen, const char *const *names, size_t count)
{
	uint32_t command = seen->futex_operation & COMMAND;
	bool is_futex = seen->syscall == CALL_FUTEX && !(seen->flags & EVIDENCE_KERNEL_THREAD);
	const char *primitive = NULL;

	if (is_futex && (command == DO_LOCK_PI || command == DO_LOCK_PI2))
		return primitive_of_futex(seen);
	if (seen->flags & EVIDENCE_CONTENDED)
		return primitive_of_kernel(seen);
	if (!is_futex)
		return NULL;
	for (size_t i = 0; i < count && !primitive; i++)
		primitive = primitive_of_function(names[i]);
	if (!primitive)
		return primitive_of_futex(seen);
	if (strcmp(primitive, MUTEX) != 0)
		return primitive;
	/* One function of glibc's locks them all. */
	if (command == DO_WAIT && seen->futex_word == FUTEX_WORD_THREAD)
		return "mutex (robust)";
	return primitive;
}
