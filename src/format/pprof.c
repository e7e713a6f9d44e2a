/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof, the format of `go tool pprof` and of most profiling services: gzip'd protocol buffers. Files
 * differ in what they leave out, so that everything but the samples is optional on both ways.
 * pprof_read.c reads, pprof_write.c writes.
 */
#include "format/content.h"
#include "format/pprof.h"

#include "format/format.h"
#include "format/pprof_read.h"

extern const struct format pprof_format;
const struct format pprof_format = {
	.name = "pprof",
	.summary = "for go tool pprof and whatever reads its files",
	.suffix = ".pb.gz",
	.recognise = pprof_recognise,
	.read = pprof_read,
	.write = pprof_write,
	.keeps = KEEPS(ARGUMENTS) | KEEPS(EVENTS) | KEEPS(PARTS) | KEEPS(UNITS) | KEEPS(WEIGHTING) | KEEPS(COUNTS) | KEEPS(FUNCTIONS) | KEEPS(STACKS) |
		 KEEPS(PROCESSES) | KEEPS(THREADS) | KEEPS(COMMS) | KEEPS(MODULES) | KEEPS(BUILD_IDS) |
		 KEEPS(ADDRESSES) | KEEPS(SOURCE) | KEEPS(LINES) | KEEPS(INLINED) |
		 KEEPS(LABELS) | KEEPS(CAUSES) | KEEPS(BIAS) | KEEPS(META),
};
