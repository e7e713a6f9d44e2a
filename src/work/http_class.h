/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a request is called: its method and its path without what identifies things in it, and the trace it belongs to
 * (https://www.w3.org/TR/trace-context/). Of the rest of the request no byte is looked at twice.
 */
#include <stddef.h>

#include "work/work.h"

/* "GET /user/:n/orders"; "" where these bytes do not begin a request of HTTP/1. */
void http_class_of(const char *prefix, size_t size, struct work_class *ret);
