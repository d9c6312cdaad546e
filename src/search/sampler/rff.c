/*
 * rff.c - sampling that is guided by which write each read sees: reads-from fuzzing (Wolff, Shi, Duck, Mathur and
 * Roychoudhury, "Greybox fuzzing for concurrency testing", ASPLOS 2024). An abstract schedule is a set of
 * constraints, each of which demands that a read sees a certain write, or that it does not (pick/rff.c enforces
 * them). The corpus begins with the empty abstract schedule. Each execution mutates one of the corpus: adds,
 * removes, replaces or negates a constraint.
 *
 * An execution shows which reads saw a write of another thread, or the initial value, by abstract events
 * (pick/rff.h); the set of these pairs is its signature. An abstract schedule whose execution has a new pair or a
 * new signature is added to the corpus. Each abstract schedule of the corpus has its turns, and the cut-off
 * exponential power schedule of the paper says how many executions a turn has: none while the signature was seen
 * more often than the mean of all signatures; otherwise the number grows with the turns so far, and shrinks with
 * the number of times that the signature was seen.
 *
 * Only objects that several threads use and at least one thread writes have events: with any other object each
 * read sees the same write in every schedule. Constraints are drawn from all events of such objects, so that pairs
 * that no execution has shown are tried, too.
 *
 * Memory is bounded: beyond the limits, further events, pairs and signatures count as known, and an abstract
 * schedule replaces another one. In a team each worker has a seed of its own, and is guided by its own executions.
 */
#include "search/sampler/rff.h"

#include "base/map.h"
#include "base/rng.h"
#include "search/sampler/sampler.h"
#include "search/team/team.h"

enum {
    CORPUS = 512,
    EVENTS_MAX = 1 << 15,
    SEEN_MAX = 1 << 18,
    PAIRS_MAX = 1 << 16,
    KEY_BYTES = 1024,
    ENERGY_MAX = 16,
    PATIENCE = 1000, /* steps for which a constraint may hold a thread back; more in long executions */
};

struct event {
    uint32_t id;
    uint32_t object; /* index of its object */
    uint32_t next;   /* the next write of the same object, + 1 */
};

/* Which threads have used an object. */
struct object {
    uint32_t id;
    uint32_t writes, count; /* `writes`: the write found last, + 1; `count`: writes */
    rd_tid first;
    bool shared, written;
};

struct abstract {
    struct rd_rff_constraint constraint[RD_RFF_CONSTRAINTS];
    uint32_t count;
    uint32_t turns;     /* its turns so far */
    uint64_t signature; /* of its execution */
};

static_assert(RD_RFF_CONSTRAINTS * RD_RFF_WEIGHTS <= RD_TID_MAX,
              "the weights of a plan have room for the constraints");

struct rff_search {
    struct rd_sampler base; /* its statistics stay empty: each execution depends on earlier ones */
    struct rd_arena *arena;
    struct rd_rng rng;
    struct {
        RD_VEC(struct event);
    } reads, writes;
    struct {
        RD_VEC(struct object);
    } objects;
    struct rd_map known;  /* an event, as read or write -> 1 */
    struct rd_map object; /* id -> index + 1 */
    struct rd_map pairs;  /* pair -> the number of the last execution that showed it, + 1 */
    struct rd_map seen;   /* signature -> executions */
    uint64_t shown;       /* sum of all executions in `seen` */
    struct abstract corpus[CORPUS], now;
    uint32_t kept;
    uint32_t turn, energy;          /* index in the corpus, and executions left in its turn */
    uint32_t longest;               /* steps of the longest execution */
    struct rd_rff_constraint *list; /* pairs of the last execution */
    uint32_t list_max, seen_max;
};

static void *open_rff(struct rd_arena *a, const struct rd_params *params) {
    struct rff_search *s = rd_arena_zero(a, sizeof *s);
    s->arena = a;
    rd_sampler_open(&s->base, a, params, params->memory_max);
    s->list_max = PAIRS_MAX;
    s->seen_max = SEEN_MAX;
    if (params->memory_max) { /* each key is in four maps, in an event, in an object, and in the list */
        s->list_max = (uint32_t)RD_MIN((uint64_t)PAIRS_MAX, params->memory_max / 8 / sizeof *s->list);
        s->seen_max = (uint32_t)RD_MIN((uint64_t)SEEN_MAX, params->memory_max / KEY_BYTES);
    }
    s->list = rd_arena_alloc(a, s->list_max * sizeof *s->list);
    rd_rng_seed(&s->rng, rd_mix(params->team ? rd_hash2(params->seed, params->team->me) : params->seed));
    return s;
}

/* ---- the signature of an execution ---- */

