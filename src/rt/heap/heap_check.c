/*
 * heap_check.c - errors of the heap: an access to a freed block or outside blocks, a use of a synchronisation
 * object there, a wrong free. Each finding describes the block: the call that allocated it and the call that freed
 * it; in detail mode with stacks, which are kept beside the blocks.
 *
 * An access is checked when its turn has come: frees that other threads do before it count, later frees do not.
 */
#include "rt/heap/heap.h"

#include "base/map.h"
#include "base/text.h"
#include "rt/heap/process_detectors.h"
#include "trace/event.h"
#include "trace/place.h"

#include <errno.h>
#include <string.h>

enum { STACKS_MAX = 100000 }; /* walks of the stack in one execution: they cost more than allocations */
enum { OBJECT_FAR = 4096 };   /* granules: the search for the block of an object looks back as far */

/* The calls that led to the allocation and to the free of a block; a 0 ends each, unless it is full. */
struct block_stacks {
    rd_place made[RD_HEAP_STACK], freed[RD_HEAP_STACK];
};
static struct rd_map stacks; /* address of a header -> struct block_stacks * */
static uint32_t walks;       /* of the stack in this execution so far */

void rd_heap_note(const struct rd_head *h, bool freed) {
    rd_place calls[RD_STACK_MAX];
    RD_CHECK(rd_rt.heap_stacks && walks <= STACKS_MAX);
    if (walks == STACKS_MAX)
        return;
    walks++;
    int saved = errno;
    rd_rt_enter();
    uint32_t n = RD_MIN(rd_stack_capture(calls, RD_STACK_MAX, false, NULL), (uint32_t)RD_HEAP_STACK);
    uint64_t *slot = rd_map_put(&stacks, &rd_rt.arena, (uintptr_t)h);
    if (!*slot)
        *slot = (uintptr_t)rd_arena_zero(&rd_rt.arena, sizeof(struct block_stacks));
    struct block_stacks *s = (struct block_stacks *)(uintptr_t)*slot;
    rd_place *to = freed ? s->freed : s->made;
    memset(to, 0, sizeof s->made);
    memcpy(to, calls, n * sizeof *to);
    rd_rt_leave();
    rd_errno_back(saved);
}

void rd_heap_describe(const struct rd_head *h, int64_t offset, struct rd_heap_fact *to) {
    *to = (struct rd_heap_fact){.block = rd_place_of((uintptr_t)(h + 1)), .size = h->asked};
    to->offset = RD_MAX(RD_MIN(offset, (int64_t)INT32_MAX), (int64_t)INT32_MIN);
    to->made_tid = (rd_tid)(rd_heap_at(h) / RD_HEAP_SLOT);
    to->made_pc = rd_place_code(h->made);
    to->freed_tid = h->freed ? (rd_tid)h->freed_tid : 0;
    to->freed_pc = h->freed ? rd_place_code(h->freed) : 0;
    const uint64_t *slot = rd_map_get(&stacks, (uintptr_t)h);
    const struct block_stacks *s = slot ? (const struct block_stacks *)(uintptr_t)*slot : NULL;
    if (s) {
        memcpy(to->made, s->made, sizeof to->made);
        memcpy(to->freed, s->freed, sizeof to->freed);
    }
}

/*
 * The last block that begins at or before this offset, looking back at most `far` granules; UINT64_MAX: there is
 * none. Memory that was never handed out has no shadow that could be read.
 */
static uint64_t block_before(uint64_t at, uint64_t far) {
    uint64_t in = at % RD_HEAP_SLOT;
    if (!rd_rt.heap_marks || in < RD_GRANULE || in >= rd_heap_used((rd_tid)(at / RD_HEAP_SLOT)))
        return UINT64_MAX;
    return rd_shadow_block_before(rd_heap_shadow(), at, RD_MIN(far, in / RD_GRANULE - 1));
}

