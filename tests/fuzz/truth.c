/*
 * truth.c - every schedule of a program by brute force (sim_enumerate), and the invariants that hold for any
 * strategy: executions of one happens-before class end in the same state, the class by its hash equals the class by
 * the dependence relation taken pair by pair, and the engine's count of preemptions agrees with the candidates.
 */
#include "fuzz.h"

#include "trace/event.h"

#include <stdarg.h>
#include <string.h>

bool fuzz_fail(struct fuzz_failure *f, enum fuzz_kind kind, const char *format, ...) {
    if (f->kind != FUZZ_FINE)
        return false;
    f->kind = kind;
    va_list args;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    return false;
}

static uint16_t pick_of(const struct rd_step *s) {
    return rd_step_is_way(s) ? (uint16_t)(s->value + RD_TID_MAX) : s->tid;
}

static uint64_t schedule_hash(const struct rd_record *r) {
    uint64_t h = 1;
    for (uint32_t i = 0; i < r->out->steps; i++)
        h = rd_hash2(h, pick_of(&r->steps[i]));
    return h;
}

static uint64_t final_hash(const struct sim *s) {
    uint64_t h = s->failed;
    h = rd_hash2(h, s->rec.out->verdict == RD_FOUND ? s->rec.out->finding.key : 0);
    for (uint32_t i = 0; i < SIM_VARS; i++)
        h = rd_hash2(h, (uint64_t)s->vars[i]);
    for (uint32_t t = 0; t < s->program->threads; t++)
        for (uint32_t i = 0; i < SIM_REGS; i++)
            h = rd_hash2(h, (uint64_t)s->reg[t][i]);
    for (uint32_t b = 0; b < SIM_BLOCKS; b++)
        h = rd_hash2(h, s->freed[b]);
    return h | 1;
}

/* An execution that ends early shows no class and no final state: only its finding counts. */
void fuzz_show(const struct sim *s, struct fuzz_shown *shown) {
    const struct rd_outcome *o = s->rec.out;
    *shown = (struct fuzz_shown){.schedule = schedule_hash(&s->rec)};
    bool found = o->verdict == RD_FOUND, whole = !found || rd_is_stuck(o->finding.kind);
    if (found)
        shown->key[FUZZ_FAILURE] = rd_hash2(o->finding.kind, o->finding.key) | 1;
    if (whole) {
        shown->key[FUZZ_CLASS] = (o->class_hash[0] ^ rd_mix(o->class_hash[1])) | 1;
        shown->key[FUZZ_FINAL] = final_hash(s);
    }
}

const char *fuzz_schedule_text(const struct fuzz_truth *t, uint32_t run) {
    static char text[512];
    const struct fuzz_run *r = &t->runs.at[run];
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < r->length && used + 8 < sizeof text; i++) {
        uint16_t p = t->picks.at[r->at + i];
        used += (size_t)snprintf(text + used, sizeof text - used, p < RD_TID_MAX ? "%u " : "w%u ",
                                 p < RD_TID_MAX ? p : p - RD_TID_MAX);
    }
    return text;
}

static bool late(const struct rd_step *s, uint32_t cand) { return cand < 31 && s->only_times_out >> cand & 1; }

/* Whether the thread of the step before is enabled at this step. */
static bool could_stay(const struct rd_record *r, uint32_t i, rd_tid current) {
    const struct rd_step *s = &r->steps[i];
    for (uint32_t k = 0; k < s->ncand; k++)
        if (r->cands[s->cand + k] == current && !late(s, k))
            return true;
    return false;
}

static uint32_t preemptions(const struct rd_record *r) {
    uint32_t n = 0;
    rd_tid current = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_step_is_way(s))
            continue;
        n += s->tid != current && could_stay(r, i, current);
        current = s->tid;
    }
    return n;
}

/* The object of an operation: a place, or a thread. */
static uint64_t variable(const struct rd_step *s) {
    bool other = (s->op == RD_OP_CREATE && !s->result) || s->op == RD_OP_JOIN || s->op == RD_OP_TRYJOIN ||
                 s->op == RD_OP_CANCEL || s->op == RD_OP_SIGNAL_SEND;
    return s->place ? s->place : other && s->value < RD_TID_MAX ? s->value : s->tid;
}

/* Fills `list` with the variable of each preemption, in order. */
static uint32_t preempted_at(const struct rd_record *r, uint64_t *list) {
    const struct rd_step *before = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_step_is_way(s))
            continue;
        rd_tid current = before ? before->tid : 0;
        if (s->tid != current && could_stay(r, i, current))
            list[n++] = before ? variable(before) : 0;
        before = s;
    }
    return n;
}

static bool is_before(const uint64_t *list, uint32_t n, uint64_t variable) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == variable)
            return true;
    return false;
}

