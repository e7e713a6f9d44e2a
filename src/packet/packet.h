/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A packet is the evidence of one investigation in one folder: what was asked, the captures of each arm, what they say, and
 * what was done when. packet.json holds all but the captures themselves, which lie beside it:
 *
 *	schema      "crosscut.packet/1"
 *	contract    workload, build, tenant, endpoint, outcome; state, unit, suspected, decision
 *	bounds      as the runbook gave them; retention among them
 *	hypothesis  mechanism, must_move, must_not_move, falsified_by
 *	captures    arm, pair, file, sha256, chain (the capture's own digest), figures, gates; objective file and its sha256;
 *	            load (its attempts by outcome)
 *	traces      file, sha256
 *	comparisons gates and rows, base against another arm
 *	verdict     judgement, why, quantities
 *	claims      text, and the figures that are its evidence
 *	ledger      at, what
 *	root        SHA-256 over all the others, written compactly with sorted keys
 *
 * Everything that can be computed from the captures is computed again by packet_verify(): a figure that was changed is found
 * even where all digests were made to fit. Who keeps the root elsewhere also finds a packet that was made anew as a whole.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct document;
struct error;
struct packet;
struct runbook;

enum { PACKET_BYTE_LIMIT = 64 << 20, PACKET_CAPTURE_LIMIT = 192, PACKET_PAIRS_LEAST = 6 };

/* Makes the folder (mode 0700) and an empty packet in it; FAILURE_WORK where one is there already. The runbook's contract is whole. */
int packet_new(const char *directory, const struct runbook *runbook, bool simulated, struct packet **ret, struct error *err);
int packet_open(const char *directory, struct packet **ret, struct error *err);
void packet_delete(const char *directory);           /* the files of a packet, and the folder where it is empty then */
void packet_free(struct packet *packet);             /* NULL is fine; does not save */
DEFINE_CLEANUP(packet)
int packet_save(struct packet *packet, struct error *err);   /* seals with the root anew; packet.json is of mode 0600 */
const char *packet_root(const struct packet *packet);        /* of the last save or as read */

/* pair: from 1; 0: the arm's next. objective: the load generator's JSON, or NULL. Both files are copied into the folder. */
int packet_add(struct packet *packet, const char *arm, unsigned pair, const char *capture, const char *objective, struct error *err);
int packet_add_trace(struct packet *packet, const char *path, struct error *err);
void packet_note(struct packet *packet, const char *what, ...) __attribute__((format(printf, 2, 3)));    /* a line of the ledger */
/* Evidence that may not speak, for a reason outside the captures; the verdict is inconclusive then. */
void packet_refuse(struct packet *packet, const char *why);

/* Computes comparisons, verdict and claims from the captures and puts them into the packet. */
int packet_judge(struct packet *packet, struct error *err);
/* "supported" …; "untested" where there is no restored arm; NULL before packet_judge(). */
const char *packet_judgement(const struct packet *packet);
void packet_document(const struct packet *packet, struct document *into);
/* Four sentences for the incident lead. */
void packet_explain(const struct packet *packet, struct document *into);
/* Adds a finding per failure; returns how many, or negative errno. root: as kept elsewhere, or NULL. */
int packet_verify(const struct packet *packet, const char *root, struct document *into, struct error *err);
/* Deletes captures, objectives and traces whose retention is over; packet.json stays and says so. Returns how many. */
int packet_expire(struct packet *packet, uint64_t now_s, struct error *err);
