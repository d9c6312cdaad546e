/* team.c - see team.h. */
#include "drive/team.h"

#include "base/map.h"
#include "base/text.h"
#include "search/team.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 20 };
enum { MANY_ORDERS = 10000 }; /* that come at once: worth to make room for all of them */
static const uint64_t ORDERS_REGION = (uint64_t)64 << 30;

/* A worker beside the first one. */
struct other {
    struct rd_worker worker;
    struct rd_vigil watch;
    bool running;
};

struct team {
    struct rd_session *session;
    struct rd_hub *hub;
    int hub_fd;
    struct other *others;
    uint32_t started; /* of them */
    bool tried;       /* … to start them */
    struct rd_arena arena;
    struct rd_map orders; /* of all workers -> fewest preemptions + 1 */
    uint64_t read[RD_TEAM_MAX];
    uint64_t orders_by[RD_PREEMPTION_COUNTS];
    struct rd_channel *live; /* what the tick is shown */
};

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *reserve(uint64_t size) {
    void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return m == MAP_FAILED ? NULL : m;
}

static int open_hub(struct team *t, char *error, size_t room) {
    struct rd_hub layout;
    memset(&layout, 0, sizeof layout);
    uint64_t size = rd_hub_layout(&layout, t->session->jobs, t->session->config.steps_max + 64);
    t->hub_fd = memfd_create("raddle-hub", MFD_CLOEXEC);
    t->hub = MAP_FAILED;
    if (t->hub_fd >= 0 && ftruncate(t->hub_fd, (off_t)size) == 0)
        t->hub = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, t->hub_fd, 0);
    void *region = reserve(ORDERS_REGION);
    if (region)
        madvise(region, ORDERS_REGION, MADV_HUGEPAGE); /* while it is filled nobody works */
    if (t->hub == MAP_FAILED || !region) {
        snprintf(error, room, "cannot create the memory that the workers share: %s", strerror(errno));
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

static struct rd_channel *channel_of(const struct team *t, uint32_t i) {
    return i ? t->others[i - 1].worker.channel : t->session->worker.channel;
}

/* ---- what they have together ---- */

static void add_order(struct team *t, const struct rd_logged_order *e) {
    uint64_t *known = rd_map_put(&t->orders, &t->arena, e->key), fewest = e->preemptions + 1;
    if (*known && *known <= fewest)
        return;
    if (*known)
        t->orders_by[*known - 1]--;
    t->orders_by[fewest - 1]++;
    *known = fewest;
}

static void add_orders(struct team *t) {
    uint64_t more = 0;
    for (uint32_t i = 0; i <= t->started; i++)
        more += __atomic_load_n(&channel_of(t, i)->summary.orders_logged, __ATOMIC_ACQUIRE) - t->read[i];
    if (more > MANY_ORDERS && t->orders.count + more < UINT32_MAX / 2)
        rd_map_reserve(&t->orders, &t->arena, (uint32_t)(t->orders.count + more));
    for (uint32_t i = 0; i <= t->started; i++) {
        struct rd_channel *c = channel_of(t, i);
        uint64_t end = __atomic_load_n(&c->summary.orders_logged, __ATOMIC_ACQUIRE);
        for (; t->read[i] < RD_MIN(end, (uint64_t)RD_ORDERS_LOGGED); t->read[i]++)
            add_order(t, &rd_channel_orders(c)[t->read[i]]);
    }
}

static void sum_up(struct team *t, struct rd_summary *to) {
    add_orders(t);
    for (uint32_t i = 1; i <= t->started; i++)
        rd_merge_summary(to, &channel_of(t, i)->summary);
    to->orders = t->orders.count + (t->orders.has_zero && t->orders.zero_value);
    memcpy(to->orders_by, t->orders_by, sizeof to->orders_by);
}

/* Each tells which part of the whole is done by it, where it can tell. */
static void sum_done(const struct team *t, struct rd_summary *to) {
    struct rd_claim *c = &to->claim;
    for (uint32_t i = 1; i <= t->started; i++)
        c->done += channel_of(t, i)->summary.claim.done;
    c->done = RD_MIN(c->done, 1.0);
    if (t->started && c->done > 0)
        c->estimate = (double)(to->executions + to->cut) / c->done;
}

static void tick(struct team *t) {
    const struct rd_session *s = t->session;
    if (!s->tick)
        return;
    t->live->config = s->worker.channel->config;
    t->live->summary = s->worker.channel->summary;
    sum_up(t, &t->live->summary);
    sum_done(t, &t->live->summary);
    s->tick(t->live);
}

/* ---- their lives ---- */

static int start_others(struct team *t, char *error, size_t room) {
    struct rd_session *s = t->session;
    struct rd_config config = s->config;
    int failed = 0;
    while (!failed && t->started + 1 < s->jobs) {
        struct other *o = &t->others[t->started];
        s->config.seat = t->started + 1;
        s->config.mode = RD_MODE_EXPLORE;
        s->config.isolation = s->worker.channel->config.isolation;
        s->config.memory_max = s->worker.channel->config.memory_max;
        failed = rd_session_open(s, &o->worker, error, room);
        if (!failed) {
            o->worker.hub_fd = t->hub_fd;
            o->worker.lazy = s->worker.lazy;
            failed = rd_worker_start(&o->worker, s->target, error, room);
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
static bool is_bad(uint32_t end) { return end == RD_END_NONE || end == RD_END_TROUBLE || end == RD_END_NO_FORK; }

static bool is_odd(const struct team *t) {
    for (uint32_t i = 1; i <= t->started; i++)
        if (is_bad(channel_of(t, i)->summary.end))
            return true;
    uint32_t first = t->session->worker.channel->summary.end;
    return t->started && (first == RD_END_NONE || first == RD_END_TROUBLE);
}

static void end_all(struct team *t) {
    struct rd_worker *first = &t->session->worker;
    for (uint32_t i = 0; i <= t->started; i++) {
        struct rd_worker *w = i ? &t->others[i - 1].worker : first;
        if (w->pid > 0) {
            kill(w->pid, SIGKILL);
            waitpid(w->pid, NULL, 0);
        }
        w->pid = 0;
    }
}

/* A worker has ended: is anybody to wait for? One that died is waited for by others, in vain. */
static bool look_after(struct team *t, struct rd_vigil *first_watch, int *status) {
    struct rd_worker *first = &t->session->worker;
    bool dead = false, going = false;
    int other_status;
    if (first->pid > 0 && rd_worker_ended(first, first_watch, status))
        dead |= first->channel->summary.end == RD_END_NONE;
    for (uint32_t i = 0; i < t->started; i++) {
        struct other *o = &t->others[i];
        if (o->running && rd_worker_ended(&o->worker, &o->watch, &other_status)) {
            o->running = false;
            dead |= is_bad(o->worker.channel->summary.end);
        }
        going |= o->running;
    }
    if (dead)
        end_all(t);
    return !dead && (going || first->pid > 0);
}

static int run_all(struct team *t, int *status, char *error, size_t room) {
    struct rd_session *s = t->session;
    struct rd_vigil watch = {0};
    uint64_t begun = now_ns();
    int failed = rd_worker_start(&s->worker, s->target, error, room);
    if (failed)
        return failed;
    struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, s->worker.pid, 0), .events = POLLIN};
    while (look_after(t, &watch, status)) {
        bool due = !s->jobs_later || now_ns() > begun + RD_TEAM_LATER_NS;
        if (due && s->jobs_later && s->worker.channel->outside) {
            rd_text_copy(
                s->one_worker, sizeof s->one_worker,
                "one worker: the program writes files or takes addresses, which others would, too (see --jobs)");
            due = false;
        }
        t->hub->wanted |= due;
        bool open = __atomic_load_n(&t->hub->open, __ATOMIC_ACQUIRE);
        if (due && open && !t->tried && s->worker.pid > 0 && start_others(t, error, room) != 0 && !s->jobs_later) {
            end_all(t); /* who was asked for must come; else the search goes on with those that did */
            failed = -1;
            break;
        }
        tick(t);
        poll(&p, 1, t->tried || s->jobs_later ? TICK_MS : 1);
    }
    if (p.fd >= 0)
        close(p.fd);
    return failed;
}

/* All but the channels, which have the findings. */
static void close_hub(struct team *t) {
    munmap(t->arena.base, ORDERS_REGION);
    munmap(t->hub, t->hub->size);
    close(t->hub_fd);
    free(t->others);
    free(t->live);
}

/* Workers that are not used any more, for what they have found. */
struct past {
    struct rd_worker *at;
    uint32_t count;
    uint64_t paths[RD_TID_MAX]; /* numbers of threads in their schedules: they stay what they are */
};

static void put_by(struct past *p, const struct team *t) {
    p->at = reallocarray(p->at, p->count + t->started + 1, sizeof *p->at);
    if (!p->at)
        abort();
    p->at[p->count++] = t->session->worker;
    for (uint32_t i = 0; i < t->started; i++)
        p->at[p->count++] = t->others[i].worker;
    memcpy(p->paths, t->hub->paths, sizeof p->paths);
}

static void give_numbers(const struct past *p, struct rd_channel *c) {
    c->paths[0] = (struct rd_thread_path){RD_TID_NONE, 0};
    c->path_count = 1;
    for (uint32_t i = 1; i < RD_TID_MAX && p->paths[i]; i++)
        c->paths[c->path_count++] = (struct rd_thread_path){(rd_tid)(p->paths[i] >> 16), (uint16_t)p->paths[i]};
}

/* What they found and was not met again since is found all the same. */
static void recall(struct past *p, struct rd_channel *c) {
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t before = c->summary.found_count;
        rd_merge_findings(c, p->at[i].channel);
        c->summary.findings += c->summary.found_count - before;
        rd_worker_close(&p->at[i]);
    }
    free(p->at);
}

/* A new first worker, to begin again with. */
static int open_again(struct rd_session *s, const struct past *p, uint64_t used_ns, char *error, size_t room) {
    const struct rd_worker before = s->worker;
    uint64_t *limit = &s->config.time_max_ns, whole = *limit;
    s->config.workers = s->jobs;
    s->config.mode = RD_MODE_EXPLORE;
    s->config.isolation = before.channel->config.isolation;
    *limit = whole ? RD_MAX(whole, used_ns + 1) - used_ns : 0;
    int failed = rd_session_open(s, &s->worker, error, room);
    *limit = whole;
    if (failed) {
        s->worker = before; /* what the caller closes */
        return failed;
    }
    s->worker.lazy = before.lazy;
    give_numbers(p, s->worker.channel);
    return 0;
}

/* Once, with several workers. */
static int attempt(struct team *t, int *status, char *error, size_t room) {
    struct rd_session *s = t->session;
    struct rd_channel *c = s->worker.channel;
    s->worker.hub_fd = t->hub_fd;
    c->config.memory_max /= s->jobs;
    int failed = run_all(t, status, error, room);
    if (!failed && !c->attached && !s->worker.lazy && WIFEXITED(*status) && WEXITSTATUS(*status) == 127) {
        s->worker.lazy = true; /* as start_and_wait of session.c */
        failed = run_all(t, status, error, room);
    }
    if (failed || is_odd(t) || c->summary.end == RD_END_NONE || c->summary.end == RD_END_NO_FORK)
        return failed;
    sum_up(t, &c->summary);
    for (uint32_t i = 1; i <= t->started; i++)
        rd_merge_findings(c, channel_of(t, i));
    return 0;
}

static bool has_died(const struct team *t) {
    for (uint32_t i = 0; i <= t->started; i++)
        if (channel_of(t, i)->summary.end == RD_END_TROUBLE || channel_of(t, i)->summary.end == RD_END_NO_FORK)
            return false;
    return true;
}

int rd_team_run(struct rd_session *s, int *status, char *error, size_t room) {
    struct past past = {.count = 0};
    uint64_t begun = now_ns(), used = 0;
    bool odd = true;
    int failed = 0;
    for (uint32_t tries = 0; !failed && odd && s->jobs > 1; tries++) {
        struct team t = {.session = s};
        if (open_hub(&t, error, room) != 0)
            return -1;
        memcpy(t.hub->paths, past.paths, sizeof past.paths);
        failed = attempt(&t, status, error, room);
        odd = !failed && is_odd(&t);
        if (odd) {
            bool all = tries == 0 && has_died(&t);
            rd_text_copy(s->one_worker, sizeof s->one_worker,
                         all ? "a worker died; the search was begun again"
                             : "something went wrong with several workers; the search was begun again with one");
            s->jobs = all ? s->jobs : 1;
            put_by(&past, &t);
            used = now_ns() - begun;
            failed = open_again(s, &past, used, error, room);
        } else {
            s->jobs = t.started + 1;
            for (uint32_t i = 0; i < t.started; i++)
                rd_worker_close(&t.others[i].worker);
        }
        close_hub(&t);
    }
    if (!failed && odd)
        failed = rd_worker_start(&s->worker, s->target, error, room);
    if (!failed && odd)
        *status = rd_worker_wait(&s->worker);
    if (!failed && past.count)
        recall(&past, s->worker.channel);
    s->worker.channel->summary.elapsed_ns += used;
    return failed;
}
