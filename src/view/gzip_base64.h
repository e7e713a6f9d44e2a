/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Bytes, compressed by gzip and written as base64 while they come, so that a page can hold what no script could. */
#include <stddef.h>

struct output;
struct gzip_base64;

struct gzip_base64 *gzip_base64_new(struct output *to);
void gzip_base64_write(struct gzip_base64 *packer, const void *bytes, size_t size);
void gzip_base64_finish(struct gzip_base64 *packer);     /* writes what is left, and frees it */
