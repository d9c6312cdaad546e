/* var_groups.c - see var_groups.h. */
#include "search/rank/var_groups.h"

#include "base/sort.h"

static uint64_t key_of(const struct rd_profile *p, const struct rd_var *v) {
    if (v->global)
        return rd_hash2(1, p->globals[v->global - 1].first);
    if (v->block && p->blocks[v->block - 1].pc)
        return rd_hash2(2, p->blocks[v->block - 1].pc);
    return v->block ? rd_hash2(3, p->blocks[v->block - 1].stack) : rd_hash2(4, v->first);
}

static struct rd_piece piece_of(const struct rd_profile *p, const struct rd_var *v) {
    rd_place first = v->first;
    uint64_t size = v->size;
    if (v->global) {
        first = p->globals[v->global - 1].first;
        size = p->globals[v->global - 1].size;
    } else if (v->block) {
        first = p->blocks[v->block - 1].first;
        size = p->blocks[v->block - 1].size;
    }
    return (struct rd_piece){first, first + RD_MAX(size, (uint64_t)1) - 1, 0};
}

static bool comes_before(const struct rd_piece *a, const struct rd_piece *b) {
    return a->group != b->group ? a->group < b->group : a->first < b->first;
}

/* Merges pieces of one group that overlap. */
static void merge(struct rd_var_groups *g) {
    uint32_t kept = 0;
    rd_sort(g->pieces.at, g->pieces.count, a, b, comes_before(a, b));
    for (uint32_t i = 0; i < g->pieces.count; i++) {
        struct rd_piece *p = &g->pieces.at[i], *last = kept ? &g->pieces.at[kept - 1] : NULL;
        if (last && last->group == p->group && p->first <= last->last)
            last->last = RD_MAX(last->last, p->last);
        else
            g->pieces.at[kept++] = *p;
    }
    g->pieces.count = kept;
    for (uint32_t i = kept; i-- > 0;)
        g->list.at[g->pieces.at[i].group].pieces = i;
    for (uint32_t i = 0; i < g->list.count; i++)
        g->list.at[i].piece_count = 0;
    for (uint32_t i = 0; i < kept; i++)
        g->list.at[g->pieces.at[i].group].piece_count++;
}

static bool counts(const struct rd_var_groups *g, const struct rd_var *v) {
    return !(v->flags & RD_VAR_GONE) && (!g->shared || rd_var_contended(v));
}

static uint32_t number(struct rd_var_groups *g, uint64_t key) {
    uint64_t *at = rd_map_put(&g->index, g->arena, key);
    if (!*at) {
        rd_vec_push(g->arena, &g->list, (struct rd_group){.uses = 0});
        *at = g->list.count;
    }
    return (uint32_t)*at - 1;
}

/* If a variable is shared for the first time, only shared ones count from now on. */
static void narrow(struct rd_var_groups *g, const struct rd_profile *p) {
    for (uint32_t i = 0; i < p->var_count && !g->shared; i++)
        g->shared = rd_var_contended(&p->vars[i]);
    if (g->shared && g->list.count) {
        g->list.count = g->pieces.count = 0;
        g->index = (struct rd_map){.room = 0};
    }
}

bool rd_var_groups_learn(struct rd_var_groups *g, const struct rd_profile *p) {
    if (p->executions == 0)
        return false; /* no thread was created */
    bool was = g->shared;
    RD_ASSERT(g->index.count == g->list.count);
    if (!was)
        narrow(g, p);
    uint32_t before = g->list.count;
    bool changed = was != g->shared;
    g->pieces.count = 0;
    for (uint32_t i = 0; i < p->var_count; i++) {
        if (!counts(g, &p->vars[i]))
            continue;
        struct rd_piece piece = piece_of(p, &p->vars[i]);
        piece.group = number(g, key_of(p, &p->vars[i]));
        rd_vec_push(g->arena, &g->pieces, piece);
    }
    merge(g);
    uint64_t *sum = rd_arena_zero(g->arena, (g->list.count + 1) * sizeof *sum);
    for (uint32_t i = 0; i < p->var_count;
         i++) /* an access that both reads and writes counts as two, which is on the safe side */
        if (counts(g, &p->vars[i]))
            sum[number(g, key_of(p, &p->vars[i]))] += p->vars[i].reads + p->vars[i].writes;
    for (uint32_t i = 0; i < g->list.count; i++) {
        uint64_t mean = (sum[i] + p->executions - 1) / p->executions;
        uint32_t uses = (uint32_t)RD_MIN(mean, (uint64_t)UINT16_MAX);
        changed |= uses > g->list.at[i].uses;
        g->list.at[i].uses = RD_MAX(g->list.at[i].uses, uses);
    }
    return changed || g->list.count > before;
}

uint32_t rd_var_groups_track(const struct rd_var_groups *g, const uint32_t *chosen, uint32_t count,
                             struct rd_track *to, uint32_t room, bool *all) {
    uint32_t at[count + 1], n = 0;
    *all = true;
    for (uint32_t i = 0; i < count; i++)
        at[i] = 0;
    for (;;) {
        uint32_t least = count;
        const struct rd_piece *first = NULL;
        for (uint32_t i = 0; i < count; i++) {
            const struct rd_group *of = &g->list.at[chosen[i]];
            const struct rd_piece *p = at[i] < of->piece_count ? &g->pieces.at[of->pieces + at[i]] : NULL;
            if (p && (!first || p->first < first->first)) {
                first = p;
                least = i;
            }
        }
        if (!first)
            return n;
        at[least]++;
        rd_place from = n && to[n - 1].last >= first->first ? to[n - 1].last + 1 : first->first;
        if (from > first->last)
            continue; /* it is part of another piece */
        *all &= n < room;
        if (n == room)
            return n;
        RD_CHECK(n == 0 || to[n - 1].last < from);
        to[n++] = (struct rd_track){.first = from, .last = first->last, .var = least};
    }
}
