/*
 * io_wait.c - operations on open files. Such an operation is enabled when the descriptor is ready, about which the
 * kernel is asked at every point. When the thread is chosen it makes the real call, which then does not block.
 */
#include "rt/io/io_wait.h"

#include "rt/isolate/kept.h"
#include "rt/layout.h"
#include "rt/isolate/snapshot.h"
#include "rt/hook/time/timer.h"

#include <errno.h>

enum { MOMENTS = 100 }; /* the most moments that one wait gives to children */

static bool is_io(unsigned kind) { return kind >= RD_OP_IO_RECEIVE && kind <= RD_OP_IO_CONTROL; }

static uint32_t changes;         /* how often rd_io_changed() was called: a call has changed a file */
static struct rd_map changes_of; /* by the name of a file: how often it was changed */

static struct rd_io_thread *mine(void) {
    if (!rd_self->io)
        rd_self->io = rd_arena_zero(&rd_rt.arena, sizeof *rd_self->io);
    return rd_self->io;
}

static uint64_t changed_so_far(const struct rd_io_file *f) {
    const uint64_t *n = f ? rd_map_get(&changes_of, f->addr) : NULL;
    return n ? *n : 0;
}

/* How often the files of a wait were changed; of all files, if the wait is for an unknown one. */
static uint64_t changes_so_far(const struct rd_io_wait *w) {
    RD_CHECK(w->count == 1);
    return w->anybody ? changes : changed_so_far(w->files[0]) + changed_so_far(w->peer);
}

bool rd_io_ready(void *ctx, rd_tid tid) {
    (void)ctx;
    struct rd_io_thread *t = rd_rt.threads[tid]->io;
    if (!t || !t->wait || t->wait->never)
        return true;
    const struct rd_io_wait *w = t->wait;
    RD_ASSERT(!w->change || changes_so_far(w) >= w->changes); /* changes are only counted up */
    RD_ASSERT(!w->steady || !(w->children || w->change || w->fifo));
    if (w->steady) {
        uint64_t calls = rd_kept()->calls + 1;
        if (t->asked_at != calls)
            t->was_ready = rd_io_poll(w->fds, w->count, 0);
        t->asked_at = calls;
        return t->was_ready;
    }
    if (w->children && t->settled != changes && t->moments < MOMENTS) { /* a child may have waited for the change */
        t->settled = changes;
        t->moments++;
        rd_io_child_settle(w->children);
    }
    if (w->children)
        return rd_io_child_ready(w->children);
    if (w->change)
        return changes_so_far(w) != w->changes;
    if (w->fifo && (w->fifo->opened[w->other] != w->opened || rd_io_has_end(w->fifo, w->other)))
        return true;
    rd_io_timers_fire();
    rd_io_signals_show(tid);
    return rd_io_poll(w->fds, w->count, 0);
}

/* The earlier of two deadlines; 0: no deadline. */
static uint64_t earlier(uint64_t a, uint64_t b) { return a && b ? RD_MIN(a, b) : a ? a : b; }

/* The next expiration of a timerfd, or of the timerfds among the members of an epoll; 0: there is none. */
static uint64_t timer_in(const struct rd_io_file *f) {
    uint64_t first = f->timer ? f->timer->expires : 0;
    for (const struct rd_io_member *m = f->members; m; m = m->next)
        if (m->file && m->file->timer)
            first = earlier(first, m->file->timer->expires);
    return first;
}

static uint64_t first_timer(const struct rd_io_wait *w) {
    uint64_t first = 0;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->files[i])
            first = earlier(first, timer_in(w->files[i]));
    return first;
}

void rd_io_timers_changed(void) {
    struct rd_world *w = &rd_rt.engine.world;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct rd_io_thread *t = rd_rt.threads[i] ? rd_rt.threads[i]->io : NULL;
        if (t && t->wait && !t->wait->never && rd_io_waits(w, (rd_tid)i))
            w->threads[i].pending.deadline = earlier(t->deadline, first_timer(t->wait));
        w->timed |= w->threads[i].pending.deadline != 0;
    }
}

struct rd_io_wait rd_io_room(uint32_t count) {
    rd_rt_enter();
    struct rd_io_thread *t = mine();
    bool taken = t->wait && t->wait->fds == t->room.fds; /* by the wait that the handler of a signal interrupts */
    if (taken || count > t->room_size) {
        t->room_size = RD_MAX(count * 2, 16u);
        t->room.fds = rd_arena_alloc(&rd_rt.arena, t->room_size * sizeof *t->room.fds);
        t->room.files = rd_arena_alloc(&rd_rt.arena, t->room_size * sizeof(struct rd_io_file *));
    }
    RD_CHECK(count <= t->room_size);
    rd_rt_leave();
    return (struct rd_io_wait){.fds = t->room.fds, .files = t->room.files, .count = count};
}

