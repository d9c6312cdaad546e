/*
 * sim_explore.c - runs whole searches over simulated programs and tallies the results. The brute-force enumerator
 * beside them uses no code of search/: it runs a prefix of choices, and for every later step of that execution and
 * every other candidate there it runs the prefix that leads to it. Each maximal schedule comes up exactly once, so
 * the enumerator says which schedules an exhaustive search must find.
 */
#include "base/map.h"
#include "search/search.h"
#include "sim.h"

#include <string.h>
#include <sys/mman.h>

/* Address space for a search; only pages that it touches take memory. */
enum { REGION = 1 << 28 };

struct tally {
    struct sim *sim;
    struct sim_result *result;
    struct rd_arena arena;
    struct rd_map schedules, classes, failing, finals;
};

static void open_tally(struct tally *t, const struct sim_program *p, const struct sim_options *o,
                       struct sim_result *r) {
    *t = (struct tally){.sim = sim_open(), .result = r};
    *r = (struct sim_result){.fewest_preemptions = UINT32_MAX};
    sim_load(t->sim, p, o, NULL);
    t->arena = sim_region(REGION);
}

static void close_tally(struct tally *t) {
    munmap(t->arena.base, REGION);
    sim_close(t->sim);
}

/* Adds the key to the map. Returns true if it is new. */
static bool add(struct tally *t, struct rd_map *m, uint64_t key) { return (*rd_map_put(m, &t->arena, key))++ == 0; }

static uint64_t schedule_hash(const struct rd_record *r) {
    uint64_t h = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        h = rd_hash2(h, rd_op_flags(s->op) & RD_F_VALUE ? s->value + RD_TID_MAX : s->tid);
    }
    return h;
}

static uint64_t final_hash(const struct sim *s, unsigned outcome) {
    uint64_t h = outcome;
    for (uint32_t i = 0; i < SIM_VARS; i++)
        h = rd_hash2(h, (uint64_t)s->vars[i]);
    for (uint32_t t = 0; t < s->program->threads; t++)
        for (uint32_t i = 0; i < SIM_REGS; i++)
            h = rd_hash2(h, (uint64_t)s->reg[t][i]);
    for (uint32_t b = 0; b < SIM_BLOCKS; b++)
        h = s->freed[b] ? rd_hash2(h, b + 1) : h;
    return h;
}

/* A failed assert determines the outcome, even if the execution continued after it. */
static uint64_t *outcome_of(const struct sim *s, struct sim_result *r) {
    const struct rd_outcome *o = s->rec.out;
    if (o->verdict != RD_FOUND && o->verdict != RD_PASSED)
        return &r->others;
    if (s->failed)
        return &r->asserts;
    if (o->verdict == RD_PASSED)
        return &r->ok;
    return o->finding.kind == RD_DEADLOCK ? &r->deadlocks : o->finding.kind == RD_HANG ? &r->hangs : &r->others;
}

static void count(struct tally *t) {
    struct sim_result *r = t->result;
    const struct sim *s = t->sim;
    const struct rd_outcome *o = s->rec.out;
    if (o->verdict == RD_CUT) {
        r->cut++;
        return;
    }
    uint64_t *outcome = outcome_of(s, r);
    uint64_t schedule = schedule_hash(&s->rec), order = o->class_hash[0] ^ rd_mix(o->class_hash[1]);
    r->executions++;
    ++*outcome;
    r->by_preemptions[RD_MIN(o->preemptions, (uint32_t)SIM_PREEMPTIONS - 1)]++;
    if (add(t, &t->schedules, schedule)) {
        r->schedules++;
        r->schedule_sum += rd_mix(schedule);
    } else {
        r->repeated++;
    }
    r->classes += add(t, &t->classes, order);
    r->finals += add(t, &t->finals, final_hash(s, (unsigned)(outcome - &r->ok)));
    r->fair_tails += o->fair_tail;
    r->fairness += o->fairness;
    if (outcome != &r->ok) {
        r->failing_classes += add(t, &t->failing, order);
        r->fewest_preemptions = RD_MIN(r->fewest_preemptions, o->preemptions);
        if (!r->first_failure)
            r->first_failure = r->executions;
    }
    if (s->options.seen)
        s->options.seen(s->options.ctx, s);
}