/* The block in whose header, or in the zone before it, the offset is; UINT64_MAX: it is in neither. */
static uint64_t block_behind(uint64_t at) {
    const uint8_t *s = rd_heap_shadow() + at / RD_GRANULE;
    if (!rd_rt.heap_marks || at % RD_HEAP_SLOT + sizeof(struct rd_head) > rd_heap_used((rd_tid)(at / RD_HEAP_SLOT)))
        return UINT64_MAX;
    unsigned granules = s[0] == RD_SHADOW_HEAD ? 1 : s[0] == RD_SHADOW_ZONE && s[1] == RD_SHADOW_HEAD ? 2 : 0;
    return granules ? (at / RD_GRANULE + granules) * RD_GRANULE : UINT64_MAX;
}

/* The header around this offset, or that of the block that it is in or right after; NULL: none that is intact. */
static const struct rd_head *head_near(uint64_t at) {
    uint64_t behind = block_behind(at), block = behind == UINT64_MAX ? block_before(at, UINT64_MAX) : behind;
    const struct rd_head *h = block == UINT64_MAX ? NULL : rd_heap_head(block);
    return h && (h->state == RD_BLOCK_LIVE || h->state == RD_BLOCK_FREED) ? h : NULL;
}

static void say_bytes(struct rd_text *t, uint64_t size) {
    rd_text_dec(t, size);
    rd_text_str(t, size == 1 ? " byte" : " bytes");
}

/* Completes the finding about block h (NULL: about no block) of the current thread, and reports it. */
static void found(struct rd_finding *f, const struct rd_head *h, int64_t offset) {
    f->tid = rd_self->tid;
    f->other_tid = RD_TID_NONE;
    f->key = rd_hash2(f->kind, f->pc);
    if (h)
        rd_heap_describe(h, offset, &f->heap);
    rd_process_detector_found(RD_DETECT_HEAP, f);
}

const struct rd_head *rd_heap_block(uint64_t addr) {
    uint64_t at = addr - RD_HEAP_AT, gone = rd_freed_blocks_find(rd_heap_gone((rd_tid)(at / RD_HEAP_SLOT)), at, 1);
    return gone != UINT64_MAX ? rd_heap_head(gone) : head_near(at);
}

void rd_heap_note_use(const struct rd_record *rec, uint64_t addr) {
    if (!rec->blocks || addr - RD_HEAP_AT >= RD_TID_MAX * RD_HEAP_SLOT)
        return;
    const struct rd_head *h = rd_heap_block(addr);
    const uint64_t *slot = h ? rd_map_get(&stacks, (uintptr_t)h) : NULL;
    if (!slot || addr - (uintptr_t)(h + 1) >= RD_MAX(h->asked, (uint64_t)1))
        return;
    struct rd_used_block b = {.first = rd_place_of((uintptr_t)(h + 1)), .size = h->asked};
    memcpy(b.calls, ((const struct block_stacks *)(uintptr_t)*slot)->made, sizeof b.calls);
    uint32_t *count = &rec->out->blocks;
    for (uint32_t i = 0; i < *count; i++)
        if (memcmp(&rec->blocks[i], &b, sizeof b) == 0)
            return;
    if (*count < RD_USED_BLOCKS_MAX)
        rec->blocks[(*count)++] = b;
}
static_assert(sizeof(struct rd_used_block) == (2 + RD_HEAP_STACK) * sizeof(uint64_t),
              "no padding: compared as bytes");

/* ---- uses ---- */

/* The use of memory by an operation of this kind, for a message. */
static const char *use_of(unsigned kind) {
    unsigned flags = rd_op_flags(kind);
    if (!(flags & (RD_F_READS | RD_F_WRITES)))
        return rd_op_name(kind);
    return flags & RD_F_WRITES ? "write" : "read";
}

