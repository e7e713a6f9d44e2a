/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arms of the experiment, chosen when the service is compiled:
 *
 *              parser   renderer   store access
 *   baseline   old      old        old
 *   candidate  new      new        new
 *   restored   new      new        old
 *   reverted   old      new        new       takes back the wrong thing: what the flame graph pointed at
 *
 * Each of the three switches is read in exactly one place: parse.c, response.c, store_fetch.c.
 */
#pragma once

#if defined(MERCURY_CANDIDATE)
enum { ARM_NEW_PARSER = 1, ARM_NEW_RENDERER = 1 };
#define ARM_NEW_STORE_ACCESS 1
#define ARM_NAME "candidate"
#elif defined(MERCURY_RESTORED)
enum { ARM_NEW_PARSER = 1, ARM_NEW_RENDERER = 1 };
#define ARM_NEW_STORE_ACCESS 0
#define ARM_NAME "restored"
#elif defined(MERCURY_REVERTED)
enum { ARM_NEW_PARSER = 0, ARM_NEW_RENDERER = 1 };
#define ARM_NEW_STORE_ACCESS 1
#define ARM_NAME "reverted"
#elif defined(MERCURY_BASELINE)
enum { ARM_NEW_PARSER = 0, ARM_NEW_RENDERER = 0 };
#define ARM_NEW_STORE_ACCESS 0
#define ARM_NAME "baseline"
#else
#error "choose an arm: -DMERCURY_BASELINE, -DMERCURY_CANDIDATE, -DMERCURY_RESTORED or -DMERCURY_REVERTED"
#endif
