/*
 * sim_check.h - computes the values anew that the engine updates incrementally from one step to the next (the
 * enabled threads, the hash of their pending operations, the fingerprint) and compares. Runs at every step of every
 * simulated program.
 */
#ifndef RD_SIM_CHECK_H
#define RD_SIM_CHECK_H

#include "engine/engine.h"
#include "trace/place.h"

static inline rd_place sim_check_name(rd_place p) {
    return rd_place_region(p) == RD_PLACE_OTHER ? RD_PLACE_OTHER : p;
}

/* The hash of a thread's pending operation. */
static inline uint64_t sim_check_hash(const struct rd_op *op, rd_tid tid) {
    uint64_t h = rd_hash2((uint64_t)op->kind << 32 | op->size, sim_check_name(op->place));
    return rd_hash2(rd_hash2(h, sim_check_name(op->pc)), tid);
}

/* Whether the thread's pending operation is enabled according to the models alone. */
static inline bool sim_check_enabled(const struct rd_world *w, rd_tid tid) {
    const struct rd_op *op = &w->threads[tid].pending;
    const struct rd_model *m = &rd_models[op->kind];
    if (w->threads[tid].state != RD_T_READY)
        return false;
    return !m->enabled || m->enabled(w, tid, op) || rd_model_otherwise(w, tid);
}

/* Call after rd_engine_next has chosen a thread and before that thread's operation is performed. */
static inline void sim_check(const struct rd_engine *e) {
    const struct rd_outcome *o = e->rec.out;
    const struct rd_step *s = &e->rec.steps[o->steps - 1];
    uint32_t all = 0;
    uint64_t h = 0;
    for (uint32_t t = 0; t < e->world.count; t++) {
        const struct rd_thread *th = &e->world.threads[t];
        if (th->state == RD_T_READY)
            RD_CHECK(th->pending_hash == sim_check_hash(&th->pending, (rd_tid)t));
        all += sim_check_enabled(&e->world, (rd_tid)t);
    }
    /*
     * The candidates are all enabled threads unless fairness, focus or an atomic section restricts them. With no
     * enabled thread the candidates are the waits that can only time out.
     */
    bool whole = e->fair.yielders == 0 && !e->focus && !o->atomic && all > 0;
    RD_CHECK(!whole || s->ncand == all);
    for (uint32_t i = 0; i < s->ncand; i++) {
        rd_tid t = e->rec.cands[s->cand + i];
        RD_CHECK(!whole || sim_check_enabled(&e->world, t));
        h += e->world.threads[t].pending_hash;
    }
    h = rd_hash2(s->ncand, h);
    uint32_t fp = (uint32_t)(h ^ h >> 32);
    RD_CHECK(e->focus || o->atomic || s->fp == (fp ? fp : 1));
}

#endif
