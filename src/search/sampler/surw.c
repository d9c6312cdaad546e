/*
 * surw.c - selectively uniform random walk: each execution draws one variable, in proportion to how often it is
 * used, and makes the orders of the operations on it equally likely (pick/surw.c). A variable is a place of
 * recorded operations (memory, a mutex, a condition …) that several threads use and at least one thread changes.
 * How often each thread uses each variable is the mean of the executions so far that passed, computed after the
 * 1st, 2nd, 4th … of them, as for urw. In a team each worker learns for itself.
 */
#include "base/map.h"
#include "base/rng.h"
#include "search/sampler/sampler.h"

enum { VARS_MAX = 1 << 16, USES = 4, VAR_BYTES = 1024 }; /* VARS_MAX: later variables are not drawn */

/* How one thread uses one variable. */
struct use {
    uint64_t sum;  /* over all executions that count */
    uint32_t mean; /* the mean per execution, which is the weight */
    uint32_t next; /* the next use of the same variable, + 1 */
    rd_tid tid;
};

struct variable {
    rd_place first;
    uint32_t size;
    uint32_t uses;   /* its first use, + 1 */
    uint64_t before; /* sum of the means of all variables before it */
    uint32_t mean;   /* sum of the means of its uses; 0: the variable is not drawn */
    bool written, shared;
};

struct surw_search {
    struct rd_sampler base;
    struct rd_arena *arena;
    uint64_t learned;            /* executions in the sums */
    struct rd_map index, use_of; /* index: place -> variable + 1; use_of: variable and thread -> use + 1 */
    struct {
        RD_VEC(struct variable);
    } vars;
    struct {
        RD_VEC(struct use);
    } uses;
    uint64_t total;              /* sum of the means of all variables */
    uint32_t weighed;            /* the first so many variables have means; later ones are newer than the means */
    uint32_t vars_max, uses_max; /* half of the search's memory is for variables, half for statistics */
    rd_tid parent[RD_TID_MAX];
    uint32_t known;
};

/*
 * The hash does not depend on the indices of variables, which follow from the order in which this worker met the
 * variables.
 */
static uint64_t distribution(const void *state) {
    const struct surw_search *s = state;
    uint64_t h = 0;
    for (uint32_t i = 0; i < s->vars.count; i++) {
        const struct variable *v = &s->vars.at[i];
        uint64_t uses = 0;
        for (uint32_t k = v->uses; k; k = s->uses.at[k - 1].next)
            uses += rd_hash2(s->uses.at[k - 1].tid, s->uses.at[k - 1].mean);
        h += v->mean ? rd_hash2(rd_hash2(v->first, v->size), uses) : 0;
    }
    for (uint32_t t = 0; t < s->known; t++)
        h = rd_hash2(h, s->parent[t]);
    return h;
}

static void *open_surw(struct rd_arena *a, const struct rd_params *params) {
    struct surw_search *s = rd_arena_zero(a, sizeof *s);
    s->arena = a;
    s->vars_max = VARS_MAX;
    s->uses_max = UINT32_MAX;
    if (params->memory_max) {
        s->vars_max = (uint32_t)RD_MIN((uint64_t)VARS_MAX, params->memory_max / 2 / VAR_BYTES);
        s->uses_max = USES * s->vars_max;
    }
    rd_sampler_open(&s->base, a, params, params->memory_max / 2);
    s->base.distribution = distribution;
    return s;
}

/* Returns the variable whose part of [0, total) contains `at`. Variables that are newer than the means have none.
 */
static const struct variable *draw(const struct surw_search *s, uint64_t at) {
    RD_CHECK(at < s->total && s->weighed > 0 && s->weighed <= s->vars.count);
    uint32_t low = 0, high = s->weighed;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (s->vars.at[middle].before <= at)
            low = middle;
        else
            high = middle;
    }
    RD_CHECK(s->vars.at[low].mean > 0);
    return &s->vars.at[low];
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct surw_search *s = state;
    rd_sampler_plan(&s->base, draft, RD_PICK_SURW);
    draft->plan.ask_always = 1;
    if (s->total == 0)
        return RD_NEXT_RUN;
    struct rd_rng rng;
    rd_rng_seed(&rng, rd_mix(draft->plan.seed));
    const struct variable *v = draw(s, rd_rng_next(&rng) % s->total);
    draft->track[0] = (struct rd_track){.first = v->first, .last = v->first + RD_MAX(v->size, 1u) - 1};
    draft->plan.track_count = 1;
    draft->plan.a = s->known;
    for (uint32_t t = 0; t < s->known; t++)
        draft->weight[t] = (struct rd_weight){.parent = s->parent[t]};
    for (uint32_t i = v->uses; i; i = s->uses.at[i - 1].next)
        draft->weight[s->uses.at[i - 1].tid].steps = s->uses.at[i - 1].mean;
    return RD_NEXT_RUN;
}

