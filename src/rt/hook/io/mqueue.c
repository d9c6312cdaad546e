/*
 * mqueue.c - POSIX message queues. On Linux a queue is a descriptor that can be polled, so sending and receiving
 * are operations on an open file: enabled when the kernel reports the queue ready, then the real call, which does
 * not wait. A queue that the program has created in this execution is closed to other processes; one that existed
 * before is not.
 */
#include "rt/hook/hook.h"
#include "rt/hook/io/io.h"
#include "rt/hook/time/timing.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <time.h>

static mqd_t open_queue(const char *name, int flags, mode_t mode, struct mq_attr *attr) {
    mqd_t q = -1;
    bool fresh = false;
    if (rd_rt_active() && (flags & O_CREAT) && !(flags & O_EXCL)) { /* O_EXCL tells whether this call creates it */
        q = RD_REAL(mq_open)(name, flags | O_EXCL, mode, attr);
        fresh = q >= 0;
        if (q < 0 && errno != EEXIST)
            return q;
    }
    if (q < 0) {
        q = RD_REAL(mq_open)(name, flags, mode, attr);
        fresh = flags & O_EXCL;
    }
    if (q >= 0 && rd_rt_active())
        rd_io_queue(q, fresh && !rd_rt.engine.rec.out->children);
    return q;
}

RD_EXPORT mqd_t mq_open(const char *name, int flags, ...) {
    mode_t mode = 0;
    struct mq_attr *attr = NULL;
    if (flags & O_CREAT) {
        va_list args;
        va_start(args, flags);
        mode = va_arg(args, mode_t);
        attr = va_arg(args, struct mq_attr *);
        va_end(args);
    }
    return open_queue(name, flags, mode, attr);
}

/* _FORTIFY_SOURCE: mq_open() with flags that need no mode */
RD_API(mqd_t, __mq_open_2, const char *name, int flags) { return open_queue(name, flags, 0, NULL); }

RD_EXPORT int mq_close(mqd_t q) {
    if (rd_rt_active()) {
        struct rd_io_look at = rd_io_look(q);
        if (at.file)
            rd_io_touch(RD_OP_IO_CLOSE, at.file, NULL, RD_PC());
        rd_io_forget(q);
    }
    return RD_REAL(mq_close)(q);
}

/* A call that sends or receives a message, with its arguments. */
struct queue_call {
    mqd_t queue;
    bool sends;
    char *data;
    size_t size;
    unsigned *priority;
    const struct timespec *until;
};

/* The real call of a queue that has O_NONBLOCK. */
static ssize_t call(void *ctx) {
    const struct queue_call *m = ctx;
    return m->sends ? RD_REAL(mq_send)(m->queue, m->data, m->size, *m->priority)
                    : RD_REAL(mq_receive)(m->queue, m->data, m->size, m->priority);
}

/* The real call of a thread that is not under control. */
static ssize_t real_call(const struct queue_call *m) {
    return m->sends ? RD_REAL(mq_timedsend)(m->queue, m->data, m->size, *m->priority, m->until)
                    : RD_REAL(mq_timedreceive)(m->queue, m->data, m->size, m->priority, m->until);
}

static ssize_t transfer(struct queue_call *m, uint64_t pc) {
    struct rd_io_look at = {.file = NULL};
    if (rd_io_on())
        at = rd_io_look(m->queue);
    if (!at.file || at.file->kind != RD_IO_QUEUE)
        return real_call(m);
    bool waits = !(at.flags & O_NONBLOCK);
    uint64_t deadline = m->until ? rd_deadline(CLOCK_REALTIME, m->until) : 0;
    for (;;) {
        short events = m->sends ? POLLOUT : POLLIN;
        bool wrong = m->until && !deadline; /* an invalid time is an error only for a call that would wait */
        int error = rd_io_op(m->sends ? RD_OP_IO_SEND : RD_OP_IO_RECEIVE, m->queue, &at,
                             waits && !wrong ? events : 0, deadline, pc);
        if (error) {
            errno = error;
            return -1;
        }
        rd_rt_enter();
        ssize_t r = rd_hook_no_block(m->queue, &at, call, m);
        rd_rt_leave();
        if (r >= 0)
            rd_io_changed(&at);
        if (r >= 0 || errno != EAGAIN)
            return r;
        if (!waits)
            rd_io_found_nothing(pc);
        if (wrong && waits)
            errno = EINVAL;
        if (wrong || !waits)
            return -1;
    }
}

RD_EXPORT int mq_send(mqd_t q, const char *data, size_t size, unsigned priority) {
    struct queue_call m = {q, true, (char *)data, size, &priority, NULL};
    return (int)transfer(&m, RD_PC());
}

RD_EXPORT int mq_timedsend(mqd_t q, const char *data, size_t size, unsigned priority,
                           const struct timespec *until) {
    struct queue_call m = {q, true, (char *)data, size, &priority, until};
    return (int)transfer(&m, RD_PC());
}

RD_EXPORT ssize_t mq_receive(mqd_t q, char *to, size_t size, unsigned *priority) {
    struct queue_call m = {q, false, to, size, priority, NULL};
    return transfer(&m, RD_PC());
}

RD_EXPORT ssize_t mq_timedreceive(mqd_t q, char *restrict to, size_t size, unsigned *restrict priority,
                                  const struct timespec *restrict until) {
    struct queue_call m = {q, false, to, size, priority, until};
    return transfer(&m, RD_PC());
}
