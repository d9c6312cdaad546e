/*
 * rff.c - sampling that is guided by who reads from whom (Wolff, Shi, Duck, Mathur and Roychoudhury, "Greybox
 * fuzzing for concurrency testing", ASPLOS 2024). An abstract schedule is a set of constraints: this read shall see
 * that write, or shall not (pick/rff.c brings them about). The corpus begins with the empty one. Each execution is
 * one of the corpus with a change: a constraint more, one less, another one in its place, or its opposite.
 *
 * What an execution shows is which reads saw a write of another thread, or what was there at the start, by events
 * (pick/rff.h); the set of these pairs is its signature. An abstract schedule whose execution has a pair, or a
 * signature, that was never seen is kept. How many executions each of the corpus gets in a row is the cut-off
 * exponential schedule of the paper: none while its signature was seen more often than the mean of all, otherwise
 * the more the more often it had its turn, and the fewer the more often its signature was seen.
 *
 * Only objects that more than one thread has used, and one of them has written, have events: there is nothing to
 * choose for the others. Constraints are drawn from all events of such objects, so that pairs that were never seen
 * are asked for.
 *
 * What is kept is bounded: when there are more events, pairs or signatures than there is room for, later ones are
 * not new, and an abstract schedule takes the place of another. Several workers have different seeds, and each is
 * guided by its own executions.
 */
#include "search/rff.h"

#include "base/map.h"
#include "base/rng.h"
#include "search/bound.h"
#include "search/search.h"
#include "search/team/team.h"

enum {
    CORPUS = 512,
    EVENTS_MAX = 1 << 15,
    SEEN_MAX = 1 << 18,
    PAIRS_MAX = 1 << 16,
    KEY_BYTES = 1024,
    ENERGY_MAX = 16,
    PATIENCE = 1000, /* steps that a constraint may hold somebody back, and more in long executions */
};

struct event {
    uint32_t id;
    uint32_t object; /* its number */
    uint32_t next;   /* write of the same object, + 1 */
};

/* Who has used an object. */
struct object {
    uint32_t id;
    uint32_t writes, count; /* the last known write + 1, and how many there are */
    rd_tid first;
    bool shared, written;
};

struct abstract {
    struct rd_rff_wish wish[RD_RFF_WISHES];
    uint32_t count;
    uint32_t turns;     /* that it had */
    uint64_t signature; /* of its execution */
};

struct rff {
    struct rd_arena *arena;
    uint64_t seed, count;
    const struct rd_team *team;
    struct rd_rng rng;
    struct {
        RD_VEC(struct event);
    } reads, writes;
    struct {
        RD_VEC(struct object);
    } objects;
    struct rd_map known;  /* an event as read or write -> 1 */
    struct rd_map object; /* -> its number + 1 */
    struct rd_map pairs;  /* -> the last execution that showed it, + 1 */
    struct rd_map seen;   /* signature -> executions */
    uint64_t shown;       /* executions in all of `seen` */
    struct abstract corpus[CORPUS], now;
    uint32_t kept;
    uint32_t turn, energy;    /* whose turn it is, and how many executions that has yet */
    uint32_t longest;         /* execution, in steps */
    struct rd_rff_wish *list; /* pairs of the last execution */
    uint32_t list_max, seen_max;
};

static void *open_rff(struct rd_arena *a, const struct rd_params *params) {
    struct rff *s = rd_arena_zero(a, sizeof *s);
    s->arena = a;
    s->seed = params->seed;
    s->team = params->team;
    s->list_max = PAIRS_MAX;
    s->seen_max = SEEN_MAX;
    if (params->memory_max) { /* for each key that is known in four maps, its event, its object, and the list */
        s->list_max = (uint32_t)RD_MIN((uint64_t)PAIRS_MAX, params->memory_max / 8 / sizeof *s->list);
        s->seen_max = (uint32_t)RD_MIN((uint64_t)SEEN_MAX, params->memory_max / KEY_BYTES);
    }
    s->list = rd_arena_alloc(a, s->list_max * sizeof *s->list);
    rd_rng_seed(&s->rng, rd_mix(s->team ? rd_hash2(params->seed, s->team->me) : params->seed));
    return s;
}

