/*
 * outside_wait.c - waits for files that other processes can make ready. Raddle does not control when that happens.
 * To make executions as alike as possible nevertheless, a thread that begins to wait for such a file gives it a
 * moment to become ready.
 */
#include "rt/io/io_wait.h"

#include "rt/raw.h"
#include "rt/hook/time/timer.h"

#include <errno.h>
#include <time.h>

enum { SETTLE_NS = 20000000, OUTSIDE_NS = 100000000, SLICE_NS = 20000000, NS = 1000000000, CHILDREN = 64 };

bool rd_io_poll(struct pollfd *fds, uint32_t count, uint64_t ns) {
    struct timespec t = {(time_t)(ns / NS), (long)(ns % NS)};
    long n;
    do
        n = rd_raw(SYS_ppoll, fds, count, ns == UINT64_MAX ? NULL : &t, NULL, 8);
    while (n == -EINTR);
    return n != 0;
}

bool rd_io_from_outside(const struct rd_io_wait *w) {
    for (uint32_t i = 0; !w->change && i < w->count; i++)
        if (w->files[i] && !rd_io_is_closed(w->files[i]))
            return true;
    return false;
}

/*
 * Returns whether another process can make the file ready only by a name: by connecting to a listener's address, by
 * opening a FIFO's path, by sending a signal to the process. That another process has connected is known when the
 * connection is accepted, and that it has sent a signal when the signal is read; that it has opened a FIFO is not
 * known, but unlikely. Closed files count, too.
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

/* The wait of thread i, if another process can end it; else NULL. */
static const struct rd_io_wait *outside_wait(uint32_t i) {
    const struct rd_io_thread *t = rd_rt.threads[i] ? rd_rt.threads[i]->io : NULL;
    bool waits = rd_io_waits(&rd_rt.engine.world, (rd_tid)i) && t && t->wait && rd_io_from_outside(t->wait);
    return waits ? t->wait : NULL;
}

const struct rd_io_children *rd_io_children_of(rd_tid tid) {
    const struct rd_io_wait *w = outside_wait(tid);
    return w ? w->children : NULL;
}

/* Returns whether one of the waits that another process can end is over. */
static bool anybody_ready(void) {
    for (uint32_t i = 0; i < rd_rt.engine.world.count; i++)
        if (outside_wait(i) && rd_io_ready(NULL, (rd_tid)i))
            return true;
    return false;
}

/* A list of descriptors, in the execution's arena. */
struct fd_list {
    struct pollfd *at;
    uint32_t count, size;
};

static void add_fd(struct fd_list *l, struct pollfd p) {
    if (l->count == l->size) {
        struct pollfd *more = rd_arena_alloc(&rd_rt.arena, (size_t)(l->size + 8) * 2 * sizeof *more);
        for (uint32_t k = 0; k < l->count; k++)
            more[k] = l->at[k];
        l->at = more;
        l->size = (l->size + 8) * 2;
    }
    l->at[l->count++] = p;
}

static void add_children(struct fd_list *l) {
    for (uint32_t i = 0; i < rd_rt.engine.world.count; i++) {
        struct pollfd some[CHILDREN];
        const struct rd_io_wait *w = outside_wait(i);
        uint32_t n = w && w->children ? rd_io_child_fds(w->children, some, CHILDREN) : 0;
        RD_CHECK(n <= CHILDREN);
        for (uint32_t k = 0; k < n; k++)
            add_fd(l, some[k]);
    }
}

/*
 * Waits for at most `ns`, where a thread waits for child processes or a child's signal is expected; true: a wait is
 * over, or a signal has come. Adds descriptors of the children to the list while it asks the kernel; the program
 * never sees them. These become ready only when a child ends, and there may be new children: so the list is made
 * again every SLICE_NS.
 */
static bool children_outside(struct fd_list *l, uint64_t ns) {
    struct timespec t = {0, SLICE_NS};
    uint32_t others = l->count;
    for (uint64_t spent = 0; spent < ns; spent += SLICE_NS) {
        bool more = others > 0 || rd_io_signal_may_come();
        RD_CHECK(l->count == others); /* the descriptors of the last time are closed */
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

/* Adds the real signalfds behind the program's eventfds, which the kernel does not make ready itself. */
static void add_signals(struct fd_list *l, const struct rd_io_file *f) {
    if (f && f->signals)
        add_fd(l, (struct pollfd){.fd = f->signals->real, .events = POLLIN});
    for (const struct rd_io_member *m = f ? f->members : NULL; m; m = m->next)
        add_signals(l, m->file);
}

/* world.io_outside: no thread is enabled. Waits for at most `ns` until another process has made a descriptor ready,
 * a child has changed its state, or the next timer of the program expires: virtual time passes to that moment.
 * Returns whether one of these has happened. */
static bool outside(void *ctx, uint64_t ns) {
    (void)ctx;
    static struct fd_list list;
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
        came = children ? children_outside(&list, most) : rd_io_poll(list.at, list.count, most);
    }
    if (came || !alarm || in > ns)
        return came;
    return rd_timers_pass(alarm);
}

void rd_io_expect_signals(void) {
    rd_rt.engine.world.io_outside = outside;
    rd_rt.engine.world.signals_outside = true;
}

/* Returns whether the result of an operation of this kind depends on data from outside. */
static bool takes_in(unsigned kind) { return kind != RD_OP_IO_SEND && kind != RD_OP_IO_CONNECT; }

void rd_io_settle(unsigned kind, const struct rd_io_wait *w) {
    rd_rt.engine.world.io_outside = outside;
    if (by_name_only(w))
        return;
    if (takes_in(kind))
        rd_rt.engine.rec.out->waited_outside = 1;
    if (w->children)
        rd_io_child_settle(w->children);
    for (uint64_t ns = w->children || w->never ? 0 : SETTLE_NS; ns && !rd_io_poll(w->fds, w->count, ns);)
        ns = rd_io_child_busy();
}
