/*
 * commute.c - the dependence relation against the engine. At every state of random walks, for every two enabled
 * threads: if the relation calls their operations independent, performing them in either order must lead to the
 * same state (memory, registers, objects, clock, enabled threads, pending operations, the class) with the same
 * results, and neither may enable or disable the other. And an operation that the relation calls independent of a
 * disabled operation must not enable it.
 *
 * The relation is queried in the three ways in which searches use it: for two performed steps, for a pending
 * operation and a step, and for two pending operations. A pending operation is also known to be one that can only
 * wake up without a signal, or not.
 */
#include "fuzz.h"

#include "trace/event.h"

#include <string.h>

enum { PATH_MAX_STEPS = 64, OBJECTS = 64 };

struct path {
    struct rd_choice at[PATH_MAX_STEPS];
    uint32_t count;
};

/*
 * A state as far as a program or a search can observe it. It contains no number that depends on the order of
 * independent steps.
 */
struct state {
    int vars[SIM_VARS], reg[SIM_THREADS][SIM_REGS];
    uint32_t at[SIM_THREADS];
    bool halfway[SIM_THREADS], started[SIM_THREADS];
    uint64_t thread[SIM_THREADS + 1]; /* by the engine's numbers: state, pending operation, whether it is enabled */
    uint64_t objects;                 /* a sum over all objects */
    uint64_t now_ns, order[2];
    uint32_t spurious, steps;
    uint64_t signals;
    bool failed, exited, freed[SIM_BLOCKS];
    uint32_t verdict;
    uint64_t finding;
};

struct pair {
    struct sim *sim;
    struct fuzz_failure *failure;
    struct path path;
    rd_tid a, b;
};

static void run(struct sim *s, const struct path *p) {
    memcpy(s->prefix, p->at, p->count * sizeof *p->at);
    struct rd_plan plan = {.prefix_count = p->count, .picker = RD_PICK_STAY, .steps_max_cut = p->count};
    for (rd_tid t = 0; p->count == 0 && t <= SIM_THREADS; t++)
        /* the path is empty: with all threads in the sleep set the execution ends before its first step */
        s->sleep[plan.sleep_count++] = t;
    sim_run(s, &plan);
}

static uint64_t hash_op(const struct rd_op *op) {
    uint64_t h = rd_hash2(op->kind, op->addr);
    h = rd_hash2(h, op->addr2);
    h = rd_hash2(h, op->arg);
    h = rd_hash2(h, op->pc);
    return rd_hash2(rd_hash2(h, op->deadline), op->order);
}

static uint64_t hash_waiters(const struct rd_waiter *w) {
    uint64_t h = 0;
    for (; w; w = w->next)
        h = rd_hash2(h, (uint64_t)w->tid * 4 + 2 * w->spurious + w->signalled);
    return h;
}

static uint64_t hash_rwlock(const struct rd_rwlock *l) {
    uint64_t h = rd_hash2(rd_hash2(l->writer.owner, l->readers), l->writers_waiting), who = 0;
    for (const struct rd_reader *r = l->known_readers; r; r = r->next)
        who += r->locks ? rd_mix(rd_hash2(r->tid, r->locks)) : 0;
    return rd_hash2(h, who);
}

static uint64_t hash_object(const struct rd_object *o) {
    switch (o->kind) {
    case RD_OBJ_NONE:
        return o->destroyed_kind;
    case RD_OBJ_MUTEX:
        return o->mutex.owner == RD_TID_NONE ? 0 : rd_hash2(o->mutex.owner, o->mutex.depth);
    case RD_OBJ_FUTEX:
        return hash_waiters(o->futex.first);
    case RD_OBJ_COND:
        return hash_waiters(o->cond.first);
    case RD_OBJ_RWLOCK:
        return hash_rwlock(&o->rwlock);
    case RD_OBJ_SEM:
        return rd_hash2(1, (uint64_t)o->sem.value);
    case RD_OBJ_BARRIER:
        return o->barrier.arrived;
    case RD_OBJ_ONCE:
        return rd_hash2(o->once.state, o->once.state == RD_ONCE_RUNNING ? o->once.runner.owner : 0);
    default:
        return 0;
    }
}

