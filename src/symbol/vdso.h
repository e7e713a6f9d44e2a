/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The code that the kernel maps into every process as "[vdso]". It lies in no file, and every 64-bit process of one
 * kernel has the same.
 */
#include <stddef.h>

const void *vdso_image(size_t *ret_size);            /* our own; NULL where there is none */
