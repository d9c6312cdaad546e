/*
 * table.c - the models of all operations, and whether a thread is enabled. An operation without a row is always
 * enabled and has no effect.
 */
#include "model/primitives.h"

const struct rd_model rd_models[RD_OP_KINDS] = {
    [RD_OP_AWAIT] = {.enabled = rd_await_enabled},
    [RD_OP_CREATE] = {.perform = rd_thread_create},
    [RD_OP_JOIN] = {.enabled = rd_thread_join_enabled, .perform = rd_thread_join},
    [RD_OP_DETACH] = {.perform = rd_thread_detach},
    [RD_OP_YIELD] = {.perform = rd_clock_yield},
    [RD_OP_SLEEP] = {.perform = rd_clock_sleep_op},
    [RD_OP_MUTEX_INIT] = {.perform = rd_object_reset},
    [RD_OP_MUTEX_DESTROY] = {.perform = rd_object_reset},
    [RD_OP_MUTEX_LOCK] = {.enabled = rd_mutex_lock_enabled, .perform = rd_mutex_lock, .waits_for = rd_mutex_holder},
    [RD_OP_MUTEX_TRYLOCK] = {.perform = rd_mutex_trylock},
    [RD_OP_MUTEX_UNLOCK] = {.perform = rd_mutex_unlock},
    [RD_OP_COND_INIT] = {.perform = rd_object_reset},
    [RD_OP_COND_DESTROY] = {.perform = rd_object_reset},
    [RD_OP_COND_WAIT] = {.ways = rd_cond_wait_ways, .perform = rd_cond_wait},
    [RD_OP_COND_WAKE] = {.enabled = rd_cond_wake_enabled,
                         .ways = rd_cond_wake_ways,
                         .perform = rd_cond_wake,
                         .time_out = rd_cond_time_out,
                         .waits_for = rd_cond_holder},
    [RD_OP_COND_SIGNAL] = {.ways = rd_cond_signal_ways, .perform = rd_cond_signal},
    [RD_OP_COND_BROADCAST] = {.perform = rd_cond_broadcast},
    [RD_OP_SPIN_LOCK] = {.enabled = rd_mutex_lock_enabled, .perform = rd_mutex_lock, .waits_for = rd_mutex_holder},
    [RD_OP_SPIN_TRYLOCK] = {.perform = rd_mutex_trylock},
    [RD_OP_SPIN_UNLOCK] = {.perform = rd_mutex_unlock},
    [RD_OP_RWLOCK_RDLOCK] = {.enabled = rd_rwlock_rdlock_enabled,
                             .perform = rd_rwlock_rdlock,
                             .waits_for = rd_rwlock_holder},
    [RD_OP_RWLOCK_TRYRDLOCK] = {.perform = rd_rwlock_tryrdlock},
    [RD_OP_RWLOCK_QUEUE] = {.perform = rd_rwlock_queue},
    [RD_OP_RWLOCK_WRLOCK] = {.enabled = rd_rwlock_wrlock_enabled,
                             .perform = rd_rwlock_wrlock,
                             .time_out = rd_rwlock_wrlock_time_out,
                             .waits_for = rd_rwlock_holder},
    [RD_OP_RWLOCK_TRYWRLOCK] = {.perform = rd_rwlock_trywrlock},
    [RD_OP_RWLOCK_UNLOCK] = {.perform = rd_rwlock_unlock},
    [RD_OP_SEM_WAIT] = {.enabled = rd_sem_wait_enabled, .perform = rd_sem_wait},
    [RD_OP_SEM_TRYWAIT] = {.perform = rd_sem_trywait},
    [RD_OP_SEM_POST] = {.perform = rd_sem_post},
    [RD_OP_SEM_VALUE] = {.perform = rd_sem_value},
    [RD_OP_BARRIER_ARRIVE] = {.perform = rd_barrier_arrive},
    [RD_OP_BARRIER_LEAVE] = {.enabled = rd_barrier_leave_enabled},
    [RD_OP_ONCE_BEGIN] = {.enabled = rd_once_begin_enabled, .perform = rd_once_begin, .waits_for = rd_once_holder},
    [RD_OP_ONCE_END] = {.perform = rd_once_end},
    [RD_OP_TRYJOIN] = {.perform = rd_thread_tryjoin},
    [RD_OP_SIGNAL_SEND] = {.perform = rd_signal_send},
    [RD_OP_SIGNAL_WAIT] = {.enabled = rd_signal_wait_enabled, .perform = rd_signal_wait},
    [RD_OP_SIGNAL_PAUSE] = {.enabled = rd_signal_never},
    [RD_OP_SIGNAL_MASK] = {.perform = rd_signal_mask},
    [RD_OP_CANCEL] = {.perform = rd_thread_cancel},
    [RD_OP_MUTEX_CONSISTENT] = {.perform = rd_mutex_consistent},
    [RD_OP_OBJECT_INIT] = {.perform = rd_object_reset},
    [RD_OP_OBJECT_DESTROY] = {.perform = rd_object_reset},
    [RD_OP_FUTEX_WAIT] = {.ways = rd_futex_wait_ways, .perform = rd_futex_wait},
    [RD_OP_FUTEX_WOKEN] = {.enabled = rd_futex_woken_enabled,
                           .perform = rd_futex_woken,
                           .time_out = rd_futex_time_out},
    [RD_OP_FUTEX_WAKE] = {.ways = rd_futex_wake_ways, .perform = rd_futex_wake},
    [RD_OP_FUTEX_REQUEUE] = {.ways = rd_futex_requeue_ways, .perform = rd_futex_requeue},
    [RD_OP_FUTEX_CMP_REQUEUE] = {.ways = rd_futex_requeue_ways, .perform = rd_futex_requeue},
    [RD_OP_FUTEX_WAKE_OP] = {.ways = rd_futex_wake_op_ways, .perform = rd_futex_wake_op},
    [RD_OP_FUTEX_WAKE_TOO] = {.perform = rd_futex_wake},
    [RD_OP_FUTEX_LEAVE] = {.perform = rd_futex_leave},
    [RD_OP_IO_RECEIVE] = {.enabled = rd_io_enabled},
    [RD_OP_IO_SEND] = {.enabled = rd_io_enabled},
    [RD_OP_IO_POLL] = {.enabled = rd_io_enabled},
    [RD_OP_IO_ACCEPT] = {.enabled = rd_io_enabled},
    [RD_OP_IO_CONNECT] = {.enabled = rd_io_enabled},
    [RD_OP_PROCESS_WAIT] = {.enabled = rd_io_enabled},
    [RD_OP_CHOOSE] = {.ways = rd_choose_ways, .perform = rd_choose},
    [RD_OP_TEAM] = {.enabled = rd_team_enabled, .ways = rd_team_ways, .perform = rd_choose},
    [RD_OP_ASSUME] = {.enabled = rd_signal_never},
};

