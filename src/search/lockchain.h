/*
 * lockchain.h - reverse lock chain analysis: lock cycles that an execution came close to without running into them.
 *
 * A thread cannot get lock l, because o holds it. If the lock that o released last was taken by o while it held l,
 * and the waiting thread holds that one now, the two take the locks in opposite orders: had o been a little later,
 * both would wait for ever. The same through several threads. (Bruening and Chapin, "Systematic testing of
 * multithreaded programs", 2000; there every lock is nested. Here the lock released last counts only if it was
 * taken under the one that is waited for, hand-over-hand locking is no cycle; and the waiting thread must not have
 * let others go on since, or it may be waiting there only because of what it saw them do.)
 */
#ifndef RD_LOCKCHAIN_H
#define RD_LOCKCHAIN_H

#include "base/arena.h"
#include "trace/types.h"

/* The first cycle that the execution shows and whose key `known` does not have. A pure function of the record. */
bool rd_lockchain_check(struct rd_arena *scratch, const struct rd_record *r,
                        bool (*known)(const void *ctx, uint64_t key), const void *ctx, struct rd_finding *f);

#endif
