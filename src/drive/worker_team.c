/* team.c - see team.h. */
#include "drive/worker_team.h"

#include "base/map.h"
#include "base/text.h"
#include "drive/real_clock.h"
#include "drive/process/descendants.h"
#include "drive/replace_worker.h"
#include "search/team/team.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 20 };
enum { MANY_ORDERS = 10000 }; /* that come at once: worth to make room for all of them */
static const uint64_t ORDERS_REGION = (uint64_t)64 << 30;

/* A worker beside the first one. */
struct other {
    struct rd_worker worker;
    struct rd_watchdog_state watch;
    bool running;
};

struct team {
    struct rd_session *session;
    struct rd_hub *hub;
    uint64_t hub_size;
    int hub_fd;
    struct other *others;
    uint32_t started; /* of them */
    bool tried;       /* … to start them */
    struct rd_arena arena;
    struct rd_map orders; /* of all workers -> fewest preemptions + 1 */
    uint64_t read[RD_TEAM_MAX];
    uint64_t classes_by[RD_PREEMPTION_COUNTS];
    struct rd_channel *live; /* what the tick is shown */
};

static void *reserve(uint64_t size) {
    void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return m == MAP_FAILED ? NULL : m;
}

static int open_hub(struct team *t, struct rd_error *error) {
    struct rd_hub layout;
    memset(&layout, 0, sizeof layout);
    uint64_t size = rd_hub_layout(&layout, t->session->jobs, t->session->config.steps_max + 64);
    t->hub_size = size;
    t->hub_fd = memfd_create("raddle-hub", MFD_CLOEXEC);
    t->hub = MAP_FAILED;
    if (t->hub_fd >= 0 && ftruncate(t->hub_fd, (off_t)size) == 0)
        t->hub = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, t->hub_fd, 0);
    void *region = reserve(ORDERS_REGION);
    if (region)
        madvise(region, ORDERS_REGION, MADV_HUGEPAGE); /* while it is filled nobody works */
    if (t->hub == MAP_FAILED || !region) {
        rd_error_set(error, "cannot create the memory that the workers share, of %llu MiB: %s%s",
                     (unsigned long long)(size >> 20), strerror(errno),
                     errno == EFBIG ? " (ulimit -f; -j 1 needs none of it)" : "");
        return -1;
    }
    *t->hub = layout;
    t->hub->wait_for = t->session->jobs_later ? 0 : t->session->jobs;
    t->hub->wanted = !t->session->jobs_later;
    rd_arena_init(&t->arena, region, ORDERS_REGION);
    t->others = calloc(t->session->jobs, sizeof *t->others);
    t->live = calloc(1, sizeof *t->live);
    if (!t->others || !t->live)
        abort();
    return 0;
}

static const struct rd_worker *worker_of(const struct team *t, uint32_t i) {
    return i ? &t->others[i - 1].worker : &t->session->worker;
}
static struct rd_channel *channel_of(const struct team *t, uint32_t i) { return worker_of(t, i)->channel; }

/* ---- what they have together ---- */

static void add_order(struct team *t, const struct rd_logged_class *e) {
    uint64_t *known = rd_map_put(&t->orders, &t->arena, e->key), fewest = e->preemptions + 1;
    if (*known && *known <= fewest)
        return;
    if (*known)
        t->classes_by[*known - 1]--;
    t->classes_by[fewest - 1]++;
    *known = fewest;
}

static void add_orders(struct team *t) {
    uint64_t more = 0;
    for (uint32_t i = 0; i <= t->started; i++) {
        uint64_t end = __atomic_load_n(&channel_of(t, i)->result.summary.classes_logged, __ATOMIC_ACQUIRE);
        more += RD_MAX(RD_MIN(end, (uint64_t)RD_CLASSES_LOGGED), t->read[i]) - t->read[i];
    }
    if (more > MANY_ORDERS && t->orders.count + more < UINT32_MAX / 2)
        rd_map_reserve(&t->orders, &t->arena, (uint32_t)(t->orders.count + more));
    for (uint32_t i = 0; i <= t->started; i++) {
        struct rd_channel *c = channel_of(t, i);
        if (!rd_worker_is_whole(worker_of(t, i)))
            continue; /* it will be noticed */
        uint64_t end = __atomic_load_n(&c->result.summary.classes_logged, __ATOMIC_ACQUIRE);
        for (; t->read[i] < RD_MIN(end, (uint64_t)RD_CLASSES_LOGGED); t->read[i]++) {
            struct rd_logged_class e = rd_channel_class_log(c)[t->read[i]];
            e.preemptions = RD_MIN(e.preemptions, RD_PREEMPTION_COUNTS - 1u); /* whatever the program did to it */
            add_order(t, &e);
        }
    }
}

