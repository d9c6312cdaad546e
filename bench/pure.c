/*
 * pure.c - the pure parts alone: engine, happens-before class, detector, search and loop, on programs that are data
 * (tests/unit/sim.h). An execution of a real program takes additional time for the program's own work, for switches
 * of stacks and for isolation.
 *
 *   pure                every measurement
 *   pure NAME [N]       one of them, stopped after N executions: for a profiler, or to count instructions
 *
 * The parts are timed one by one in a second search, so they add up to a little more than an execution takes. The
 * class of an execution is computed while it runs; its cost is measured by computing it again from the steps.
 */
#include "detect/detect.h"
#include "explore/loop.h"
#include "sim_programs.h"
#include "trace/hb_class.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { STEPS_MAX = 40000, PARTS_EXECUTIONS = 20000 };
static const uint64_t REGION = (uint64_t)1 << 33;

/* ---- programs ---- */

static int minus_1(const int *r) { return r[1] - 1; }
static int plus_1(const int *r) { return r[0] + 1; }
static int left(const int *r) { return r[1]; }
static int sections; /* of each thread */
static int all_sections(const int *r) { return sections + 0 * r[0]; }

/* Threads that do lock; x++; unlock, `times` times. */
static void locked(struct sim_program *p, int threads, int times) {
    struct sim_program bare = {.name = "locked"};
    sections = times;
    for (int t = 0; t < threads; t++)
        SIM_THREAD(&bare, do_set(1, all_sections), do_label(0), do_lock(0), do_read(0, 0), do_write_fn(0, plus_1),
                   do_unlock(0), do_set(1, minus_1), do_if(left, 0));
    sim_with_main(p, &bare, true);
}

static void store_load(struct sim_program *p, int threads, int times) {
    struct sim_program bare = {.name = "store_load"};
    (void)times;
    for (int t = 0; t < threads; t++)
        SIM_THREAD(&bare, do_write(0, 1), do_read(0, 0));
    sim_with_main(p, &bare, true);
}

static void lastzero(struct sim_program *p, int threads, int times) {
    struct sim_program bare = sim_make(sim_last_zero, threads, 0);
    (void)times;
    sim_with_main(p, &bare, true);
}

static const struct measurement {
    const char *name, *strategy;
    void (*build)(struct sim_program *p, int threads, int times);
    int threads, times;
    uint64_t executions; /* limit; 0: until the search is done */
    bool races;          /* whether the race detector is on */
} measurements[] = {
    {"dfs", "dfs", locked, 2, 3, 300000, false},
    {"dfs-races", "dfs", locked, 2, 3, 300000, true},
    {"2x10", "dpor:optimal", locked, 2, 10, 0, false},
    {"4x3", "dpor:optimal", locked, 4, 3, 0, false},
    {"lastzero", "dpor:optimal", lastzero, 15, 0, 0, false},
    {"6x2", "dpor:optimal", store_load, 6, 0, 0, false},
    {"dpor-200", "dpor:optimal", locked, 2, 25, 3000, false},
    {"dpor-2000", "dpor:optimal", locked, 2, 250, 300, false},
    {"dpor-20000", "dpor:optimal", locked, 2, 2500, 30, false},
    {"20", "random", locked, 2, 2, 200000, true},
    {"200", "random", locked, 2, 25, 20000, true},
    {"2000", "random", locked, 2, 250, 2000, true},
    {"20000", "random", locked, 2, 2500, 200, true},
};

/* ---- one search ---- */

struct run {
    struct rd_channel *channel;
    struct sim *sim;
    struct rd_arena arena;
};

