/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_reader.h"
FUZZ_READER(otlp_json)