static uint64_t hash_thread(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    uint64_t h =
        rd_hash2(t->state, (uint64_t)t->joined | (uint64_t)t->cancel_asked << 1 | (uint64_t)t->cancel_waits << 2);
    h = rd_hash2(rd_hash2(h, t->signals), t->gave_up);
    if (t->state != RD_T_READY)
        return h;
    h = rd_hash2(h, rd_model_ready(w, tid) | rd_model_enabled(w, tid) << 1 | rd_model_cancelled(w, tid) << 2);
    return rd_hash2(h, hash_op(&t->pending));
}

static void look(const struct sim *s, struct state *to) {
    const struct rd_world *w = &s->engine.world;
    memset(to, 0, sizeof *to); /* the states are compared as bytes */
    memcpy(to->vars, s->vars, sizeof to->vars);
    memcpy(to->freed, s->freed, sizeof to->freed);
    memcpy(to->reg, s->reg, sizeof to->reg);
    memcpy(to->at, s->at, sizeof to->at);
    memcpy(to->halfway, s->halfway, sizeof to->halfway);
    for (uint32_t t = 0; t < w->count && t <= SIM_THREADS; t++)
        to->thread[t] = hash_thread(w, (rd_tid)t);
    for (uint32_t t = 0; t < s->program->threads; t++)
        to->started[t] = s->tid_of[t] != RD_TID_NONE && s->started[t];
    for (uint32_t i = 0; i < w->objects.room; i++) {
        const struct rd_object *o = (const struct rd_object *)(uintptr_t)w->objects.slots[i].value;
        uint64_t h = o ? hash_object(o) : 0;
        to->objects += h ? rd_mix(rd_hash2(o->addr, h)) : 0;
    }
    to->now_ns = w->clock.now_ns;
    to->order[0] = s->engine.hb_class.hash[0];
    to->order[1] = s->engine.hb_class.hash[1];
    to->spurious = w->spurious_left;
    to->steps = s->rec.out->steps;
    to->signals = w->signals;
    to->failed = s->failed;
    to->exited = s->exited;
    to->verdict = s->rec.out->verdict == RD_FOUND ? RD_FOUND : 0;
    to->finding = to->verdict ? s->rec.out->finding.key : 0;
}

static const char *difference(const struct state *x, const struct state *y) {
    if (memcmp(x->vars, y->vars, sizeof x->vars) != 0)
        return "variables";
    if (memcmp(x->freed, y->freed, sizeof x->freed) != 0)
        return "blocks";
    if (memcmp(x->reg, y->reg, sizeof x->reg) != 0)
        return "registers";
    if (memcmp(x->at, y->at, sizeof x->at) != 0 || memcmp(x->halfway, y->halfway, sizeof x->halfway) != 0 ||
        memcmp(x->started, y->started, sizeof x->started) != 0)
        return "where the threads are";
    if (x->failed != y->failed || x->exited != y->exited || x->verdict != y->verdict || x->finding != y->finding)
        return "the end";
    if (x->objects != y->objects)
        return "objects";
    if (memcmp(x->thread, y->thread, sizeof x->thread) != 0)
        return "what the threads can do";
    if (x->now_ns != y->now_ns)
        return "the clock";
    if (x->order[0] != y->order[0] || x->order[1] != y->order[1])
        return "the happens-before class";
    return memcmp(x, y, sizeof *x) != 0 ? "allowances" : NULL;
}

/* A performed step, and the number of ways in which it could happen. */
struct done {
    struct rd_step step;
    uint32_t ways;
    bool happened;
};

