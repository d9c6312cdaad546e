/*
 * leak.c - the detector `leaks`: blocks of the heap that no pointer leads to when the program ends.
 *
 * The search is conservative, as that of a garbage collector. The roots are all words of all writable memory except
 * the heap, the runtime's own memory, the stacks of threads that have ended, and the part of the current stack
 * below its stack pointer. A word that points into a block, or right behind it, reaches the block; the words of a
 * reached block are read as well. So a block that is reported is lost; a lost block that a stale word points to is
 * missed.
 *
 * Blocks that only lost blocks lead to are not reported by themselves: a program that frees the lost block could
 * free them with it.
 */
#include "rt/heap/heap.h"

#include "base/text.h"
#include "rt/address/maps.h"
#include "rt/heap/process_detectors.h"

#include <string.h>
#include <sys/mman.h>

/* INDIRECT: reached from a lost block only. A mark only grows. */
enum leak_mark { LOST, INDIRECT, REACHED };

/* A block in use. */
struct live_block {
    uint64_t at;   /* offset in the heap */
    uint32_t mark; /* enum leak_mark */
    uint32_t next; /* index + 1 of the next block whose words are to be read; 0: none */
};

static struct {
    struct live_block *block;
    uint64_t count;
    uint64_t room; /* blocks that there is memory for */
    uint32_t todo; /* index + 1 of the first reached block whose words are to be read; 0: none */
    uint32_t as;   /* the mark of blocks that are reached now */
} s;

/* Counts the blocks in use, and lists them in the order of addresses unless count_only. */
static void list_blocks(bool count_only) {
    const uint8_t *shadow = rd_heap_shadow();
    s.count = 0;
    for (uint32_t t = 0; t < RD_TID_MAX; t++) {
        uint64_t base = t * RD_HEAP_SLOT / RD_GRANULE, used = rd_heap_used((rd_tid)t) / RD_GRANULE;
        for (uint64_t g = base; g < base + used; g++) {
            uint64_t at = (g + 1) * RD_GRANULE;
            if (shadow[g] != RD_SHADOW_HEAD || rd_heap_head(at)->state != RD_BLOCK_LIVE)
                continue;
            RD_CHECK(count_only || s.count < s.room);
            RD_ASSERT(count_only || s.count == 0 || s.block[s.count - 1].at < at);
            if (!count_only)
                s.block[s.count] = (struct live_block){.at = at};
            s.count++;
        }
    }
}

/* The block that this address is in or right behind, as a pointer past an array is; NULL: none. */
static struct live_block *block_of(uint64_t addr) {
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
    struct live_block *b = low ? &s.block[low - 1] : NULL;
    return b && at - b->at <= rd_heap_head(b->at)->asked ? b : NULL;
}

/* A word with this value was found in block `from` (NULL: in a root): marks the block that it points to. */
static void reach(uint64_t addr, const struct live_block *from) {
    struct live_block *b = block_of(addr);
    if (!b || b == from || b->mark >= s.as)
        return;
    RD_ASSERT(s.as == INDIRECT || s.as == REACHED);
    b->mark = s.as;
    if (s.as == REACHED) {
        b->next = s.todo;
        s.todo = (uint32_t)(b - s.block) + 1;
    }
}

__attribute__((no_sanitize("address"))) static void read_words(uint64_t from, uint64_t to,
                                                               const struct live_block *in) {
    for (uint64_t at = (from + 7) & ~(uint64_t)7; at && at + 8 <= to; at += 8)
        reach(*(const uint64_t *)at, in);
}

static void read_block(const struct live_block *b) {
    uint64_t start = RD_HEAP_AT + b->at;
    read_words(start, start + rd_heap_head(b->at)->asked, b);
}

/* True if the thread exists and has not ended. */
static bool thread_lives(uint64_t tid) {
    return tid < RD_TID_MAX && tid < rd_rt.engine.world.count &&
           rd_rt.engine.world.threads[tid].state == RD_T_READY;
}

/*
 * The end of libraddle's own data if the address is in it, else 0: the data of recorded operations are no roots.
 * The kernel may list the memory behind it as part of the same mapping.
 */
static uint64_t own_end(uint64_t addr) {
    const struct rd_module *own = rd_place_own();
    return own && addr >= own->start && addr < own->end ? (own->end + 4095) & ~(uint64_t)4095 : 0;
}

/* Reads the words of one writable mapping, without the memory that is no root; sp: the current stack pointer. */
static void read_mapping(uint64_t from, uint64_t to, uint64_t sp) {
    uint64_t slot = from - RD_STACKS_AT;
    if (from == RD_SHARING_AT || (from >= RD_SHADOW_AT && from < RD_HEAP_AT + RD_TID_MAX * RD_HEAP_SLOT))
        return; /* memory of the runtime, and the heap itself */
    from = RD_MAX(from, own_end(from));
    if (slot < RD_TID_MAX * RD_STACK_SLOT && !thread_lives(slot / RD_STACK_SLOT))
        return;
    if (sp >= from && sp < to)
        from = sp;
    read_words(from, to, NULL);
}

static bool read_one(const struct rd_mapping *m, void *sp) {
    bool device = strstr(m->path, "/dev/") != NULL; /* reading the memory of a device can have effects */
    if (m->readable && m->writable && !device)
        read_mapping(m->start, m->end, *(const uint64_t *)sp);
    return true;
}

/*
 * Reads all mappings; false if the kernel does not list them. A function of its own, so that the registers that its
 * caller has saved on the stack are above its frame and count as roots.
 */
static __attribute__((noinline)) bool read_mappings(void) {
    uint64_t sp = (uintptr_t)__builtin_frame_address(0);
    return rd_maps_each(read_one, &sp);
}

/* Reads pointers that only the runtime keeps: arguments of threads, objects to destroy, results of ended threads.
 */
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

/* Reports all lost blocks that the same call has allocated as this one. */
static void report(const struct live_block *first) {
    RD_CHECK(first->mark != REACHED);
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

/* Reports the blocks that no root reaches. */
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
    for (uint64_t i = 0; i < s.count && !lost; i++) /* lost blocks in a cycle, each reached from another one */
        if (s.block[i].mark == INDIRECT)
            report(&s.block[i]);
}

void rd_leak_check(void) {
    __builtin_unwind_init(); /* saves the registers on the stack: they are roots, too */
    RD_CHECK(rd_rt.heap_marks);
    list_blocks(true);
    s.room = s.count;
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
        RD_ASSERT(s.todo <= s.count);
        struct live_block *b = &s.block[s.todo - 1];
        s.todo = b->next;
        read_block(b);
    }
    look_for_lost();
}
