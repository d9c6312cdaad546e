/* part.c - see part.h. */
#include "search/team/part.h"

#include <string.h>

static size_t taken(const struct rd_arena *a) { return a->used - a->lent; }

static void open_state(struct rd_part *p, const struct rd_params *params) {
    size_t before = taken(p->arena);
    p->state = p->team.state = p->search->open(p->arena, params);
    p->bytes += taken(p->arena) - before;
}

void rd_part_open(struct rd_part *p, const struct rd_parts *all, uint32_t number, const char *strategy,
                  uint64_t memory_max) {
    struct rd_params params = *all->params;
    struct rd_error error;
    params.memory_max = memory_max;
    *p = (struct rd_part){.arena = all->arena, .search = rd_search_parse(strategy, &params, &error)};
    RD_CHECK(p->search);
    for (const char *c = strategy; *c; c++) /* the draws of two components must be independent */
        params.seed = rd_hash2(params.seed, (unsigned char)*c);
    if (!params.team) {
        open_state(p, &params);
        return;
    }
    p->team = rd_team_part(params.team, number, p->search);
    /* the component is opened when it is asked for an execution */
    p->params = rd_arena_alloc(p->arena, sizeof *p->params);
    *p->params = params;
}

/* Opens the component for a worker with a seat, or only to merge the tallies of others. */
static void enter(struct rd_part *p) {
    RD_CHECK(!p->state && p->params);
    p->params->team = rd_search_share(p->search) == RD_SHARE_NOT ? NULL : &p->team;
    open_state(p, p->params);
}

static enum rd_next ask(struct rd_part *p, struct rd_draft *d) {
    if (!p->team.hub)
        return p->search->next(p->state, d);
    if (!p->state && !p->foreign) {
        p->foreign = !rd_team_enter(&p->team);
        if (!p->foreign)
            enter(p);
    }
    if (p->foreign)
        return RD_NEXT_WAIT;
    bool alone = rd_search_share(p->search) == RD_SHARE_NOT;
    enum rd_next next = alone ? p->search->next(p->state, d) : rd_team_next(&p->team, d);
    if (next == RD_NEXT_RUN)
        rd_team_ran(&p->team);
    return next;
}

enum rd_next rd_part_next(struct rd_part *p, struct rd_draft *d) {
    size_t before = taken(p->arena);
    RD_CHECK(p->turn == RD_TURN_NEXT || p->turn == RD_TURN_FED);
    enum rd_next next = ask(p, d);
    p->done = next == RD_NEXT_DONE;
    p->turn = rd_search_turn_after(next);
    p->bytes += taken(p->arena) - before;
    p->runs += next == RD_NEXT_RUN;
    return next;
}

void rd_part_feedback(struct rd_part *p, const struct rd_plan *plan, const struct rd_record *r) {
    size_t before = taken(p->arena);
    RD_CHECK(p->turn == RD_TURN_PLANNED);
    p->search->feedback(p->state, plan, r);
    p->turn = RD_TURN_FED;
    p->bytes += taken(p->arena) - before;
}

void rd_part_diverged(struct rd_part *p) {
    if (p->turn == RD_TURN_PLANNED)
        p->turn = RD_TURN_FED;
}

struct rd_claim rd_part_claim(const struct rd_part *p) {
    struct rd_claim c = rd_claim_none();
    if (p->foreign_claim)
        c = *p->foreign_claim;
    else if (p->state)
        p->search->claim(p->state, &c);
    return c;
}

uint64_t rd_part_runs(const struct rd_part *p) { return p->team.hub ? rd_team_count(&p->team) : p->runs; }

bool rd_part_holds(const struct rd_part *p) { return p->team.hub && p->state && !p->done && rd_team_has(&p->team); }

static size_t tally(const struct rd_part *p, void *to, size_t room) {
    if (!p->state)
        return 0;
    if (rd_search_share(p->search) != RD_SHARE_NOT)
        return p->search->team->tally(p->state, to, room);
    struct rd_claim c = rd_part_claim(p);
    RD_CHECK(sizeof c <= room);
    memcpy(to, &c, sizeof c);
    return sizeof c;
}

static void merge(struct rd_part *p, const void *from, size_t size) {
    if (!size)
        return;
    if (rd_search_share(p->search) == RD_SHARE_NOT) {
        p->foreign_claim = p->foreign_claim ? p->foreign_claim : rd_arena_alloc(p->arena, sizeof *p->foreign_claim);
        RD_CHECK(size == sizeof *p->foreign_claim);
        memcpy(p->foreign_claim, from, size);
        return;
    }
    if (!p->state)
        enter(p);
    p->search->team->merge(p->state, from, size);
}

static size_t aligned(size_t size) { return (size + 7) & ~(size_t)7; }

size_t rd_parts_tally(struct rd_part *const *list, uint32_t count, void *to, size_t room) {
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t size, each = (room - used) / (count - i);
        char *at = (char *)to + used;
        size = tally(list[i], at + sizeof size, each - sizeof size);
        memcpy(at, &size, sizeof size);
        used += sizeof size + aligned(size);
    }
    return used;
}

void rd_parts_merge(struct rd_part *const *list, uint32_t count, const void *from, size_t all) {
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t size;
        RD_CHECK(used + sizeof size <= all);
        memcpy(&size, (const char *)from + used, sizeof size);
        if (list[i])
            merge(list[i], (const char *)from + used + sizeof size, size);
        used += sizeof size + aligned(size);
    }
}

uint32_t rd_turns_next(struct rd_turns *t, const uint32_t *share, uint32_t count) {
    uint32_t best = count;
    int64_t all = 0;
    RD_CHECK(count <= RD_TURNS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        t->credit[i] = share[i] ? t->credit[i] + share[i] : 0;
        all += share[i];
        if (share[i] && (best == count || t->credit[i] > t->credit[best]))
            best = i;
    }
    RD_CHECK(best < count);
    t->credit[best] -= all;
    return best;
}

void rd_turns_slice(uint32_t *share, uint32_t count, uint32_t worker, uint32_t workers) {
    uint64_t all = 0, at = 0;
    RD_CHECK(worker < workers);
    for (uint32_t i = 0; i < count; i++)
        all += share[i];
    uint64_t from = worker * all, to = from + all; /* in units of which each share has `workers` */
    for (uint32_t i = 0; i < count; i++) {
        uint64_t end = at + (uint64_t)share[i] * workers;
        share[i] = (uint32_t)(RD_MIN(end, to) > RD_MAX(at, from) ? RD_MIN(end, to) - RD_MAX(at, from) : 0);
        at = end;
    }
}
