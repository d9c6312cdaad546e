/*
 * io_wait.c - operations on open files: a thread waits until a descriptor is ready, as the kernel says at every
 * decision; then it makes the real call in its own turn, and that cannot block.
 *
 * What can be made ready from outside the program cannot be controlled: it comes when it comes. So that executions
 * are alike all the same as far as possible, it is given a moment to come when somebody begins to wait for it.
 */
#include "rt/io.h"

#include "rt/layout.h"
#include "rt/raw.h"
#include "rt/timer.h"

#include <errno.h>
#include <time.h>

enum { SETTLE_NS = 20000000, OUTSIDE_NS = 100000000, SLICE_NS = 20000000, NS = 1000000000, CHILDREN = 64 };
enum { MOMENTS = 100 }; /* that one wait gives to children */

/* What a thread keeps for its waits. */
struct rd_io_thread {
    const struct rd_io_wait *wait; /* of its pending operation */
    uint64_t deadline;             /* the program's own, besides timers */
    struct rd_io_wait room;
    uint32_t room_size;
    uint64_t nothing_pc; /* where it last found nothing, and when */
    uint32_t nothing_step;
    uint32_t settled, moments; /* its children had a moment to end after so many changes; how often so far */
};

static uint32_t changes;         /* how often something was moved from or to a file */
static struct rd_map changes_of; /* the same of each, by name */

static struct rd_io_thread *mine(void) {
    if (!rd_self->io)
        rd_self->io = rd_arena_zero(&rd_rt.arena, sizeof *rd_self->io);
    return rd_self->io;
}

static uint64_t changed_so_far(const struct rd_io_file *f) {
    const uint64_t *n = f ? rd_map_get(&changes_of, f->addr) : NULL;
    return n ? *n : 0;
}

/* What was done to the files of a wait for that. */
static uint64_t changes_so_far(const struct rd_io_wait *w) {
    return w->anybody ? changes : changed_so_far(w->files[0]) + changed_so_far(w->peer);
}

/* ns UINT64_MAX: for ever. A call that fails is left to the program's own call to report: it is ready. */
static bool poll_for(struct pollfd *fds, uint32_t count, uint64_t ns) {
    struct timespec t = {(time_t)(ns / NS), (long)(ns % NS)};
    long n;
    do
        n = rd_raw(SYS_ppoll, fds, count, ns == UINT64_MAX ? NULL : &t, NULL, 8);
    while (n == -EINTR);
    return n != 0;
}

