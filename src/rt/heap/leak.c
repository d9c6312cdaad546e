/*
 * leak.c - blocks of the heap that nothing leads to any more when the program ends. On request.
 *
 * What may lead to a block is read word by word, whatever it is: all memory that can be written, except the heap
 * itself, what belongs to the runtime, the stacks of threads that are over, and what lies below the stack pointer
 * of this one; then the blocks that were reached. A word that points into a block reaches it. So a block that is
 * called lost is lost; one that only a stale word leads to is not noticed.
 *
 * Blocks that only other lost blocks lead to are not what is reported: whoever frees the others can free those.
 */
#include "rt/heap/heap.h"

#include "base/text.h"
#include "rt/address/maps.h"
#include "rt/heap/process_detectors.h"

#include <string.h>
#include <sys/mman.h>

enum mark { LOST, INDIRECT, REACHED };

struct found_block {
    uint64_t at; /* in the heap */
    uint32_t mark;
    uint32_t next; /* in the list of those whose contents are to be read, + 1 */
};

static struct {
    struct found_block *block;
    uint64_t count;
    uint32_t todo;
    uint32_t as; /* what is reached now becomes this */
} s;

/* Blocks in use, by address. */
static void list_blocks(bool count_only) {
    const uint8_t *shadow = rd_heap_shadow();
    s.count = 0;
    for (uint32_t t = 0; t < RD_TID_MAX; t++) {
        uint64_t base = t * RD_HEAP_SLOT / RD_GRANULE, used = rd_heap_used((rd_tid)t) / RD_GRANULE;
        for (uint64_t g = base; g < base + used; g++) {
            uint64_t at = (g + 1) * RD_GRANULE;
            if (shadow[g] != RD_SHADOW_HEAD || rd_heap_head(at)->state != RD_BLOCK_LIVE)
                continue;
            if (!count_only)
                s.block[s.count] = (struct found_block){.at = at};
            s.count++;
        }
    }
}

