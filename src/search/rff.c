/*
 * rff.c - sampling that is guided by who reads from whom (Wolff, Shi, Duck, Mathur and Roychoudhury, "Greybox
 * fuzzing for concurrency testing", ASPLOS 2024). An abstract schedule is a few wishes: this read shall see that
 * write, or shall not (pick/rff.c). Those whose execution showed a pair of write and read, or a combination of
 * pairs, that was new are kept. The next one is one of them with a change; of three that are drawn the one whose
 * combination was seen least often. Every fourth execution has no wishes.
 *
 * What is kept is bounded: when there are more events, pairs or combinations than there is room for, later ones are
 * not new, and an abstract schedule takes the place of another. Several workers have different seeds, and each is
 * guided by its own executions.
 */
#include "search/rff.h"

#include "base/map.h"
#include "base/rng.h"
#include "search/bound.h"
#include "search/search.h"
#include "search/team.h"

enum {
    CORPUS = 512,
    EVENTS_MAX = 1 << 15,
    SEEN_MAX = 1 << 18,
    PAIRS_MAX = 1 << 16,
    KEY_BYTES = 1024,
    WITHOUT = 4,
    DRAWN = 3
};

struct event {
    uint32_t id, object;
    uint32_t next; /* write of the same object, + 1 */
};

struct abstract {
    struct rd_rff_wish wish[RD_RFF_WISHES];
    uint32_t count;
    uint64_t combination; /* that its execution showed */
};

struct rff {
    struct rd_arena *arena;
    uint64_t seed, count;
    const struct rd_team *team;
    struct rd_rng rng;
    struct {
        RD_VEC(struct event);
    } reads, writes;
    struct rd_map known;  /* an event as read or write -> 1 */
    struct rd_map object; /* -> its last known write + 1 */
    struct rd_map pairs;  /* -> 1 */
    struct rd_map seen;   /* combination -> executions */
    struct abstract corpus[CORPUS], now;
    uint32_t kept;
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
    if (params->memory_max) { /* for each key that is known in three maps, its event, and the list */
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
    struct rd_map last = {.room = 0};
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
            to[n++] = (struct rd_rff_wish){
                .write = (uint32_t)*write, .read = event, .object = rd_rff_object(p->place), .positive = true};
        if (rd_rff_writes(&e, flags))
            *write = event;
    }
    a->used = before; /* only the pairs are kept */
    return n;
}

/* True when the key is new, and there is room to know it again. */
static bool is_new(struct rff *s, struct rd_map *m, uint64_t key) {
    if (m->count >= s->seen_max)
        return false;
    uint64_t *at = rd_map_put(m, s->arena, key);
    return (*at)++ == 0;
}

static void know_read(struct rff *s, const struct rd_rff_wish *w) {
    if (s->reads.count < EVENTS_MAX && is_new(s, &s->known, rd_hash2(1, w->read)))
        rd_vec_push(s->arena, &s->reads, (struct event){.id = w->read, .object = w->object});
}

static void know_write(struct rff *s, uint32_t id, uint32_t object) {
    if (s->writes.count == EVENTS_MAX || !is_new(s, &s->known, rd_hash2(2, id)))
        return;
    uint64_t *last = rd_map_put(&s->object, s->arena, object);
    rd_vec_push(s->arena, &s->writes, (struct event){.id = id, .object = object, .next = (uint32_t)*last});
    *last = s->writes.count;
}

static void know_writes(struct rff *s, const struct rd_record *r) {
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *p = &r->steps[i];
        if (rd_step_is_way(p) || !p->place)
            continue;
        struct rd_event e = rd_event_of_step(p);
        if (rd_rff_writes(&e, rd_op_flags(p->op)))
            know_write(s, rd_rff_event(p->pc, p->place), rd_rff_object(p->place));
    }
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rff *s = state;
    (void)plan;
    if (r->out->verdict == RD_CUT)
        return;
    uint32_t n = rd_rff_pairs(s->arena, r, s->list, s->list_max);
    uint64_t combination = 0;
    bool fresh = false;
    know_writes(s, r);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t pair = rd_hash2(s->list[i].write, s->list[i].read);
        know_read(s, &s->list[i]);
        fresh |= is_new(s, &s->pairs, pair);
        combination += rd_mix(pair);
    }
    fresh |= is_new(s, &s->seen, combination);
    if (!fresh)
        return;
    s->now.combination = combination;
    uint32_t to = s->kept < CORPUS ? s->kept++ : rd_rng_below(&s->rng, CORPUS);
    s->corpus[to] = s->now;
}

/* ---- the next abstract schedule ---- */

static uint64_t times(const struct rff *s, const struct abstract *a) {
    const uint64_t *at = rd_map_get(&s->seen, a->combination);
    return at ? *at : 0;
}

static const struct abstract *choose(struct rff *s) {
    const struct abstract *best = NULL;
    for (uint32_t i = 0; i < DRAWN; i++) {
        const struct abstract *a = &s->corpus[rd_rng_below(&s->rng, s->kept)];
        if (!best || times(s, a) < times(s, best))
            best = a;
    }
    return best;
}

/* A read, and any write to its object: what was there before as often as one of the others. */
static struct rd_rff_wish invent(struct rff *s) {
    const struct event *read = &s->reads.at[rd_rng_below(&s->rng, s->reads.count)];
    struct rd_rff_wish w = {.read = read->id, .object = read->object};
    const uint64_t *first = rd_map_get(&s->object, read->object);
    uint32_t count = 0;
    for (uint32_t i = first ? (uint32_t)*first : 0; i; i = s->writes.at[i - 1].next)
        count++;
    if (count && rd_rng_below(&s->rng, 2)) {
        uint32_t i = (uint32_t)*first;
        for (uint32_t k = rd_rng_below(&s->rng, count); k; k--)
            i = s->writes.at[i - 1].next;
        w.write = s->writes.at[i - 1].id;
    }
    w.positive = rd_rng_below(&s->rng, 4) > 0;
    return w;
}

/* A wish more, one less, another one, or its opposite. */
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
    if (number % WITHOUT && s->reads.count) {
        if (s->kept)
            s->now = *choose(s);
        mutate(s, &s->now);
    }
    draft->plan = (struct rd_plan){.picker = RD_PICK_RFF, .seed = rd_hash2(s->seed, ticket), .ask_always = 1};
    draft->plan.a = s->now.count;
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
    *c = rd_claim_nothing();
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

const struct rd_search rd_search_rff = {
    .name = "rff",
    .summary = "random priorities, guided by which writes were not yet seen by which reads",
    .keys = "",
    .exhaustive = false,
    .frugal = true,
    .focus = true,
    .open = open_rff,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .guarantee = "schedules were sampled; nothing is proved",
    .share = RD_SHARE_TICKETS,
    .tally = tally,
    .merge = merge,
};
