/* SPDX-License-Identifier: Apache-2.0 */
/* TLS handshakes: what they add to connections is decoded there; capture/tls.c puts the probes into the libraries. */
#include "probe/probe.h"

extern const struct probe probe_tls;
const struct probe probe_tls = {
	.name = "tls", .summary = "TLS handshakes of OpenSSL, by endpoint; needs network",
	.fills = "network, network-phases", .without = "TLS handshakes are not told from first bytes",
	.paid = "each SSL_read and SSL_write of any process pays the first of them and the last",
	.programs = { { "tls_used", NULL, 400 }, { "tls_begun", NULL, 400 }, { "tls_made", NULL, 630 }, { "tls_ended", NULL, 630 } },
};
