/* table.c - which functions model which operation. An operation without a row is always enabled and does nothing.
 */
#include "model/model.h"

const struct rd_model rd_models[RD_OP_KINDS] = {
    [RD_OP_CREATE] = {.perform = rd_thread_create},
    [RD_OP_JOIN] = {.enabled = rd_thread_join_enabled, .perform = rd_thread_join},
    [RD_OP_DETACH] = {.perform = rd_thread_detach},
    [RD_OP_SLEEP] = {.perform = rd_clock_sleep_op},
    [RD_OP_MUTEX_INIT] = {.perform = rd_mutex_reset},
    [RD_OP_MUTEX_DESTROY] = {.perform = rd_mutex_reset},
    [RD_OP_MUTEX_LOCK] = {.enabled = rd_mutex_lock_enabled, .perform = rd_mutex_lock, .waits_for = rd_mutex_holder},
    [RD_OP_MUTEX_TRYLOCK] = {.perform = rd_mutex_trylock},
    [RD_OP_MUTEX_UNLOCK] = {.perform = rd_mutex_unlock},
    [RD_OP_COND_INIT] = {.perform = rd_mutex_reset},
    [RD_OP_COND_DESTROY] = {.perform = rd_mutex_reset},
    [RD_OP_COND_WAIT] = {.perform = rd_cond_wait},
    [RD_OP_COND_WAKE] = {.enabled = rd_cond_wake_enabled, .perform = rd_cond_wake, .waits_for = rd_cond_holder},
    [RD_OP_COND_SIGNAL] = {.ways = rd_cond_signal_ways, .perform = rd_cond_signal},
    [RD_OP_COND_BROADCAST] = {.perform = rd_cond_broadcast},
};

bool rd_model_enabled(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    const struct rd_model *m = &rd_models[t->pending.kind];
    return t->state == RD_T_READY && (!m->enabled || m->enabled(w, tid, &t->pending));
}
