/*
 * heap.c - the program's heap. Each thread allocates from a region of its own by moving a pointer, so the address
 * of a block depends only on the allocations of that thread, not on the interleaving: an object has the same
 * address in every schedule.
 *
 * Freed blocks wait in a queue (the quarantine) until the region has freed more than a budget after them; only then
 * their memory is used again, so a stale pointer rarely meets a new object. Only blocks that the region's own
 * thread has freed are used again: when other threads free depends on the schedule.
 *
 * The shadow (base/shadow.h) has a byte for each granule of 16 bytes, which says how much of it the program may
 * use. Header, slack and zone (heap.h) are not the program's; slack and zone hold a pattern, too, which the free of
 * the block compares. Regions and their shadows are reserved at the start and made accessible as they grow. Without
 * the detectors of the heap there is no shadow and no pattern, and a free is no operation; addresses are the same.
 *
 * With the detector `heap` a free is an operation that writes the whole block, if the free can matter to another
 * thread. Whether it is an operation follows from the call and from the earlier steps of the thread itself, not
 * from the steps of other threads so far: executions of one class must have the same operations.
 *
 * Private blocks. No other thread can know a block whose address was never written where another thread can read
 * it. A thread's blocks are taken as private if it has allocated them since its last operation other than a read or
 * a write to a private block. As allocation moves a pointer, these are all blocks beyond one offset in the region.
 */
#include "rt/heap/heap.h"

#include "rt/heap/allocation_sites.h"
#include "rt/access/shared_access.h"
#include "rt/isolate/snapshot.h"
#include "trace/place.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { CLASSES = 48, GROW = 4 << 20 }; /* GROW: a region becomes accessible in multiples of this */
static_assert(RD_HEAP_SLOT % GROW == 0, "a whole region can be made accessible");
static const uint64_t quarantine_max = (uint64_t)256 << 20; /* the budget of a region */

/* The heap of one thread. Offsets are from the start of the region. */
struct region {
    uint64_t used;                   /* bytes handed out */
    uint64_t open;                   /* bytes accessible, at least `used` */
    uint64_t own;                    /* blocks from this offset on are private */
    struct rd_head *oldest, *newest; /* the quarantine: a queue of freed blocks */
    uint64_t quarantined;            /* bytes in it */
    struct rd_head *free[CLASSES];   /* blocks that may be used again, by size class */
    struct rd_freed_blocks gone;     /* large freed blocks, which are not marked in the shadow */
};

static struct region regions[RD_TID_MAX];

/* Maps address space without memory. False: it is not free. */
static bool reserve(uint64_t at, uint64_t size) {
    return mmap((void *)at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                0) != MAP_FAILED;
}

bool rd_heap_reserve(void) {
    uint64_t size = RD_TID_MAX * RD_HEAP_SLOT;
    return reserve(RD_HEAP_AT, size) && reserve(RD_SHADOW_AT, size / RD_GRANULE);
}

bool rd_heap_is_bad(uint64_t addr, uint32_t size) {
    uint64_t at = addr - RD_HEAP_AT;
    if (at >= RD_TID_MAX * RD_HEAP_SLOT)
        return false;
    /* memory that was never handed out has no shadow; it is mapped without access, so the kernel refuses the access
     */
    uint64_t used = regions[at / RD_HEAP_SLOT].used, in = at % RD_HEAP_SLOT;
    if (in >= used)
        return false;
    uint64_t count = RD_MIN((uint64_t)size, used - in);
    const uint8_t *s = rd_heap_shadow();
    const struct rd_freed_blocks *g = &regions[at / RD_HEAP_SLOT].gone;
    bool open = count && count <= RD_GRANULE && !(s[at / RD_GRANULE] | s[(at + count - 1) / RD_GRANULE]);
    return (!open && rd_shadow_usable(s, at, count) < count) ||
           (RD_UNLIKELY(g->count) && rd_freed_blocks_find(g, at, count) != UINT64_MAX);
}

bool rd_heap_is_used(uint64_t addr, uint32_t size) {
    uint64_t at = addr - RD_HEAP_AT;
    if (at >= RD_TID_MAX * RD_HEAP_SLOT)
        return false;
    return at % RD_HEAP_SLOT + size <= regions[at / RD_HEAP_SLOT].used && !rd_heap_is_bad(addr, size);
}

