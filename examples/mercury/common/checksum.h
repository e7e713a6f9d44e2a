/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 (IEEE), eight bytes at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

uint32_t checksum(const void *bytes, size_t size);