/* Makes the file, and the members of an epoll, objects of the operation. Sets *several if it would need more than
 * two. */
static void name_file(struct rd_op *op, const struct rd_io_file *f, bool *several) {
    if (!f)
        return;
    if (!op->addr)
        op->addr = f->addr;
    else if (!op->addr2 && op->addr != f->addr)
        op->addr2 = f->addr;
    else if (op->addr != f->addr && op->addr2 != f->addr)
        *several = true;
    RD_ASSERT(f->addr >= RD_FILES_AT && f->addr < RD_FILES_AT + RD_IO_KINDS * RD_FILES_SLOT);
    if (f->signals && !op->addr2)
        op->addr2 = (uintptr_t)&rd_rt.engine.world.signals; /* the object of operations on signals */
    else if (f->signals)
        *several = true;
    for (const struct rd_io_member *m = f->members; m; m = m->next)
        name_file(op, m->file, several);
}

/* Adds the file, and the members of an epoll, to the objects of the step that the operation has become. */
static void order_all(const struct rd_io_file *f) {
    if (!f)
        return;
    rd_hb_class_also(&rd_rt.engine.hb_class, rd_self->tid, f->addr);
    if (f->signals)
        rd_hb_class_also(&rd_rt.engine.hb_class, rd_self->tid, (uintptr_t)&rd_rt.engine.world.signals);
    for (const struct rd_io_member *m = f->members; m; m = m->next)
        order_all(m->file);
}

/* Returns whether the file is a timerfd, or an epoll with one: virtual time can make it ready, without a call on
 * it. */
static bool is_timer(const struct rd_io_file *f) {
    bool timer = f && f->timer;
    for (const struct rd_io_member *m = f ? f->members : NULL; !timer && m; m = m->next)
        timer = is_timer(m->file);
    return timer;
}

/* Returns whether more than calls on its files can end the wait. */
static bool beyond_files(const struct rd_io_wait *w) {
    bool signals = false;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct rd_io_file *f = w->files[i];
        /* an epoll can get another member while a thread waits for it */
        signals |= f && (f->kind == RD_IO_SIGNALS || f->kind == RD_IO_EPOLL || is_timer(f));
    }
    return signals || w->anybody || w->children || w->fifo;
}

/*
 * Returns whether only a system call of the program can change whether the files are ready. That is so for pipes
 * and eventfds that no other process has, in a snapshot, which sees every system call. (Data sent through a
 * connection may arrive later than the call returns.)
 */
static bool is_steady(const struct rd_io_wait *w) {
    bool steady = rd_snapshot_running() && w->count && !w->change && !beyond_files(w);
    for (uint32_t i = 0; steady && i < w->count; i++) {
        const struct rd_io_file *f = w->files[i];
        steady = f && (f->kind == RD_IO_PIPE || f->kind == RD_IO_EVENT) && f->closed && !f->shared && !f->named;
    }
    return steady;
}

int rd_io_op_many(unsigned kind, struct rd_io_wait *w, uint64_t deadline, uint64_t pc) {
    struct rd_op op = {.kind = (uint8_t)kind, .at_once = w->never, .pc = pc};
    bool several = false;
    int saved = errno, error;
    RD_CHECK((is_io(kind) || kind == RD_OP_PROCESS_WAIT) && !(w->never && (w->change || w->fifo)));
    rd_rt_enter();
    struct rd_io_thread *t = mine();
    rd_rt.engine.world.io_ready = rd_io_ready;
    if (w->peer && w->peer->datagrams) /* the operation is named after the receiver, where the message comes out */
        name_file(&op, w->peer, &several);
    for (uint32_t i = 0; i < w->count; i++)
        name_file(&op, w->files[i], &several);
    name_file(&op, w->peer, &several);
    if (several || beyond_files(w))
        op.order = RD_ACCESS_WIDE;
    if (several) {
        op.addr = RD_FILES_AT + RD_IO_SEVERAL * RD_FILES_SLOT;
        op.addr2 = 0;
    }
    if (rd_io_from_outside(w))
        rd_io_settle(kind, w);
    rd_rt_leave();
    /* the handler of a signal may interrupt this wait, and wait for files itself */
    const struct rd_io_wait *outer = t->wait;
    uint64_t outer_deadline = t->deadline;
    w->steady = is_steady(w);
    t->wait = w;
    t->asked_at = 0;
    t->deadline = deadline;
    t->settled = changes;
    t->moments = 0;
    do {
        rd_rt_enter();
        rd_io_timers_fire();
        op.deadline = w->never ? 0 : earlier(deadline, first_timer(w));
        rd_rt_leave();
        error = rd_rt_op(op).error;
        /* goes round again if the deadline was that of a timerfd, which is readable now, and if a handler has
         * interrupted an operation that does not wait: only a wait returns EINTR */
    } while ((error == ETIMEDOUT && (!deadline || rd_rt.engine.world.clock.now_ns < deadline)) ||
             (error && w->never));
    RD_CHECK(t->moments <= MOMENTS);
    RD_CHECK(error == 0 || error == ETIMEDOUT || error == EINTR || error == ECANCELED);
    t->wait = outer;
    t->asked_at = 0;
    t->deadline = outer_deadline;
    if (several) {
        rd_rt_enter();
        for (uint32_t i = 0; i < w->count; i++)
            order_all(w->files[i]);
        order_all(w->peer);
        rd_rt_leave();
    }
    errno = saved;
    return error;
}

