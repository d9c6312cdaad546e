/*
 * race_watch.c - see race_watch.h.
 *
 * A step is complete when its hook has returned (whether a compare-and-swap failed is known only then), and at the
 * latest when any thread makes the next access or operation. So steps are added late: before an access is checked,
 * and at the end of the execution. An access is always added after all steps before it.
 *
 * A plain access that belongs to an operation is checked when the operation is announced. Between that and the
 * operation its thread performs no step: the access has the same epoch then, and knows of no fewer accesses of
 * other threads. So no race is missed; but a call that waits and then stores its result may be found to race
 * although the wait orders the two. Its memory becomes a point then, which is never wrong.
 */
#include "rt/access/race_watch.h"

#include "detect/race_check.h"
#include "rt/access/shared_access.h"
#include "rt/address/place_of_address.h"

struct rd_race_watch {
    struct rd_race_check check;
    uint32_t steps; /* that were added */
};

void rd_race_watch_begin(void) {
    const struct rd_engine *e = &rd_rt.engine;
    RD_CHECK(rd_rt.only_raced && !rd_rt.races);
    rd_rt.races = rd_arena_zero(&rd_rt.arena, sizeof *rd_rt.races);
    rd_race_check_init(&rd_rt.races->check, &rd_rt.arena, RD_MAX(e->world.count, 1u), e->rec.cxx20);
    rd_rt.races->steps = e->rec.out->steps;
}

static void look(uint64_t granule, rd_tid tid, uint32_t epoch, const struct rd_race_access *access) {
    RD_ASSERT(granule % RD_SHARING_GRANULE == 0);
    if (rd_race_check_access(&rd_rt.races->check, granule / RD_SHARING_GRANULE, tid, epoch, access))
        rd_sharing_race(granule);
}

/* The atomic access of a step, in the granules whose accesses are checked. */
static void atomic(const struct rd_step *s, uint32_t epoch) {
    uint64_t addr = rd_place_address(s->place), end = addr + s->size;
    bool failed = s->op == RD_OP_ATOMIC_CAS && s->result;
    struct rd_race_access a = {.write = (rd_op_flags(s->op) & RD_F_WRITES) && !failed, .atomic = true};
    if (!addr || !s->size || (addr | end) >> RD_SHARING_BITS)
        return;
    for (uint64_t at = addr & ~(uint64_t)(RD_SHARING_GRANULE - 1); at < end; at += RD_SHARING_GRANULE) {
        a.mask = rd_race_mask(at / RD_SHARING_GRANULE, RD_MAX(addr, at), RD_MIN(end, at + RD_SHARING_GRANULE) - 1);
        if (*rd_sharing_cell(at) == RD_SHARING_CHECKED)
            look(at, s->tid, epoch, &a);
    }
}

void rd_race_watch_steps(void) {
    struct rd_race_watch *w = rd_rt.races;
    const struct rd_record *r = &rd_rt.engine.rec;
    if (!w)
        return;
    rd_sync_reach(&w->check.sync, rd_rt.engine.world.count);
    for (; w->steps < r->out->steps; w->steps++) {
        const struct rd_step *s = &r->steps[w->steps];
        uint32_t epoch = rd_race_check_step(&w->check, s);
        if (epoch && rd_op_flags(s->op) & RD_F_ATOMIC && !(s->flags & RD_STEP_SIGNALLED))
            atomic(s, epoch);
    }
}

void rd_race_watch_access(uint64_t granule, const struct rd_race_access *access) {
    RD_CHECK(rd_rt.races && rd_self->inside > 0);
    rd_race_watch_steps();
    look(granule, rd_self->tid, rd_sync_now(&rd_rt.races->check.sync, rd_self->tid), access);
}
