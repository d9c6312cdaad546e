/*
 * shared_access.c - see shared_access.h. The table is at a fixed address, in memory that all processes of a search
 * have. It has a cell for every possible address, but the kernel allocates only the pages that are written to.
 */
#include "rt/access/shared_access.h"

#include "rt/access/race_watch.h"
#include "rt/call/call.h"
#include "rt/raw.h"
#include "trace/event.h"
#include "trace/place.h"

#include <string.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGE = 64 << 20 };  /* accesses of more bytes make all memory shared */
enum { NEAR_STACK = 2048 }; /* bytes of the stack that the local state of a thread includes (local_state.c) */

static_assert(RD_SHARING_AT % 4096 == 0 && RD_SHARING_HEAD % 4096 == 0, "whole pages");
static_assert((int)RD_SHARING_OWNERS <= (int)RD_TID_MAX && RD_SHARING_HEIRS <= RD_SHARING_OWNERS, "threads");

bool rd_sharing_attach(int fd) {
    struct stat st = {0};
    bool common = fd >= 0 && rd_raw(SYS_newfstatat, (long)fd, "", &st, (long)AT_EMPTY_PATH) == 0;
    uint64_t size = RD_SHARING_SIZE;
    int flags = common ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *at =
        mmap((void *)RD_SHARING_AT, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, common ? fd : -1, 0);
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
    RD_CHECK(v->tid < RD_TID_MAX);
    bool owns = v->tid < RD_SHARING_OWNERS;
    v->read_cell = (uint8_t)(owns ? RD_SHARING_READ + v->tid : RD_SHARING_NONE);
    v->write_cell = (uint8_t)(owns ? RD_SHARING_WRITE + v->tid : RD_SHARING_NONE);
    v->handed_cell = (uint8_t)(v->tid < RD_SHARING_HEIRS ? RD_SHARING_HANDED + v->tid : RD_SHARING_NONE);
    RD_CHECK(!owns || (rd_sharing_owner(v->read_cell) == v->tid && rd_sharing_owner(v->write_cell) == v->tid));
}

