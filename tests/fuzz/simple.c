/*
 * simple.c - minimised and explained schedules against brute force: a number of preemptions that is called proved
 * must be the fewest with which the finding can be shown; and a critical step, with all schedules from there on
 * run, must be the last at which a schedule departs from the failing one and passes.
 */
#include "fuzz.h"

#include "explore/explain.h"
#include "explore/minimise.h"

#include <string.h>

enum { REGION = 1 << 28, SEEDS = 40, TRIED = 2, RUNS_MAX = 5000 };

const char fuzz_simple_name[] = "minimise";

struct work {
    const struct fuzz_truth *truth;
    struct sim *sim;
    struct rd_arena arena;
    struct fuzz_counts *counts;
    struct fuzz_failure *failure;
    uint64_t key; /* key of the finding, as in struct fuzz_shown */
};

static struct rd_draft draft_of(struct sim *s) {
    return (struct rd_draft){.prefix = s->prefix,
                             .prefix_max = SIM_STEPS_MAX,
                             .sleep = s->sleep,
                             .weight = s->weight,
                             .track = s->track};
}

/* Runs the plan. Returns false if the execution diverged, or if there are too many executions. */
static bool run(struct work *w, const struct rd_plan *plan, uint32_t runs) {
    sim_run(w->sim, plan);
    w->counts->executions++;
    if (w->sim->rec.out->verdict == RD_DIVERGED)
        return fuzz_fail(w->failure, FUZZ_TROUBLE, "step %u of a plan does not fit",
                         w->sim->rec.out->divergence.step);
    return runs < RUNS_MAX || fuzz_fail(w->failure, FUZZ_ENDLESS, "more than %u executions", runs);
}

static bool shows(const struct work *w) {
    struct fuzz_shown shown;
    fuzz_show(w->sim, &shown);
    return shown.key[FUZZ_FAILURE] == w->key;
}

static bool minimise(struct work *w, struct rd_minimise *m, const struct rd_step *steps, uint32_t count) {
    struct rd_draft d = draft_of(w->sim);
    rd_minimise_open(m, &w->arena, steps, count, false, false);
    for (uint32_t n = 0; rd_minimise_next(m, &d) == RD_NEXT_RUN; n++) {
        if (!run(w, &d.plan, n))
            return false;
        const struct rd_finding *f = shows(w) ? &w->sim->rec.out->finding : NULL;
        rd_minimise_feedback(m, &d.plan, &w->sim->rec, f);
    }
    if (!m->repeated)
        return fuzz_fail(w->failure, FUZZ_TROUBLE, "a schedule that shows a failure does not show it again");
    uint32_t fewest = w->truth->things[FUZZ_FAILURE]
                          .at[*rd_map_get(&w->truth->things[FUZZ_FAILURE].index, w->key) - 1]
                          .preemptions;
    if (m->cost.preemptions < fewest || (m->proved && m->cost.preemptions > fewest))
        return fuzz_fail(w->failure, FUZZ_NOT_SIMPLE, "%u preemptions, %s; brute force needs %u",
                         m->cost.preemptions, m->proved ? "proved" : "not proved", fewest);
    return true;
}

/*
 * By brute force, the last step at which a schedule departs from this one and passes, from 1; 0: no schedule
 * passes.
 */
static uint32_t critical(const struct fuzz_truth *t, const struct rd_minimise *m) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < t->runs.count; i++) {
        const struct fuzz_run *r = &t->runs.at[i];
        uint32_t k = 0;
        while (k < r->length && k < m->cost.steps) {
            const struct rd_step *s = &m->steps[k];
            if (t->picks.at[r->at + k] != (rd_step_is_way(s) ? s->value + RD_TID_MAX : s->tid))
                break;
            k++;
        }
        if (r->passed)
            last = RD_MAX(last, k + 1);
    }
    return last;
}

static bool explain(struct work *w, const struct rd_minimise *m) {
    struct rd_draft d = draft_of(w->sim);
    struct rd_explain x;
    struct rd_why why = {0};
    rd_explain_open(&x, &w->arena, m->steps, m->cost.steps, false, false);
    for (uint32_t n = 0; rd_explain_next(&x, &d) == RD_NEXT_RUN; n++) {
        if (!run(w, &d.plan, n))
            return false;
        rd_explain_feedback(&x, &d.plan, &w->sim->rec, w->sim->rec.out->verdict == RD_FOUND);
    }
    rd_explain_result(&x, &why);
    uint32_t truth = critical(w->truth, m);
    if (why.explained && (why.critical > truth || (why.all && why.critical != truth)))
        return fuzz_fail(w->failure, FUZZ_NOT_CRITICAL, "step %u decides it, %s; by brute force %u", why.critical,
                         why.all ? "all were run" : "as far as was tried", truth);
    return true;
}

bool fuzz_simple(const struct fuzz_case *c, const struct fuzz_truth *t, struct fuzz_counts *n,
                 struct fuzz_failure *f) {
    static struct work w;
    static struct rd_step given[SIM_STEPS_MAX + 2];
    if (!w.sim) {
        w.sim = sim_open();
        w.arena = sim_region(REGION);
    }
    f->strategy = fuzz_simple_name;
    w.truth = t;
    w.counts = n;
    w.failure = f;
    sim_load(w.sim, &c->program, &c->options, NULL);
    w.sim->path_count = t->path_count;
    memcpy(w.sim->paths, t->paths, t->path_count * sizeof *t->paths);
    uint32_t tried = 0;
    for (uint64_t seed = 1; seed <= SEEDS && tried < TRIED && t->things[FUZZ_FAILURE].count; seed++) {
        sim_run(w.sim, &(struct rd_plan){.picker = RD_PICK_RANDOM, .seed = seed});
        struct fuzz_shown shown;
        fuzz_show(w.sim, &shown);
        w.key = shown.key[FUZZ_FAILURE];
        uint32_t count = w.sim->rec.out->steps;
        if (!w.key || !count)
            continue;
        struct rd_minimise m;
        memcpy(given, w.sim->rec.steps, count * sizeof *given);
        rd_arena_reset(&w.arena);
        tried++;
        if (!minimise(&w, &m, given, count) || !explain(&w, &m))
            return false;
    }
    return true;
}
