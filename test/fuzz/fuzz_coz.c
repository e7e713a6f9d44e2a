/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of this format. */
#include "fuzz_reader.h"

FUZZ_READER(coz)
