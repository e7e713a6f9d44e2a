/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Documents with a timeline: a small one whose every span is known by heart, and one at the limit; and one of who waited for whom. */

struct document;

struct document *make_timeline(void);
struct document *make_crowd(void);
struct document *make_locks(void);