/* ---- what an execution has shown ---- */

uint32_t rd_rff_pairs(struct rd_arena *a, const struct rd_record *r, struct rd_rff_wish *to, uint32_t room) {
    size_t before = a->used;
    struct rd_map last = {.room = 0}; /* place -> the last write, and its thread */
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
            to[n++] = (struct rd_rff_wish){.write = (uint32_t)*write,
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

/* The value of a key that is known, or for which there is room; NULL: none of both. */
static uint64_t *value_of(struct rff *s, struct rd_map *m, uint64_t key) {
    return m->count < s->seen_max ? rd_map_put(m, s->arena, key) : rd_map_get(m, key);
}

static bool is_new(struct rff *s, struct rd_map *m, uint64_t key) {
    uint64_t *at = value_of(s, m, key);
    return at && (*at)++ == 0;
}

static struct object *object_of(struct rff *s, uint32_t id) {
    const uint64_t *at = rd_map_get(&s->object, id);
    return at ? &s->objects.at[*at - 1] : NULL;
}

static void know_use(struct rff *s, uint32_t id, rd_tid tid, bool writes) {
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

static void know_read(struct rff *s, const struct rd_rff_wish *w, const struct object *o) {
    if (s->reads.count < EVENTS_MAX && is_new(s, &s->known, rd_hash2(1, w->read)))
        rd_vec_push(s->arena, &s->reads, (struct event){.id = w->read, .object = (uint32_t)(o - s->objects.at)});
}

static void know_write(struct rff *s, uint32_t id, struct object *o) {
    if (s->writes.count == EVENTS_MAX || !is_new(s, &s->known, rd_hash2(2, id)))
        return;
    rd_vec_push(s->arena, &s->writes,
                (struct event){.id = id, .object = (uint32_t)(o - s->objects.at), .next = o->writes});
    o->writes = s->writes.count;
    o->count++;
}

static bool has_events(const struct object *o) { return o && o->shared && o->written; }

/* Who uses what, in the first pass; which writes there are of what is shared, in the second. */
static void know_steps(struct rff *s, const struct rd_record *r, bool writes) {
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *p = &r->steps[i];
        if (rd_step_is_way(p) || !p->place)
            continue;
        struct rd_event e = rd_event_of_step(p);
        bool written = rd_rff_writes(&e, rd_op_flags(p->op));
        uint32_t id = rd_rff_object(p->place);
        struct object *o = writes && written ? object_of(s, id) : NULL;
        if (has_events(o))
            know_write(s, rd_rff_event(p->pc, p->place), o);
        else if (!writes)
            know_use(s, id, p->tid, written);
    }
}

/* The signature of the execution; *fresh: it, or one of its pairs, is new. */
static uint64_t signature(struct rff *s, uint32_t pairs, bool *fresh) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        const struct rd_rff_wish *w = &s->list[i];
        const struct object *o = object_of(s, w->object);
        if (!has_events(o))
            continue;
        know_read(s, w, o);
        if (w->own)
            continue;
        uint64_t pair = rd_hash2(w->write, w->read), *at = value_of(s, &s->pairs, pair);
        if (!at || *at == s->shown + 1)
            continue; /* counted in this execution */
        *fresh |= *at == 0;
        *at = s->shown + 1;
        sum += rd_mix(pair);
    }
    s->shown++;
    *fresh |= is_new(s, &s->seen, sum);
    return sum;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rff *s = state;
    bool fresh = false;
    (void)plan;
    if (r->out->verdict == RD_CUT)
        return;
    s->longest = RD_MAX(s->longest, r->out->steps);
    know_steps(s, r, false);
    know_steps(s, r, true);
    s->now.signature = signature(s, rd_rff_pairs(s->arena, r, s->list, s->list_max), &fresh);
    if (!fresh)
        return;
    uint32_t to = s->kept < CORPUS ? s->kept++ : rd_rng_below(&s->rng, CORPUS);
    s->now.turns = 0;
    s->corpus[to] = s->now;
}

