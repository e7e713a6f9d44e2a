/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Descriptions of a Go program's functions, made of its .gopclntab: a stripped one has no other. Go's frames end where the
 * stack pointer's distance says, and keep rbp right below the return address. Three kinds of functions have rules of their
 * own: those that a stack begins with, those that move to another stack, and the one that a signal's handler returns to.
 */
struct frame_set;
struct image;

void go_frame_add(struct frame_set *set, struct image *image);