bool rd_model_cancelled(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    bool point = t->cancel_any || (rd_op_flags(t->pending.kind) & RD_F_CANCEL);
    bool relocks = t->pending.kind == RD_OP_MUTEX_LOCK && t->pending.arg & RD_MUTEX_RELOCK;
    relocks |= t->pending.kind == RD_OP_COND_WAKE && t->pending.arg & RD_MUTEX_LEFT;
    /* if a condition wait could also return, it is a choice of the model whether it is cancelled (cond.c) */
    bool woken = t->pending.kind == RD_OP_COND_WAKE && (t->waiter.signalled || t->waiter.spurious);
    return t->cancel_asked && !t->cancel_off && point && !relocks && !woken;
}

/* Returns whether the pending operation is enabled by its model; signals and cancellation do not count. */
static bool completes(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    const struct rd_model *m = &rd_models[t->pending.kind];
    return !m->enabled || m->enabled(w, tid, &t->pending);
}

bool rd_model_ready(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    if (tid >= w->count || t->state != RD_T_READY)
        return false;
    return completes(w, tid) || (t->cancel_asked && rd_model_cancelled(w, tid)) || rd_model_signal(w, tid);
}

bool rd_model_may_time_out(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    return t->state == RD_T_READY && t->pending.deadline;
}

bool rd_model_otherwise(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    RD_ASSERT(tid < w->count && t->state == RD_T_READY);
    if ((t->cancel_asked && rd_model_cancelled(w, tid)) || rd_model_signal(w, tid))
        return true;
    if (!t->pending.deadline)
        return false;
    bool due = t->gave_up < w->timeouts || w->timeouts_unlimited || t->pending.deadline <= w->clock.now_ns;
    return due && rd_model_may_time_out(w, tid);
}