/* ---- the next abstract schedule ---- */

/* How many executions this one gets now. */
static uint32_t energy_of(const struct rff *s, const struct abstract *a) {
    const uint64_t *at = rd_map_get(&s->seen, a->signature);
    uint64_t times = at ? *at : 1, most = 1ull << RD_MIN(a->turns, 10u);
    if (times * s->seen.count > s->shown)
        return 0;
    return (uint32_t)RD_MIN((most + times - 1) / times, (uint64_t)ENERGY_MAX);
}

static const struct abstract *choose(struct rff *s) {
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

/* A read, and any write to its object: what was there before as often as one of the others. */
static struct rd_rff_wish invent(struct rff *s) {
    const struct event *read = &s->reads.at[rd_rng_below(&s->rng, s->reads.count)];
    const struct object *o = &s->objects.at[read->object];
    struct rd_rff_wish w = {.read = read->id, .object = o->id, .positive = rd_rng_below(&s->rng, 2)};
    if (o->count && rd_rng_below(&s->rng, 2)) {
        uint32_t i = o->writes;
        for (uint32_t k = rd_rng_below(&s->rng, o->count); k; k--)
            i = s->writes.at[i - 1].next;
        w.write = s->writes.at[i - 1].id;
    }
    return w;
}

/* A constraint more, one less, another one, or its opposite. */
static void mutate(struct rff *s, struct abstract *a) {
    uint32_t how = a->count ? rd_rng_below(&s->rng, 4) : 0, at = a->count ? rd_rng_below(&s->rng, a->count) : 0;
    if (how == 0 && a->count < RD_RFF_WISHES)
        a->wish[a->count++] = invent(s);
    else if (how == 1)
        a->wish[at] = a->wish[--a->count];
    else if (how == 2)
        a->wish[at].positive = !a->wish[at].positive;
    else
        a->wish[at] = invent(s);
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct rff *s = state;
    uint64_t number = s->count++, ticket = s->team ? s->team->ticket : number;
    s->now.count = 0;
    if (s->kept && s->reads.count) {
        s->now = *choose(s);
        mutate(s, &s->now);
    }
    draft->plan = (struct rd_plan){.picker = RD_PICK_RFF, .seed = rd_hash2(s->seed, ticket), .ask_always = 1};
    draft->plan.a = s->now.count;
    draft->plan.b = RD_MAX((uint32_t)PATIENCE, RD_MIN(s->longest, UINT32_MAX / 2) * 2);
    for (uint32_t i = 0; i < s->now.count; i++) {
        const struct rd_rff_wish *w = &s->now.wish[i];
        struct rd_weight *to = &draft->weight[i * RD_RFF_WEIGHTS];
        to[0] = (struct rd_weight){.steps = w->read};
        to[1] = (struct rd_weight){.steps = w->write, .parent = w->positive};
        to[2] = (struct rd_weight){.steps = w->object};
    }
    return RD_NEXT_RUN;
}

/* Each execution depends on those before it: they are no sample of one distribution. */
static void claim(const void *state, struct rd_claim *c) {
    (void)state;
    *c = rd_claim_none();
    rd_text_copy(c->phase, sizeof c->phase, "sampling, guided by what reads have seen");
}

/* Nothing is claimed. */
static size_t tally(const void *state, void *to, size_t room) {
    (void)state;
    (void)to;
    (void)room;
    return 0;
}

static void merge(void *state, const void *from, size_t size) {
    (void)state;
    (void)from;
    (void)size;
}

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_TICKETS, .tally = tally, .merge = merge};

const struct rd_search rd_search_rff = {
    .name = "rff",
    .summary = "random priorities, guided by which writes were not yet seen by which reads",
    .keys = "",
    .guarantee = {.sentence = "schedules were sampled; nothing is proved"},
    .keeps_within = true,
    .focusable = true,
    .open = open_rff,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .team = &team_ops,
};