static void count_variables(const struct rd_record *r, struct fuzz_run *run) {
    uint64_t list[SIM_STEPS_MAX];
    uint32_t n = preempted_at(r, list);
    for (uint32_t i = 0; i < n; i++)
        run->variables += !is_before(list, i, list[i]);
    /* By the literal rule each preemption is one of the first `literal`, or at a variable of one of these. */
    for (uint32_t i = 0; i < n; i++)
        if (!is_before(list, RD_MIN(i, run->literal), list[i]))
            run->literal = i + 1;
}

/* The position of a candidate at the step: in round-robin order, candidates that can only time out at the end. */
static uint32_t turn(const struct rd_step *s, uint32_t cand, rd_tid tid, rd_tid current) {
    return (uint32_t)late(s, cand) << 16 | (uint16_t)(tid - current);
}

/*
 * The deterministic scheduler stays with the running thread, or else takes the next one in round-robin order. A
 * delay passes over a thread that it would have taken. The choice of a waiter other than the first counts one delay
 * for each waiter passed over.
 */
uint32_t fuzz_delays(const struct rd_record *r) {
    uint32_t n = 0;
    rd_tid current = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_step_is_way(s)) {
            n += (uint32_t)s->value;
            continue;
        }
        uint32_t chosen = 0;
        for (uint32_t k = 0; k < s->ncand; k++)
            if (r->cands[s->cand + k] == s->tid)
                chosen = turn(s, k, s->tid, current);
        for (uint32_t k = 0; k < s->ncand; k++)
            n += turn(s, k, r->cands[s->cand + k], current) < chosen;
        current = s->tid;
    }
    return n;
}

/* Whether the step depends on everything, or on the thread that takes a signal or a cancellation. */
static bool out_of_order(const struct rd_step *s) {
    return rd_event_of_step(s).wide || s->flags & RD_STEP_SIGNALLED || s->op == RD_OP_CANCEL;
}

/* Whether the relation knows exactly when the step commutes with another one. */
static bool is_simple(const struct rd_step *s) {
    static const uint8_t simple[] = {RD_OP_START,         RD_OP_CREATE,     RD_OP_JOIN,        RD_OP_READ,
                                     RD_OP_WRITE,         RD_OP_ATOMIC_RMW, RD_OP_MUTEX_LOCK,  RD_OP_MUTEX_UNLOCK,
                                     RD_OP_MUTEX_TRYLOCK, RD_OP_SEM_WAIT,   RD_OP_SEM_TRYWAIT, RD_OP_SEM_POST,
                                     RD_OP_SEM_VALUE,     RD_OP_YIELD,      RD_OP_FREE,        RD_OP_CHOOSE};
    if (rd_step_is_way(s))
        s--; /* a way belongs to the operation before it */
    return memchr(simple, s->op, sizeof simple) != NULL;
}

/*
 * The class by the relation: the sum over all events of a hash of the event and of the earlier events that it
 * depends on.
 */
static uint64_t trace_hash(const struct rd_record *r) {
    uint32_t n = r->out->steps, count = 0;
    struct rd_event event[n + 1];
    uint64_t label[n + 1], sum = 0;
    uint32_t index[RD_TID_MAX] = {0};
    for (uint32_t i = 0; i < n; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_step_is_way(s)) {
            label[count - 1] = rd_hash2(label[count - 1], s->value + 1);
            continue;
        }
        event[count] = rd_event_of_step(s);
        label[count++] = rd_hash2((uint64_t)s->tid << 40 | (uint64_t)s->op << 32 | ++index[s->tid], s->place);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t before = 0;
        for (uint32_t k = 0; k < i; k++)
            if (rd_event_dependent(&event[k], &event[i]))
                before += rd_mix(label[k]);
        sum += rd_mix(rd_hash2(label[i], before));
    }
    return sum | 1;
}

static struct fuzz_thing *thing(struct fuzz_truth *t, unsigned kind, uint64_t key) {
    struct fuzz_things *all = &t->things[kind];
    uint64_t *at = rd_map_put(&all->index, t->arena, key);
    if (!*at) {
        rd_vec_push(t->arena, all, (struct fuzz_thing){.key = key, .preemptions = UINT32_MAX});
        *at = all->count;
    }
    return &all->at[*at - 1];
}

/* Records the value of the key. Returns false if the key has another value already. */
static bool same(struct fuzz_truth *t, struct rd_map *m, uint64_t key, uint64_t value) {
    uint64_t *at = rd_map_put(m, t->arena, key);
    if (*at == 0)
        *at = value;
    return *at == value;
}

