/* order.c - see order.h. */
#include "engine/order.h"

void rd_order_init(struct rd_order *o, struct rd_arena *a) {
    *o = (struct rd_order){.arena = a};
    o->clock = rd_arena_zero(a, RD_TID_MAX * sizeof *o->clock);
    o->index = rd_arena_zero(a, RD_TID_MAX * sizeof *o->index);
    o->count = 1;
}

static struct rd_vclock *object(struct rd_order *o, uint64_t addr) {
    uint64_t *slot = rd_map_put(&o->objects, o->arena, addr);
    if (!*slot)
        *slot = (uintptr_t)rd_arena_zero(o->arena, sizeof(struct rd_vclock));
    return (struct rd_vclock *)(uintptr_t)*slot;
}

enum { LONG = 64, GRANULE = 8, PAGE = 4096 }; /* longer accesses are ranges */

static struct rd_order_page *find_page(struct rd_order *o, uint64_t number) {
    uint64_t *slot = rd_map_get(&o->pages, number);
    return slot ? (struct rd_order_page *)(uintptr_t)*slot : NULL;
}

static struct rd_order_page *make_page(struct rd_order *o, uint64_t number) {
    uint64_t *slot = rd_map_put(&o->pages, o->arena, number);
    if (!*slot)
        *slot = (uintptr_t)rd_arena_zero(o->arena, sizeof(struct rd_order_page));
    return (struct rd_order_page *)(uintptr_t)*slot;
}

static struct rd_order_cell *exact_cell(struct rd_order *o, uint64_t granule, uint8_t mask) {
    uint64_t *slot = rd_map_put(&o->memory, o->arena, granule);
    struct rd_order_cell *c = (struct rd_order_cell *)(uintptr_t)*slot;
    for (; c; c = c->next)
        if (c->mask == mask)
            return c;
    c = rd_arena_zero(o->arena, sizeof *c);
    c->mask = mask;
    c->next = (struct rd_order_cell *)(uintptr_t)*slot;
    *slot = (uintptr_t)c;
    make_page(o, granule * GRANULE / PAGE)->cells++;
    return c;
}

static struct rd_order_range *exact_range(struct rd_order *o, uint64_t first, uint64_t last) {
    for (struct rd_order_link *l = make_page(o, first / PAGE)->ranges; l; l = l->next)
        if (l->range->first == first && l->range->last == last)
            return l->range;
    struct rd_order_range *r = rd_arena_zero(o->arena, sizeof *r);
    r->first = first;
    r->last = last;
    for (uint64_t n = first / PAGE; n <= last / PAGE; n++) {
        struct rd_order_page *p = make_page(o, n);
        struct rd_order_link *l = rd_arena_alloc(o->arena, sizeof *l);
        *l = (struct rd_order_link){r, p->ranges};
        p->ranges = l;
    }
    return r;
}

static uint8_t bytes_in(uint64_t granule, uint64_t first, uint64_t last) {
    uint64_t from = RD_MAX(first, granule * GRANULE) - granule * GRANULE;
    uint64_t to = RD_MIN(last, granule * GRANULE + 7) - granule * GRANULE;
    return (uint8_t)((0xff << from) & (0xff >> (7 - to)));
}

/* The access comes after what was left there: writes, and for a write the reads since, too. */
static void come_after(struct rd_order *o, rd_tid tid, const struct rd_vclock *wrote, const struct rd_vclock *read,
                       bool writes) {
    rd_vclock_join(&o->clock[tid], o->arena, wrote);
    if (writes)
        rd_vclock_join(&o->clock[tid], o->arena, read);
}

static void after_cells(struct rd_order *o, rd_tid tid, uint64_t first, uint64_t last, bool writes) {
    for (uint64_t g = first / GRANULE; g <= last / GRANULE; g++) {
        uint64_t *slot = rd_map_get(&o->memory, g);
        uint8_t mask = bytes_in(g, first, last);
        for (struct rd_order_cell *c = slot ? (struct rd_order_cell *)(uintptr_t)*slot : NULL; c; c = c->next)
            if (c->mask & mask)
                come_after(o, tid, &c->wrote, &c->read, writes);
    }
}

