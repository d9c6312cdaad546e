/*
 * heap_check.c - what is wrong with a use of the heap: of memory that was given back, of what lies between blocks,
 * of a block twice. Every finding names the block, who made it and who gave it back; in detail mode with stacks,
 * which are kept beside the blocks.
 *
 * An access is looked at when its turn has come: what others do before it counts, what comes after does not.
 */
#include "rt/heap.h"

#include "base/map.h"
#include "base/text.h"
#include "trace/event.h"
#include "trace/place.h"

#include <errno.h>
#include <string.h>

enum { STACKS_MAX = 100000 }; /* a program that allocates without end must not walk its stack as often */
static const uint64_t look_back = 1 << 20;
enum { OBJECT_FAR = 4096 }; /* granules: an object this far into its block is not looked for */

struct stacks {
    rd_place made[RD_HEAP_STACK], freed[RD_HEAP_STACK];
};
static struct rd_map stacks; /* block -> struct stacks */
static uint32_t walks;

void rd_heap_note(const struct rd_head *h, bool freed) {
    rd_place calls[RD_STACK_MAX];
    if (walks == STACKS_MAX)
        return;
    walks++;
    int saved = errno;
    rd_rt_enter();
    uint32_t n = RD_MIN(rd_stack_capture(calls, RD_STACK_MAX, false), (uint32_t)RD_HEAP_STACK);
    uint64_t *slot = rd_map_put(&stacks, &rd_rt.arena, (uintptr_t)h);
    if (!*slot)
        *slot = (uintptr_t)rd_arena_zero(&rd_rt.arena, sizeof(struct stacks));
    struct stacks *s = (struct stacks *)(uintptr_t)*slot;
    rd_place *to = freed ? s->freed : s->made;
    memset(to, 0, sizeof s->made);
    memcpy(to, calls, n * sizeof *to);
    rd_rt_leave();
    errno = saved;
}

static rd_tid who(uint64_t by) { return (rd_tid)(by >> 48); }
static rd_place where(uint64_t by) { return by ? rd_place_code(by & 0xffffffffffffu) : 0; }

void rd_heap_describe(const struct rd_head *h, int64_t offset, struct rd_heap_fact *to) {
    *to = (struct rd_heap_fact){.block = rd_place_of((uintptr_t)(h + 1)), .size = h->asked};
    to->offset = RD_MAX(RD_MIN(offset, (int64_t)INT32_MAX), (int64_t)INT32_MIN);
    to->made_tid = who(h->made);
    to->made_pc = where(h->made);
    to->freed_tid = who(h->freed);
    to->freed_pc = where(h->freed);
    const uint64_t *slot = rd_map_get(&stacks, (uintptr_t)h);
    const struct stacks *s = slot ? (const struct stacks *)(uintptr_t)*slot : NULL;
    if (s) {
        memcpy(to->made, s->made, sizeof to->made);
        memcpy(to->freed, s->freed, sizeof to->freed);
    }
}

/* The header that tells of this address: of the block that it is in, or right after. */
static const struct rd_head *head_near(uint64_t at) {
    uint64_t block = rd_shadow_block_before(rd_heap_shadow(), at, look_back);
    if (block == UINT64_MAX || block / RD_HEAP_SLOT != at / RD_HEAP_SLOT)
        return NULL;
    const struct rd_head *h = rd_heap_head(block);
    return h->state == RD_BLOCK_LIVE || h->state == RD_BLOCK_FREED ? h : NULL;
}

static void say_bytes(struct rd_text *t, uint64_t size) {
    rd_text_dec(t, size);
    rd_text_str(t, size == 1 ? " byte" : " bytes");
}

static _Noreturn void found(struct rd_finding *f, const struct rd_head *h, int64_t offset) {
    f->tid = rd_self->tid;
    f->other_tid = RD_TID_NONE;
    f->key = rd_hash2(f->kind, f->pc);
    if (h)
        rd_heap_describe(h, offset, &f->heap);
    rd_rt_found(f);
}

/* ---- uses ---- */

static const char *use_of(unsigned kind) {
    unsigned flags = rd_op_flags(kind);
    if (!(flags & (RD_F_READS | RD_F_WRITES)))
        return rd_op_name(kind);
    return flags & RD_F_WRITES ? "write" : "read";
}

static _Noreturn void bad_use(uint64_t addr, uint32_t size, unsigned kind, rd_place pc) {
    struct rd_finding f = {.kind = RD_HEAP_OVERFLOW, .pc = pc};
    uint64_t at = addr - RD_HEAP_AT;
    uint64_t bad = at + rd_shadow_usable(rd_heap_shadow(), at, size);
    const struct rd_head *h = head_near(bad);
    uint8_t state = rd_heap_shadow()[bad / RD_GRANULE];
    int64_t offset = h ? (int64_t)(addr - (uintptr_t)(h + 1)) : 0;
    struct rd_text t;
    rd_self->inside = 1;
    rd_text_init(&t, f.message, sizeof f.message);
    rd_text_str(&t, use_of(kind));
    if (rd_op_flags(kind) & (RD_F_READS | RD_F_WRITES)) {
        rd_text_str(&t, " of ");
        say_bytes(&t, size);
    }
    if (state == RD_SHADOW_FREED) {
        f.kind = RD_USE_AFTER_FREE;
        rd_text_str(&t, " in ");
    } else if (h && offset >= 0 && (uint64_t)offset < h->asked) {
        rd_text_str(&t, " across the end of ");
    } else {
        rd_text_str(&t, " outside ");
    }
    rd_text_str(&t, h ? "a block of " : "every block of the heap");
    if (h)
        say_bytes(&t, h->asked);
    if (state == RD_SHADOW_FREED)
        rd_text_str(&t, " that was freed");
    found(&f, h, offset);
}