static bool ready(void *ctx, rd_tid tid) {
    (void)ctx;
    struct rd_io_thread *t = rd_rt.threads[tid]->io;
    if (!t || !t->wait || t->wait->never)
        return true;
    const struct rd_io_wait *w = t->wait;
    if (w->children && t->settled != changes && t->moments < MOMENTS) { /* a child may have waited for that */
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
    return poll_for(w->fds, w->count, 0);
}

static bool from_outside(const struct rd_io_wait *w) {
    for (uint32_t i = 0; !w->change && i < w->count; i++)
        if (w->files[i] && !rd_io_is_closed(w->files[i]))
            return true;
    return false;
}

/*
 * Whoever knows a name can open it. Whether somebody outside connects is known when it is accepted, whether
 * somebody sends a signal when it is read; with a FIFO it is not known, and most likely nobody does.
 */
static bool by_name(const struct rd_io_file *f) {
    bool yes = f->listening || f->named || f->signals || f->members || rd_io_is_closed(f);
    for (const struct rd_io_member *m = f->members; yes && m; m = m->next)
        yes = m->file && by_name(m->file);
    return yes;
}

static bool by_name_only(const struct rd_io_wait *w) {
    for (uint32_t i = 0; i < w->count; i++)
        if (w->files[i] && !by_name(w->files[i]))
            return false;
    return true;
}

/* What thread i waits for, if it can come from outside; else NULL. */
static const struct rd_io_wait *outside_wait(uint32_t i) {
    const struct rd_io_thread *t = rd_rt.threads[i] ? rd_rt.threads[i]->io : NULL;
    bool waits = rd_io_waits(&rd_rt.engine.world, (rd_tid)i) && t && t->wait && from_outside(t->wait);
    return waits ? t->wait : NULL;
}

const struct rd_io_children *rd_io_children_of(rd_tid tid) {
    const struct rd_io_wait *w = outside_wait(tid);
    return w ? w->children : NULL;
}

static bool anybody_ready(void) {
    for (uint32_t i = 0; i < rd_rt.engine.world.count; i++)
        if (outside_wait(i) && ready(NULL, (rd_tid)i))
            return true;
    return false;
}

/* A list of descriptors that grows. */
struct fds {
    struct pollfd *at;
    uint32_t count, size;
};

static void add_fd(struct fds *l, struct pollfd p) {
    if (l->count == l->size) {
        struct pollfd *more = rd_arena_alloc(&rd_rt.arena, (size_t)(l->size + 8) * 2 * sizeof *more);
        for (uint32_t k = 0; k < l->count; k++)
            more[k] = l->at[k];
        l->at = more;
        l->size = (l->size + 8) * 2;
    }
    l->at[l->count++] = p;
}

static void add_children(struct fds *l) {
    for (uint32_t i = 0; i < rd_rt.engine.world.count; i++) {
        struct pollfd some[CHILDREN];
        const struct rd_io_wait *w = outside_wait(i);
        uint32_t n = w && w->children ? rd_io_child_fds(w->children, some, CHILDREN) : 0;
        for (uint32_t k = 0; k < n; k++)
            add_fd(l, some[k]);
    }
}

/*
 * Some wait for child processes, or a child's signal is expected. Their descriptors exist only while the kernel is
 * asked: the program never sees them. They tell of the end only, and a child may be new: so it is asked again after
 * a while.
 */
static bool children_outside(struct fds *l, uint64_t ns) {
    struct timespec t = {0, SLICE_NS};
    uint32_t others = l->count;
    for (uint64_t spent = 0; spent < ns; spent += SLICE_NS) {
        bool more = others > 0 || rd_io_signal_may_come();
        add_children(l);
        if (more && !rd_io_signal_came())
            rd_raw(SYS_ppoll, l->at, l->count, &t, NULL, 8);
        while (l->count > others)
            rd_raw(SYS_close, l->at[--l->count].fd);
        if (anybody_ready() || rd_io_signal_came())
            return true;
        if (!more)
            return false;
    }
    return false;
}

/* What the program has for a signalfd is never made ready by the kernel. */
static void add_signals(struct fds *l, const struct rd_io_file *f) {
    if (f && f->signals)
        add_fd(l, (struct pollfd){.fd = f->signals->real, .events = POLLIN});
    for (const struct rd_io_member *m = f ? f->members : NULL; m; m = m->next)
        add_signals(l, m->file);
}

/* All descriptors that can be made ready from outside, of all threads that wait. */
static bool outside(void *ctx, uint64_t ns) {
    (void)ctx;
    static struct fds list;
    list.count = 0;
    bool children = rd_io_signal_may_come();
    for (uint32_t i = 0; i < rd_rt.engine.world.count; i++) {
        const struct rd_io_wait *w = outside_wait(i);
        children |= w && w->children;
        for (uint32_t k = 0; w && k < w->count; k++) {
            add_fd(&list, w->fds[k]);
            add_signals(&list, w->files[k]);
        }
    }
    uint64_t alarm = rd_timers_next(), in = alarm - RD_MIN(alarm, rd_rt.engine.world.clock.now_ns);
    bool came = rd_io_signal_came();
    ns = alarm ? RD_MIN(ns, in) : ns;
    if (list.count || children) {
        rd_rt.engine.rec.out->waited_outside = 1;
        uint64_t most = ns == UINT64_MAX ? ns : RD_MIN(ns, (uint64_t)OUTSIDE_NS);
        came = children ? children_outside(&list, most) : poll_for(list.at, list.count, most);
    }
    if (came || !alarm || in > ns)
        return came;
    return rd_timers_pass(alarm);
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a && b ? RD_MIN(a, b) : a ? a : b; }

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
    bool taken = t->wait && t->wait->fds == t->room.fds; /* by the wait that a signal's handler interrupts */
    if (taken || count > t->room_size) {
        t->room_size = RD_MAX(count * 2, 16u);
        t->room.fds = rd_arena_alloc(&rd_rt.arena, t->room_size * sizeof *t->room.fds);
        t->room.files = rd_arena_alloc(&rd_rt.arena, t->room_size * sizeof(struct rd_io_file *));
    }
    rd_rt_leave();
    return (struct rd_io_wait){.fds = t->room.fds, .files = t->room.files, .count = count};
}

void rd_io_expect_signals(void) {
    rd_rt.engine.world.io_outside = outside;
    rd_rt.engine.world.signals_outside = true;
}