uint32_t rd_rff_pairs(struct rd_arena *a, const struct rd_record *r, struct rd_rff_constraint *to, uint32_t room) {
    size_t before = a->used;
    struct rd_map last = {.room = 0}; /* place -> the last write, and its thread << 32 */
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->out->steps && n < room; i++) {
        const struct rd_step *p = &r->steps[i];
        if (rd_step_is_way(p) || !p->place)
            continue;
        struct rd_event e = rd_event_of_step(p);
        unsigned flags = rd_op_flags(p->op);
        uint32_t event = rd_rff_event(p->pc, p->place);
        uint64_t *write = rd_map_put(&last, a, p->place);
        if (rd_rff_reads(&e, flags))
            to[n++] = (struct rd_rff_constraint){.write = (uint32_t)*write,
                                                 .read = event,
                                                 .object = rd_rff_object(p->place),
                                                 .positive = true,
                                                 .own = *write && *write >> 32 == p->tid};
        if (rd_rff_writes(&e, flags))
            *write = (uint64_t)p->tid << 32 | event;
    }
    a->used = before; /* only the pairs are kept */
    return n;
}

/* Returns the value of a key that is known or that there is room for; NULL: neither. */
static uint64_t *value_of(struct rff_search *s, struct rd_map *m, uint64_t key) {
    return m->count < s->seen_max ? rd_map_put(m, s->arena, key) : rd_map_get(m, key);
}

static bool is_new(struct rff_search *s, struct rd_map *m, uint64_t key) {
    uint64_t *at = value_of(s, m, key);
    return at && (*at)++ == 0;
}

static struct object *object_of(struct rff_search *s, uint32_t id) {
    const uint64_t *at = rd_map_get(&s->object, id);
    return at ? &s->objects.at[*at - 1] : NULL;
}

static void learn_use(struct rff_search *s, uint32_t id, rd_tid tid, bool writes) {
    uint64_t *at = value_of(s, &s->object, id);
    if (!at)
        return;
    if (!*at) {
        rd_vec_push(s->arena, &s->objects, (struct object){.id = id, .first = tid});
        *at = s->objects.count;
    }
    struct object *o = &s->objects.at[*at - 1];
    o->shared |= o->first != tid;
    o->written |= writes;
}

static void learn_read(struct rff_search *s, const struct rd_rff_constraint *w, const struct object *o) {
    if (s->reads.count < EVENTS_MAX && is_new(s, &s->known, rd_hash2(1, w->read)))
        rd_vec_push(s->arena, &s->reads, (struct event){.id = w->read, .object = (uint32_t)(o - s->objects.at)});
}

static void learn_write(struct rff_search *s, uint32_t id, struct object *o) {
    if (s->writes.count == EVENTS_MAX || !is_new(s, &s->known, rd_hash2(2, id)))
        return;
    rd_vec_push(s->arena, &s->writes,
                (struct event){.id = id, .object = (uint32_t)(o - s->objects.at), .next = o->writes});
    o->writes = s->writes.count;
    o->count++;
}

static bool has_events(const struct object *o) { return o && o->shared && o->written; }

/* Learns which threads use which objects (first pass), then the writes of shared objects (second pass). */
static void learn_steps(struct rff_search *s, const struct rd_record *r, bool writes) {
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *p = &r->steps[i];
        if (rd_step_is_way(p) || !p->place)
            continue;
        struct rd_event e = rd_event_of_step(p);
        bool written = rd_rff_writes(&e, rd_op_flags(p->op));
        uint32_t id = rd_rff_object(p->place);
        struct object *o = writes && written ? object_of(s, id) : NULL;
        if (has_events(o))
            learn_write(s, rd_rff_event(p->pc, p->place), o);
        else if (!writes)
            learn_use(s, id, p->tid, written);
    }
}

/* Returns the signature of the execution; sets *fresh if the signature or one of its pairs is new. */
static uint64_t signature(struct rff_search *s, uint32_t pairs, bool *fresh) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        const struct rd_rff_constraint *w = &s->list[i];
        const struct object *o = object_of(s, w->object);
        if (!has_events(o))
            continue;
        learn_read(s, w, o);
        if (w->own)
            continue;
        uint64_t pair = rd_hash2(w->write, w->read), *at = value_of(s, &s->pairs, pair);
        if (!at || *at == s->shown + 1)
            continue; /* the pair was counted in this execution */
        *fresh |= *at == 0;
        *at = s->shown + 1;
        sum += rd_mix(pair);
    }
    s->shown++;
    *fresh |= is_new(s, &s->seen, sum);
    return sum;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rff_search *s = state;
    bool fresh = false;
    (void)plan;
    if (r->out->verdict == RD_CUT)
        return;
    s->longest = RD_MAX(s->longest, r->out->steps);
    learn_steps(s, r, false);
    learn_steps(s, r, true);
    s->now.signature = signature(s, rd_rff_pairs(s->arena, r, s->list, s->list_max), &fresh);
    if (!fresh)
        return;
    uint32_t to = s->kept < CORPUS ? s->kept++ : rd_rng_below(&s->rng, CORPUS);
    s->now.turns = 0;
    s->corpus[to] = s->now;
}

