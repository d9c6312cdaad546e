/*
 * allocation_sites.c - which statement allocated each block of the heap, for the names of variables in the heap
 * (trace/profile.h). Only profile executions note it, because a walk of the stack at each allocation is slow.
 *
 * A block's name has an ordinal: how many blocks came from the same stack before it. The counts are in memory of
 * the execution: a forked execution goes on from the counts at the checkpoint, a process of its own starts at 0.
 */
#include "rt/heap/allocation_sites.h"

#include "base/map.h"
#include "rt/rt.h"
#include "trace/place.h"
#include "trace/profile.h"

#include <errno.h>

static struct rd_map counts; /* hash of a stack -> blocks from it so far */

/* True if the execution collects the names of variables, or may turn out to be one that does. */
static bool wanted(void) {
    const struct rd_channel *c = rd_rt.channel;
    if (!c->config.variables)
        return false;
    /* before the checkpoint the explorer has no plan for its executions yet; a process of its own has one from the
     * start */
    bool known = rd_rt.threaded || c->config.mode == RD_MODE_ONE;
    return !known || c->execution.plan.access_points == RD_ACCESSES_PROFILE;
}

/* The innermost call in the user's code: in the program, or in a library that was compiled with hooks. */
static rd_place own_call(const rd_place *calls, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        int m = rd_place_module(calls[i]);
        if (m == 0 || (m > 0 && rd_rt.channel->execution.modules[m].instrumented))
            return calls[i];
    }
    return count ? calls[0] : 0;
}

static void note(const void *p, size_t size) {
    rd_place calls[RD_STACK_MAX];
    struct rd_profile *profile = rd_channel_profile(rd_rt.channel);
    if (profile->lost &
        RD_LOST_BLOCKS) { /* the table is full: a program that allocates on and on walks no stacks */
        rd_profile_forget(profile, rd_place_of((uintptr_t)p), size);
        return;
    }
    uint32_t n = rd_stack_capture(calls, RD_STACK_MAX, false, NULL);
    struct rd_block b = {.first = rd_place_of((uintptr_t)p), .size = RD_MAX(size, (size_t)1), .stack = n};
    for (uint32_t i = 0; i < n; i++)
        b.stack = rd_hash2(b.stack, calls[i]);
    for (uint32_t i = 0; i < RD_MIN(n, (uint32_t)RD_STEP_STACK); i++)
        b.calls[i] = calls[i];
    b.pc = own_call(calls, n);
    b.tid = rd_self->tid;
    b.by_new = rd_self->by_new;
    RD_CHECK(n <= RD_STACK_MAX);
    b.ordinal = (uint32_t)(*rd_map_put(&counts, &rd_rt.arena, b.stack))++;
    rd_profile_add_block(profile, &b);
}

void rd_allocation_sites_note(const void *p, size_t size) {
    if (RD_LIKELY(!wanted()))
        return;
    int saved = errno;
    rd_rt_enter();
    note(p, size);
    rd_rt_leave();
    rd_errno_back(saved);
}
