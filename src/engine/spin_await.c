/* spin_await.c - see spin_await.h. */
#include "engine/spin_await.h"

#include "trace/access_mode.h"
#include "trace/place.h"

enum { NEAR = 1 << 16 }; /* length in bytes of the memory that one AWAIT can name */

static bool on_a_stack(rd_place p) {
    return rd_place_region(p) >= RD_PLACE_STACK && rd_place_region(p) < RD_PLACE_IO;
}

/* Returns whether the places lie close together in one region, in the same order as their addresses. */
static bool is_one_piece(const struct rd_spin_read *r) {
    unsigned region = rd_place_region(r->first);
    return region == rd_place_region(r->last) && region < RD_PLACE_STACK && r->last - r->first < NEAR;
}

/* Returns whether entry i names memory for which the loop waits: not a lock, nor a temporary on its own stack. */
static bool is_waited_for(const struct rd_spin_thread *t, uint32_t i) {
    const struct rd_spin_read *r = &t->at[i];
    bool own = r->own || r->lock || !r->first;
    for (uint32_t k = t->loop_start; k < i && !own; k++)
        own = t->at[k].own && t->at[k].first <= r->first && r->last <= t->at[k].last;
    return !own;
}

/* Returns the lock that the iteration takes, or NULL. `several`: it takes more than one. */
static const struct rd_spin_read *lock_of(const struct rd_spin_thread *t, bool *several) {
    const struct rd_spin_read *one = NULL;
    *several = false;
    for (uint32_t i = t->loop_start; i < t->count; i++) {
        *several |= t->at[i].lock && one && one->addr != t->at[i].addr;
        if (t->at[i].lock)
            one = &t->at[i];
    }
    return one;
}

bool rd_spin_describe(const struct rd_spin_thread *t, const struct rd_op *op, struct rd_op *await) {
    struct rd_spin_read all = {0};
    bool several = false, memory = true;
    RD_ASSERT(t->loop_start < t->count);
    for (uint32_t i = t->loop_start; i < t->count; i++) {
        const struct rd_spin_read *r = &t->at[i];
        if (!is_waited_for(t, i))
            continue;
        memory &= rd_spin_is_memory(r->kind);
        several |= all.first && (all.first != r->first || all.last != r->last);
        if (!all.first)
            all = *r;
        all.first = RD_MIN(all.first, r->first);
        all.last = RD_MAX(all.last, r->last);
        all.addr = on_a_stack(r->first) ? all.addr : RD_MIN(all.addr, r->addr);
    }
    if (several)
        all.last = RD_MAX(all.last, all.first + RD_ACCESS_MAX); /* longer than one access can be */
    bool locks;
    const struct rd_spin_read *lock = lock_of(t, &locks);
    bool wide = locks || !all.first || (several && !(memory && is_one_piece(&all)));
    *await = (struct rd_op){.kind = RD_OP_AWAIT, .pc = op->pc};
    await->order = wide ? RD_ACCESS_WIDE : memory ? RD_ACCESS_PLAIN : RD_ACCESS_SHARED;
    if (!wide) {
        await->place = on_a_stack(all.first) ? all.last : all.first;
        await->addr = all.addr;
        await->size = (uint32_t)(all.last - all.first + 1);
        await->place2 = lock ? lock->first : 0;
        await->addr2 = lock ? lock->addr : 0;
    }
    return all.first;
}