void rd_heap_look(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc) {
    if (RD_LIKELY(!rd_heap_is_bad(addr, size)))
        return;
    bad_use(addr, size, kind, rd_place_code(pc));
}

void rd_heap_look_op(const struct rd_op *op) {
    const struct rd_world *w = &rd_rt.engine.world;
    uint32_t memory = rd_op_flags(op->kind) & (RD_F_READS | RD_F_WRITES) ? op->size : 0;
    uint64_t object[RD_EVENT_OBJECTS];
    if (op->kind == RD_OP_FREE || rd_self->ignore || w->threads[rd_self->tid].pending.kind != op->kind)
        return; /* the last: it waits for a change first */
    rd_event_used(op->kind, op->addr, op->addr2, object);
    uint64_t bad = memory && rd_heap_is_bad(op->addr, memory) ? op->addr : 0;
    for (unsigned i = 0; i < RD_COUNT(object) && !bad && !memory; i++)
        bad = object[i] && rd_heap_is_bad(object[i], 1) ? object[i] : 0;
    /* it does not come to that now: the thread ends here, or a handler runs first */
    if (bad && !rd_model_cancelled(w, rd_self->tid) && !rd_model_signal(w, rd_self->tid))
        bad_use(bad, memory ? memory : 1, op->kind, op->pc);
    rd_heap_object_used(op);
}

void rd_heap_object_used(const struct rd_op *op) {
    uint64_t object[RD_EVENT_OBJECTS];
    rd_event_used(op->kind, op->addr, op->addr2, object);
    for (unsigned i = 0; i < RD_COUNT(object); i++) {
        uint64_t at = object[i] - RD_HEAP_AT;
        if (!object[i] || at >= RD_TID_MAX * RD_HEAP_SLOT ||
            at % RD_HEAP_SLOT >= rd_heap_used((rd_tid)(at / RD_HEAP_SLOT)))
            continue;
        uint64_t block = rd_shadow_block_before(rd_heap_shadow(), at, OBJECT_FAR);
        if (block != UINT64_MAX && rd_self->tid < 64)
            rd_heap_head(block)->users |= rd_rt.threaded ? (uint64_t)1 << rd_self->tid : UINT64_MAX;
    }
}

/* ---- frees ---- */

static bool pattern_is_left(const struct rd_head *h, int64_t *offset) {
    const uint8_t *block = (const uint8_t *)(h + 1);
    for (uint64_t i = h->asked; i < rd_head_size(h) + RD_HEAP_ZONE; i++) {
        if (block[i] != RD_HEAP_PATTERN) {
            *offset = (int64_t)i;
            return false;
        }
    }
    return true;
}

static _Noreturn void bad_free(enum rd_finding_kind kind, uint64_t pc, const char *what, const struct rd_head *h,
                               int64_t offset) {
    rd_self->inside = 1;
    struct rd_finding f = {.kind = kind, .pc = rd_place_code(pc)};
    rd_text_copy(f.message, sizeof f.message, what);
    found(&f, h, offset);
}

static _Noreturn void wild_free(const void *p, uint64_t pc) {
    const struct rd_head *h = rd_heap_owns(p) ? head_near(rd_heap_at(p)) : NULL;
    int64_t offset = h ? (const char *)p - (const char *)(h + 1) : 0;
    bool inside = h && offset > 0 && (uint64_t)offset <= h->asked;
    bad_free(RD_MISUSE, pc, inside ? "free() of a pointer into a block" : "free() of a pointer that is no block",
             inside ? h : NULL, offset);
}

void rd_heap_check_free(const void *p, uint64_t pc) {
    const struct rd_head *h = rd_heap_head(rd_heap_at(p));
    int64_t offset = 0;
    if (!rd_heap_is_block(p))
        wild_free(p, pc);
    if (h->state == RD_BLOCK_FREED)
        bad_free(RD_DOUBLE_FREE, pc, "free() of a block that was freed before", h, 0);
    if (h->state != RD_BLOCK_LIVE)
        bad_free(RD_HEAP_OVERFLOW, pc, "what stands before the block was overwritten; seen when it was freed", NULL,
                 0);
    if (!pattern_is_left(h, &offset))
        bad_free(RD_HEAP_OVERFLOW, pc, "what stands after the block was overwritten; seen when it was freed", h,
                 offset);
}

void rd_heap_check_foreign(const void *p, uint64_t pc) {
    unsigned region = rd_place_region(rd_place_of((uintptr_t)p));
    if (region < RD_PLACE_IO)
        wild_free(p, pc);
}