static void check(struct fuzz_truth *t, const struct sim *s, const struct fuzz_shown *w) {
    uint64_t class = w->key[FUZZ_CLASS], trace = trace_hash(&s->rec);
    uint32_t count = preemptions(&s->rec);
    if (count != s->rec.out->preemptions)
        fuzz_fail(t->failure, FUZZ_COUNTS, "execution %u has %u preemptions, the engine says %u", t->runs.count,
                  count, s->rec.out->preemptions);
    if (!class)
        return;
    if (!same(t, &t->states, class, w->key[FUZZ_FINAL]))
        fuzz_fail(t->failure, FUZZ_CLASS_STATE, "execution %u ends in another state than others of its class",
                  t->runs.count);
    if (!same(t, &t->traces, class, trace) || !same(t, &t->traces, rd_mix(trace), class))
        fuzz_fail(t->failure, FUZZ_CLASS_HASH,
                  "execution %u: the class by the hash is not the class by the relation", t->runs.count);
}

static void note(void *ctx, const struct sim *s) {
    struct fuzz_truth *t = ctx;
    const struct rd_outcome *o = s->rec.out;
    struct fuzz_shown w;
    fuzz_show(s, &w);
    struct fuzz_run run = {.preemptions = o->preemptions, .delays = fuzz_delays(&s->rec)};
    count_variables(&s->rec, &run);
    run.focused = sim_focused(&t->focus, &s->rec);
    run.passed = o->verdict == RD_PASSED;
    run.at = t->picks.count;
    run.length = o->steps;
    for (uint32_t i = 0; i < o->steps; i++)
        rd_vec_push(t->arena, &t->picks, pick_of(&s->rec.steps[i]));
    t->path_count = s->path_count;
    memcpy(t->paths, s->paths, s->path_count * sizeof *s->paths);
    t->stopped |= w.key[FUZZ_CLASS] == 0;
    for (uint32_t i = 0; i < o->steps; i++)
        t->wide |= !rd_step_is_way(&s->rec.steps[i]) && out_of_order(&s->rec.steps[i]);
    for (uint32_t i = 0; i < o->steps; i++)
        t->involved |= !is_simple(&s->rec.steps[i]);
    check(t, s, &w);
    if (o->verdict == RD_DIVERGED || o->verdict == RD_REFUSED)
        fuzz_fail(t->failure, FUZZ_TROUBLE, "brute force: execution %u diverges", t->runs.count);
    else if (o->finding.kind == RD_HANG || (o->finding.kind == RD_LIVELOCK && !t->livelocks))
        fuzz_fail(t->failure, FUZZ_UNFIT, "too long");
    for (unsigned k = 0; k < FUZZ_THINGS; k++) {
        struct fuzz_thing *it = w.key[k] ? thing(t, k, w.key[k]) : NULL;
        if (it)
            it->assertion = k == FUZZ_FAILURE && o->finding.kind == RD_ASSERTION;
        if (it && run.preemptions < it->preemptions) {
            it->preemptions = run.preemptions;
            it->run = t->runs.count;
        }
    }
    rd_vec_push(t->arena, &t->runs, run);
    *rd_map_put(&t->schedules, t->arena, w.schedule) = t->runs.count;
}

struct rd_range fuzz_focus(uint64_t seed) {
    switch (seed % 4) {
    case 0:
        return sim_focus_mutex(0);
    case 1:
        return sim_focus_thread(1);
    default:
        return sim_focus_var((uint32_t)(seed % 4 - 2));
    }
}

bool fuzz_learn(const struct fuzz_case *c, uint64_t schedules_max, struct rd_arena *a, struct fuzz_truth *t,
                struct fuzz_failure *f) {
    *t = (struct fuzz_truth){.arena = a, .failure = f, .focus = fuzz_focus(c->seed)};
    t->livelocks = c->seed % 8 == 0; /* programs with livelocks take long: some of them are enough */
    struct sim_options o = c->options;
    struct sim_result r;
    o.executions_max = schedules_max;
    o.seen = note;
    o.ctx = t;
    sim_enumerate(&c->program, &o, &r);
    if (!r.complete)
        return fuzz_fail(f, FUZZ_UNFIT, "too many schedules");
    return f->kind == FUZZ_FINE;
}

bool fuzz_yields(const struct sim_program *p) {
    for (uint32_t t = 0; t < p->threads; t++)
        for (uint32_t i = 0; i < p->length[t]; i++)
            if (p->code[t][i].kind == SIM_YIELD || p->code[t][i].kind == SIM_SLEEP)
                return true;
    return false;
}

bool fuzz_never_blocks(const struct sim_program *p) {
    for (uint32_t t = 0; t < p->threads; t++)
        for (uint32_t i = 0; i < p->length[t]; i++)
            if (p->code[t][i].kind > SIM_RMW && p->code[t][i].kind < SIM_SET)
                return false;
    return !p->main;
}
