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

static struct rd_order_cell *cells(struct rd_order *o, uint64_t granule) {
    uint64_t *slot = rd_map_get(&o->memory, granule);
    return slot ? (struct rd_order_cell *)(uintptr_t)*slot : NULL;
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
    return c;
}

static uint8_t bytes_in(uint64_t granule, uint64_t first, uint64_t last) {
    uint64_t from = RD_MAX(first, granule * 8) - granule * 8;
    uint64_t to = RD_MIN(last, granule * 8 + 7) - granule * 8;
    return (uint8_t)((0xff << from) & (0xff >> (7 - to)));
}

/* Takes in what the access must come after, then leaves its own mark; `pass` says which of the two. */
static void memory(struct rd_order *o, rd_tid tid, const struct rd_op *op, bool mark) {
    bool writes = rd_op_flags(op->kind) & RD_F_WRITES;
    uint64_t first = op->addr, last = op->addr + RD_MAX(op->size, 1u) - 1;
    struct rd_vclock *mine = &o->clock[tid];
    for (uint64_t g = first / 8; g <= last / 8; g++) {
        uint8_t mask = bytes_in(g, first, last);
        if (mark) {
            struct rd_order_cell *c = exact_cell(o, g, mask);
            if (writes)
                rd_vclock_copy(&c->wrote, o->arena, mine);
            rd_vclock_join(writes ? &c->wrote : &c->read, o->arena, mine);
            continue;
        }
        for (struct rd_order_cell *c = cells(o, g); c; c = c->next) {
            if (!(c->mask & mask))
                continue;
            rd_vclock_join(mine, o->arena, &c->wrote);
            if (writes)
                rd_vclock_join(mine, o->arena, &c->read);
        }
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
    bool accesses = flags & (RD_F_READS | RD_F_WRITES);
    struct rd_vclock *first = NULL, *second = NULL;
    o->count = RD_MAX(o->count, (uint32_t)tid + 1);

    if (accesses)
        memory(o, tid, op, false);
    else if (op->addr)
        rd_vclock_join(mine, o->arena, first = object(o, op->addr));
    if (op->addr2)
        rd_vclock_join(mine, o->arena, second = object(o, op->addr2));
    if (op->kind == RD_OP_JOIN && other != RD_TID_NONE)
        rd_vclock_join(mine, o->arena, &o->clock[other]);
    for (uint32_t t = 0; op->kind == RD_OP_EXIT && t < o->count; t++)
        rd_vclock_join(mine, o->arena, &o->clock[t]);

    rd_vclock_set(mine, o->arena, tid, ++o->index[tid]);
    add_hash(o, tid, op);

    if (accesses)
        memory(o, tid, op, true);
    if (first)
        rd_vclock_copy(first, o->arena, mine);
    if (second)
        rd_vclock_copy(second, o->arena, mine);
    if (op->kind == RD_OP_CREATE && other != RD_TID_NONE) {
        rd_vclock_copy(&o->clock[other], o->arena, mine);
        o->count = RD_MAX(o->count, (uint32_t)other + 1);
    }
}