/* The files of the operation; how many more there are than it can name is returned by `several`. */
static void name_file(struct rd_op *op, const struct rd_io_file *f, bool *several) {
    if (!f)
        return;
    if (!op->addr)
        op->addr = f->addr;
    else if (!op->addr2 && op->addr != f->addr)
        op->addr2 = f->addr;
    else if (op->addr != f->addr && op->addr2 != f->addr)
        *several = true;
    if (f->signals && !op->addr2)
        op->addr2 = (uintptr_t)&rd_rt.engine.world.signals; /* what sends and waits of signals are about */
    else if (f->signals)
        *several = true;
    for (const struct rd_io_member *m = f->members; m; m = m->next)
        name_file(op, m->file, several);
}

static void order_all(const struct rd_io_file *f) {
    if (!f)
        return;
    rd_order_also(&rd_rt.engine.order, rd_self->tid, f->addr);
    if (f->signals)
        rd_order_also(&rd_rt.engine.order, rd_self->tid, (uintptr_t)&rd_rt.engine.world.signals);
    for (const struct rd_io_member *m = f->members; m; m = m->next)
        order_all(m->file);
}

static bool takes_in(unsigned kind) { return kind != RD_OP_IO_SEND && kind != RD_OP_IO_CONNECT; }

/*
 * Something from outside is looked at, and the execution is known to depend on it. When it is waited for it gets a
 * moment to come.
 */
static void settle(unsigned kind, const struct rd_io_wait *w) {
    rd_rt.engine.world.io_outside = outside;
    if (by_name_only(w))
        return;
    if (takes_in(kind))
        rd_rt.engine.rec.out->waited_outside = 1;
    if (w->children)
        rd_io_child_settle(w->children);
    for (uint64_t ns = w->children || w->never ? 0 : SETTLE_NS; ns && !poll_for(w->fds, w->count, ns);)
        ns = rd_io_child_busy();
}

/* What it has to say is not only a matter of what is done to it: a timer goes off when time passes. */
static bool is_timer(const struct rd_io_file *f) {
    bool timer = f && f->timer;
    for (const struct rd_io_member *m = f ? f->members : NULL; !timer && m; m = m->next)
        timer = is_timer(m->file);
    return timer;
}

/* Does it wait for more than what is done to its files? */
static bool beyond_files(const struct rd_io_wait *w) {
    bool signals = false;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct rd_io_file *f = w->files[i];
        /* what an epoll looks at may become more while somebody waits for it */
        signals |= f && (f->kind == RD_IO_SIGNALS || f->kind == RD_IO_EPOLL || is_timer(f));
    }
    return signals || w->anybody || w->children || w->fifo;
}

int rd_io_op_many(unsigned kind, struct rd_io_wait *w, uint64_t deadline, uint64_t pc) {
    struct rd_op op = {.kind = (uint8_t)kind, .pc = pc};
    bool several = false;
    int saved = errno, error;
    rd_rt_enter();
    struct rd_io_thread *t = mine();
    rd_rt.engine.world.io_ready = ready;
    if (w->peer && w->peer->datagrams) /* that is where it comes out */
        name_file(&op, w->peer, &several);
    for (uint32_t i = 0; i < w->count; i++)
        name_file(&op, w->files[i], &several);
    name_file(&op, w->peer, &several);
    if (several || beyond_files(w))
        op.order = RD_HOW_WIDE;
    if (several) {
        op.addr = RD_FILES_AT + RD_IO_SEVERAL * RD_FILES_SLOT;
        op.addr2 = 0;
    }
    if (from_outside(w))
        settle(kind, w);
    rd_rt_leave();
    /* a signal's handler runs in the middle of this wait and may wait for something itself */
    const struct rd_io_wait *outer = t->wait;
    uint64_t outer_deadline = t->deadline;
    t->wait = w;
    t->deadline = deadline;
    t->settled = changes;
    t->moments = 0;
    do {
        rd_rt_enter();
        rd_io_timers_fire();
        op.deadline = w->never ? 0 : earlier(deadline, first_timer(w));
        rd_rt_leave();
        error = rd_rt_op(op).error;
        /* a timer may have expired: then it is ready now; and only a wait is interrupted */
    } while ((error == ETIMEDOUT && (!deadline || rd_rt.engine.world.clock.now_ns < deadline)) ||
             (error && w->never));
    t->wait = outer;
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
    if (rd_rt.threaded)
        rd_rt_op((struct rd_op){.kind = (uint8_t)kind,
                                .order = wide ? RD_HOW_WIDE : RD_HOW_PLAIN,
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

/* Does the program itself yield or sleep between its attempts? */
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
    t->nothing_pc = pc;
    t->nothing_step = rd_rt.engine.rec.out->steps;
    rd_rt_leave();
    if (again)
        rd_io_not_yet(pc);
    errno = saved;
}
