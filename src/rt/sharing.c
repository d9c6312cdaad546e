/*
 * sharing.c - see sharing.h. The table lies at a fixed address, in memory that all processes of a search have; it is
 * larger than all that is ever used of it, and only touched pages exist.
 */
#include "rt/sharing.h"

#include "rt/call.h"
#include "rt/raw.h"
#include "trace/event.h"
#include "trace/place.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEAR_STACK = 2048 }; /* of the stack, what the local state of a thread includes (local.c) */

bool rd_sharing_attach(int fd) {
    struct stat st = {0};
    bool common = fd >= 0 && rd_raw(SYS_newfstatat, (long)fd, "", &st, (long)AT_EMPTY_PATH) == 0;
    uint64_t size = RD_SHARING_HEAD + ((uint64_t)1 << RD_SHARING_BITS) / RD_SHARING_GRANULE;
    int flags = common ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *at = mmap((void *)RD_SHARING_AT, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE,
                    common ? fd : -1, 0);
    if (common)
        close(fd);
    if (at == MAP_FAILED)
        return false;
    madvise(at, size, MADV_DONTDUMP);
    if (!common)
        rd_sharing_open(at);
    return true;
}

void rd_sharing_thread(struct rd_vthread *v) {
    bool owns = v->tid < RD_SHARING_OWNERS;
    v->read_cell = (uint8_t)(owns ? RD_SHARING_READ + v->tid : UINT8_MAX); /* which no cell is */
    v->write_cell = (uint8_t)(owns ? RD_SHARING_WRITE + v->tid : UINT8_MAX);
}

void rd_sharing_begin(void) {
    const struct rd_channel *c = rd_rt.channel;
    bool on = c->config.sharing && rd_rt.all_accesses && rd_rt.engine.plan.watch == RD_WATCH_ALL;
    rd_rt.sharing = on ? c->sharing : (struct rd_sharing_use){0};
    rd_sharing_load();
}

void rd_sharing_load(void) {
    struct rd_channel *c = rd_rt.channel;
    if (c->config.sharing != RD_SHARING_REPLAY)
        return;
    const struct rd_shared *shared = rd_channel_shared(c);
    for (uint64_t i = 0; i < c->shared_count; i++) {
        uint64_t a = rd_place_address(shared[i].first), b = rd_place_address(shared[i].last);
        if (!a || !b || RD_MAX(a, b) >> RD_SHARING_BITS)
            continue; /* in a library that is not loaded yet */
        for (uint64_t at = RD_MIN(a, b); at <= RD_MAX(a, b); at += RD_SHARING_GRANULE)
            *rd_sharing_cell(at) = 1;
    }
}

void rd_sharing_all(void) {
    if (rd_rt.sharing.version && rd_rt.engine.world.unjoined)
        rd_sharing_everything(rd_sharing_head());
}

/* Memory that a schedule can name. */
static bool has_name(rd_place p) {
    unsigned region = rd_place_region(p);
    return rd_place_module(p) >= 0 || (region >= RD_PLACE_HEAP && region < RD_PLACE_IO);
}

/* The granule becomes shared, and what is around it, within its region. */
static void mark(uint64_t addr) {
    uint64_t grain = rd_sharing_grain(rd_sharing_head()), low, high;
    rd_place first, last;
    for (;; grain /= 8) {
        low = addr & ~(grain - 1);
        high = low + grain - 1;
        first = rd_place_of(low);
        last = rd_place_of(high);
        if (grain == RD_SHARING_GRANULE || rd_place_region(first) == rd_place_region(last))
            break;
    }
    rd_sharing_mark(rd_sharing_head(), rd_sharing_cell(low), grain / RD_SHARING_GRANULE, first, last);
}

/* One granule: is it no point? */
static bool touch(uint64_t addr, bool writes) {
    uint8_t *cell = rd_sharing_cell(addr);
    const struct rd_vthread *v = rd_self;
    if (*cell == RD_SHARING_UNUSED && !has_name(rd_place_of(addr))) {
        *cell = 1; /* in every process from its first use on: no schedule need name it */
        return false;
    }
    switch (rd_sharing_touch(cell, v->tid, writes, v->handling != 0, rd_rt.sharing.version)) {
    case RD_SHARING_POINT:
        return false;
    case RD_SHARING_NEWS:
        mark(addr & ~(uint64_t)(RD_SHARING_GRANULE - 1));
        return true;
    case RD_SHARING_PRIVATE:
        break;
    }
    return true;
}

/* Eight granules at once that are all this thread's own. */
static bool are_own(uint64_t addr) {
    uint64_t cells, own = rd_self->write_cell * 0x0101010101010101u;
    __builtin_memcpy(&cells, rd_sharing_cell(addr), sizeof cells);
    return cells == own;
}

static bool touch_all(uint64_t addr, uint64_t size, bool writes) {
    const uint64_t granule = RD_SHARING_GRANULE;
    uint64_t at = addr & ~(granule - 1), end = addr + size;
    bool private = true;
    while (at < end) {
        if (end - at >= 8 * granule && !rd_self->handling && are_own(at)) {
            at += 8 * granule;
            continue;
        }
        private &= touch(at, writes);
        at += granule;
    }
    return private;
}

bool rd_sharing_slowly(uint64_t addr, uint64_t size, bool writes) {
    addr = rd_shared_twice ? rd_shared_first(addr) : addr;
    if (!size || (addr | (addr + size)) >> RD_SHARING_BITS)
        return false;
    if (rd_heap_private(addr))
        return true;
    rd_rt_enter();
    bool private = touch_all(addr, size, writes);
    rd_rt_leave();
    if (private && writes)
        rd_spin_own(&rd_rt.engine.spin, rd_self->tid);
    return private;
}

/*
 * A write of the thread's own may be what a loop counts with; one to its stack is in its local state. A thread that
 * goes on for very long may wait for another thread, for memory that is not known to be shared yet.
 */
void rd_sharing_passed(struct rd_vthread *v, uint64_t addr, bool writes, uint64_t pc) {
    uint64_t here = (uintptr_t)__builtin_frame_address(0);
    if (writes && addr - here >= NEAR_STACK)
        rd_spin_own(&rd_rt.engine.spin, v->tid);
    if (writes && ++v->passed < rd_rt.sharing.patience)
        return;
    v->passed = 0;
    rd_sharing_impatient(rd_sharing_head(), rd_rt.sharing.patience);
    rd_rt_op((struct rd_op){.kind = RD_OP_YIELD, .pc = pc});
}

void rd_sharing_op(const struct rd_op *op) {
    uint64_t object[RD_EVENT_OBJECTS];
    unsigned flags = rd_op_flags(op->kind);
    if (!rd_rt.engine.world.unjoined || rd_self->ignore)
        return;
    if (op->kind == RD_OP_PROCESS_START)
        rd_sharing_all();
    if (flags & (RD_F_READS | RD_F_WRITES | RD_F_STORES)) {
        if (op->addr && op->size)
            rd_sharing_slowly(op->addr, op->size, flags & (RD_F_WRITES | RD_F_STORES));
        return;
    }
    rd_event_used(op->kind, op->addr, rd_how_has_extents(op->order) ? 0 : op->addr2, object);
    for (unsigned i = 0; i < RD_COUNT(object); i++) /* to free or to write over it concerns who uses it */
        if (object[i] && !(object[i] >> RD_SHARING_BITS) && *rd_sharing_cell(object[i]) != RD_SHARING_READ_ALL)
            rd_sharing_slowly(object[i], 1, false);
}
