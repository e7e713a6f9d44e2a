/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Many tests at once: of a thousand frames that did not change, fifty have p below 0.05. Y. Benjamini and Y. Hochberg,
 * "Controlling the False Discovery Rate", Journal of the Royal Statistical Society B 57 (1995): what is reported at q holds
 * at most that share of false findings on average. Inclusive weights of nested frames depend on each other positively, under
 * which the procedure still holds (Benjamini and Yekutieli 2001).
 */
#include <stddef.h>

/* Replaces each p by the least q at which it would be reported. NAN stays NAN and is not counted among those tested. */
void correct_false_discovery(double *p, size_t count);
