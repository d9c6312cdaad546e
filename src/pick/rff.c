/*
 * rff.c - random priorities as in pos.c, steered by the constraints of an abstract schedule (reads-from fuzzing:
 * Wolff, Shi, Duck, Mathur and Roychoudhury, "Greybox fuzzing for concurrency testing", ASPLOS 2024). Each
 * constraint is a small state machine over the last write to its object and the pending operations. In each state
 * some events are *looked for* and others are *avoided*.
 *
 * The read shall see the write:
 * - the write was the last one: the read is looked for, other writes are avoided
 * - it was not, and a thread is at the read: the read is avoided, the write is looked for
 *
 * The read shall not see the write:
 * - the write was the last one, and a thread is at the read: the read is avoided, other writes are looked for
 * - another write was the last one: the read is looked for, the write is avoided
 * - there was none: the write is avoided
 *
 * The picker chooses the event with the highest priority among the events that are looked for; if there are none,
 * among the events that are not avoided; if all are avoided, among all. A constraint is over when its read has seen
 * the right value, and when it has held threads back for so many steps that the read is unlikely to come.
 *
 * The plan: `a` constraints, each in three weights: the read; the write, and whether it shall be seen; the object.
 * `b`: for how many steps a constraint may hold threads back. The role of an operation in the constraints is
 * computed once, when it becomes pending.
 */
#include "pick/rff.h"

#include "base/rng.h"
#include "pick/pick.h"

#include <string.h>

/* The role of an operation in the constraints: a bit for each constraint. */
struct role {
    uint8_t read, write, other; /* the operation is its read; its write; another write to its object */
};
static_assert(RD_RFF_CONSTRAINTS <= 8, "a bit each");

struct constraint_state {
    struct rd_rff_constraint w;
    uint32_t last; /* the last write to the object */
    uint32_t held; /* steps for which it has held a thread back */
    bool over;
};

struct rff {
    struct rd_rng rng;
    uint64_t seed;
    uint32_t asked, count, patience;
    struct rd_event before;
    struct constraint_state constraint[RD_RFF_CONSTRAINTS];
    uint32_t drawn[RD_TID_MAX]; /* by thread: the call at which the priority of its operation was drawn */
    uint32_t seen[RD_TID_MAX];  /* by thread: the call at which it was last a candidate */
    struct role role[RD_TID_MAX];
};

static_assert(sizeof(struct rff) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct rff *p = state;
    RD_CHECK(plan->ask_always && plan->a <= RD_RFF_CONSTRAINTS);
    memset(p, 0, sizeof *p);
    p->count = plan->a;
    p->patience = plan->b;
    p->seed = rd_mix(plan->seed);
    rd_rng_seed(&p->rng, plan->seed);
}

static void learn(struct rff *p, const struct rd_point *point) {
    for (uint32_t i = 0; i < p->count; i++) {
        const struct rd_weight *w = &point->weight[i * RD_RFF_WEIGHTS];
        p->constraint[i].w = (struct rd_rff_constraint){
            .read = w[0].steps, .write = w[1].steps, .positive = w[1].parent, .object = w[2].steps};
    }
}

static struct role role_of(const struct rff *p, const struct rd_op *op, const struct rd_event *e) {
    struct role r = {0, 0, 0};
    if (!p->count || !op->place)
        return r;
    unsigned flags = rd_op_flags(op->kind);
    uint32_t event = rd_rff_event(op->pc, op->place), object = rd_rff_object(op->place);
    bool reads = rd_rff_reads(e, flags), writes = rd_rff_writes(e, flags);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct rd_rff_constraint *w = &p->constraint[i].w;
        if (object != w->object)
            continue;
        if (reads && event == w->read)
            r.read |= (uint8_t)(1u << i);
        if (writes && event == w->write)
            r.write |= (uint8_t)(1u << i);
        else if (writes)
            r.other |= (uint8_t)(1u << i);
    }
    return r;
}

/* Writes which roles are looked for and which are avoided; `reached`: constraints whose read a thread is at. */
static void states(const struct rff *p, uint8_t reached, struct role *look, struct role *avoid) {
    *look = *avoid = (struct role){0, 0, 0};
    for (uint32_t i = 0; i < p->count; i++) {
        const struct constraint_state *w = &p->constraint[i];
        uint8_t bit = (uint8_t)(1u << i);
        bool last = w->last == w->w.write;
        if (w->over)
            continue;
        if (w->w.positive && last) {
            look->read |= bit;
            avoid->other |= bit;
        } else if (w->w.positive && reached & bit) {
            avoid->read |= bit;
            look->write |= bit;
        } else if (!w->w.positive && last && reached & bit) {
            avoid->read |= bit;
            look->other |= bit;
        } else if (!w->w.positive && !last) {
            avoid->write |= bit;
            look->read |= w->last ? bit : 0;
        }
    }
}

/* A read-modify-write that is the read of a constraint is not avoided because it also writes: it reads first. */
static uint8_t meets(const struct role *r, const struct role *which) {
    return (r->read & which->read) | (r->write & which->write) | (r->other & (uint8_t)~r->read & which->other);
}

static void happens(struct rff *p, const struct role *r, uint32_t event) {
    for (uint32_t i = 0; i < p->count; i++) {
        struct constraint_state *w = &p->constraint[i];
        uint8_t bit = (uint8_t)(1u << i);
        if (r->read & bit)
            w->over |= (w->last == w->w.write) == w->w.positive;
        if ((r->write | r->other) & bit) {
            w->last = event;
            w->over |= w->w.positive && !w->w.write; /* the initial value is overwritten */
        }
    }
}

/* Updates the roles and priorities of the candidates; returns the constraints whose read a thread is at. */
static uint8_t look_round(struct rff *p, const struct rd_point *point, uint32_t now) {
    uint8_t reached = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        struct rd_event e = rd_event_of_op(tid, point->cand[i].op, RD_TID_NONE);
        bool fresh = now == 1 || p->seen[tid] != now - 1;
        if (fresh || rd_event_dependent(&p->before, &e))
            p->drawn[tid] = now;
        if (fresh || tid == p->before.tid)
            p->role[tid] = role_of(p, point->cand[i].op, &e);
        p->seen[tid] = now;
        reached |= p->role[tid].read;
    }
    return reached;
}

static uint32_t pick(void *state, const struct rd_point *point) {
    struct rff *p = state;
    if (!point->cand)
        return rd_rng_below(&p->rng, point->count);
    uint32_t best = 0, now = ++p->asked;
    if (now == 1)
        learn(p, point);
    struct role look, avoid;
    states(p, look_round(p, point, now), &look, &avoid);
    uint64_t most = 0;
    unsigned top = 0;
    uint8_t held = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        uint8_t avoided = meets(&p->role[tid], &avoid);
        unsigned level = avoided ? 1 : meets(&p->role[tid], &look) ? 3 : 2;
        uint64_t priority = rd_hash2(rd_hash2(p->seed, tid), p->drawn[tid]);
        held |= avoided;
        if (level > top || (level == top && priority > most)) {
            best = i;
            top = level;
            most = priority;
        }
    }
    for (uint32_t i = 0; i < p->count; i++)
        if (held & 1u << i)
            p->constraint[i].over |= ++p->constraint[i].held > p->patience;
    const struct rd_cand *c = &point->cand[best];
    happens(p, &p->role[c->tid], rd_rff_event(c->op->pc, c->op->place));
    p->before = rd_event_of_op(c->tid, c->op, RD_TID_NONE);
    return best;
}

const struct rd_picker rd_pick_rff = {"rff", "by random priorities, bent to who shall read from whom", begin, pick,
                                      false};
