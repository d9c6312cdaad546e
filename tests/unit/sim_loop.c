/* sim_loop.c - see sim_loop.h. */
#include "sim_loop.h"

#include <string.h>

enum { STACK = 1 << 18, REGION = 1 << 28 };

static struct sim_loops all;

static void pause_here(struct sim_loop *w) { swapcontext(&w->context, &all.scheduler); }

/* Whether the worker dies at this moment. */
static bool dies(const struct sim_loop *w) {
    return w->channel->live.phase != RD_PHASE_SEARCH && all.deaths_in && all.deaths < all.deaths_most &&
           rd_rng_below(&all.rng, all.deaths_in) == 0;
}

static _Noreturn void die(struct sim_loop *w) {
    all.deaths++;
    w->dead = true;
    for (;;)
        pause_here(w);
}

static uint64_t schedule_of(const struct rd_record *r) {
    uint64_t h = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        h = rd_hash2(h, rd_step_is_way(s) ? s->value + RD_TID_MAX : s->tid);
    }
    return rd_mix(h);
}

static void run(void *ctx) {
    (void)ctx;
    struct sim_loop *w = all.now;
    struct rd_outcome *o = &w->channel->execution.outcome;
    bool counts = w->channel->live.phase == RD_PHASE_RUN;
    pause_here(w);
    if (dies(w))
        die(w); /* before the first step of the execution */
    w->sim->options.strict = w->channel->execution.plan.strict;
    sim_run(w->sim, &w->channel->execution.plan);
    if (dies(w)) {
        o->steps = o->steps ? rd_rng_below(&all.rng, o->steps + 1) : 0;
        o->verdict = RD_RUNNING;
        die(w);
    }
    pause_here(w);
    if (!counts)
        return;
    all.cut += o->verdict == RD_CUT;
    all.executions += o->verdict != RD_CUT;
    all.sum += o->verdict != RD_CUT ? schedule_of(&w->sim->rec) : 0;
}

static void wait_for(uint32_t *word, uint32_t value) {
    struct sim_loop *w = all.now;
    w->asleep = true;
    w->word = word;
    w->is = value;
    pause_here(w);
    if (dies(w))
        die(w);
}

static void nobody(uint32_t *word) { (void)word; }
static uint64_t no_time(void *ctx) {
    (void)ctx;
    return 0;
}

static void life(void) {
    struct sim_loop *w = all.now;
    struct rd_loop_env env = {.run = run, .now_ns = no_time, .outlives = true};
    env.team = all.count > 1 ? &w->team : NULL;
    rd_loop_run(w->channel, &w->arena, &env);
    w->gone = true;
    for (;;)
        pause_here(w);
}

/*
 * Starts the process of a worker, which has reached its first creation of a thread: only the memory of the search
 * exists.
 */
static void start(struct sim_loop *w, uint32_t seat) {
    rd_arena_init(&w->arena, w->arena.base, REGION);
    w->team = (struct rd_team){.hub = all.hub, .me = seat, .wait = wait_for, .wake = nobody, .now_ns = no_time};
    w->begun = true;
    w->dead = w->asleep = false;
    getcontext(&w->context);
    w->context.uc_stack.ss_sp = w->stack;
    w->context.uc_stack.ss_size = STACK;
    w->context.uc_link = NULL;
    makecontext(&w->context, life, 0);
}

/* Replaces a dead worker as the driver does (drive/replace_worker.c). */
static void replace(struct sim_loop *w, uint32_t seat) {
    struct rd_channel *c = w->channel;
    uint32_t steps = c->execution.outcome.steps;
    c->live.redo_steps = steps ? steps - 1 : 0;
    c->live.redo = rd_channel_hash_steps(c, c->live.redo_steps);
    c->config.resumes = 1;
    rd_channel_reset(c);
    memset(w->stack, 0xdb, STACK);
    if (all.other)
        w->sim->program = all.other;
    start(w, seat);
}

static void open_worker(struct sim_loop *w, const struct sim_loop_setup *how) {
    struct rd_channel shape = {0};
    uint64_t size = rd_channel_layout(
        &shape, &(struct rd_channel_size){.steps = SIM_STEPS_MAX, .store = SIM_STEPS_MAX, .class_log = true});
    w->channel = w->channel ? w->channel : sim_reserve(size);
    w->stack = w->stack ? w->stack : sim_reserve(STACK);
    w->sim = w->sim ? w->sim : sim_open();
    w->arena.base = w->arena.base ? w->arena.base : sim_reserve(REGION);
    w->begun = w->gone = w->dead = w->asleep = false;
    *w->channel = shape;
    struct rd_config *c = &w->channel->config;
    strcpy(c->strategy, how->strategy);
    c->keep_going = how->keep_going;
    c->workers = how->workers;
    c->executions_max = how->options->executions_max;
    c->seed = how->options->seed;
    struct rd_record rec = rd_channel_record(w->channel);
    sim_load(w->sim, how->program, how->options, &rec);
}

static bool can_go_on(const struct sim_loop *w) {
    if (w->gone || (!w->begun && w != all.at && !all.hub->open))
        return false;
    return !w->asleep || __atomic_load_n(w->word, __ATOMIC_RELAXED) != w->is;
}

struct sim_loops *sim_loop_run(const struct sim_loop_setup *how) {
    struct rd_hub layout = {0};
    uint64_t size = rd_hub_layout(&layout, SIM_LOOPS, SIM_STEPS_MAX);
    all.hub = all.hub ? all.hub : sim_reserve(size);
    *all.hub = layout;
    all.hub->wanted = 1;
    all.count = how->workers;
    all.other = how->other;
    all.deaths_in = how->deaths_in;
    all.deaths_most = how->deaths_most;
    all.deaths = 0;
    all.executions = all.cut = all.sum = 0;
    rd_rng_seed(&all.rng, how->turns);
    for (uint32_t i = 0; i < all.count; i++) {
        open_worker(&all.at[i], how);
        all.at[i].channel->config.seat = i;
    }
    for (;;) {
        uint32_t list[SIM_LOOPS], n = 0;
        for (uint32_t i = 0; i < all.count; i++)
            if (can_go_on(&all.at[i]))
                list[n++] = i;
        if (all.at[0].gone && (n == 0 || all.count == 1))
            return &all;
        RD_CHECK(n > 0); /* otherwise all workers wait for each other */
        uint32_t i = list[rd_rng_below(&all.rng, n)];
        struct sim_loop *w = all.now = &all.at[i];
        if (w->dead)
            replace(w, i);
        else if (!w->begun)
            start(w, i);
        w->asleep = false;
        swapcontext(&all.scheduler, &w->context);
    }
}

uint64_t sim_loop_executions(const struct sim_loops *s) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->count; i++)
        n += s->at[i].channel->result.summary.executions;
    return n;
}