/* Lets tid perform a step in this way at the end of the path, and appends the step to the path. */
static struct done extend(struct sim *s, struct path *p, rd_tid tid, uint32_t way) {
    struct done d = {.ways = 1};
    uint32_t first = p->count;
    p->at[p->count++] = (struct rd_choice){.pick = tid};
    run(s, p);
    if (s->rec.out->steps > p->count) {
        d.ways = s->rec.steps[p->count].ncand;
        p->at[p->count++] = (struct rd_choice){.pick = (uint16_t)RD_MIN(way, d.ways - 1), .op = RD_OP_WAITER};
        run(s, p);
    }
    d.happened = s->rec.out->verdict != RD_DIVERGED && s->rec.out->steps == p->count;
    d.step = s->rec.steps[first];
    return d;
}

static bool same_step(const struct done *x, const struct done *y) {
    /*
     * the value of a post, the semaphore's value before it, is recorded for searches: the program does not see it
     */
    bool same_value = x->step.value == y->step.value || x->step.op == RD_OP_SEM_POST;
    return x->ways == y->ways && x->step.result == y->step.result && same_value &&
           (x->step.flags & (RD_STEP_GAVE_UP | RD_STEP_SIGNALLED)) ==
               (y->step.flags & (RD_STEP_GAVE_UP | RD_STEP_SIGNALLED));
}

static bool complain(struct pair *p, enum fuzz_kind kind, const char *how, const char *what, const struct rd_op *a,
                     const struct rd_op *b) {
    char path[3 * PATH_MAX_STEPS + 1] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < p->path.count && used + 8 < sizeof path; i++)
        used += (size_t)snprintf(path + used, sizeof path - used, p->path.at[i].op ? "w%u " : "%u ",
                                 p->path.at[i].pick);
    return fuzz_fail(p->failure, kind,
                     "after %s: '%s' of thread %u and '%s' of thread %u are independent (%s), but %s", path,
                     rd_op_name(a->kind), p->a, rd_op_name(b->kind), p->b, how, what);
}

/* The pending operation of tid in the simulator, which is in the state at the end of the path. */
static struct rd_event to_come(const struct sim *s, rd_tid tid) {
    const struct rd_world *w = &s->engine.world;
    const struct rd_thread *t = &w->threads[tid];
    struct rd_event e = rd_event_of_pending(tid, &t->pending);
    e.wide |= rd_model_cancelled(w, tid) || rd_model_signal(w, tid);
    return e;
}

/* The finding as a number; 0: none. */
static uint64_t ending(const struct sim *s) {
    const struct rd_outcome *o = s->rec.out;
    return o->verdict == RD_FOUND ? rd_hash2(o->finding.kind, o->finding.key) | 1 : 0;
}

/*
 * One of the two operations is a finding when it comes first: then it must also be one at the end of this path,
 * after the other.
 */
static bool check_end(struct pair *p, const struct rd_op *oa, const struct rd_op *ob, struct path *path,
                      uint64_t a_ends, uint64_t b_ends, uint32_t way) {
    extend(p->sim, path, a_ends ? p->a : p->b, way);
    return ending(p->sim) == (a_ends ? a_ends : b_ends) ||
           complain(p, FUZZ_COMMUTE, "two operations to come", "only in one order there is a bug", oa, ob);
}

/*
 * Sleep sets and races compare a step with operations to come: these must not seem independent of the step if they
 * depend on it once they are steps themselves. a: a step; b: the step after it; `to_come`: b before both.
 */
static bool check_foretold(struct pair *p, const struct done *a, const struct done *b, const struct rd_op *to_come,
                           const struct rd_op *oa, const struct rd_op *ob) {
    struct rd_event ea = rd_event_of_step(&a->step), eb = rd_event_of_step(&b->step);
    struct rd_event pending = rd_event_of_pending(b->step.tid, to_come);
    if (!a->happened || !b->happened || !rd_event_dependent(&ea, &eb) || rd_event_dependent(&ea, &pending))
        return true;
    return complain(p, FUZZ_COMMUTE, "a step and an operation to come", "as two steps they are not", oa, ob);
}

