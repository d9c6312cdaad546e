/* sim_team.c - see sim_team.h. */
#include "sim_team.h"

#include "search/bounded/bound.h"

#include <string.h>

enum { REGION = 1 << 29 };

/* Only the calling worker runs at this moment, so a worker that waited here would wait for ever. */
static void never(uint32_t *word, uint32_t value) {
    (void)word;
    (void)value;
    RD_BUG("a worker of the simulator waits");
}

static void nobody(uint32_t *word) { (void)word; }
static uint64_t no_time(void *ctx) {
    (void)ctx;
    return 0;
}

struct sim_team *sim_team_open(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                               uint32_t workers, uint64_t turns) {
    static struct sim_team t;
    struct rd_error error;
    struct rd_hub layout = {0};
    uint64_t size = rd_hub_layout(&layout, SIM_WORKERS, SIM_STEPS_MAX);
    t.hub = t.hub ? t.hub : sim_reserve(size);
    *t.hub = layout;
    t.workers = workers;
    t.left = 0;
    t.memory_unseen = false;
    t.params = (struct rd_params){.seed = o ? o->seed : 0, .fifo = o && o->signal_fifo};
    t.search = rd_search_parse(strategy, &t.params, &error);
    RD_CHECK(t.search && rd_search_divides(t.search));
    t.hub->tickets_max = o ? o->executions_max : 0;
    rd_rng_seed(&t.rng, turns);
    t.late = rd_rng_below(&t.rng, 2) ? (uint64_t)1 << rd_rng_below(&t.rng, 10) : 0;
    t.late += t.late ? rd_rng_below(&t.rng, (uint32_t)t.late) : 0;
    for (uint32_t i = 0; i < workers; i++) {
        struct sim_worker *w = &t.at[i];
        w->sim = w->sim ? w->sim : sim_open();
        if (!w->arena.base)
            rd_arena_init(&w->arena, sim_reserve(REGION), REGION);
        rd_arena_reset(&w->arena);
        sim_load(w->sim, p, o, NULL);
        w->executions = 0;
        w->state = SIM_WORKER_NEW;
        w->team = (struct rd_team){
            .hub = t.hub, .me = i, .search = t.search, .wait = never, .wake = nobody, .now_ns = no_time};
    }
    return &t;
}

static void begin(struct sim_team *t, struct sim_worker *w) {
    struct rd_params params = t->params;
    params.team = &w->team;
    w->state = rd_team_join(&w->team) ? SIM_WORKER_READY : SIM_WORKER_DONE;
    if (w->state == SIM_WORKER_READY)
        w->team.state = t->search->open(&w->arena, &params);
}

/* Gives the worker one turn. Returns true if it has run an execution. */
static bool turn(struct sim_team *t, struct sim_worker *w) {
    struct rd_draft draft = {.left = t->left,
                             .memory_unseen = t->memory_unseen,
                             .prefix = w->sim->prefix,
                             .prefix_max = SIM_STEPS_MAX,
                             .sleep = w->sim->sleep,
                             .weight = w->sim->weight,
                             .track = w->sim->track};
    if (w->state == SIM_WORKER_NEW) {
        begin(t, w);
        return false;
    }
    if (w->state == SIM_WORKER_RAN) {
        t->search->feedback(w->team.state, &w->plan, &w->sim->rec);
        w->state = SIM_WORKER_READY;
        return false;
    }
    enum rd_next next = rd_team_next(&w->team, &draft);
    w->state = next == RD_NEXT_RUN ? SIM_WORKER_RAN : next == RD_NEXT_WAIT ? SIM_WORKER_WAITS : SIM_WORKER_DONE;
    if (next == RD_NEXT_DONE && w->team.me)
        rd_team_leave(&w->team);
    if (next != RD_NEXT_RUN)
        return false;
    w->plan = draft.plan;
    sim_run(w->sim, &draft.plan);
    rd_team_ran(&w->team);
    w->executions += w->sim->rec.out->verdict != RD_CUT;
    return true;
}

static bool can_go_on(const struct sim_team *t, const struct sim_worker *w) {
    if (w->state == SIM_WORKER_NEW) /* the first worker creates the shared state that the others use */
        return w == &t->at[0] ||
               (t->at[0].state != SIM_WORKER_NEW && (rd_team_count(&w->team) >= t->late || t->hub->over));
    return w->state != SIM_WORKER_DONE && (w->state != SIM_WORKER_WAITS || w->team.seen != t->hub->event);
}

struct sim *sim_team_next(struct sim_team *t) {
    for (;;) {
        uint32_t list[SIM_WORKERS], count = 0, done = 0;
        for (uint32_t i = 0; i < t->workers; i++) {
            done += t->at[i].state == SIM_WORKER_DONE;
            if (can_go_on(t, &t->at[i]))
                list[count++] = i;
        }
        if (done == t->workers)
            return NULL;
        RD_CHECK(count > 0); /* otherwise all workers wait, and none has noticed that the search is over */
        struct sim_worker *w = &t->at[list[rd_rng_below(&t->rng, count)]];
        if (turn(t, w))
            return w->sim;
    }
}

struct rd_claim sim_team_claim(struct sim_team *t) {
    struct rd_claim c = rd_claim_none();
    rd_team_leave(&t->at[0].team);
    t->search->claim(t->at[0].team.state, &c);
    return c;
}