static void sum_up(struct team *t, struct rd_summary *to) {
    add_orders(t);
    for (uint32_t i = 1; i <= t->started; i++)
        rd_merge_summary(to, &channel_of(t, i)->result.summary);
    to->orders = t->orders.count + (t->orders.has_zero && t->orders.zero_value);
    memcpy(to->classes_by, t->classes_by, sizeof to->classes_by);
}

/* Each tells which part of the whole is done by it, where it can tell. */
static void sum_done(const struct team *t, struct rd_summary *to) {
    struct rd_claim *c = &to->claim;
    for (uint32_t i = 1; i <= t->started; i++)
        c->done += channel_of(t, i)->result.summary.claim.done;
    c->done = RD_MIN(c->done, 1.0);
    if (t->started && c->done > 0)
        c->estimate = (double)(to->executions + to->cut) / c->done;
}

static void tick(struct team *t) {
    const struct rd_session *s = t->session;
    if (!s->tick)
        return;
    t->live->config = s->worker.channel->config;
    t->live->result.summary = s->worker.channel->result.summary;
    sum_up(t, &t->live->result.summary);
    sum_done(t, &t->live->result.summary);
    s->tick(t->live);
}

/* ---- their lives ---- */

static int start_others(struct team *t, struct rd_error *error) {
    struct rd_session *s = t->session;
    struct rd_config config = s->config;
    int failed = 0;
    while (!failed && t->started + 1 < s->jobs) {
        struct other *o = &t->others[t->started];
        s->config.seat = t->started + 1;
        s->config.mode = RD_MODE_EXPLORE;
        s->config.isolation = s->worker.channel->config.isolation;
        s->config.memory_max = s->worker.channel->config.memory_max;
        failed = rd_session_open(s, &o->worker, error);
        if (!failed) {
            o->worker.hub_fd = t->hub_fd;
            o->worker.lazy = s->worker.lazy;
            failed = rd_worker_start(&o->worker, s->target, error);
            o->running = !failed;
            t->started += o->running;
            if (failed)
                rd_worker_close(&o->worker);
        }
    }
    t->tried = true;
    s->config = config;
    return failed;
}

/* Was it no end at all, or one that another worker's would not have been? */
static bool is_bad(const struct rd_worker *w) {
    uint32_t end = w->channel->result.summary.end;
    return end == RD_END_NONE || end == RD_END_TROUBLE || end == RD_END_NO_FORK ||
           rd_failure_alone(w) != RD_FAILURE_NOT;
}

static bool is_odd(const struct team *t) {
    for (uint32_t i = 1; i <= t->started; i++)
        if (is_bad(worker_of(t, i)))
            return true;
    const struct rd_worker *first = worker_of(t, 0);
    return t->started && first->channel->result.summary.end != RD_END_NO_FORK && is_bad(first);
}

static void end_all(struct team *t) {
    struct rd_worker *first = &t->session->worker;
    for (uint32_t i = 0; i <= t->started; i++) {
        struct rd_worker *w = i ? &t->others[i - 1].worker : first;
        if (w->pid > 0) {
            kill(w->pid, SIGKILL);
            waitpid(w->pid, NULL, 0);
            rd_descendants_gone(w->pid);
        }
        w->pid = 0;
    }
}

/* Has it ended for good? One that is started again is watched anew. */
static bool has_ended(struct team *t, struct rd_worker *w, struct rd_watchdog_state *watch, int *status) {
    if (!rd_worker_ended(w, watch, status))
        return false;
    if (!rd_replace_worker(t->session, w, *status))
        return true;
    *watch = (struct rd_watchdog_state){0};
    return false;
}

/* A worker has ended: is anybody to wait for? One that died is waited for by others, in vain. */
static bool look_after(struct team *t, struct rd_watchdog_state *first_watch, int *status) {
    struct rd_worker *first = &t->session->worker;
    bool dead = false, going = false;
    int other_status;
    if (first->pid > 0 && has_ended(t, first, first_watch, status))
        dead |= first->channel->result.summary.end == RD_END_NONE || rd_failure_alone(first) != RD_FAILURE_NOT;
    for (uint32_t i = 0; i < t->started; i++) {
        struct other *o = &t->others[i];
        if (o->running && has_ended(t, &o->worker, &o->watch, &other_status)) {
            o->running = false;
            dead |= is_bad(&o->worker);
        }
        going |= o->running;
    }
    if (dead)
        end_all(t);
    return !dead && (going || first->pid > 0);
}

