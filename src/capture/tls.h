/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Puts the probes of --with tls into every copy of libssl that a process maps: at the start into those that are mapped anywhere and the
 * host's own, later into those that new processes of the population bring. A library at whose SSL_do_handshake the kernel would have to
 * single-step is refused, and that is noted.
 */
#include <stdint.h>

#include "base/cleanup.h"

struct crosscut_bpf;
struct profile;
struct tls;

struct tls *tls_new(struct crosscut_bpf *bpf, struct profile *profile);      /* borrows both; looks at what runs */
void tls_free(struct tls *tls);                                              /* takes all probes out; NULL is fine */
DEFINE_CLEANUP(tls)
void tls_map(struct tls *tls, uint32_t pid, const char *path);              /* a process maps a file; NULL is fine */
