/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What roles do on stage, and how a stage is set for them: those that scenes.c does not hold itself. */
#include "scenarios.h"

/* Holds the mutex while it does something; lets go in between, for others to have it. */
#define HOLD(name, before, what)                                    \
	void name(struct stage *stage)                       \
	{                                                           \
		while (goes_on(stage)) {                            \
			before;                                     \
			(void)pthread_mutex_lock(&stage->mutex);    \
			what;                                       \
			(void)pthread_mutex_unlock(&stage->mutex);  \
			doze(MS / 10);                              \
		}                                                   \
	}

int set_locks(struct stage *stage);
void wait_for_children(struct stage *stage);
int set_shared(struct stage *stage);
void want_shared(struct stage *stage);
int set_pipes(struct stage *stage);
void read_second_pipe(struct stage *stage);
void pass_on(struct stage *stage);
void feed_first_pipe(struct stage *stage);
int set_sockets(struct stage *stage);
void ping(struct stage *stage);
void pong(struct stage *stage);
int set_server(struct stage *stage);
int set_connection(struct stage *stage);           /* as set_sockets and set_server, by TCP through the loopback device */
int set_remote_server(struct stage *stage);
void serve_from_disk(struct stage *stage);
int set_event(struct stage *stage);
void want_event(struct stage *stage);
void give_events(struct stage *stage);
int set_file_lock(struct stage *stage);
void want_file(struct stage *stage);
void hold_file(struct stage *stage);
int set_direct(struct stage *stage);
int set_mapped(struct stage *stage);
int set_journal(struct stage *stage);
void sync_mine(struct stage *stage);
void sync_others(struct stage *stage);
void hold_and_read(struct stage *stage);
void hold_and_fault(struct stage *stage);
void hold_and_sleep(struct stage *stage);
void hold_and_compute(struct stage *stage);
void hold_and_want(struct stage *stage);
