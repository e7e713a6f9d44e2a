/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/* Whether this processor handles a softirq, for who samples it. irq.bpf.c alone knows. */
#include "probe/kernel.bpf.h"

extern const volatile bool irq_watched;                 /* set before load */
HIDDEN bool irq_in_softirq(void);