bool rd_heap_owns(const void *p) { return rd_heap_at(p) < RD_TID_MAX * RD_HEAP_SLOT; }

uint64_t rd_heap_used(rd_tid tid) {
    RD_ASSERT(tid < RD_TID_MAX);
    return regions[tid].used;
}

const struct rd_freed_blocks *rd_heap_gone(rd_tid tid) { return &regions[tid].gone; }

void rd_heap_published(void) {
    struct region *r = &regions[rd_self->tid];
    RD_ASSERT(r->own <= r->used);
    if (r->own != r->used) /* a snapshot need not put back a page that is not written */
        r->own = r->used;
}

uint64_t rd_heap_own(void) { return regions[rd_self->tid].own; }

bool rd_heap_private_since(uint64_t addr, uint64_t own) {
    return addr - RD_HEAP_AT - rd_self->tid * RD_HEAP_SLOT - own < regions[rd_self->tid].used - own;
}

bool rd_heap_private(uint64_t addr) { return rd_heap_private_since(addr, rd_heap_own()); }

/* The size class of a free block: the logarithm of the largest power of two that fits into it. */
static unsigned class_of(uint64_t size) {
    RD_ASSERT(size > 0);
    unsigned c = 63 - (unsigned)__builtin_clzll(size);
    return RD_MIN(c, (unsigned)CLASSES - 1);
}

/* The offset of the region in the heap. */
static uint64_t base_of(const struct region *r) { return (uint64_t)(r - regions) * RD_HEAP_SLOT; }

/* The block after h in a list of the region. */
static struct rd_head *next_of(const struct region *r, const struct rd_head *h) {
    return h->next ? (struct rd_head *)(RD_HEAP_AT + base_of(r) + (uint64_t)h->next * RD_GRANULE) : NULL;
}

static void set_next(const struct region *r, struct rd_head *h, const struct rd_head *next) {
    h->next = next ? (uint32_t)((rd_heap_at(next) - base_of(r)) / RD_GRANULE) : 0;
}

/* Takes a block of at least this size from the free lists; NULL: there is none. */
static struct rd_head *take_free(struct region *r, uint64_t size) {
    unsigned c = class_of(size);
    if (size & (size - 1))
        c++; /* every block of the next class is large enough */
    if (c >= CLASSES || !r->free[c])
        return NULL;
    struct rd_head *h = r->free[c];
    r->free[c] = next_of(r, h);
    return h;
}

/*
 * Makes the region accessible up to this offset, and at least twice as much as before: with snapshot isolation each
 * growth costs an execution, which begins again with the larger heap (rd_snapshot_heap does not return).
 * pre: to <= RD_HEAP_SLOT
 */
static bool open_up(struct region *r, uint64_t to) {
    RD_CHECK(to > r->open && to <= RD_HEAP_SLOT);
    to = RD_MAX(to, RD_MIN(2 * r->open, RD_HEAP_SLOT));
    uint64_t open = (to + GROW - 1) & ~(uint64_t)(GROW - 1), from = base_of(r) + r->open, more = open - r->open;
    if (rd_snapshot_running())
        rd_snapshot_heap((rd_tid)(r - regions), open);
    if (mprotect((void *)(RD_HEAP_AT + from), more, PROT_READ | PROT_WRITE) != 0 ||
        mprotect(rd_heap_shadow() + from / RD_GRANULE, more / RD_GRANULE, PROT_READ | PROT_WRITE) != 0)
        return false;
    r->open = open;
    RD_CHECK(r->used <= r->open && r->open <= RD_HEAP_SLOT);
    return true;
}

bool rd_heap_open(rd_tid tid, uint64_t bytes) {
    RD_CHECK(tid < RD_TID_MAX);
    return bytes <= regions[tid].open || (bytes <= RD_HEAP_SLOT && open_up(&regions[tid], bytes));
}

/* A new block at the end of the region; NULL: the region is full, or there is no memory. */
static struct rd_head *extend(struct region *r, uint64_t size, uint64_t align) {
    uint64_t at = (r->used + sizeof(struct rd_head) + align - 1) & ~(align - 1);
    if (size > RD_HEAP_SLOT || at + size + RD_HEAP_ZONE > RD_HEAP_SLOT)
        return NULL;
    if (at + size + RD_HEAP_ZONE > r->open && !open_up(r, at + size + RD_HEAP_ZONE))
        return NULL;
    r->used = at + size + RD_HEAP_ZONE;
    RD_ASSERT(r->used <= r->open && r->own <= r->used);
    return rd_heap_head(base_of(r) + at);
}

