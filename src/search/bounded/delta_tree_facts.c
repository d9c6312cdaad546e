/*
 * delta_tree_facts.c - what a reduction knows of the nodes of a delta tree besides: which alternatives it has
 * created at a step, those that were executed and deleted included, and which threads sleep where a node differs
 * from its parent. Each node has a list in the order of the steps, the facts of one step in the order in which they
 * were added. The sleeping threads come first: a node's own step is before all steps of its alternatives.
 */
#include "search/bounded/delta_tree.h"

static struct rd_delta_tree_fact *fact(const struct rd_delta_tree *t, uint32_t n) {
    RD_ASSERT(n > 0 && n <= t->facts.count);
    return &t->facts.at[n - 1];
}

static uint32_t *first_of(struct rd_delta_tree *t, uint32_t node) {
    while (t->facts_of.count < node)
        rd_vec_push(t->arena, &t->facts_of, 0);
    return &t->facts_of.at[node - 1];
}

static uint32_t first_fact(const struct rd_delta_tree *t, uint32_t node) {
    return node <= t->facts_of.count ? t->facts_of.at[node - 1] : 0;
}

/* Adds a fact behind the fact `before`, or as the first one. Returns its number. */
static uint32_t insert(struct rd_delta_tree *t, uint32_t node, uint32_t before, struct rd_delta_tree_fact f) {
    uint32_t n = t->free_fact;
    if (n) {
        t->free_fact = fact(t, n)->next;
    } else {
        rd_vec_push(t->arena, &t->facts, f);
        n = t->facts.count;
    }
    t->facts_alive++;
    uint32_t *link = before ? &fact(t, before)->next : first_of(t, node);
    f.next = *link;
    *link = n;
    *fact(t, n) = f;
    return n;
}

static bool is_before(const struct rd_delta_tree_fact *f, uint32_t step) { return f->asleep || f->step < step; }

uint32_t rd_delta_tree_facts_at(const struct rd_delta_tree *t, struct rd_delta_tree_cursor *c, uint32_t step) {
    uint32_t next = c->before ? fact(t, c->before)->next : first_fact(t, c->node);
    RD_ASSERT(!c->before || is_before(fact(t, c->before), step));
    for (; next && is_before(fact(t, next), step); next = fact(t, next)->next)
        c->before = next;
    return next && fact(t, next)->step == step ? next : 0;
}

uint32_t rd_delta_tree_next_fact(const struct rd_delta_tree *t, uint32_t n) {
    uint32_t next = fact(t, n)->next;
    return next && fact(t, next)->step == fact(t, n)->step ? next : 0;
}

void rd_delta_tree_note(struct rd_delta_tree *t, struct rd_delta_tree_cursor *c, uint32_t step, rd_tid tid) {
    uint32_t n = rd_delta_tree_facts_at(t, c, step), last = c->before;
    for (; n; n = rd_delta_tree_next_fact(t, n))
        last = n;
    insert(t, c->node, last, (struct rd_delta_tree_fact){.step = step, .tid = tid});
}

void rd_delta_tree_put_to_sleep(struct rd_delta_tree *t, uint32_t node, const struct rd_tid_set *sleep) {
    RD_CHECK(!first_fact(t, node));
    uint32_t last = 0;
    for (uint32_t tid = rd_tid_set_next(sleep, 0); tid < RD_BITS_MAX; tid = rd_tid_set_next(sleep, tid + 1))
        last = insert(t, node, last, (struct rd_delta_tree_fact){.tid = (rd_tid)tid, .asleep = true});
}

void rd_delta_tree_sleepers(const struct rd_delta_tree *t, uint32_t node, struct rd_tid_set *sleep) {
    sleep->words = 0;
    for (uint32_t n = first_fact(t, node); n && fact(t, n)->asleep; n = fact(t, n)->next)
        rd_tid_set_add(sleep, fact(t, n)->tid);
}

void rd_delta_tree_forget_facts(struct rd_delta_tree *t, uint32_t node) {
    if (node > t->facts_of.count)
        return;
    for (uint32_t n = t->facts_of.at[node - 1], next; n; n = next) {
        next = fact(t, n)->next;
        fact(t, n)->next = t->free_fact;
        t->free_fact = n;
        RD_CHECK(t->facts_alive > 0);
        t->facts_alive--;
    }
    t->facts_of.at[node - 1] = 0;
}