/* The block that this address is in; its end counts, as a pointer past an array does. */
static struct found_block *block_of(uint64_t addr) {
    uint64_t at = addr - RD_HEAP_AT, low = 0, high = s.count;
    if (at >= RD_TID_MAX * RD_HEAP_SLOT)
        return NULL;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (s.block[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    struct found_block *b = low ? &s.block[low - 1] : NULL;
    return b && at - b->at <= rd_heap_head(b->at)->asked ? b : NULL;
}

static void reach(uint64_t addr, const struct found_block *from) {
    struct found_block *b = block_of(addr);
    if (!b || b == from || b->mark >= s.as)
        return;
    b->mark = s.as;
    if (s.as == REACHED) {
        b->next = s.todo;
        s.todo = (uint32_t)(b - s.block) + 1;
    }
}

__attribute__((no_sanitize("address"))) static void read_words(uint64_t from, uint64_t to,
                                                               const struct found_block *in) {
    for (uint64_t at = (from + 7) & ~(uint64_t)7; at && at + 8 <= to; at += 8)
        reach(*(const uint64_t *)at, in);
}

static void read_block(const struct found_block *b) {
    uint64_t start = RD_HEAP_AT + b->at;
    read_words(start, start + rd_heap_head(b->at)->asked, b);
}

static bool thread_lives(uint64_t tid) {
    return tid < RD_TID_MAX && tid < rd_rt.engine.world.count &&
           rd_rt.engine.world.threads[tid].state == RD_T_READY;
}

/*
 * The library's own data: what operations were about says nothing of who knows the block. Where it ends, if the
 * address is in it: what comes after may be one mapping with it; else 0.
 */
static uint64_t own_end(uint64_t addr) {
    const struct rd_module *own = rd_place_own();
    return own && addr >= own->start && addr < own->end ? (own->end + 4095) & ~(uint64_t)4095 : 0;
}

/* One mapping that can be read and written. */
static void read_mapping(uint64_t from, uint64_t to, uint64_t sp) {
    uint64_t slot = from - RD_STACKS_AT;
    if (from == RD_SHARING_AT || (from >= RD_SHADOW_AT && from < RD_HEAP_AT + RD_TID_MAX * RD_HEAP_SLOT))
        return; /* the runtime's, and the heap */
    from = RD_MAX(from, own_end(from));
    if (slot < RD_TID_MAX * RD_STACK_SLOT && !thread_lives(slot / RD_STACK_SLOT))
        return;
    if (sp >= from && sp < to)
        from = sp;
    read_words(from, to, NULL);
}

static bool read_one(const struct rd_mapping *m, void *sp) {
    bool device = strstr(m->path, "/dev/") != NULL; /* to read there may do something */
    if (m->readable && m->writable && !device)
        read_mapping(m->start, m->end, *(const uint64_t *)sp);
    return true;
}

/* False: the list of mappings cannot be had, and nothing is known. Its frame is below the caller's registers. */
static __attribute__((noinline)) bool read_mappings(void) {
    uint64_t sp = (uintptr_t)__builtin_frame_address(0);
    return rd_maps_each(read_one, &sp);
}

/* What only the runtime remembers of a thread: its argument, its objects to destroy, what it returned. */
static void read_threads(void) {
    for (uint32_t t = 0; t < rd_rt.engine.world.count; t++) {
        const struct rd_vthread *v = rd_rt.threads[t];
        if (!v)
            continue;
        if (thread_lives(t))
            read_words((uintptr_t)v, (uintptr_t)(v + 1), NULL);
        else if (!rd_rt.engine.world.threads[t].joined)
            reach((uintptr_t)v->retval, NULL);
        for (const struct rd_dtor *d = v->dtors; d; d = d->next)
            reach((uintptr_t)d->obj, NULL);
    }
}

/* All that came from where this one did. */
static void report(const struct found_block *first) {
    const struct rd_head *h = rd_heap_head(first->at);
    struct rd_finding f = {.kind = RD_LEAK, .other_tid = RD_TID_NONE};
    uint64_t bytes = 0;
    rd_heap_describe(h, 0, &f.heap);
    f.tid = f.heap.made_tid;
    for (uint64_t i = 0; i < s.count; i++) {
        const struct rd_head *other = rd_heap_head(s.block[i].at);
        if (s.block[i].mark == REACHED || other->made != h->made)
            continue;
        f.heap.count++;
        bytes += other->asked;
    }
    f.pc = f.heap.made_pc;
    f.key = rd_hash2(RD_LEAK, f.pc);
    struct rd_text t;
    rd_text_init(&t, f.message, sizeof f.message);
    rd_text_dec(&t, bytes);
    rd_text_str(&t, bytes == 1 ? " byte in " : " bytes in ");
    rd_text_dec(&t, f.heap.count);
    rd_text_str(&t, f.heap.count == 1 ? " block that nothing leads to" : " blocks that nothing leads to");
    rd_text_str(&t, " when the program ends");
    rd_process_detector_found(RD_DETECT_LEAKS, &f);
    for (uint64_t i = 0; i < s.count; i++)
        if (s.block[i].mark != REACHED && rd_heap_head(s.block[i].at)->made == h->made)
            s.block[i].mark = REACHED;
}

static void look_for_lost(void) {
    s.as = INDIRECT;
    for (uint64_t i = 0; i < s.count; i++)
        if (s.block[i].mark != REACHED)
            read_block(&s.block[i]);
    bool lost = false;
    for (uint64_t i = 0; i < s.count; i++)
        if (s.block[i].mark == LOST) {
            lost = true;
            report(&s.block[i]);
        }
    for (uint64_t i = 0; i < s.count && !lost; i++) /* they lead to each other */
        if (s.block[i].mark == INDIRECT)
            report(&s.block[i]);
}

void rd_leak_check(void) {
    __builtin_unwind_init(); /* registers, too */
    list_blocks(true);
    uint64_t room = (s.count + 1) * sizeof *s.block;
    s.block = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s.block == MAP_FAILED || s.count == 0 || s.count >= UINT32_MAX)
        return;
    list_blocks(false);
    s.as = REACHED;
    if (!read_mappings())
        return;
    read_threads();
    while (s.todo) {
        struct found_block *b = &s.block[s.todo - 1];
        s.todo = b->next;
        read_block(b);
    }
    look_for_lost();
}
