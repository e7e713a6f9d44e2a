/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* How long requests took, for any answer: quantiles by profile/latency.h. */
struct document;
struct question;

/* Adds the table "latency"; nothing where no request was decomposed. */
void request_latency_add(const struct question *question, struct document *into);
