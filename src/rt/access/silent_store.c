/*
 * silent_store.c - finds out whether a store has changed its memory. The hook comes before the store, and may not
 * know the new value. So it keeps the old value, and compares when the thread comes to its next operation: until
 * then no other thread has run, and engine/spin.h does not need the answer.
 *
 * The same is done for stores to memory that no other thread uses, which are no operations (shared_access.h): up to
 * OWN of them are kept between two operations; if there are more, they count as a change.
 *
 * This file reads only memory that certainly exists: that of modules, of used blocks of the heap, and of stacks. A
 * store through a wild pointer must fault in the program's own code, not here.
 */
#include "rt/rt.h"

#include "trace/place.h"

#include <string.h>

/* A private store since the thread's last operation, and the value before it. */
struct rd_own_store {
    uint64_t addr, before;
    uint32_t size;
};
enum { OWN = 4 };

static bool is_there(rd_place p, uint64_t addr, uint32_t size) {
    unsigned region = rd_place_region(p);
    if (region >= RD_PLACE_HEAP && region < RD_PLACE_STACK)
        return rd_place_offset(p) < RD_PLACE_MAPPED && rd_heap_is_used(addr, size);
    return region >= RD_PLACE_MODULE && region < RD_PLACE_IO;
}

static void look(uint64_t to[2], const volatile void *addr, uint32_t size) {
    const void *from = (const void *)(uintptr_t)addr;
    RD_ASSERT(size > 0);
    to[0] = to[1] = 0;
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else if (size == 1)
        memcpy(to, from, 1);
    else
        memcpy(to, from, RD_MIN(size, (uint32_t)sizeof(uint64_t[2])));
}

bool rd_rt_look(const struct rd_op *op, uint64_t to[2]) {
    bool fits = op->size > 0 && op->size <= sizeof(uint64_t[2]);
    if (!fits || !is_there(op->place, op->addr, op->size))
        return false;
    look(to, (const volatile void *)(uintptr_t)op->addr, op->size);
    return true;
}

void rd_rt_stores(const volatile void *addr, uint32_t size) {
    struct rd_vthread *v = rd_self;
    if (v->store.size) /* an earlier store is not compared yet: this one was no operation, and both count as one */
        return;
    rd_place place = rd_spin_stored(&rd_rt.engine.spin, v->tid, (uint64_t)(uintptr_t)addr);
    if (!place || !is_there(place, (uint64_t)(uintptr_t)addr, size))
        return;
    v->store.addr = addr;
    v->store.size = size;
    look(v->store.before, addr, size);
}

void rd_rt_own_store(uint64_t addr, uint32_t size) {
    struct rd_vthread *v = rd_self;
    if (!rd_spin_reads(&rd_rt.engine.spin, v->tid))
        return; /* the thread is in no iteration of a loop that waits */
    for (uint32_t i = 0; i < v->own_stores; i++)
        if (v->own_store[i].addr == addr && v->own_store[i].size >= size)
            return;
    if (v->own_stores == OWN || size > sizeof(uint64_t) || !is_there(rd_place_of(addr), addr, size)) {
        rd_spin_own(&rd_rt.engine.spin, v->tid);
        return;
    }
    if (!v->own_store)
        v->own_store = rd_arena_alloc(&rd_rt.arena, OWN * sizeof *v->own_store);
    uint64_t before[2];
    look(before, (const volatile void *)(uintptr_t)addr, size);
    v->own_store[v->own_stores++] = (struct rd_own_store){addr, before[0], size};
}

void rd_rt_settle_own(struct rd_vthread *v) {
    bool changed = false;
    RD_CHECK(v->own_stores <= OWN);
    for (uint32_t i = 0; i < v->own_stores; i++) {
        uint64_t now[2];
        look(now, (const volatile void *)(uintptr_t)v->own_store[i].addr, v->own_store[i].size);
        changed |= now[0] != v->own_store[i].before;
    }
    v->own_stores = 0;
    if (changed)
        rd_spin_own(&rd_rt.engine.spin, v->tid);
}

void rd_rt_settle_store(struct rd_vthread *v) {
    uint64_t now[2];
    RD_ASSERT(v->store.size);
    look(now, v->store.addr, v->store.size);
    v->store.size = 0;
    if (now[0] == v->store.before[0] && now[1] == v->store.before[1])
        rd_spin_unchanged(&rd_rt.engine.spin, v->tid);
}
