/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Student's t distribution, for intervals from few pairs, and the incomplete beta function that it
 * is computed by. Arguments outside the domain give NAN.
 */

double incomplete_beta(double a, double b, double x);           /* regularised, I_x(a, b) */
double student_cdf(double t, double freedom);                   /* P(T <= t) at that many degrees */
double student_quantile(double probability, double freedom);    /* inverse of it */