/* Performs the two operations in both orders and compares. */
static bool check_pair(struct pair *p, const struct rd_op *oa, const struct rd_op *ob, bool independent,
                       uint32_t way) {
    struct path ab = p->path, ba = p->path;
    struct state x, y;
    struct done a1 = extend(p->sim, &ab, p->a, way);
    uint64_t a_ends = ending(p->sim);
    struct done b1 = extend(p->sim, &ba, p->b, way);
    uint64_t b_ends = ending(p->sim);
    if (!a1.happened || !b1.happened || (a_ends && b_ends))
        return true;
    if (a_ends || b_ends) /* the relation need not hold after a finding */
        return !independent || check_end(p, oa, ob, a_ends ? &ba : &ab, a_ends, b_ends, way);
    struct done b2 = extend(p->sim, &ab, p->b, way);
    look(p->sim, &x);
    struct done a2 = extend(p->sim, &ba, p->a, way);
    look(p->sim, &y);
    if (!check_foretold(p, &a1, &b2, ob, oa, ob) || !check_foretold(p, &b1, &a2, oa, oa, ob))
        return false;
    const char *how = "two operations to come";
    if (!independent && b2.happened) {
        struct rd_event ea = rd_event_of_step(&a1.step), eb = rd_event_of_step(&b2.step);
        independent = !rd_event_dependent(&ea, &eb);
        how = "two steps";
    }
    if (!independent)
        return true;
    if (!b2.happened || !a2.happened)
        return complain(p, FUZZ_COMMUTE, how, "one disables the other", oa, ob);
    if (!same_step(&a1, &a2) || !same_step(&b1, &b2))
        return complain(p, FUZZ_COMMUTE, how, "one changes what the other does", oa, ob);
    const char *what = difference(&x, &y);
    char text[96];
    snprintf(text, sizeof text, "%s differ when they are swapped", what ? what : "");
    return !what || complain(p, FUZZ_COMMUTE, how, text, oa, ob);
}

/*
 * Whether b, which step a has enabled or given a timeout, depends on a: as the operation pending before a, as the
 * one pending now, and as a step.
 */
static bool depends(struct pair *p, const struct done *a, const struct rd_op *before, struct path *ab, uint32_t way,
                    const char **how) {
    const struct rd_op now = p->sim->engine.world.threads[p->b].pending;
    struct done b = extend(p->sim, ab, p->b, way);
    if (!b.happened)
        return true;
    struct rd_event ea = rd_event_of_step(&a->step), eb = rd_event_of_pending(p->b, before);
    *how = "a step and an operation to come";
    if (!rd_event_dependent(&ea, &eb))
        return false;
    *how = "a step and what it has let go";
    eb = rd_event_of_pending(p->b, &now);
    if (!rd_event_dependent(&ea, &eb))
        return false;
    *how = "two steps";
    eb = rd_event_of_step(&b.step);
    return rd_event_dependent(&ea, &eb);
}

/*
 * Whether the thread waits in a loop, and goes on without a change that it could see, because no other thread can
 * (rd_spin_force). The step before has not enabled it, and an iteration without a change has no effect.
 */
static bool is_forced(const struct sim *s, rd_tid tid) {
    const struct rd_spin *all = &s->engine.spin;
    const struct rd_spin_thread *t = tid < all->thread.count ? all->thread.at[tid] : NULL;
    return t && t->waits && t->let_through;
}

/* Operation b is disabled and a is enabled: if a enables b, the two must be dependent. */
static bool check_enabling(struct pair *p, const struct rd_op *oa, const struct rd_op *ob, uint32_t way) {
    struct path ab = p->path;
    struct done a = extend(p->sim, &ab, p->a, way);
    const char *how;
    if (!a.happened || p->sim->rec.out->verdict == RD_FOUND || p->sim->exited || is_forced(p->sim, p->b))
        return true;
    if (depends(p, &a, ob, &ab, way, &how))
        return true;
    return complain(p, FUZZ_ENABLES, how, "the first makes the second able to go on", oa, ob);
}