/* ---- the next abstract schedule ---- */

/* Returns how many executions the abstract schedule gets now. */
static uint32_t energy_of(const struct rff_search *s, const struct abstract *a) {
    const uint64_t *at = rd_map_get(&s->seen, a->signature);
    uint64_t times = at ? *at : 1, most = 1ull << RD_MIN(a->turns, 10u);
    if (times * s->seen.count > s->shown)
        return 0;
    return (uint32_t)RD_MIN((most + times - 1) / times, (uint64_t)ENERGY_MAX);
}

static const struct abstract *choose(struct rff_search *s) {
    RD_CHECK(s->kept > 0 && s->kept <= CORPUS);
    for (uint32_t i = 0; i < s->kept && !s->energy; i++) {
        s->turn = (s->turn + 1) % s->kept;
        s->energy = energy_of(s, &s->corpus[s->turn]);
        s->corpus[s->turn].turns += s->energy > 0;
    }
    if (s->energy)
        s->energy--;
    else
        s->turn = rd_rng_below(&s->rng, s->kept);
    return &s->corpus[s->turn];
}

/* Draws a read and a write of its object; the initial value is as likely as all writes together. */
static struct rd_rff_constraint invent(struct rff_search *s) {
    const struct event *read = &s->reads.at[rd_rng_below(&s->rng, s->reads.count)];
    const struct object *o = &s->objects.at[read->object];
    struct rd_rff_constraint w = {.read = read->id, .object = o->id, .positive = rd_rng_below(&s->rng, 2)};
    if (o->count && rd_rng_below(&s->rng, 2)) {
        uint32_t i = o->writes;
        for (uint32_t k = rd_rng_below(&s->rng, o->count); k; k--)
            i = s->writes.at[i - 1].next;
        RD_CHECK(i > 0 && i <= s->writes.count);
        w.write = s->writes.at[i - 1].id;
    }
    return w;
}

/* Adds, removes, replaces or negates a constraint. */
static void mutate(struct rff_search *s, struct abstract *a) {
    uint32_t how = a->count ? rd_rng_below(&s->rng, 4) : 0, at = a->count ? rd_rng_below(&s->rng, a->count) : 0;
    if (how == 0 && a->count < RD_RFF_CONSTRAINTS)
        a->constraint[a->count++] = invent(s);
    else if (how == 1)
        a->constraint[at] = a->constraint[--a->count];
    else if (how == 2)
        a->constraint[at].positive = !a->constraint[at].positive;
    else
        a->constraint[at] = invent(s);
    RD_CHECK(a->count <= RD_RFF_CONSTRAINTS);
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct rff_search *s = state;
    s->now.count = 0;
    if (s->kept && s->reads.count) {
        s->now = *choose(s);
        mutate(s, &s->now);
    }
    rd_sampler_plan(&s->base, draft, RD_PICK_RFF);
    draft->plan.ask_always = 1;
    draft->plan.a = s->now.count;
    draft->plan.b = RD_MAX((uint32_t)PATIENCE, RD_MIN(s->longest, UINT32_MAX / 2) * 2);
    for (uint32_t i = 0; i < s->now.count; i++) {
        const struct rd_rff_constraint *w = &s->now.constraint[i];
        struct rd_weight *to = &draft->weight[i * RD_RFF_WEIGHTS];
        to[0] = (struct rd_weight){.steps = w->read};
        to[1] = (struct rd_weight){.steps = w->write, .parent = w->positive};
        to[2] = (struct rd_weight){.steps = w->object};
    }
    return RD_NEXT_RUN;
}

/* Claims no probability: each execution depends on earlier ones, so they are no sample of one distribution. */
static void claim(const void *state, struct rd_claim *c) {
    (void)state;
    *c = rd_claim_none();
    rd_text_copy(c->phase, sizeof c->phase, "sampling, guided by what reads have seen");
}

const struct rd_search rd_search_rff = {
    .name = "rff",
    .summary = "random priorities, guided by which writes were not yet seen by which reads",
    .keys = "",
    .guarantee = {.sentence = RD_SAMPLES_ONLY},
    .keeps_within = true,
    .focusable = true,
    .open = open_rff,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .team = &rd_sampler_team_ops,
};
