/* unit_world.h - a world in which a test performs operations of the models one at a time, without an engine. */
#ifndef RD_TEST_UNIT_WORLD_H
#define RD_TEST_UNIT_WORLD_H

#include "model/model.h"

struct unit_world {
    struct rd_world w;
    struct rd_arena arena;
    struct rd_thread_path paths[RD_TID_MAX];
    uint32_t path_count;
    _Alignas(16) char region[1 << 19];
};

/* Begins a new execution. The numbers of threads stay those of the execution before. */
static inline void unit_world_again(struct unit_world *u) {
    rd_arena_init(&u->arena, u->region, sizeof u->region);
    rd_world_init(&u->w, &u->arena, u->paths, &u->path_count);
}

static inline struct rd_world *unit_world_new(struct unit_world *u) {
    u->path_count = 0;
    unit_world_again(u);
    return &u->w;
}

/* Makes the operation the thread's pending one, and returns whether it is enabled. */
static inline bool unit_can(struct rd_world *w, rd_tid tid, struct rd_op op) {
    w->threads[tid].pending = op;
    return rd_model_enabled(w, tid);
}

/* Performs the operation in the given way. */
static inline struct rd_result unit_do_way(struct rd_world *w, rd_tid tid, struct rd_op op, uint32_t way) {
    struct rd_result r = {0};
    RD_CHECK(unit_can(w, tid, op));
    if (rd_models[op.kind].perform)
        rd_models[op.kind].perform(w, tid, &op, way, &r);
    return r;
}

static inline struct rd_result unit_do(struct rd_world *w, rd_tid tid, struct rd_op op) {
    return unit_do_way(w, tid, op, 0);
}

static inline uint32_t unit_ways(struct rd_world *w, rd_tid tid, struct rd_op op) {
    return rd_models[op.kind].ways ? rd_models[op.kind].ways(w, tid, &op) : 1;
}

#endif
