/*
 * host/base/contract.h: what a function relies on, looked at in builds for tests only.
 *
 * assert() stays in every build and costs next to nothing where an embedder calls. DEBUG_ASSERT()
 * is for what every message or byte of a guest passes. Both are for what only a mistake of ours
 * can make false, never for what a guest, a snapshot, a trace, a worker or an embedder may choose.
 */
#ifndef PF_BASE_CONTRACT_H
#define PF_BASE_CONTRACT_H

#include <assert.h>

#ifdef PF_CHECKED
#define DEBUG_ASSERT(condition) assert(condition)
#else
#define DEBUG_ASSERT(condition) ((void)sizeof(!(condition)))
#endif

#endif
