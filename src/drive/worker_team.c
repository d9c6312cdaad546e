/* worker_team.c - see worker_team.h. */
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
    struct rd_progress live; /* of all workers, for the status line */
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
    if (!t->others)
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

static uint64_t count_of_classes(const struct team *t) {
    return t->orders.count + (t->orders.has_zero && t->orders.zero_value);
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

/* Adds the fraction of the whole search that each worker says is done, where it can tell. */
static void add_done(struct rd_summary *to, double done) {
    struct rd_claim *c = &to->claim;
    c->done = RD_MIN(c->done + done, 1.0);
    if (c->done > 0)
        c->estimate = (double)(to->executions + to->cut) / c->done;
}

static void tick(struct team *t) {
    const struct rd_session *s = t->session;
    struct rd_summary *u = &t->live.summary;
    struct rd_progress other;
    double done = 0;
    if (!s->tick)
        return;
    rd_channel_progress(s->worker.channel, &t->live);
    add_orders(t);
    for (uint32_t i = 1; i <= t->started; i++) {
        rd_channel_progress(channel_of(t, i), &other);
        rd_summary_merge(u, &other.summary);
        done += other.summary.claim.done;
    }
    if (t->started)
        add_done(u, done);
    u->orders = count_of_classes(t);
    memcpy(u->classes_by, t->classes_by, sizeof u->classes_by);
    s->tick(&t->live);
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

/* Judges a worker by the channel as it is now, to decide whether the others have to end, too. */
static enum rd_failure failure_of(const struct rd_worker *w) {
    return rd_failure_of_worker(w, &w->channel->result.summary, rd_worker_is_whole(w));
}

/* Has this worker ended in a way that another worker would not have ended? */
static bool ended_badly(uint32_t end, enum rd_failure failure) {
    return end == RD_END_NONE || end == RD_END_TROUBLE || failure != RD_FAILURE_NONE;
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

/* Has this worker ended for good? A process that takes its place is watched anew. */
static bool has_ended(struct team *t, struct rd_worker *w, struct rd_watchdog_state *watch, int *status) {
    if (!rd_worker_ended(w, watch, status))
        return false;
    if (!rd_replace_worker(t->session, w, *status))
        return true;
    *watch = (struct rd_watchdog_state){0};
    return false;
}

/* Returns whether some worker still runs. If one has failed, all are ended: the others would wait for it in vain.
 */
static bool look_after(struct team *t, struct rd_watchdog_state *first_watch, int *status) {
    struct rd_worker *first = &t->session->worker;
    bool dead = false, going = false;
    int other_status;
    if (first->pid > 0 && has_ended(t, first, first_watch, status))
        dead |= first->channel->result.summary.end == RD_END_NONE || failure_of(first) != RD_FAILURE_NONE;
    for (uint32_t i = 0; i < t->started; i++) {
        struct other *o = &t->others[i];
        if (o->running && has_ended(t, &o->worker, &o->watch, &other_status)) {
            o->running = false;
            dead |= ended_badly(o->worker.channel->result.summary.end, failure_of(&o->worker));
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
            end_all(t); /* the user has asked for them; else the search goes on with those that were started */
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

static void close_team(struct team *t) {
    munmap(t->arena.base, ORDERS_REGION);
    munmap(t->hub, t->hub_size);
    close(t->hub_fd);
    free(t->others);
}

/* Threads that occur in kept schedules keep the numbers that they have there. */
static void give_numbers(const struct rd_attempts *a, struct rd_hub *hub) {
    for (uint32_t i = 1; a->has_saved && i < a->saved.path_count; i++)
        hub->paths[i] = (uint64_t)a->saved.paths[i].parent << 16 | a->saved.paths[i].ordinal;
}

/* Takes the results of the workers beside the first one, and closes them. */
static void take_others(struct team *t, struct rd_team_results *to) {
    add_orders(t);
    to->classes = count_of_classes(t);
    memcpy(to->classes_by, t->classes_by, sizeof to->classes_by);
    for (to->count = 0; to->count < t->started; to->count++) {
        struct rd_team_member *m = &to->other[to->count];
        struct rd_worker *w = &t->others[to->count].worker;
        const char *wrong = rd_run_result_take(&m->result, w);
        m->result.rules = t->session->rules;
        m->failure = rd_failure_of_worker(w, &m->result.summary, !wrong);
        rd_worker_close(w);
    }
}

int rd_team_run(struct rd_session *s, const struct rd_attempts *a, int *status, struct rd_team_results *to,
                struct rd_error *error) {
    struct team t = {.session = s};
    struct rd_worker *first = &s->worker;
    if (open_hub(&t, error) != 0)
        return -1;
    give_numbers(a, t.hub);
    first->hub_fd = t.hub_fd;
    first->channel->config.memory_max /= s->jobs;
    int failed = run_all(&t, status, error);
    if (!failed && rd_worker_needs_lazy(first, *status)) {
        first->lazy = true;
        failed = run_all(&t, status, error);
    }
    take_others(&t, to);
    close_team(&t);
    return failed;
}

/* ---- the results of all ---- */

enum rd_failure rd_team_add_results(struct rd_run_result *first, const struct rd_team_results *team,
                                    enum rd_failure failure) {
    struct rd_summary *s = &first->summary;
    bool damaged = failure == RD_FAILURE_DAMAGED, shared = failure == RD_FAILURE_SHARED;
    bool bad = ended_badly(s->end, failure), other = failure != RD_FAILURE_DIED && s->end == RD_END_TROUBLE;
    if (!team->count || failure == RD_FAILURE_NO_FORK)
        return failure;
    for (uint32_t i = 0; i < team->count; i++) {
        const struct rd_team_member *m = &team->other[i];
        uint32_t end = m->result.summary.end;
        damaged |= m->failure == RD_FAILURE_DAMAGED;
        shared |= m->failure == RD_FAILURE_SHARED;
        bad |= ended_badly(end, m->failure);
        other |= m->failure != RD_FAILURE_DIED && (end == RD_END_TROUBLE || end == RD_END_NO_FORK);
    }
    if (damaged || shared) /* that is why the other workers ended */
        return damaged ? RD_FAILURE_DAMAGED : RD_FAILURE_SHARED;
    if (bad) /* a worker that died is why the others were ended */
        return other ? RD_FAILURE_TEAM : RD_FAILURE_DIED;
    for (uint32_t i = 0; i < team->count; i++) {
        rd_summary_merge(s, &team->other[i].result.summary);
        rd_run_result_add_findings(first, &team->other[i].result);
    }
    s->orders = team->classes;
    memcpy(s->classes_by, team->classes_by, sizeof s->classes_by);
    return RD_FAILURE_NONE;
}

void rd_team_free_results(struct rd_team_results *team) {
    for (uint32_t i = 0; i < team->count; i++)
        rd_run_result_free(&team->other[i].result);
    team->count = 0;
}
