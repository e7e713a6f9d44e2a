/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Trees whose every figure is known beforehand: the page is checked against them. */
#include <stddef.h>
#include <stdint.h>

struct tree;

struct path {
	const char *frames;          /* "main;worker;parse", sorted by byte */
	double self;
	uint64_t count;
};

struct tree *tree_of_paths(const char *unit, const char *weighting, const struct path *paths, size_t count, double scale);
/* A tree of `nodes` nodes, up to 60 deep, the same at every run. */
struct tree *tree_large(size_t nodes);
