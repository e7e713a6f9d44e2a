/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A scenario: its roles, each a thread that acts until the stage is over, and the chain that the first one's waits must come
 * down to. "wait" is the role that is judged. %N in a chain is the scenario's number of two digits.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { ROLES = 8, MS = 1000000, PERFORMANCE_NS = 350 * MS };

struct stage {
	unsigned number;
	const char *directory;
	atomic_bool over;
	atomic_uint turn;                    /* a scenario's own */
	pthread_mutex_t mutex, inner;
	pthread_cond_t condition;
	pthread_rwlock_t rwlock;
	sem_t asked, done;
	int fds[8];
	char *memory;                        /* shared with its children, or mapped from a file */
};

struct role { const char *name; void (*act)(struct stage *stage); };
struct scenario {
	const char *name, *chain;
	int (*set)(struct stage *stage);     /* negative: cannot be staged here */
	struct role roles[ROLES];
};

extern const struct scenario scenarios[];
extern const unsigned scenario_count;

uint64_t now_ns(void);
void name_self(unsigned number, const char *role);
void compute(uint64_t ns);
void doze(uint64_t ns);
bool goes_on(const struct stage *stage);
int file_make(const char *directory, size_t bytes);
void file_forget(int fd);
