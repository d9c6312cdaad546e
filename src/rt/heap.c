/*
 * heap.c - the program's heap. Each thread allocates from a region of its own by moving a pointer, so an address
 * depends only on that thread's own allocations, never on the interleaving: the same object has the same address
 * in every schedule. Freed blocks are kept aside (up to a budget for each region) before they may be used again,
 * so that a stale pointer never meets a new object soon.
 *
 * A header of 32 bytes stands before each block; its state tells a live block from a freed one and both from
 * anything else. The regions are reserved at start and made accessible as they grow.
 */
#include "base/text.h"
#include "rt/blocks.h"
#include "rt/layout.h"
#include "rt/rt.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define LIVE 0x6c69766562756c62u
#define FREED 0x6672656562756c62u

struct head {
    uint64_t state;
    uint64_t size; /* what may be used, a multiple of 16 */
    struct head *next;
    uint64_t asked; /* what was asked for */
};
static_assert(sizeof(struct head) == 32, "keeps blocks aligned");

enum { CLASSES = 48, GROW = 4 << 20 };
static const uint64_t quarantine_max = (uint64_t)64 << 20;

struct region {
    uint64_t used, open;          /* bytes handed out and bytes accessible, from the start of the slot */
    struct head *oldest, *newest; /* freed, not to be used again yet */
    uint64_t quarantined;
    struct head *free[CLASSES]; /* may be used again, by size class */
};

static struct region regions[RD_TID_MAX];

bool rd_heap_reserve(void) {
    void *p = mmap((void *)RD_HEAP_AT, RD_TID_MAX * RD_HEAP_SLOT, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return p != MAP_FAILED;
}

bool rd_heap_owns(const void *p) { return (uintptr_t)p - RD_HEAP_AT < RD_TID_MAX * RD_HEAP_SLOT; }

static unsigned class_of(
    uint64_t size) { /* the largest power of two that fits; blocks of a class hold at least that */
    unsigned c = 63 - (unsigned)__builtin_clzll(size);
    return RD_MIN(c, (unsigned)CLASSES - 1);
}

static uint64_t base_of(const struct region *r) { return RD_HEAP_AT + (uint64_t)(r - regions) * RD_HEAP_SLOT; }

static struct head *take_free(struct region *r, uint64_t size) {
    unsigned c = class_of(size);
    if (size & (size - 1))
        c++; /* every block of the next class is large enough */
    if (c >= CLASSES || !r->free[c])
        return NULL;
    struct head *h = r->free[c];
    r->free[c] = h->next;
    return h;
}

static struct head *extend(struct region *r, uint64_t size, uint64_t align) {
    uint64_t at = (r->used + sizeof(struct head) + align - 1) & ~(align - 1);
    if (size > RD_HEAP_SLOT || at + size > RD_HEAP_SLOT)
        return NULL;
    if (at + size > r->open) {
        uint64_t open = (at + size + GROW - 1) & ~(uint64_t)(GROW - 1);
        if (mprotect((void *)(base_of(r) + r->open), open - r->open, PROT_READ | PROT_WRITE) != 0)
            return NULL;
        r->open = open;
    }
    r->used = at + size;
    return (struct head *)(base_of(r) + at - sizeof(struct head));
}

void *rd_heap_alloc(size_t asked, size_t align) {
    struct region *r = &regions[rd_self->tid];
    if (asked > RD_HEAP_SLOT) {
        errno = ENOMEM;
        return NULL;
    }
    uint64_t size = (RD_MAX(asked, (size_t)1) + 15) & ~(uint64_t)15;
    struct head *h = align <= 16 ? take_free(r, size) : NULL;
    if (h)
        memset(h + 1, 0, h->size);
    else if (!(h = extend(r, size, RD_MAX(align, (size_t)16)))) {
        errno = ENOMEM;
        return NULL;
    } else
        h->size = size;
    h->state = LIVE;
    h->asked = asked;
    h->next = NULL;
    rd_blocks_note(h + 1, asked);
    return h + 1;
}

/* Lets the oldest freed blocks be used again while more than the budget is kept aside. */
static void settle(struct region *r) {
    while (r->quarantined > quarantine_max && r->oldest) {
        struct head *h = r->oldest;
        r->oldest = h->next;
        if (!r->oldest)
            r->newest = NULL;
        r->quarantined -= h->size;
        unsigned c = class_of(h->size);
        h->next = r->free[c];
        r->free[c] = h;
    }
}

static _Noreturn void bad_free(enum rd_finding_kind kind, const void *p, uint64_t pc) {
    struct rd_finding f = {.kind = kind, .tid = rd_self->tid, .pc = rd_place_of(pc), .fault_addr = (uintptr_t)p};
    f.key = rd_hash2(kind, f.pc);
    rd_text_copy(f.message, sizeof f.message,
                 kind == RD_DOUBLE_FREE ? "free() of a block that was freed before"
                                        : "free() of a pointer that is no block, or whose block was overwritten");
    rd_rt_found(&f);
}

void rd_heap_free(void *p, uint64_t pc) {
    struct head *h = (struct head *)p - 1;
    uint64_t slot = ((uintptr_t)p - RD_HEAP_AT) % RD_HEAP_SLOT;
    struct region *r = &regions[((uintptr_t)p - RD_HEAP_AT) / RD_HEAP_SLOT];
    bool known = (uintptr_t)p % 16 == 0 && slot >= sizeof *h && slot < r->used;
    if (known && h->state == FREED)
        bad_free(RD_DOUBLE_FREE, p, pc);
    if (!known || h->state != LIVE)
        bad_free(RD_MISUSE, p, pc);
    h->state = FREED;
    h->next = NULL;
    if (r->newest)
        r->newest->next = h;
    else
        r->oldest = h;
    r->newest = h;
    r->quarantined += h->size;
    settle(r);
}

size_t rd_heap_size(const void *p) { return ((const struct head *)p - 1)->size; }
