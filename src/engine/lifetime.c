/*
 * lifetime.c - the beginning and the end of an execution: the engine's state, the plan, and the outcome.
 *
 * rd_engine_begin comes first, rd_engine_record once after it, rd_engine_end last. Before rd_engine_record the
 * program has one thread, and no step is recorded.
 */
#include "engine/enabled.h"
#include "engine/profile_record.h"

#include <string.h>

static bool spin_ready(const void *ctx, rd_tid tid) { return rd_spin_ready(ctx, tid); }

void rd_engine_begin(struct rd_engine *e, struct rd_arena *a, const struct rd_record *rec,
                     struct rd_thread_path *paths, uint32_t *path_count) {
    memset(e, 0, offsetof(struct rd_engine, picker_state)); /* pickers write their state before they read it */
    e->rec = *rec;
    e->chosen = RD_TID_NONE;
    rd_fair_init(&e->fair);
    /* the world comes last: the first entries of its table of threads then share a page with the small allocations
     */
    rd_hb_class_init(&e->hb_class, a);
    rd_spin_init(&e->spin, a);
    rd_world_init(&e->world, a, paths, path_count);
    e->world.changed = spin_ready;
    e->world.changed_ctx = &e->spin;
}

void rd_engine_record(struct rd_engine *e, const struct rd_plan *plan, const struct rd_engine_limits *limits) {
    RD_CHECK(!e->recording && plan->picker < RD_PICKERS && plan->sleep_count <= RD_TID_MAX);
    RD_CHECK(plan->access_points < RD_ACCESSES_COUNT && plan->track_count <= RD_TRACKS_MAX);
    RD_CHECK(e->rec.out->steps == 0 && e->rec.out->prefix_used == 0);
    e->plan = *plan;
    e->limits = *limits;
    e->fair.every = RD_MAX(limits->yields, plan->yields);
    e->picker = rd_pickers[plan->picker];
    e->picker->begin(e->picker_state, &e->plan);
    e->recording = true;
    e->last_ncand = 0;
    e->last_version = e->asked_version = 0;
    rd_livelock_cycle_stop(e);
    rd_stall_begin(e);
    e->quiet_until = rd_enabled_quiet_until(e);
    if (plan->access_points == RD_ACCESSES_PROFILE)
        e->profiler = rd_profiler_open(&e->world, e->rec.profile);
    for (uint32_t i = 0; i < plan->sleep_count; i++) {
        RD_CHECK(e->rec.sleep[i] < RD_TID_MAX && !rd_bits_has(&e->sleeping, e->rec.sleep[i]));
        rd_bits_add(&e->sleeping, e->rec.sleep[i]);
    }
    /* the picker chooses between the elements of a sparse prefix, and no thread is asleep there yet */
    e->asleep = plan->sparse && plan->prefix_count ? 0 : plan->sleep_count;
}

void rd_engine_end(struct rd_engine *e) {
    struct rd_outcome *o = e->rec.out;
    RD_CHECK(o->prefix_used <= e->plan.prefix_count && o->steps <= e->rec.steps_max);
    RD_CHECK(o->cands <= e->rec.cands_max && e->world.count <= RD_TID_MAX);
    uint32_t alive = 0;
    o->threads = e->world.count;
    o->alive_max = e->world.alive_max;
    o->class_hash[0] = e->hb_class.hash[0];
    o->class_hash[1] = e->hb_class.hash[1];
    for (uint32_t i = 0; i < e->world.count; i++) {
        const struct rd_thread *t = &e->world.threads[i];
        alive += t->state == RD_T_READY;
        struct rd_thread_info *info = &e->rec.threads[i];
        info->state = t->state;
        info->parent = t->parent;
        info->ordinal = t->ordinal;
        info->pending = t->pending;
        info->enabled = rd_model_enabled(&e->world, (rd_tid)i);
        info->holder = RD_TID_NONE;
        info->held_step = 0;
        info->held_pc = 0;
        const struct rd_model *m = &rd_models[t->pending.kind];
        const struct rd_mutex *held =
            m->waits_for && !info->enabled ? m->waits_for(&e->world, (rd_tid)i, &t->pending) : NULL;
        if (held) {
            info->holder = held->owner;
            info->held_step = held->taken_at;
            info->held_pc = held->taken_pc;
        }
    }
    RD_ASSERT(alive == e->world.alive && alive <= e->world.alive_max);
}