int rd_io_op(unsigned kind, int fd, const struct rd_io_look *at, short events, uint64_t deadline, uint64_t pc) {
    struct pollfd one = {.fd = fd, .events = events};
    struct rd_io_file *file = at->file;
    struct rd_io_wait w = {.fds = &one, .files = &file, .count = 1, .never = events == 0};
    w.peer = at->peer;
    w.anybody = at->anybody;
    return rd_io_op_many(kind, &w, deadline, pc);
}

int rd_io_until_changed(unsigned kind, int fd, const struct rd_io_look *at, bool closed, uint64_t deadline,
                        uint64_t pc) {
    struct pollfd one = {.fd = fd};
    struct rd_io_file *file = at->file;
    struct rd_io_wait w = {.fds = &one, .files = &file, .count = 1, .change = true};
    w.peer = at->peer;
    w.anybody = at->anybody;
    w.changes = changes_so_far(&w);
    if (closed)
        return rd_io_op_many(kind, &w, deadline, pc);
    rd_io_not_yet(pc);
    return 0;
}

static void count_change(const struct rd_io_file *f) {
    if (f)
        ++*rd_map_put(&changes_of, &rd_rt.arena, f->addr);
    RD_ASSERT(changed_so_far(f) <= changes);
}

void rd_io_changed(const struct rd_io_look *at) {
    rd_rt_enter();
    changes++;
    count_change(at->file);
    if (!at->peer || !at->file || at->peer->addr != at->file->addr)
        count_change(at->peer);
    rd_rt_leave();
}

void rd_io_touch_both(unsigned kind, const struct rd_io_look *at, uint64_t pc) {
    bool wide = at->anybody || is_timer(at->file) || is_timer(at->peer);
    RD_CHECK(!(rd_op_flags(kind) & RD_F_BLOCKS));
    if (rd_rt.threaded)
        rd_rt_op((struct rd_op){.kind = (uint8_t)kind,
                                .order = wide ? RD_ACCESS_WIDE : RD_ACCESS_PLAIN,
                                .addr = at->file ? at->file->addr : 0,
                                .addr2 = at->peer ? at->peer->addr : 0,
                                .pc = pc});
    if (kind == RD_OP_IO_CLOSE)
        rd_io_changed(at);
}

void rd_io_touch(unsigned kind, const struct rd_io_file *f, const struct rd_io_file *other, uint64_t pc) {
    struct rd_io_look at = {.file = (struct rd_io_file *)f, .peer = other};
    rd_io_touch_both(kind, &at, pc);
}

void rd_io_not_yet(uint64_t pc) { rd_rt_op((struct rd_op){.kind = RD_OP_YIELD, .pc = pc}); }

/* Returns whether the thread has yielded or slept at another pc since that step: then the program itself lets other
 * threads run between its attempts. */
static bool yielded_since(uint32_t step, rd_place pc) {
    const struct rd_record *rec = &rd_rt.engine.rec;
    for (uint32_t i = rec->out->steps; i-- > step;)
        if (rec->steps[i].tid == rd_self->tid && (rd_op_flags(rec->steps[i].op) & RD_F_YIELD) &&
            rec->steps[i].pc != pc)
            return true;
    return false;
}

void rd_io_found_nothing(uint64_t pc) {
    int saved = errno;
    rd_rt_enter();
    struct rd_io_thread *t = mine();
    bool again = t->nothing_pc == pc && !yielded_since(t->nothing_step, rd_place_code(pc));
    RD_CHECK(t->nothing_step <= rd_rt.engine.rec.out->steps);
    t->nothing_pc = pc;
    t->nothing_step = rd_rt.engine.rec.out->steps;
    rd_rt_leave();
    if (again)
        rd_io_not_yet(pc);
    errno = saved;
}
