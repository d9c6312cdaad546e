/* classes.c - see classes.h. */
#include "search/classes.h"

struct rd_event rd_classes_event(const struct rd_step *s) {
    struct rd_event e = rd_event_of_step(s);
    e.wide |= s->op == RD_OP_IO_POLL; /* it may be about more files than a step can name */
    return e;
}

struct rd_arena rd_scratch_open(struct rd_arena *a) {
    size_t size = RD_MIN((a->size - a->used) / 4, (size_t)8 << 30);
    struct rd_arena scratch;
    rd_arena_init(&scratch, rd_arena_alloc(a, size), size);
    return scratch;
}

void rd_classes_of(struct rd_classes *c, struct rd_arena *a, struct rd_arena *scratch, const struct rd_record *r) {
    uint32_t steps = r->out->steps;
    for (c->count = 0; c->count < steps;)
        rd_vec_push(a, c, 0);
    struct rd_order o;
    rd_arena_reset(scratch);
    rd_order_init(&o, scratch);
    for (uint32_t i = 0; i < steps; i++) {
        const struct rd_step *s = &r->steps[i];
        bool value = rd_op_flags(s->op) & RD_F_VALUE;
        if (value) {
            rd_order_way(&o, s->tid, (uint32_t)s->value);
        } else {
            struct rd_event e = rd_classes_event(s);
            rd_order_event(&o, &e);
        }
        bool inside = i + 1 < steps && rd_op_flags(r->steps[i + 1].op) & RD_F_VALUE;
        uint64_t class = o.hash[0] ^ rd_mix(o.hash[1]);
        c->at[i] = inside ? 0 : class ? class : 1;
    }
}