void sim_explore(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                 struct sim_result *r) {
    struct tally t;
    open_tally(&t, p, o, r);
    struct rd_params params = {.seed = t.sim->options.seed};
    struct rd_error error;
    const struct rd_search *search = rd_search_parse(strategy, &params, &error);
    RD_CHECK(search);
    void *state = search->open(&t.arena, &params);
    uint64_t max = t.sim->options.executions_max;
    while (max == 0 || r->executions < max) {
        struct rd_draft draft = {.prefix = t.sim->prefix,
                                 .prefix_max = SIM_STEPS_MAX,
                                 .sleep = t.sim->sleep,
                                 .weight = t.sim->weight,
                                 .track = t.sim->track};
        r->complete = search->next(state, &draft) == RD_NEXT_DONE;
        if (r->complete)
            break;
        sim_run(t.sim, &draft.plan);
        count(&t);
        search->feedback(state, &draft.plan, &t.sim->rec);
        struct rd_finding f;
        while (search->hooks.predict && search->hooks.predict(state, &t.sim->rec, &f)) {
            r->cycles += f.kind == RD_PREDICTED_DEADLOCK;
            r->undisciplined += f.kind == RD_LOCK_DISCIPLINE;
        }
    }
    close_tally(&t);
}

/* The choice that takes this alternative, without a fingerprint to compare. */
static struct rd_choice alternative(const struct rd_step *s, uint32_t pick) {
    bool value = rd_op_flags(s->op) & RD_F_VALUE;
    return (struct rd_choice){.pick = (uint16_t)pick, .op = value ? s->op : RD_OP_NONE};
}

static uint32_t taken(const struct rd_step *s) {
    return rd_op_flags(s->op) & RD_F_VALUE ? (uint32_t)s->value : s->tid;
}

static void enumerate(struct tally *t, const struct rd_choice *prefix, uint32_t length) {
    const struct rd_record *rec = &t->sim->rec;
    uint64_t max = t->sim->options.executions_max;
    if (max && t->result->executions >= max) {
        t->result->complete = false;
        return;
    }
    if (length)
        memcpy(t->sim->prefix, prefix, length * sizeof *prefix);
    sim_run(t->sim, &(struct rd_plan){.prefix_count = length, .picker = RD_PICK_STAY});
    count(t);

    /* the executions below overwrite the record, so it is copied */
    uint32_t steps = rec->out->steps;
    struct rd_step step[steps + 1];
    rd_tid cands[rec->out->cands + 1];
    struct rd_choice next[steps + 1];
    memcpy(step, rec->steps, steps * sizeof *step);
    memcpy(cands, rec->cands, rec->out->cands * sizeof *cands);
    for (uint32_t i = 0; i < steps; i++) {
        bool value = rd_op_flags(step[i].op) & RD_F_VALUE, forced = step[i].flags & RD_STEP_FORCED;
        for (uint32_t k = 0; i >= length && !forced && k < step[i].ncand; k++) {
            uint32_t pick = value ? k : cands[step[i].cand + k];
            next[i] = alternative(&step[i], pick);
            if (pick != taken(&step[i]))
                enumerate(t, next, i + 1);
        }
        next[i] = alternative(&step[i], taken(&step[i]));
    }
}

void sim_enumerate(const struct sim_program *p, const struct sim_options *o, struct sim_result *r) {
    struct tally t;
    open_tally(&t, p, o, r);
    r->complete = true;
    enumerate(&t, NULL, 0);
    close_tally(&t);
}

static bool meets(const struct rd_range *f, rd_place place, uint32_t size, rd_place place2, rd_place pc) {
    if (f->list == RD_NAMES_FOCUS_FUNCTION)
        return pc >= f->first && pc <= f->last;
    return (place && place <= f->last && place + RD_MAX(size, 1u) > f->first) ||
           (place2 && place2 >= f->first && place2 <= f->last);
}

static bool step_meets(const struct rd_range *f, const struct rd_step *s) {
    return meets(f, s->place, s->size, s->flags & RD_STEP_VALUE2 ? s->value : 0, s->pc);
}

/*
 * Whether the operation that the thread performed next after step i, or its pending one at the end, is in the
 * range.
 */
static bool next_meets(const struct rd_range *f, const struct rd_record *r, uint32_t i, rd_tid tid) {
    for (; i < r->out->steps; i++)
        if (r->steps[i].tid == tid && !rd_step_is_way(&r->steps[i]))
            return step_meets(f, &r->steps[i]);
    const struct rd_op *op = &r->threads[tid].pending;
    return meets(f, op->place, op->size, op->place2, op->pc);
}

bool sim_focused(const struct rd_range *f, const struct rd_record *r) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_step_is_way(s))
            continue;
        if ((s->flags & RD_STEP_PREEMPTION) && !step_meets(f, &r->steps[last]) &&
            !next_meets(f, r, i, r->steps[last].tid))
            return false;
        last = i;
    }
    return true;
}