static uint64_t clock_ns(void *ctx) {
    (void)ctx;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void execute(void *ctx) {
    struct run *r = ctx;
    rd_channel_reset(r->channel);
    r->sim->options.strict = r->channel->execution.plan.strict;
    sim_run(r->sim, &r->channel->execution.plan);
}

static void *map(uint64_t size) {
    void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return m;
}

static void begin(struct run *r, const struct sim_program *p, const struct measurement *m) {
    struct rd_channel shape = {0};
    uint64_t size = rd_channel_layout(&shape, &(struct rd_channel_size){.steps = STEPS_MAX, .store = STEPS_MAX});
    *r = (struct run){.channel = map(size), .sim = sim_open()};
    memcpy(r->channel, &shape, sizeof shape);
    strcpy(r->channel->config.strategy, m->strategy);
    r->channel->config.executions_max = m->executions;
    r->channel->config.detect = m->races ? 1u << RD_DETECT_RACES : 0;
    struct rd_record rec = rd_channel_record(r->channel);
    sim_load(r->sim, p, &(struct sim_options){.steps_max = STEPS_MAX - 8, .loops = false}, &rec);
    rd_arena_init(&r->arena, map(REGION), REGION);
}

static void end(struct run *r) {
    sim_close(r->sim);
    munmap(r->arena.base, REGION);
    munmap(r->channel, r->channel->size);
}

/* ---- the parts ---- */

enum part { RUN, ORDER, DETECT, SEARCH, COUNT, PARTS };

struct parts {
    uint64_t ns[PARTS], from, look, executions, steps; /* look: the time of one reading of the clock */
};

static void took(struct parts *p, enum part part) {
    uint64_t now = cpu_ns();
    p->ns[part] += now - p->from - RD_MIN(p->look, now - p->from);
    p->from = now;
}

static uint64_t look_ns(void) {
    uint64_t from = cpu_ns();
    for (unsigned i = 0; i < 10000; i++)
        cpu_ns();
    return (cpu_ns() - from) / 10000;
}

static void split(const struct sim_program *program, const struct measurement *m, struct parts *p) {
    struct run r;
    struct rd_params params = {.seed = 0};
    struct rd_error error;
    begin(&r, program, m);
    struct rd_channel *c = r.channel;
    struct rd_record rec = rd_channel_record(c);
    const struct rd_search *search = rd_search_parse(m->strategy, &params, &error);
    void *state = search->open(&r.arena, &params);
    struct rd_coverage_state cover = {.arena = &r.arena};
    struct rd_draft draft = {.prefix = rd_channel_prefix(c),
                             .prefix_max = (uint32_t)c->prefix_max,
                             .sleep = rd_channel_sleep(c),
                             .weight = rd_channel_weight(c),
                             .track = rd_channel_track(c)};
    uint64_t max = m->executions ? RD_MIN(m->executions, (uint64_t)PARTS_EXECUTIONS) : PARTS_EXECUTIONS;
    *p = (struct parts){.look = look_ns()};
    p->from = cpu_ns();
    while (p->executions < max && search->next(state, &draft) == RD_NEXT_RUN) {
        took(p, SEARCH);
        c->execution.plan = draft.plan;
        execute(&r);
        took(p, RUN);
        bool fresh = rd_coverage_count(&cover, c);
        took(p, COUNT);
        search->feedback(state, &draft.plan, &rec);
        took(p, SEARCH);
        size_t before = r.arena.used;
        struct rd_finding f;
        if (m->races && fresh && rd_detect_race(&r.arena, &rec, NULL, &f))
            fprintf(stderr, "pure: a race in '%s'\n", m->name);
        r.arena.used = before;
        took(p, DETECT);
        rd_coverage_lazy_class(&r.arena, &rec);
        took(p, ORDER);
        p->executions++;
        p->steps += rec.out->steps;
    }
    end(&r);
}

/* ---- the table ---- */

static void measure(const struct measurement *m, uint64_t executions) {
    struct sim_program p;
    struct run r;
    struct parts parts;
    m->build(&p, m->threads, m->times);
    struct measurement limited = *m;
    if (executions)
        limited.executions = executions;
    begin(&r, &p, &limited);
    struct rd_loop_env env = {.ctx = &r, .run = execute, .now_ns = clock_ns};
    uint64_t from = cpu_ns();
    rd_loop_run(r.channel, &r.arena, &env);
    double spent = (double)(cpu_ns() - from);
    const struct rd_summary s = r.channel->result.summary;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    end(&r);
    printf("%-10s %-13s %7" PRIu64 " %7.1f %9.0f %7.1f %7.2f %6.1f", m->name, m->strategy, s.executions,
           (double)s.steps / (double)s.executions, (double)s.executions / spent * 1e9, spent / (double)s.steps,
           spent * 1e-9, (double)s.memory / 1e6);
    if (!executions) {
        split(&p, m, &parts);
        double steps = (double)parts.steps;
        double order = (double)parts.ns[ORDER] / steps;
        printf(" %7.1f %6.1f %6.1f %7.1f %6.1f", (double)parts.ns[RUN] / steps - order, order,
               (double)parts.ns[DETECT] / steps, (double)parts.ns[SEARCH] / steps, (double)parts.ns[COUNT] / steps);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    printf("                           executions       executions  ns a    CPU search ns a step:\n"
           "program    strategy              steps/ex  a second   step seconds     MB  engine  order"
           " detect  search  count\n");
    for (size_t i = 0; i < RD_COUNT(measurements); i++)
        if (argc < 2 || strcmp(argv[1], measurements[i].name) == 0)
            measure(&measurements[i], argc > 2 ? strtoull(argv[2], NULL, 10) : 0);
    return 0;
}