void rd_sharing_begin(void) {
    const struct rd_channel *c = rd_rt.channel;
    bool on = c->config.sharing && rd_rt.engine.plan.access_points == RD_ACCESSES_ALL;
    rd_rt.sharing = on ? c->execution.sharing : (struct rd_sharing_use){0};
    rd_rt.all_accesses = on || (c->config.points != RD_POINTS_SYNC && c->config.points != RD_POINTS_RACED);
    rd_rt.only_raced = rd_rt.sharing.version && rd_config_checks_accesses(&c->config);
    rd_rt.races = NULL;
    if (rd_rt.only_raced && c->config.sharing == RD_SHARING_SEARCH)
        rd_race_watch_begin();
    RD_CHECK(rd_rt.sharing.version <= RD_SHARING_VERSIONS && (!rd_rt.sharing.version || rd_rt.sharing.patience));
    rd_rt.passed = 0;
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

/* Returns whether a schedule can name the memory: that of modules, of the heap and of stacks. */
static bool has_name(rd_place p) {
    unsigned region = rd_place_region(p);
    return rd_place_module(p) >= 0 || (region >= RD_PLACE_HEAP && region < RD_PLACE_IO);
}

/*
 * The granule becomes a point (or, with RD_TO_CHECK, memory whose accesses are checked), together with as much
 * memory around it as rd_sharing_grain() says, within its region.
 */
enum becomes { RD_TO_POINT, RD_TO_CHECK };
static void mark(uint64_t addr, enum becomes what) {
    uint64_t grain = rd_sharing_grain(rd_sharing_head()), low, high;
    RD_CHECK(grain >= RD_SHARING_GRANULE && (grain & (grain - 1)) == 0);
    rd_place first, last;
    for (;; grain = RD_MAX(grain / 8, (uint64_t)RD_SHARING_GRANULE)) {
        low = addr & ~(grain - 1);
        high = low + grain - 1;
        first = rd_place_of(low);
        last = rd_place_of(high);
        if (grain == RD_SHARING_GRANULE || rd_place_region(first) == rd_place_region(last))
            break;
    }
    RD_ASSERT(low <= addr && addr <= high);
    if (what == RD_TO_CHECK)
        rd_sharing_check(rd_sharing_head(), rd_sharing_cell(low), grain / RD_SHARING_GRANULE);
    else
        rd_sharing_mark(rd_sharing_head(), rd_sharing_cell(low), grain / RD_SHARING_GRANULE, first, last);
}

/* Returns whether `other` is a thread that this one creates in some execution, and that does not run now: this
 * thread has not created it yet, or has joined it. */
static bool is_apart(rd_tid other) {
    const struct rd_world *w = &rd_rt.engine.world;
    rd_tid me = rd_self->tid;
    RD_ASSERT(w->count <= RD_TID_MAX);
    if (other >= *w->path_count || w->paths[other].parent != me)
        return false;
    const struct rd_thread *t = &w->threads[other];
    return other >= w->count || t->state == RD_T_UNUSED || (t->joined && t->reaped_tid == me);
}

void rd_sharing_race(uint64_t granule) {
    rd_sharing_raced(rd_sharing_head());
    mark(granule, RD_TO_POINT);
}

/*
 * A silent access to a granule that other threads use, too. Whatever it reads can be another value in another
 * schedule, so a loop that makes it is not one that only waits for what its operations read.
 */
static bool check(uint64_t addr, const struct rd_race_access *a) {
    if (!a->atomic) { /* else it is an operation */
        if (a->write)
            rd_spin_own(&rd_rt.engine.spin, rd_self->tid);
        else
            rd_spin_checked(&rd_rt.engine.spin, rd_self->tid);
        rd_self->polled[rd_self->polled_count++ % RD_POLLED] = addr;
    }
    if (!a->atomic || a->object) /* an atomic access is checked when its step is complete */
        rd_race_watch_access(addr, a);
    return true;
}

/* The memory that the thread has read again and again becomes points. */
static void mark_polled(const struct rd_vthread *v) {
    uint32_t n = RD_MIN(v->polled_count, (uint32_t)RD_POLLED);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (v->polled[i] == v->polled[k] && *rd_sharing_cell(v->polled[i]) == RD_SHARING_CHECKED)
                mark(v->polled[i], RD_TO_POINT);
}

void rd_sharing_polls(void) {
    rd_rt.engine.spin.polls = false;
    mark_polled(rd_self);
}

void rd_sharing_polled(void) {
    const struct rd_outcome *o = rd_rt.engine.rec.out;
    if (!rd_rt.races || !(o->fairness || o->fair_tail || o->limited))
        return;
    for (uint32_t t = 0; t < rd_rt.engine.world.count; t++)
        if (rd_rt.threads[t])
            mark_polled(rd_rt.threads[t]);
}

/* Moves the cell of one granule on; true: the access is no point. */
static bool touch(uint64_t addr, const struct rd_race_access *a) {
    uint8_t *cell = rd_sharing_cell(addr);
    const struct rd_vthread *v = rd_self;
    RD_ASSERT(v->inside > 0 && rd_rt.engine.world.unjoined);
    if (*cell == RD_SHARING_CHECKED && rd_rt.races)
        return check(addr, a);
    if (*cell == RD_SHARING_UNUSED && !has_name(rd_place_of(addr))) {
        *cell = 1; /* shared in every process from its first use on: so no schedule needs to name it */
        return false;
    }
    rd_tid owner = rd_sharing_owner(*cell);
    const struct rd_sharing_by by = {.tid = v->tid,
                                     .creator = rd_rt.engine.world.threads[v->tid].parent,
                                     .apart = owner < RD_TID_NONE && is_apart(owner) ? owner : RD_TID_NONE};
    switch (rd_sharing_touch(rd_sharing_head(), cell, &by, a->write, rd_rt.sharing.version)) {
    case RD_SHARING_POINT:
        return false;
    case RD_SHARING_CHECK: /* another process has made it so meanwhile */
        return check(addr, a);
    case RD_SHARING_HANDS:
        rd_sharing_handed(rd_sharing_head());
        return true;
    case RD_SHARING_NEWS:
        mark(addr & ~(uint64_t)(RD_SHARING_GRANULE - 1), rd_rt.races ? RD_TO_CHECK : RD_TO_POINT);
        return true;
    case RD_SHARING_PRIVATE:
        break;
    }
    return true;
}

/* Returns whether eight granules are all this thread's own. */
static bool are_own(uint64_t addr) {
    uint64_t cells, own = rd_self->write_cell * 0x0101010101010101u;
    __builtin_memcpy(&cells, rd_sharing_cell(addr), sizeof cells);
    return cells == own;
}

static bool touch_all(uint64_t addr, uint64_t size, struct rd_race_access a) {
    const uint64_t granule = RD_SHARING_GRANULE;
    uint64_t at = addr & ~(granule - 1), end = addr + size;
    bool private = true;
    RD_ASSERT(at < end && !((end - 1) >> RD_SHARING_BITS));
    while (at < end) {
        if (end - at >= 8 * granule && are_own(at)) {
            at += 8 * granule;
            continue;
        }
        a.mask = rd_race_mask(at / granule, RD_MAX(addr, at), RD_MIN(end, at + granule) - 1);
        private &= touch(at, &a);
        at += granule;
    }
    return private;
}

static bool look_up(uint64_t addr, uint64_t size, struct rd_race_access a) {
    addr = rd_mapped_files_twice ? rd_mapped_files_first(addr) : addr;
    if (size > LARGE) { /* an upper bound, of which the access uses only a small part */
        rd_sharing_all();
        return false;
    }
    if (!size || (addr | (addr + size)) >> RD_SHARING_BITS)
        return false;
    rd_rt_enter();
    bool private = touch_all(addr, size, a);
    rd_rt_leave();
    return private && !rd_self->nested;
}

bool rd_sharing_slowly(uint64_t addr, uint64_t size, bool writes) {
    return look_up(addr, size, (struct rd_race_access){.write = writes});
}

void rd_sharing_atomic(uint64_t addr, uint64_t size, bool writes) {
    look_up(addr, size, (struct rd_race_access){.write = writes, .atomic = true});
}

bool rd_sharing_free(uint64_t addr, uint64_t size) {
    const uint64_t granule = RD_SHARING_GRANULE;
    uint64_t whole = rd_rt.races ? (size + granule - 1) & ~(granule - 1) : size;
    bool private = look_up(addr, whole, (struct rd_race_access){.write = true, .frees = true});
    rd_self->passed_call |= private;
    if (private)
        rd_spin_own(&rd_rt.engine.spin, rd_self->tid);
    return private;
}

bool rd_sharing_quietly(uint64_t addr, uint64_t size, bool writes) {
    bool private = rd_sharing_slowly(addr, size, writes);
    rd_self->passed_call |= private;
    if (private && writes)
        rd_spin_own(&rd_rt.engine.spin, rd_self->tid);
    return private;
}

/*
 * A thread that uses the same granules again and again, does not change them, and returns to the same pc with the
 * same registers and stack (local_state.c) is in a loop that waits. If the granules are its own it waits for ever.
 * Only engine/spin.h can decide that, and it sees only operations: so the granules become shared. A computation
 * that reads much memory returns with another counter in its registers. So does a loop that waits and counts its
 * iterations: after LOOP_LONG accesses such a loop is the more likely explanation.
 *
 * A thread is observed when it has lost its patience for the 1st, 2nd, 4th … time in the execution, for 2 *
 * LOOP_LOOKS accesses. These are several iterations of any loop with at most LOOP_GRANULES granules. In the first
 * half only the memory is compared, which costs less.
 */
enum { LOOP_GRANULES = 4096, LOOP_LOOKS = 4 * LOOP_GRANULES, LOOP_LONG = 1 << 24 };
struct rd_own_loop {
    struct rd_map
        content;     /* of each granule that the thread has used since the observation began: what it held first */
    uint32_t left;   /* for how many more accesses the thread is observed; 0: it is not */
    uint32_t visits; /* how often it was at `pc` in the second half */
    uint64_t pc, state; /* the local state there at the last visit whose number is a power of 2 */
};

static bool is_search(void) { return rd_rt.channel->config.sharing == RD_SHARING_SEARCH; }

static void begin_loop(struct rd_vthread *v) {
    RD_CHECK(v == rd_self);
    rd_rt_enter();
    if (!v->loop)
        v->loop = rd_arena_zero(&rd_rt.arena, sizeof *v->loop);
    struct rd_map *m = &v->loop->content;
    if (m->count)
        memset(m->slots, 0, m->room * sizeof *m->slots);
    m->count = 0;
    rd_rt_leave();
    v->loop->left = 2 * LOOP_LOOKS;
    v->loop->visits = 0;
    v->passed =
        rd_rt.sharing.patience; /* so that rd_sharing_private() calls rd_sharing_passed() for the next accesses */
}

/* Returns whether all granules that the thread has used hold what they held first. */
static bool is_unchanged(const struct rd_own_loop *l) {
    for (uint32_t i = 0; i < l->content.room; i++) {
        const struct rd_map_slot *slot = &l->content.slots[i];
        uint64_t now;
        if (slot->key && (!rd_rt_peek(slot->key, RD_SHARING_GRANULE, &now) || now != slot->value))
            return false;
    }
    return true;
}

/* Returns whether the granule of the access holds what it held first. */
static bool finds_unchanged(struct rd_own_loop *l, uint64_t addr) {
    uint64_t granule = addr & ~(uint64_t)(RD_SHARING_GRANULE - 1);
    uint64_t *was = rd_map_get(&l->content, granule), now = 0;
    if (l->content.count >= LOOP_GRANULES && !was)
        return false;
    if (!rd_rt_peek(granule, RD_SHARING_GRANULE, &now))
        return false;
    if (!was)
        *rd_map_put(&l->content, &rd_rt.arena, granule) = now;
    return !was || *was == now;
}

/* Returns whether the thread is at the same pc as before with the same local state. If the local state is not known
 * (0) the same pc is enough. */
static bool is_back(struct rd_own_loop *l, uint64_t pc) {
    if (!l->visits)
        l->pc = pc;
    if (pc != l->pc)
        return false;
    uint64_t state = rd_local_state(pc);
    bool back = l->visits && l->state == state;
    if ((l->visits & (l->visits - 1)) == 0 || !l->visits)
        l->state = state;
    l->visits++;
    return back;
}

/* One more access of a thread that is observed. If the thread waits in a loop, marks the granules as shared and
 * cuts the execution. */
static void look_at_loop(struct rd_vthread *v, uint64_t addr, uint64_t pc) {
    struct rd_own_loop *l = v->loop;
    RD_ASSERT(l->left > 0 && l->left <= 2 * LOOP_LOOKS && l->content.count <= LOOP_GRANULES);
    rd_rt_enter();
    bool waits = finds_unchanged(l, addr), second = l->left <= LOOP_LOOKS;
    bool back = waits && second && (rd_rt.passed >= LOOP_LONG || is_back(l, pc));
    rd_rt_leave();
    if (waits && !back && --l->left)
        return;
    l->left = 0;
    v->passed = 0;
    if (!back || !is_search())
        return;
    rd_rt_enter();
    waits = is_unchanged(l);
    for (uint32_t i = 0; waits && i < l->content.room; i++)
        if (l->content.slots[i].key)
            mark(l->content.slots[i].key, RD_TO_POINT);
    rd_rt_leave();
    if (!waits)
        return;
    rd_rt.engine.rec.out->verdict = RD_CUT;
    rd_rt_over();
}

/* How many private accesses count as one step against the limit of steps. */
enum { PASSED_A_STEP = 256 };

/*
 * A thread has made `patience` private accesses in a row. It may be waiting for a store by another thread, to
 * memory that is not known to be shared yet: so it yields. If the execution has already found newly shared memory,
 * it is cut: it has served its purpose, and might never end, because accesses to that memory are no points in it.
 */
static void lose_patience(struct rd_vthread *v, uint64_t pc) {
    struct rd_engine *e = &rd_rt.engine;
    struct rd_sharing *s = rd_sharing_head();
    uint64_t most = (uint64_t)e->limits.steps_max * PASSED_A_STEP;
    RD_CHECK(rd_rt.sharing.version && v == rd_self);
    rd_rt.passed += rd_rt.sharing.patience;
    bool endless = rd_rt.passed >= most;
    if (is_search() && s->newest > rd_rt.sharing.version) {
        e->rec.out->verdict = RD_CUT;
    } else if (endless) {
        e->rec.out->verdict = RD_CUT;
        e->rec.out->limited = 1;
    }
    if (e->rec.out->verdict != RD_RUNNING)
        rd_rt_over();
    rd_sharing_impatient(s, RD_MIN(2 * rd_rt.passed, most));
    if (!v->yield_pc) /* fairness counts yields at one place (engine/fair.h) */
        v->yield_pc = pc;
    rd_rt_op((struct rd_op){.kind = RD_OP_YIELD, .pc = v->yield_pc});
    uint64_t losses = rd_rt.passed / rd_rt.sharing.patience;
    v->passed = 0;
    if ((losses & (losses - 1)) == 0)
        begin_loop(v); /* also in a replay, which must count accesses as the search did */
}

/*
 * A private write may change the counter of a loop, which engine/spin.h has to know; a write to the newest part of
 * the stack changes the local state anyway. After `patience` private accesses in a row the thread may be waiting
 * for memory that is not known to be shared yet.
 */
void rd_sharing_passed(struct rd_vthread *v, uint64_t addr, uint64_t size, bool writes, uint64_t pc) {
    RD_ASSERT(v == rd_self && rd_rt.sharing.version);
    bool changes = writes && addr - (uintptr_t)__builtin_frame_address(0) >= NEAR_STACK;
    if (changes)
        rd_rt_own_store(addr, (uint32_t)RD_MIN(size, (uint64_t)UINT32_MAX));
    if (RD_UNLIKELY(v->loop != NULL) && v->loop->left)
        look_at_loop(v, addr, pc);
    else if (v->passed >= rd_rt.sharing.patience)
        lose_patience(v, pc);
}

void rd_sharing_op(const struct rd_op *op) {
    uint64_t object[RD_EVENT_OBJECTS];
    unsigned flags = rd_op_flags(op->kind);
    if (!rd_rt.engine.world.unjoined)
        return;
    if (op->kind == RD_OP_PROCESS_START || op->kind == RD_OP_PROCESS_SIGNAL || op->kind == RD_OP_SIGNAL_SEND)
        rd_sharing_all();
    if (flags & (RD_F_READS | RD_F_WRITES | RD_F_STORES)) {
        if (op->addr && op->size)
            look_up(op->addr, op->size,
                    (struct rd_race_access){.write = (flags & (RD_F_WRITES | RD_F_STORES)) != 0,
                                            .atomic = (flags & RD_F_ATOMIC) != 0});
        return;
    }
    rd_event_used(op->kind, op->addr, rd_access_mode_has_extents(op->order) ? 0 : op->addr2, object);
    for (unsigned i = 0; i < RD_COUNT(object); i++) /* freeing an object, or writing over it, concerns its users */
        if (object[i] && !(object[i] >> RD_SHARING_BITS) && *rd_sharing_cell(object[i]) != RD_SHARING_READ_ALL)
            look_up(object[i], 1, (struct rd_race_access){.atomic = true, .object = true});
}
