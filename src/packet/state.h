/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What the parts of packet/ share: the JSON that a packet is, and the figures that can be made again. */
#include <jansson.h>
#include <stdbool.h>

#include "packet/packet.h"

struct packet {
	char *directory;
	json_t *root;                        /* the object of packet.json */
};

char *packet_path(const struct packet *packet, const char *name);    /* below the folder; the caller frees it */
const char *packet_text(const json_t *object, const char *key);      /* "" where there is none */
/* Hexadecimal SHA-256 of a file; FAILURE_WORK where it cannot be read. */
enum { DIGEST_TEXT_SIZE = 65 };
int packet_digest_file(const char *path, char ret[DIGEST_TEXT_SIZE], struct error *err);
void packet_digest_root(const json_t *root, char ret[DIGEST_TEXT_SIZE]);
/* Attempts by outcome out of the load generator's JSON; NULL where it does not tell them apart or cannot be read. The caller's. */
json_t *packet_load(const char *path);
/* Figures and gates of one capture, as packet.json holds them, and what was stated before it was taken:
 * {"simulated","bounds":{…},"hypothesis":{…}} in the runbook's words. All three are the caller's. */
int packet_figures(const char *path, json_t **ret_figures, json_t **ret_gates, json_t **ret_stated, struct error *err);
/* A hypothesis as packet.json holds it, from the words of a runbook's section; NULL where its mechanism is no row. The caller's. */
json_t *packet_hypothesis(const json_t *words);
/* Whether a verdict rests on what this gate of a capture guards. */
bool packet_verdict_needs(const char *gate);
/* {"comparisons","verdict","claims"} from the captures that the packet names. The caller's. */
int packet_conclude(const struct packet *packet, json_t **ret, struct error *err);