static struct rd_shadow_block shadow_of(const struct rd_head *h, bool again) {
    return (struct rd_shadow_block){.at = rd_heap_at(h + 1),
                                    .asked = h->asked,
                                    .size = rd_head_size(h),
                                    .head = sizeof *h,
                                    .zone = RD_HEAP_ZONE,
                                    .reused = again};
}

/* Marks a new block in the shadow and fills its slack and zone; `again`: its memory was a block before. */
static void mark(struct region *r, struct rd_head *h, bool again) {
    struct rd_shadow_block b = shadow_of(h, again);
    rd_heap_fence(h);
    if (again)
        rd_freed_blocks_remove(&r->gone, b.at);
    rd_shadow_make(rd_heap_shadow(), &b);
}

void *rd_heap_alloc(size_t asked, size_t align, uint64_t pc) {
    struct region *r = &regions[rd_self->tid];
    if (asked > RD_HEAP_SLOT) {
        errno = ENOMEM;
        return NULL;
    }
    uint64_t size = (RD_MAX(asked, (size_t)1) + 15) & ~(uint64_t)15;
    struct rd_head *h = align <= 16 ? take_free(r, size) : NULL;
    bool again = h;
    if (!h && !(h = extend(r, size, RD_MAX(align, (size_t)16)))) {
        errno = ENOMEM;
        return NULL;
    }
    rd_rt_enter(); /* the hook of memset then does no more than call that of libc */
    if (again)
        memset(h + 1, 0, rd_head_size(h));
    *h = (struct rd_head){.state = RD_BLOCK_LIVE,
                          .made = pc & 0xffffffffffffu,
                          .asked = asked & 0xffffffffffu,
                          .granules = again ? h->granules : (uint32_t)(size / RD_GRANULE)};
    if (RD_LIKELY(rd_rt.heap_marks))
        mark(r, h, again);
    rd_rt_leave();
    rd_allocation_sites_note(h + 1, asked);
    if (RD_UNLIKELY(rd_rt.heap_stacks))
        rd_heap_note(h, false);
    return h + 1;
}

/* Moves the oldest blocks of the quarantine to the free lists while it has more than its budget. */
static void settle(struct region *r) {
    while (r->quarantined > quarantine_max && r->oldest) {
        struct rd_head *h = r->oldest;
        r->oldest = next_of(r, h);
        if (!r->oldest)
            r->newest = NULL;
        r->quarantined -= rd_head_size(h);
        unsigned c = class_of(rd_head_size(h));
        set_next(r, h, r->free[c]);
        r->free[c] = h;
    }
}

/* True if there are other threads, which could notice a free. */
static bool others(void) { return rd_rt.threaded && rd_rt.engine.world.unjoined != 0; }

bool rd_heap_is_block(const void *p) {
    RD_ASSERT(rd_heap_owns(p));
    uint64_t at = rd_heap_at(p), in = at % RD_HEAP_SLOT, used = regions[at / RD_HEAP_SLOT].used;
    if (at % RD_GRANULE != 0 || in < sizeof(struct rd_head) || in >= used)
        return false;
    if (rd_rt.heap_marks)
        return rd_heap_shadow()[at / RD_GRANULE - 1] == RD_SHADOW_HEAD;
    const struct rd_head *h = rd_heap_head(at);
    return (h->state == RD_BLOCK_LIVE || h->state == RD_BLOCK_FREED) && h->asked <= rd_head_size(h) &&
           rd_head_size(h) <= used - in;
}

/* True if only this thread uses the memory (trace/sharing.h), or if no other thread can know it. */
static bool is_own(uint64_t addr, uint64_t size) {
    return rd_rt.sharing.version ? rd_sharing_free(addr, RD_MAX(size, (uint64_t)1)) : rd_heap_private(addr);
}