/* A thread in the state at the end of the path. */
struct at {
    struct rd_op op;
    struct rd_event event;
    bool alive, enabled;
};

/* Operation a is enabled: every operation of a thread that a creates must depend on a. */
static bool check_birth(struct pair *p, const struct at *at, uint32_t count) {
    struct path ab = p->path;
    struct done a = extend(p->sim, &ab, p->a, 0);
    const struct rd_world *w = &p->sim->engine.world;
    if (!a.happened)
        return true;
    for (p->b = 0; p->b < w->count; p->b++) {
        const struct rd_op first = w->threads[p->b].pending;
        const char *how;
        bool born = w->threads[p->b].state == RD_T_READY && (p->b >= count || !at[p->b].alive);
        if (born && !depends(p, &a, &first, &ab, 0, &how))
            return complain(p, FUZZ_ENABLES, how, "the first makes the thread of the second", &at[p->a].op, &first);
        if (born)
            return true;
    }
    return true;
}

/* Checks every pair of threads in the state at the end of the path. */
static bool check_state(struct pair *p, struct rd_rng *rng) {
    struct sim *s = p->sim;
    run(s, &p->path);
    uint32_t count = s->engine.world.count;
    struct at at[SIM_THREADS + 1];
    RD_CHECK(count <= RD_COUNT(at));
    for (uint32_t t = 0; t < count; t++) {
        at[t].op = s->engine.world.threads[t].pending;
        at[t].alive = s->engine.world.threads[t].state == RD_T_READY;
        at[t].enabled = at[t].alive && rd_model_enabled(&s->engine.world, (rd_tid)t);
        if (at[t].alive)
            at[t].event = to_come(s, (rd_tid)t);
    }
    for (uint32_t a = 0; a < count; a++) {
        p->a = (rd_tid)a;
        if (at[a].enabled && at[a].op.kind == RD_OP_CREATE && !check_birth(p, at, count))
            return false;
        for (uint32_t b = 0; b < count; b++) {
            if (a == b || !at[a].enabled || !at[b].alive)
                continue;
            p->b = (rd_tid)b;
            uint32_t way = rd_rng_below(rng, 3);
            bool fine = true;
            if (!at[b].enabled)
                fine = check_enabling(p, &at[a].op, &at[b].op, way);
            else if (a < b)
                fine = check_pair(p, &at[a].op, &at[b].op, !rd_event_dependent(&at[a].event, &at[b].event), way);
            if (!fine)
                return false;
        }
    }
    return true;
}

bool fuzz_commute(const struct fuzz_case *c, struct sim *s, uint32_t walks, struct fuzz_failure *f) {
    struct rd_rng rng;
    rd_rng_seed(&rng, c->seed ^ 0x5eed);
    sim_load(s, &c->program, &c->options, NULL);
    while (walks-- > 0) {
        struct pair p = {.sim = s, .failure = f};
        struct rd_choice path[PATH_MAX_STEPS];
        sim_run(s, &(struct rd_plan){.picker = RD_PICK_RANDOM, .seed = rd_rng_next(&rng)});
        uint32_t steps = s->rec.out->steps;
        if (steps + 5 > PATH_MAX_STEPS)
            continue;
        for (uint32_t i = 0; i < steps; i++) {
            const struct rd_step *step = &s->rec.steps[i];
            bool value = rd_op_flags(step->op) & RD_F_VALUE;
            path[i] = (struct rd_choice){.pick = value ? (uint16_t)step->value : step->tid,
                                         .op = value ? step->op : RD_OP_NONE};
        }
        for (p.path.count = 0; p.path.count < steps; p.path.count++) {
            /* a waiter is chosen within a step, so there is no state before that choice */
            if (!path[p.path.count].op && !check_state(&p, &rng))
                return false;
            p.path.at[p.path.count] = path[p.path.count];
        }
    }
    return true;
}
