/*
 * sem.c - hooks of semaphores. The model has the value; the hooks change the program's own semaphore, too (which
 * never blocks then), so that code that reads it, or another process, sees the right value.
 */
#include "rt/hook/hook.h"
#include "rt/hook/time/timing.h"

#include <errno.h>
#include <semaphore.h>

/* An operation on the semaphore, with its present value. */
static struct rd_op on(unsigned kind, sem_t *s, uint64_t pc) {
    int value = 0;
    rd_hook_check_object(RD_OBJ_SEM, s, pc);
    RD_REAL(sem_getvalue)(s, &value);
    return (struct rd_op){.kind = (uint8_t)kind, .addr = (uintptr_t)s, .arg = (uint64_t)value, .pc = pc};
}

static int finish(int error) {
    if (error)
        errno = error;
    return error ? -1 : 0;
}

static int wait_until(sem_t *s, uint64_t deadline, uint64_t pc) {
    struct rd_op op = on(RD_OP_SEM_WAIT, s, pc);
    op.deadline = deadline;
    int error = rd_rt_op(op).error;
    if (!error)
        RD_REAL(sem_trywait)(s);
    return finish(error);
}

RD_EXPORT int sem_wait(sem_t *s) { return rd_rt_active() ? wait_until(s, 0, RD_PC()) : RD_REAL(sem_wait)(s); }

static int timed(sem_t *s, clockid_t clock, const struct timespec *until, uint64_t pc) {
    uint64_t deadline = rd_deadline_of_wait(clock, until);
    return deadline ? wait_until(s, deadline, pc) : finish(EINVAL);
}

RD_EXPORT int sem_timedwait(sem_t *s, const struct timespec *until) {
    return rd_rt_active() ? timed(s, CLOCK_REALTIME, until, RD_PC()) : RD_REAL(sem_timedwait)(s, until);
}

RD_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until) {
    return rd_rt_active() ? timed(s, clock, until, RD_PC()) : RD_REAL(sem_clockwait)(s, clock, until);
}

RD_ENTERED(int, sem_trywait, sem_t *s) {
    if (!rd_rt_active())
        return RD_REAL(sem_trywait)(s);
    int error = rd_rt_op(on(RD_OP_SEM_TRYWAIT, s, RD_PC())).error;
    if (!error)
        RD_REAL(sem_trywait)(s);
    return finish(error);
}

RD_EXPORT int sem_post(sem_t *s) {
    if (!rd_rt_active())
        return RD_REAL(sem_post)(s);
    int error = rd_rt_op(on(RD_OP_SEM_POST, s, RD_PC())).error;
    if (!error)
        RD_REAL(sem_post)(s);
    return finish(error);
}

RD_EXPORT int sem_getvalue(sem_t *s, int *value) {
    if (!rd_rt_active())
        return RD_REAL(sem_getvalue)(s, value);
    int found = (int)rd_rt_op(on(RD_OP_SEM_VALUE, s, RD_PC())).value;
    rd_hook_result(value, sizeof *value, RD_PC());
    *value = found;
    return 0;
}

RD_EXPORT int sem_init(sem_t *s, int shared, unsigned value) {
    rd_hook_object_init(s, RD_PC());
    int r = RD_REAL(sem_init)(s, shared, value);
    if (r == 0 && rd_rt_active())
        rd_hook_remade(s, RD_OP_SEM_WAIT, RD_OP_SEM_VALUE, value);
    return r;
}

RD_EXPORT int sem_destroy(sem_t *s) {
    if (!rd_rt_active())
        return RD_REAL(sem_destroy)(s);
    rd_hook_object_destroy(RD_OBJ_SEM, s, RD_PC());
    return 0;
}

RD_EXPORT int sem_close(sem_t *s) {
    if (rd_rt_active()) /* no mark: other processes may have the named semaphore open */
        rd_rt_op((struct rd_op){.kind = RD_OP_OBJECT_DESTROY, .addr = (uintptr_t)s, .pc = RD_PC()});
    return RD_REAL(sem_close)(s);
}
