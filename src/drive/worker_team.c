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
enum { MANY_CLASSES = 10000 }; /* so many new classes at once are worth a larger map before they are added */
/* Address space for the map of classes. */
static const uint64_t CLASSES_REGION = (uint64_t)64 << 30;

/* A worker beside the first one. */
struct team_worker {
    struct rd_worker worker;
    struct rd_watchdog_state watch;
    bool running;
};

struct team {
    struct rd_session *session;
    struct rd_hub *hub;
    uint64_t hub_size;
    int hub_fd;
    struct team_worker *others; /* session->jobs - 1 of them */
    uint32_t started;           /* the number of others that were started */
    bool start_tried;           /* start_others was called: it is called once */
    struct rd_arena arena;
    struct rd_map classes;      /* the classes of all workers -> fewest preemptions + 1 */
    uint64_t read[RD_TEAM_MAX]; /* by worker: the entries of its log of classes that are in the map */
    uint64_t classes_by[RD_PREEMPTION_COUNTS]; /* the number of classes by fewest preemptions */
    struct rd_progress live;                   /* the sum over all workers, for the live status */
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
    void *region = reserve(CLASSES_REGION);
    if (region)
        madvise(region, CLASSES_REGION,
                MADV_HUGEPAGE); /* page faults while the map is filled take time from the workers */
    if (t->hub == MAP_FAILED || !region) {
        rd_error_set(error, "cannot create the memory that the workers share, of %llu MiB: %s%s",
                     (unsigned long long)(size >> 20), strerror(errno),
                     errno == EFBIG ? " (ulimit -f; -j 1 needs none of it)" : "");
        return -1;
    }
    *t->hub = layout;
    t->hub->wait_for = t->session->jobs_later ? 0 : t->session->jobs;
    t->hub->wanted = !t->session->jobs_later;
    rd_arena_init(&t->arena, region, CLASSES_REGION);
    t->others = calloc(t->session->jobs, sizeof *t->others);
    if (!t->others)
        abort();
    return 0;
}

/* Worker 0 is the first one. */
static const struct rd_worker *worker_of(const struct team *t, uint32_t i) {
    return i ? &t->others[i - 1].worker : &t->session->worker;
}
static struct rd_channel *channel_of(const struct team *t, uint32_t i) { return worker_of(t, i)->channel; }

/* ---- the sum over all workers ---- */

/* Adds a class to the map, or notes that one more execution of it has fewer preemptions. */
static void add_class(struct team *t, const struct rd_logged_class *e) {
    uint64_t *entry = rd_map_put(&t->classes, &t->arena, e->key), fewest = e->preemptions + 1;
    if (*entry && *entry <= fewest)
        return;
    if (*entry)
        t->classes_by[*entry - 1]--;
    t->classes_by[fewest - 1]++;
    *entry = fewest;
}

static uint64_t count_of_classes(const struct team *t) {
    return t->classes.count + (t->classes.has_zero && t->classes.zero_value);
}

/* The end of a worker's log: an entry for each of its executions at most, whatever the program has written there.
 */
static uint64_t end_of_log(const struct team *t, uint32_t i) {
    const struct rd_summary *s = &channel_of(t, i)->result.summary;
    uint64_t end = __atomic_load_n(&s->classes_logged, __ATOMIC_ACQUIRE);
    bool possible = rd_worker_is_whole(worker_of(t, i)) && end <= RD_CLASSES_LOGGED && end <= s->executions + 1;
    return possible ? RD_MAX(end, t->read[i]) : t->read[i];
}

/* Reads the new entries in the logs of all workers. */
static void add_logged_classes(struct team *t) {
    uint64_t more = 0;
    for (uint32_t i = 0; i <= t->started; i++)
        more += end_of_log(t, i) - t->read[i];
    if (more > MANY_CLASSES && t->classes.count + more < UINT32_MAX / 2)
        rd_map_reserve(&t->classes, &t->arena, (uint32_t)(t->classes.count + more));
    for (uint32_t i = 0; i <= t->started; i++) {
        struct rd_channel *c = channel_of(t, i);
        uint64_t end = end_of_log(t, i);
        for (; t->read[i] < end; t->read[i]++) {
            struct rd_logged_class e = rd_channel_class_log(c)[t->read[i]];
            e.preemptions = RD_MIN(e.preemptions, RD_PREEMPTION_COUNTS - 1u); /* the program can write there */
            add_class(t, &e);
        }
    }
}

/* Adds the fractions of the search that the workers have done to that of the first one, and estimates the whole. */
static void merge_estimates(struct rd_summary *to, double done) {
    struct rd_claim *c = &to->claim;
    c->done = RD_MIN(c->done + done, 1.0);
    if (c->done > 0)
        c->estimate = (double)(to->executions + to->cut) / c->done;
}

