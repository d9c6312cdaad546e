/*
 * primitives.h - inside the model: the functions of the primitives that table.c puts into rows, primitive by
 * primitive. struct rd_model says what each does.
 */
#ifndef RD_MODEL_PRIMITIVES_H
#define RD_MODEL_PRIMITIVES_H

#include "model/model.h"

#define RD_MODEL_ENABLED(name) bool name(const struct rd_world *w, rd_tid tid, const struct rd_op *op)
#define RD_MODEL_WAYS(name) uint32_t name(const struct rd_world *w, rd_tid tid, const struct rd_op *op)
#define RD_MODEL_PERFORM(name) \
    void name(struct rd_world *w, rd_tid tid, const struct rd_op *op, uint32_t way, struct rd_result *r)
#define RD_MODEL_TIME_OUT(name) \
    void name(struct rd_world *w, rd_tid tid, const struct rd_op *op, struct rd_result *r)
#define RD_MODEL_HOLDER(name) \
    const struct rd_mutex *name(const struct rd_world *w, rd_tid tid, const struct rd_op *op)

/* Its owner gives the mutex up, by an unlock or a condition wait: an inconsistent robust mutex is lost by that. */
void rd_mutex_free(struct rd_mutex *m);
/*
 * The queues of waiters. rd_waiter_begin: the thread begins a wait, which may be within one that a signal handler
 * interrupts; it returns the record of the new wait. rd_waiter_end: it leaves the queue, and the interrupted wait
 * is the thread's wait again.
 */
struct rd_waiter *rd_waiter_begin(struct rd_world *w, rd_tid tid);
void rd_waiter_end(struct rd_world *w, rd_tid tid);

RD_MODEL_ENABLED(rd_thread_join_enabled);
RD_MODEL_PERFORM(rd_thread_create);
RD_MODEL_PERFORM(rd_thread_join);
RD_MODEL_PERFORM(rd_thread_detach);
RD_MODEL_PERFORM(rd_clock_sleep_op);
RD_MODEL_PERFORM(rd_clock_yield);
RD_MODEL_ENABLED(rd_mutex_lock_enabled);
RD_MODEL_PERFORM(rd_mutex_lock);
RD_MODEL_PERFORM(rd_mutex_trylock);
RD_MODEL_PERFORM(rd_mutex_unlock);
RD_MODEL_HOLDER(rd_mutex_holder);
RD_MODEL_WAYS(rd_cond_wait_ways);
RD_MODEL_PERFORM(rd_cond_wait);
RD_MODEL_ENABLED(rd_cond_wake_enabled);
RD_MODEL_WAYS(rd_cond_wake_ways);
RD_MODEL_PERFORM(rd_cond_wake);
RD_MODEL_WAYS(rd_cond_signal_ways);
RD_MODEL_PERFORM(rd_cond_signal);
RD_MODEL_PERFORM(rd_cond_broadcast);
RD_MODEL_HOLDER(rd_cond_holder);
RD_MODEL_TIME_OUT(rd_cond_time_out);
RD_MODEL_PERFORM(rd_thread_tryjoin);
RD_MODEL_PERFORM(rd_thread_cancel);
RD_MODEL_PERFORM(rd_signal_send);
RD_MODEL_ENABLED(rd_signal_wait_enabled);
RD_MODEL_PERFORM(rd_signal_wait);
RD_MODEL_ENABLED(rd_signal_never);
RD_MODEL_PERFORM(rd_signal_mask);
RD_MODEL_PERFORM(rd_mutex_consistent);
RD_MODEL_PERFORM(rd_object_reset);
RD_MODEL_ENABLED(rd_rwlock_rdlock_enabled);
RD_MODEL_PERFORM(rd_rwlock_rdlock);
RD_MODEL_PERFORM(rd_rwlock_tryrdlock);
RD_MODEL_PERFORM(rd_rwlock_queue);
RD_MODEL_ENABLED(rd_rwlock_wrlock_enabled);
RD_MODEL_PERFORM(rd_rwlock_wrlock);
RD_MODEL_PERFORM(rd_rwlock_trywrlock);
RD_MODEL_PERFORM(rd_rwlock_unlock);
RD_MODEL_TIME_OUT(rd_rwlock_wrlock_time_out);
RD_MODEL_HOLDER(rd_rwlock_holder);
RD_MODEL_ENABLED(rd_sem_wait_enabled);
RD_MODEL_PERFORM(rd_sem_wait);
RD_MODEL_PERFORM(rd_sem_trywait);
RD_MODEL_PERFORM(rd_sem_post);
RD_MODEL_PERFORM(rd_sem_value);
RD_MODEL_PERFORM(rd_barrier_arrive);
RD_MODEL_ENABLED(rd_barrier_leave_enabled);
RD_MODEL_ENABLED(rd_once_begin_enabled);
RD_MODEL_PERFORM(rd_once_begin);
RD_MODEL_PERFORM(rd_once_end);
RD_MODEL_HOLDER(rd_once_holder);
RD_MODEL_WAYS(rd_futex_wait_ways);
RD_MODEL_PERFORM(rd_futex_wait);
RD_MODEL_ENABLED(rd_futex_woken_enabled);
RD_MODEL_PERFORM(rd_futex_woken);
RD_MODEL_TIME_OUT(rd_futex_time_out);
RD_MODEL_PERFORM(rd_futex_leave);
RD_MODEL_WAYS(rd_futex_wake_ways);
RD_MODEL_PERFORM(rd_futex_wake);
RD_MODEL_WAYS(rd_futex_wake_op_ways);
RD_MODEL_PERFORM(rd_futex_wake_op);
RD_MODEL_WAYS(rd_futex_requeue_ways);
RD_MODEL_PERFORM(rd_futex_requeue);
RD_MODEL_ENABLED(rd_io_enabled);
RD_MODEL_ENABLED(rd_await_enabled);
RD_MODEL_WAYS(rd_choose_ways);
RD_MODEL_ENABLED(rd_team_enabled);
RD_MODEL_WAYS(rd_team_ways);
RD_MODEL_PERFORM(rd_choose);

#endif
