/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody else's time, as seen from the caller. */
#include "hypothesis/hypothesis.h"

static const struct prediction must_move[] = { { "network", 0.25 }, { "mean", 0.1 }, { 0 } };
static const struct prediction must_not_move[] = { { "oncpu", 0.05 }, { 0 } };

extern const struct hypothesis hypothesis_remote_dependency;
const struct hypothesis hypothesis_remote_dependency = {
	.name = "remote-dependency",
	.summary = "a peer answers later, or is asked more often",
	.mechanism = "Each completion waits longer for the network. Network wait per completion rises and elapsed time "
		     "with it; running time stays level.",
	.must_move = must_move,
	.must_not_move = must_not_move,
	.change = "the calls to the peer",
};
