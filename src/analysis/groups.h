/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The ledger once per group: `--by thread`, `process`, `comm`, `cgroup` and `class`. */
struct account;
struct document;
struct error;
struct question;

/* Adds the table "groups". -EINVAL with *err where question->by names no grouping. */
int groups_add(const struct question *question, const struct account *account,
	       struct document *into, struct error *err);