/* Reports the use of bytes, at least one of which the program may not use. */
static void bad_use(uint64_t addr, uint32_t size, unsigned kind, rd_place pc) {
    RD_CHECK(rd_rt.heap_checks && addr - RD_HEAP_AT < RD_TID_MAX * RD_HEAP_SLOT);
    struct rd_finding f = {.kind = RD_HEAP_OVERFLOW, .pc = pc};
    uint64_t at = addr - RD_HEAP_AT;
    uint64_t bad = at + rd_shadow_usable(rd_heap_shadow(), at, size);
    uint64_t gone = rd_freed_blocks_find(rd_heap_gone((rd_tid)(at / RD_HEAP_SLOT)), at, size);
    const struct rd_head *h = gone != UINT64_MAX ? rd_heap_head(gone) : head_near(bad);
    bool freed = gone != UINT64_MAX || rd_heap_shadow()[bad / RD_GRANULE] == RD_SHADOW_FREED;
    int64_t offset = h ? (int64_t)(addr - (uintptr_t)(h + 1)) : 0;
    struct rd_text t;
    rd_rt_enter();
    rd_text_init(&t, f.message, sizeof f.message);
    rd_text_str(&t, use_of(kind));
    if (rd_op_flags(kind) & (RD_F_READS | RD_F_WRITES)) {
        rd_text_str(&t, " of ");
        say_bytes(&t, size);
    }
    if (freed) {
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
    if (freed)
        rd_text_str(&t, " that was freed");
    found(&f, h, offset);
    rd_rt_leave();
}

void rd_heap_look_at(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc) {
    if (RD_UNLIKELY(rd_heap_is_bad(addr, size)))
        bad_use(addr, size, kind, rd_place_code(pc));
}

/*
 * The first address that the operation may not use: of its memory, or, if it touches none (memory 0), of one of its
 * objects; 0: it may use all.
 */
static uint64_t bad_part(const struct rd_op *op, uint32_t memory) {
    uint64_t object[RD_EVENT_OBJECTS];
    if (memory)
        return rd_heap_is_bad(op->addr, memory) ? op->addr : 0;
    rd_event_used(op->kind, op->addr, op->addr2, object);
    for (unsigned i = 0; i < RD_COUNT(object); i++)
        if (object[i] && rd_heap_is_bad(object[i], 1))
            return object[i];
    return 0;
}

void rd_heap_look_op(const struct rd_op *op) {
    RD_ASSERT(op->kind != RD_OP_NONE && op->kind < RD_OP_KINDS);
    const struct rd_world *w = &rd_rt.engine.world;
    uint32_t memory = rd_op_flags(op->kind) & (RD_F_READS | RD_F_WRITES | RD_F_STORES) ? op->size : 0;
    if (!rd_rt.heap_checks || op->kind == RD_OP_FREE || rd_self->ignore)
        return;
    uint64_t bad = bad_part(op, memory);
    if (w->threads[rd_self->tid].pending.kind != op->kind)
        return; /* the thread waits in a loop: its pending operation is to await a change */
    /* a thread that is cancelled or runs a handler first does not perform the operation now */
    if (RD_UNLIKELY(bad) && !rd_model_cancelled(w, rd_self->tid) && !rd_model_signal(w, rd_self->tid))
        bad_use(bad, memory ? memory : 1, op->kind, op->pc);
    if (!memory)
        rd_heap_object_used(op);
}

void rd_heap_object_used(const struct rd_op *op) {
    uint64_t object[RD_EVENT_OBJECTS];
    if (!rd_rt.heap_checks)
        return;
    rd_event_used(op->kind, op->addr, op->addr2, object);
    for (unsigned i = 0; i < RD_COUNT(object); i++) {
        uint64_t at = object[i] - RD_HEAP_AT;
        if (!object[i] || at >= RD_TID_MAX * RD_HEAP_SLOT)
            continue;
        uint64_t block = block_before(at, OBJECT_FAR);
        if (block == UINT64_MAX)
            continue;
        uint64_t all = ((uint64_t)1 << RD_HEAP_USERS) - 1, own = (uint64_t)1 << RD_MIN(rd_self->tid, (rd_tid)63);
        struct rd_head *h = rd_heap_head(block);
        h->users = (h->users | (rd_rt.threaded ? own : all)) & all;
    }
}

/* ---- frees ---- */

/*
 * Slack and zone are written and compared in pieces. They are nearly always shorter than two pieces; then the piece
 * at their start and the piece at their end, which overlap, are all of them. Memory that is used again can have
 * more slack.
 */
enum { PIECE = 16, SMALL = 2 * PIECE };
static_assert((int)RD_HEAP_ZONE >= (int)PIECE, "slack and zone have at least one piece");

/* Bytes of slack and zone. */
static uint64_t fence_of(const struct rd_head *h) { return rd_head_size(h) - h->asked + RD_HEAP_ZONE; }

void rd_heap_fence(struct rd_head *h) {
    uint64_t n = fence_of(h);
    uint8_t *at = (uint8_t *)(h + 1) + h->asked;
    RD_ASSERT(n >= PIECE && h->asked <= rd_head_size(h)); /* the header was written just now */
    if (RD_UNLIKELY(n > SMALL))
        memset(at, RD_HEAP_PATTERN, n);
    memset(at, RD_HEAP_PATTERN, PIECE);
    memset(at + n - PIECE, RD_HEAP_PATTERN, PIECE);
}

static bool is_pattern(const uint8_t *at) {
    uint64_t word[2];
    const uint64_t pattern = RD_HEAP_PATTERN * 0x0101010101010101u;
    memcpy(word, at, PIECE);
    return word[0] == pattern && word[1] == pattern;
}

/* True if slack and zone hold the pattern; if not, offset is that of the first other byte from the block's start.
 */
static bool pattern_is_left(const struct rd_head *h, int64_t *offset) {
    uint64_t n = fence_of(h);
    const uint8_t *at = (const uint8_t *)(h + 1) + h->asked;
    if (RD_LIKELY(n <= SMALL && is_pattern(at) && is_pattern(at + n - PIECE)))
        return true;
    for (uint64_t i = 0; i < n; i++) {
        if (at[i] != RD_HEAP_PATTERN) {
            *offset = (int64_t)(h->asked + i);
            return false;
        }
    }
    return true;
}

/* Reports the free of a block, at an offset in it; h NULL: the block is not known. */
static void bad_free(enum rd_finding_kind kind, uint64_t pc, const char *what, const struct rd_head *h,
                     int64_t offset) {
    rd_rt_enter();
    struct rd_finding f = {.kind = kind, .pc = rd_place_code(pc)};
    rd_text_copy(f.message, sizeof f.message, what);
    found(&f, h, offset);
    rd_rt_leave();
}

/* Reports the free of a pointer at which no block begins. */
static void wild_free(const void *p, uint64_t pc) {
    const struct rd_head *h = rd_heap_owns(p) ? head_near(rd_heap_at(p)) : NULL;
    int64_t offset = h ? (const char *)p - (const char *)(h + 1) : 0;
    bool inside = h && offset > 0 && (uint64_t)offset <= h->asked;
    bad_free(RD_MISUSE, pc, inside ? "free() of a pointer into a block" : "free() of a pointer that is no block",
             inside ? h : NULL, offset);
}

bool rd_heap_check_free(const void *p, uint64_t pc) {
    const struct rd_head *h = rd_heap_head(rd_heap_at(p));
    int64_t offset = 0;
    if (!rd_heap_is_block(p))
        return wild_free(p, pc), false;
    if (h->state == RD_BLOCK_FREED)
        return bad_free(RD_DOUBLE_FREE, pc, "free() of a block that was freed before", h, 0), false;
    if (h->state != RD_BLOCK_LIVE)
        return bad_free(RD_HEAP_OVERFLOW, pc,
                        "what stands before the block was overwritten; seen when it was freed", NULL, 0),
               false;
    if (rd_rt.heap_checks && !pattern_is_left(h, &offset))
        bad_free(RD_HEAP_OVERFLOW, pc, "what stands after the block was overwritten; seen when it was freed", h,
                 offset);
    if (rd_rt.heap_checks)
        rd_heap_look_waits(h, pc);
    rd_world_vanish(&rd_rt.engine.world, (uintptr_t)(h + 1), h->asked);
    return true;
}

bool rd_heap_check_foreign(const void *p, uint64_t pc) {
    RD_CHECK(!rd_heap_owns(p));
    bool wild = rd_place_region(rd_place_of((uintptr_t)p)) < RD_PLACE_IO;
    if (wild)
        wild_free(p, pc);
    return !wild;
}