static int run_all(struct team *t, int *status, struct rd_error *error) {
    struct rd_session *s = t->session;
    struct rd_watchdog_state watch = {0};
    uint64_t begun = rd_clock_ns();
    int failed = rd_worker_start(&s->worker, s->target, error);
    if (failed)
        return failed;
    struct pollfd p = {.fd = -1, .events = POLLIN};
    for (pid_t polled = 0; look_after(t, &watch, status);) {
        bool due = !s->jobs_later || rd_clock_ns() > begun + RD_TEAM_LATER_NS;
        if (due && s->jobs_later && s->worker.channel->live.outside) {
            rd_text_copy(
                s->one_worker, sizeof s->one_worker,
                "one worker: the program writes files or takes addresses, which others would, too (see --jobs)");
            due = false;
        }
        t->hub->wanted |= due;
        bool open = __atomic_load_n(&t->hub->open, __ATOMIC_ACQUIRE);
        if (due && open && !t->tried && s->worker.pid > 0 && start_others(t, error) != 0 && !s->jobs_later) {
            end_all(t); /* who was asked for must come; else the search goes on with those that did */
            failed = -1;
            break;
        }
        tick(t);
        if (s->worker.pid > 0 && s->worker.pid != polled) {
            if (p.fd >= 0)
                close(p.fd);
            polled = s->worker.pid;
            p.fd = (int)syscall(SYS_pidfd_open, polled, 0);
        }
        poll(&p, 1, t->tried || s->jobs_later ? TICK_MS : 1);
    }
    if (p.fd >= 0)
        close(p.fd);
    return failed;
}

/* All but the channels, which have the findings. */
static void close_hub(struct team *t) {
    munmap(t->arena.base, ORDERS_REGION);
    munmap(t->hub, t->hub_size);
    close(t->hub_fd);
    free(t->others);
    free(t->live);
}

/* Those of threads in schedules that are kept stay what they are. */
static void give_numbers(const struct rd_saved_findings *past, struct rd_hub *hub) {
    const struct rd_channel *c = past->is_open ? past->kept.channel : NULL;
    for (uint32_t i = 1; c && i < c->execution.path_count; i++)
        hub->paths[i] = (uint64_t)c->execution.paths[i].parent << 16 | c->execution.paths[i].ordinal;
}

/* Once, with several workers. */
static int attempt(struct team *t, int *status, struct rd_error *error) {
    struct rd_session *s = t->session;
    struct rd_channel *c = s->worker.channel;
    s->worker.hub_fd = t->hub_fd;
    c->config.memory_max /= s->jobs;
    int failed = run_all(t, status, error);
    if (!failed && !c->live.attached && !s->worker.lazy && WIFEXITED(*status) && WEXITSTATUS(*status) == 127) {
        s->worker.lazy = true; /* as rd_session_wait */
        failed = run_all(t, status, error);
    }
    if (failed || is_odd(t) || c->result.summary.end == RD_END_NONE || c->result.summary.end == RD_END_NO_FORK)
        return failed;
    sum_up(t, &c->result.summary);
    for (uint32_t i = 1; i <= t->started; i++)
        rd_merge_findings(c, channel_of(t, i));
    return 0;
}

/* What was wrong: one that died is why others were ended, and a broken one is why any was. */
static enum rd_failure oddness(const struct team *t) {
    bool broken = false, other = false, shared = false;
    for (uint32_t i = 0; i <= t->started; i++) {
        enum rd_failure one = rd_failure_alone(worker_of(t, i));
        uint32_t end = channel_of(t, i)->result.summary.end;
        broken |= one == RD_FAILURE_BROKEN;
        shared |= one == RD_FAILURE_SHARED;
        other |= one != RD_FAILURE_DIED && (end == RD_END_TROUBLE || end == RD_END_NO_FORK);
    }
    if (broken)
        return RD_FAILURE_BROKEN;
    if (shared)
        return RD_FAILURE_SHARED;
    if (!t->started)
        return rd_failure_alone(worker_of(t, 0));
    return !is_odd(t) ? RD_FAILURE_NOT : other ? RD_FAILURE_TEAM : RD_FAILURE_DIED;
}

int rd_team_run(struct rd_session *s, struct rd_saved_findings *past, int *status, enum rd_failure *odd,
                struct rd_error *error) {
    struct team t = {.session = s};
    if (open_hub(&t, error) != 0)
        return -1;
    give_numbers(past, t.hub);
    int failed = attempt(&t, status, error);
    *odd = failed ? RD_FAILURE_NOT : oddness(&t);
    if (*odd == RD_FAILURE_NOT)
        s->jobs = t.started + 1;
    for (uint32_t i = 0; i < t.started; i++) {
        if (*odd != RD_FAILURE_NOT)
            rd_saved_findings_keep(past, s, &t.others[i].worker);
        rd_worker_close(&t.others[i].worker);
    }
    close_hub(&t);
    return failed;
}