/*
 * True if the free of the block is an operation. Instrumented code accesses memory through hooks: its frees are
 * operations unless the block is private. Of unseen code only the use of synchronisation objects is known: a free
 * counts if the block has an object that this thread has used, or that was used before there were threads, and if
 * the program itself, not a library, frees it. There the rule about private blocks does not hold, because writes in
 * unseen code can publish an address.
 */
static bool is_point(const struct rd_head *h, uint64_t pc) {
    if (!others() || rd_self->ignore)
        return false;
    bool own = h && rd_rt.engine.plan.access_points == RD_ACCESSES_ALL && is_own((uintptr_t)(h + 1), h->asked);
    if (rd_rt.all_accesses && (rd_place_is_instrumented(pc) || (pc && pc == rd_self->callback)))
        return !own;
    bool used = h && rd_self->tid < RD_HEAP_USERS && h->users >> rd_self->tid & 1;
    return used && rd_place_module(rd_place_of(pc)) == 0;
}

bool rd_heap_free_turn(const void *p, uint64_t pc) {
    RD_CHECK(rd_heap_owns(p));
    if (rd_self->callback && rd_place_is_own(pc))
        pc = rd_self->callback; /* the runtime calls free() for the program: as the destructor of a key */
    /* a free leaves the size in the header, so the operation is the same before and after another thread's free */
    const struct rd_head *h = rd_rt.heap_checks && rd_heap_is_block(p) ? rd_heap_head(rd_heap_at(p)) : NULL;
    uint64_t size = h ? RD_MIN((uint64_t)h->asked, (uint64_t)UINT32_MAX) : 0;
    if (rd_rt.heap_checks && is_point(h, pc))
        rd_rt_op((struct rd_op){.kind = RD_OP_FREE,
                                .addr = (uintptr_t)p,
                                .size = (uint32_t)RD_MAX(size, (uint64_t)1),
                                .order = rd_place_is_instrumented(pc) ? RD_ACCESS_PLAIN : RD_ACCESS_UNSEEN,
                                .pc = pc});
    else if (rd_rt.threaded) /* the last operation of this thread is complete: it uses no object of the block */
        rd_rt.engine.world.threads[rd_self->tid].pending.kind = RD_OP_NONE;
    return rd_heap_check_free(p, pc);
}

/*
 * True if the memory of the freed block may become another block. Only in the region of the thread that frees it;
 * and where accesses are seen, only if instrumented code frees it. That free comes after all uses of the old block
 * in the happens-before relation, or is a race; so accesses to the new block cannot seem to race with those to the
 * old one.
 */
static bool comes_back(const struct region *r, uint64_t pc) {
    if (r != &regions[rd_self->tid])
        return false;
    return !rd_rt.all_accesses || !others() || !rd_place_any_instrumented() || rd_place_is_instrumented(pc);
}

/* Marks the block as freed: a large one in the list of those, others in the shadow. */
static void mark_freed(struct region *r, const struct rd_head *h) {
    struct rd_shadow_block b = shadow_of(h, false);
    rd_rt_enter();
    if (b.size < rd_freed_blocks_min || !rd_freed_blocks_add(&r->gone, b.at, b.size))
        rd_shadow_free(rd_heap_shadow(), &b);
    rd_rt_leave();
}

void rd_heap_free(void *p, uint64_t pc) {
    RD_ASSERT(rd_heap_owns(p));
    struct rd_head *h = rd_heap_head(rd_heap_at(p));
    struct region *r = &regions[rd_heap_at(p) / RD_HEAP_SLOT];
    RD_CHECK(h->state == RD_BLOCK_LIVE); /* rd_heap_free_turn has checked the block */
    h->state = RD_BLOCK_FREED;
    h->freed = pc & 0xffffffffffffu;
    h->freed_tid = rd_self->tid;
    if (RD_LIKELY(rd_rt.heap_marks))
        mark_freed(r, h);
    if (RD_UNLIKELY(rd_rt.heap_stacks))
        rd_heap_note(h, true);
    if (!comes_back(r, pc))
        return;
    if (r->newest)
        set_next(r, r->newest, h);
    else
        r->oldest = h;
    r->newest = h;
    r->quarantined += rd_head_size(h);
    settle(r);
}

size_t rd_heap_size(const void *p) { return rd_heap_is_block(p) ? rd_heap_head(rd_heap_at(p))->asked : 0; }