/* Calls the tick of the session with the progress of all workers together. */
static void show_progress(struct team *t) {
    const struct rd_session *s = t->session;
    struct rd_summary *u = &t->live.summary;
    struct rd_progress other;
    double done = 0;
    if (!s->tick)
        return;
    rd_channel_progress(s->worker.channel, &t->live);
    add_logged_classes(t);
    for (uint32_t i = 1; i <= t->started; i++) {
        rd_channel_progress(channel_of(t, i), &other);
        rd_summary_merge(u, &other.summary);
        done += other.summary.claim.done;
    }
    if (t->started)
        merge_estimates(u, done);
    u->classes = count_of_classes(t);
    memcpy(u->classes_by, t->classes_by, sizeof u->classes_by);
    s->tick(&t->live);
}

/* ---- starting, watching and ending the processes ---- */

/*
 * Starts the other workers. Returns 0, or -1 with a message; then fewer than the session asks for may run.
 */
static int start_others(struct team *t, struct rd_error *error) {
    struct rd_session *s = t->session;
    struct rd_config config = s->config;
    int failed = 0;
    while (!failed && t->started + 1 < s->jobs) {
        struct team_worker *o = &t->others[t->started];
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
    t->start_tried = true;
    s->config = config;
    return failed;
}

/* Judges a worker before its result is taken, to decide whether the others have to end, too. */
static enum rd_failure failure_of(const struct rd_worker *w) {
    return rd_failure_of_worker(w, &w->channel->result.summary, rd_worker_is_whole(w));
}

/* Has this worker ended without a result that can be added to those of the others? */
static bool ended_badly(uint32_t end, enum rd_failure failure) {
    return end == RD_END_NONE || end == RD_END_TROUBLE || failure != RD_FAILURE_NONE;
}

/* Kills the processes of all workers, and what they have started. */
static void kill_all(struct team *t) {
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

/* Has this worker ended for good? If another process takes its place, the watchdog starts anew. */
static bool has_ended_for_good(struct team *t, struct rd_worker *w, struct rd_watchdog_state *watch, int *status) {
    if (!rd_worker_ended(w, watch, status))
        return false;
    if (!rd_replace_worker(t->session, w, *status))
        return true;
    *watch = (struct rd_watchdog_state){0};
    return false;
}

/*
 * Looks once at each worker. Returns whether one of them still runs. If one has failed, all are killed: the others
 * would wait for it for ever.
 */
static bool look_at_workers(struct team *t, struct rd_watchdog_state *first_watch, int *status) {
    struct rd_worker *first = &t->session->worker;
    bool failed = false, running = false;
    int other_status;
    if (first->pid > 0 && has_ended_for_good(t, first, first_watch, status))
        failed |= first->channel->result.summary.end == RD_END_NONE || failure_of(first) != RD_FAILURE_NONE;
    for (uint32_t i = 0; i < t->started; i++) {
        struct team_worker *o = &t->others[i];
        if (o->running && has_ended_for_good(t, &o->worker, &o->watch, &other_status)) {
            o->running = false;
            failed |= ended_badly(o->worker.channel->result.summary.end, failure_of(&o->worker));
        }
        running |= o->running;
    }
    if (failed)
        kill_all(t);
    return !failed && (running || first->pid > 0);
}

/*
 * May the other workers be started, as far as time and the program's effects tell? With `jobs_later` that is when
 * the search has taken long, and only if its executions leave nothing behind that those of other workers would
 * meet.
 */
static bool others_are_due(const struct team *t, uint64_t begun_ns) {
    struct rd_session *s = t->session;
    if (!s->jobs_later)
        return true;
    if (rd_clock_ns() <= begun_ns + RD_TEAM_LATER_NS)
        return false;
    if (!s->worker.channel->live.outside)
        return true;
    rd_text_copy(s->one_worker, sizeof s->one_worker,
                 "one worker: the program writes files or takes addresses, which others would, too (see --jobs)");
    return false;
}

/* Waits for the end of the first worker, but only until the next look at the workers is due. */
static void wait_a_moment(const struct team *t, struct pollfd *p, pid_t *polled) {
    const struct rd_worker *first = &t->session->worker;
    if (first->pid > 0 && first->pid != *polled) { /* after a replacement it is another process */
        if (p->fd >= 0)
            close(p->fd);
        *polled = first->pid;
        p->fd = (int)syscall(SYS_pidfd_open, first->pid, 0);
    }
    poll(p, 1, t->start_tried || t->session->jobs_later ? TICK_MS : 1);
}

/* Runs the workers until all have ended. Returns 0, or -1 with a message. */
static int run_workers(struct team *t, int *status, struct rd_error *error) {
    struct rd_session *s = t->session;
    struct rd_watchdog_state watch = {0};
    struct pollfd p = {.fd = -1, .events = POLLIN};
    pid_t polled = 0;
    uint64_t begun_ns = rd_clock_ns();
    int failed = rd_worker_start(&s->worker, s->target, error);
    if (failed)
        return failed;
    while (look_at_workers(t, &watch, status)) {
        bool due = others_are_due(t, begun_ns);
        t->hub->wanted |= due;
        bool open = __atomic_load_n(&t->hub->open, __ATOMIC_ACQUIRE);
        if (due && open && !t->start_tried && s->worker.pid > 0 && start_others(t, error) != 0 && !s->jobs_later) {
            kill_all(t); /* --jobs asks for all of them; without it the search goes on with those that run */
            failed = -1;
            break;
        }
        show_progress(t);
        wait_a_moment(t, &p, &polled);
    }
    if (p.fd >= 0)
        close(p.fd);
    return failed;
}

static void close_team(struct team *t) {
    munmap(t->arena.base, CLASSES_REGION);
    munmap(t->hub, t->hub_size);
    close(t->hub_fd);
    free(t->others);
}

/* Gives the hub the thread numbers of the kept schedules, so that the same threads get them again. */
static void keep_thread_numbers(const struct rd_attempts *a, struct rd_hub *hub) {
    for (uint32_t i = 1; a->has_saved && i < a->saved.path_count; i++)
        hub->paths[i] = (uint64_t)a->saved.paths[i].parent << 16 | a->saved.paths[i].ordinal;
}

/* Takes the results of the other workers, and closes these workers. */
static void take_others(struct team *t, struct rd_worker_team_results *to) {
    add_logged_classes(t);
    to->classes = count_of_classes(t);
    memcpy(to->classes_by, t->classes_by, sizeof to->classes_by);
    for (to->count = 0; to->count < t->started; to->count++) {
        struct rd_worker_team_member *m = &to->other[to->count];
        struct rd_worker *w = &t->others[to->count].worker;
        const char *wrong = rd_run_result_take(&m->result, w);
        m->result.rules = t->session->rules;
        m->failure = rd_failure_of_worker(w, &m->result.summary, !wrong);
        rd_worker_close(w);
    }
}

int rd_worker_team_run(struct rd_session *s, const struct rd_attempts *a, int *status,
                       struct rd_worker_team_results *to, struct rd_error *error) {
    struct team t = {.session = s};
    struct rd_worker *first = &s->worker;
    RD_CHECK(s->jobs > 1 && s->jobs <= RD_TEAM_MAX);
    if (open_hub(&t, error) != 0)
        return -1;
    keep_thread_numbers(a, t.hub);
    first->hub_fd = t.hub_fd;
    first->channel->config.memory_max /= s->jobs;
    rd_worker_seal(first);
    int failed = run_workers(&t, status, error);
    if (!failed && rd_worker_needs_lazy(first, *status)) {
        first->lazy = true;
        failed = run_workers(&t, status, error);
    }
    take_others(&t, to);
    close_team(&t);
    return failed;
}

/* ---- the results ---- */

enum rd_failure rd_worker_team_add_results(struct rd_run_result *first, const struct rd_worker_team_results *team,
                                           enum rd_failure failure) {
    struct rd_summary *s = &first->summary;
    bool damaged = failure == RD_FAILURE_DAMAGED, shared = failure == RD_FAILURE_SHARED;
    bool bad = ended_badly(s->end, failure), other = failure != RD_FAILURE_DIED && s->end == RD_END_TROUBLE;
    if (!team->count || failure == RD_FAILURE_NO_FORK)
        return failure;
    for (uint32_t i = 0; i < team->count; i++) {
        const struct rd_worker_team_member *m = &team->other[i];
        uint32_t end = m->result.summary.end;
        damaged |= m->failure == RD_FAILURE_DAMAGED;
        shared |= m->failure == RD_FAILURE_SHARED;
        bad |= ended_badly(end, m->failure);
        other |= m->failure != RD_FAILURE_DIED && (end == RD_END_TROUBLE || end == RD_END_NO_FORK);
    }
    if (damaged || shared) /* the other workers were killed for that reason */
        return damaged ? RD_FAILURE_DAMAGED : RD_FAILURE_SHARED;
    if (bad) /* the others were killed because one had died */
        return other ? RD_FAILURE_TEAM : RD_FAILURE_DIED;
    for (uint32_t i = 0; i < team->count; i++) {
        rd_summary_merge(s, &team->other[i].result.summary);
        rd_run_result_add_findings(first, &team->other[i].result);
    }
    s->classes = team->classes;
    memcpy(s->classes_by, team->classes_by, sizeof s->classes_by);
    return RD_FAILURE_NONE;
}

void rd_worker_team_free_results(struct rd_worker_team_results *team) {
    for (uint32_t i = 0; i < team->count; i++)
        rd_run_result_free(&team->other[i].result);
    team->count = 0;
}