/* Everything that overlaps [first, last]; page by page, so that empty stretches cost nothing. */
static void after_memory(struct rd_order *o, rd_tid tid, uint64_t first, uint64_t last, bool writes) {
    o->event++;
    for (uint64_t n = first / PAGE; n <= last / PAGE; n++) {
        const struct rd_order_page *p = find_page(o, n);
        if (!p)
            continue;
        for (struct rd_order_link *l = p->ranges; l; l = l->next) {
            struct rd_order_range *r = l->range;
            if (r->seen == o->event || r->first > last || r->last < first)
                continue;
            r->seen = o->event;
            come_after(o, tid, &r->wrote, &r->read, writes);
        }
        if (p->cells)
            after_cells(o, tid, RD_MAX(first, n * PAGE), RD_MIN(last, n * PAGE + PAGE - 1), writes);
    }
}

/* Leaves the access's own mark. */
static void mark(struct rd_order *o, rd_tid tid, struct rd_vclock *wrote, struct rd_vclock *read, bool writes) {
    if (writes)
        rd_vclock_copy(wrote, o->arena, &o->clock[tid]);
    else
        rd_vclock_join(read, o->arena, &o->clock[tid]);
}

static void mark_memory(struct rd_order *o, rd_tid tid, uint64_t first, uint64_t last, bool writes) {
    if (last - first >= LONG) {
        struct rd_order_range *r = exact_range(o, first, last);
        mark(o, tid, &r->wrote, &r->read, writes);
        return;
    }
    for (uint64_t g = first / GRANULE; g <= last / GRANULE; g++) {
        struct rd_order_cell *c = exact_cell(o, g, bytes_in(g, first, last));
        mark(o, tid, &c->wrote, &c->read, writes);
    }
}

static void add_hash(struct rd_order *o, rd_tid tid, const struct rd_op *op) {
    uint64_t h = rd_hash2((uint64_t)tid << 40 | (uint64_t)op->kind << 32 | o->index[tid], op->place);
    uint64_t a = rd_vclock_hash(&o->clock[tid], h);
    uint64_t b = rd_mix(a ^ 0x5851f42d4c957f2du) + rd_mix(h);
    o->hash[0] += rd_mix(a);
    o->hash[1] += rd_mix(b);
}

void rd_order_event(struct rd_order *o, rd_tid tid, const struct rd_op *op, rd_tid other) {
    struct rd_vclock *mine = &o->clock[tid];
    unsigned flags = rd_op_flags(op->kind);
    bool accesses = flags & (RD_F_READS | RD_F_WRITES), writes = flags & RD_F_WRITES;
    uint64_t last = op->addr + RD_MAX(op->size, 1u) - 1;
    struct rd_vclock *first = NULL, *second = NULL;
    o->count = RD_MAX(o->count, (uint32_t)tid + 1);

    if (accesses)
        after_memory(o, tid, op->addr, last, writes);
    if (op->addr && (!accesses || flags & RD_F_OBJECT))
        rd_vclock_join(mine, o->arena, first = object(o, op->addr));
    if (op->addr2)
        rd_vclock_join(mine, o->arena, second = object(o, op->addr2));
    if ((op->kind == RD_OP_JOIN || op->kind == RD_OP_TRYJOIN) && other != RD_TID_NONE)
        rd_vclock_join(mine, o->arena, &o->clock[other]);
    for (uint32_t t = 0; op->kind == RD_OP_EXIT && t < o->count; t++)
        rd_vclock_join(mine, o->arena, &o->clock[t]);

    rd_vclock_set(mine, o->arena, tid, ++o->index[tid]);
    add_hash(o, tid, op);

    if (accesses)
        mark_memory(o, tid, op->addr, last, writes);
    if (first)
        rd_vclock_copy(first, o->arena, mine);
    if (second)
        rd_vclock_copy(second, o->arena, mine);
    if (op->kind == RD_OP_CREATE && other != RD_TID_NONE) {
        rd_vclock_copy(&o->clock[other], o->arena, mine);
        o->count = RD_MAX(o->count, (uint32_t)other + 1);
    }
}

void rd_order_also(struct rd_order *o, rd_tid tid, uint64_t addr) {
    struct rd_vclock *c = object(o, addr);
    rd_vclock_join(&o->clock[tid], o->arena, c);
    rd_vclock_copy(c, o->arena, &o->clock[tid]);
}
