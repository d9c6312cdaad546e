/*
 * lockset.h - the locking discipline: whatever several threads use and one of them writes is used under a lock that
 * all the uses have in common. Checked on one recorded execution, after "Eraser" (Savage et al., 1997).
 *
 * Memory that one thread uses is its own. When another one comes, the locks that it holds are what may protect it,
 * and every further use leaves of these only the ones that it holds, too; a read lock protects reads only. None
 * left, and a write among the uses: a violation. So is a use by another thread that nothing orders at all, not even
 * locks.
 *
 * Create and join, barriers, semaphores, conditions, atomics, once and the like hand memory over: when everything
 * that was done to it so far is ordered before a use by those alone, the memory is that thread's own again. Uses
 * that are atomic operations need no lock.
 */
#ifndef RD_LOCKSET_H
#define RD_LOCKSET_H

#include "base/arena.h"
#include "trace/types.h"

/* The first violation whose key `known` does not have. A pure function of the record. */
bool rd_lockset_check(struct rd_arena *scratch, const struct rd_record *r,
                      bool (*known)(const void *ctx, uint64_t key), const void *ctx, struct rd_finding *f);

#endif