/* Returns the use of the variable (from 1) by the thread, + 1; 0: it was not seen. */
static uint32_t find_use(const struct surw_search *s, uint32_t variable, rd_tid tid) {
    const uint64_t *at = rd_map_get(&s->use_of, (uint64_t)variable << 16 | tid);
    return at ? (uint32_t)*at : 0;
}

static void use(struct surw_search *s, rd_place place, uint32_t size, rd_tid tid, bool writes) {
    bool full = s->vars.count >= s->vars_max;
    uint64_t *at = full ? rd_map_get(&s->index, place) : place ? rd_map_put(&s->index, s->arena, place) : NULL;
    if (!at)
        return;
    if (!*at) {
        rd_vec_push(s->arena, &s->vars, (struct variable){.first = place});
        *at = s->vars.count;
    }
    struct variable *v = &s->vars.at[*at - 1];
    v->size = RD_MAX(v->size, size);
    v->written |= writes;
    uint32_t i = v->uses;
    if (i && s->uses.at[i - 1].tid != tid)
        i = find_use(s, (uint32_t)*at, tid);
    RD_ASSERT(!i || s->uses.at[i - 1].tid == tid);
    if (!i) {
        v->shared |= v->uses != 0;
        if (s->uses.count >= s->uses_max)
            return;
        rd_vec_push(s->arena, &s->uses, (struct use){.tid = tid, .next = v->uses});
        i = v->uses = s->uses.count;
        *rd_map_put(&s->use_of, s->arena, *at << 16 | tid) = i;
    }
    s->uses.at[i - 1].sum++;
}

static void use_all(struct surw_search *s, const struct rd_record *r) {
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *p = &r->steps[i];
        unsigned flags = rd_op_flags(p->op);
        if (flags & RD_F_VALUE)
            continue;
        use(s, p->place, p->size, p->tid, !(flags & RD_F_READS) || flags & (RD_F_WRITES | RD_F_OBJECT));
        if (p->flags & RD_STEP_VALUE2 && p->value != p->place)
            use(s, p->value, 0, p->tid, true);
    }
}

/* Computes the means and returns whether any changed. If no variable is shared, all of them can be drawn. */
static bool weigh(struct surw_search *s) {
    RD_CHECK(s->learned > 0);
    bool changed = false, any = false;
    s->total = 0;
    s->weighed = s->vars.count;
    for (uint32_t i = 0; i < s->vars.count && !any; i++)
        any = s->vars.at[i].shared && s->vars.at[i].written;
    for (uint32_t i = 0; i < s->vars.count; i++) {
        struct variable *v = &s->vars.at[i];
        uint32_t mean = 0;
        for (uint32_t k = v->uses; k; k = s->uses.at[k - 1].next) {
            struct use *u = &s->uses.at[k - 1];
            uint64_t now = RD_MIN((u->sum + s->learned / 2) / s->learned, (uint64_t)UINT16_MAX);
            changed |= u->mean != now;
            u->mean = (uint32_t)now;
            mean += u->mean;
        }
        mean = any && !(v->shared && v->written) ? 0 : mean;
        changed |= v->mean != mean;
        v->mean = mean;
        v->before = s->total;
        s->total += mean;
    }
    return changed;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct surw_search *s = state;
    (void)plan;
    rd_sampled_add(&s->base.sampled, r);
    if (r->out->verdict != RD_PASSED)
        return;
    use_all(s, r);
    s->learned++;
    uint32_t threads = RD_MIN(r->out->threads, (uint32_t)RD_TID_MAX);
    for (uint32_t t = 0; t < threads; t++)
        s->parent[t] = t ? r->threads[t].parent : RD_TID_NONE;
    if (s->learned & (s->learned - 1))
        return;
    bool more = threads > s->known;
    s->known = RD_MAX(s->known, threads);
    if (weigh(s) || more)
        rd_sampled_anew(&s->base.sampled);
}

const struct rd_search rd_search_surw = {
    .name = "surw",
    .summary = "one variable an execution, by how often it is used: the orders of what is done to it are about "
               "equally likely",
    .keys = "",
    .guarantee = {.sentence = RD_SAMPLES_ONLY},
    .keeps_within = true,
    .focusable = true,
    .open = open_surw,
    .next = next,
    .feedback = feedback,
    .claim = rd_sampler_claim,
    .team = &rd_sampler_team_ops,
};
