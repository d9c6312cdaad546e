/* delta_tree.c - see delta_tree.h. Nodes are numbers from 1 on, in blocks that never move. */
#include "search/bounded/delta_tree.h"

#include "base/text.h"

enum { BLOCK = 4096, COST_MAX = UINT16_MAX };

void rd_delta_tree_open(struct rd_delta_tree *t, struct rd_arena *a, const struct rd_params *params) {
    *t = (struct rd_delta_tree){.arena = a};
    if (params->memory_max)
        t->bytes_max_allowed = RD_MAX(params->memory_max, sizeof(struct rd_delta_tree_node));
}

struct rd_delta_tree_node *rd_delta_tree_node(const struct rd_delta_tree *t, uint32_t n) {
    RD_CHECK(n > 0 && n <= t->used);
    return &t->blocks.at[(n - 1) / BLOCK].node[(n - 1) % BLOCK];
}

static uint32_t new_node(struct rd_delta_tree *t) {
    uint32_t n = t->free;
    if (n) {
        t->free = rd_delta_tree_node(t, n)->left;
    } else {
        if (t->used == t->blocks.count * BLOCK)
            rd_vec_push(
                t->arena, &t->blocks,
                (struct rd_delta_tree_block){rd_arena_alloc(t->arena, BLOCK * sizeof(struct rd_delta_tree_node))});
        n = ++t->used;
        RD_CHECK(n != 0);
    }
    t->created++;
    t->alive++;
    RD_CHECK(t->alive <= t->used);
    t->alive_max = RD_MAX(t->alive_max, t->alive);
    return n;
}

/* Deletes the node, then each node above it that has no other child. */
static void delete_up(struct rd_delta_tree *t, uint32_t n) {
    while (n) {
        struct rd_delta_tree_node *at = rd_delta_tree_node(t, n);
        uint32_t parent = at->parent;
        RD_CHECK(t->alive > 0 && (!parent || rd_delta_tree_node(t, parent)->children > 0));
        rd_delta_tree_forget_facts(t, n);
        at->left = t->free;
        t->free = n;
        t->alive--;
        t->destroyed++;
        if (!parent || --rd_delta_tree_node(t, parent)->children > 0)
            return;
        n = parent;
    }
}

/* ---- the fringe ---- */

/* Returns the priority of the node in the treap's heap order. */
static uint64_t weight(uint32_t n) { return rd_mix(n); }

static bool goes_before(uint64_t key, enum rd_delta_tree_end end, const struct rd_delta_tree_node *other) {
    return key < other->key || (key == other->key && end == RD_DELTA_TREE_STACK);
}

/* Returns whether the node and its children in the treap have the order of their keys and weights. */
static bool is_treap_node(const struct rd_delta_tree *t, uint32_t n) {
    const struct rd_delta_tree_node *x = rd_delta_tree_node(t, n);
    return (!x->left || (weight(x->left) < weight(n) && rd_delta_tree_node(t, x->left)->key <= x->key)) &&
           (!x->right || (weight(x->right) < weight(n) && rd_delta_tree_node(t, x->right)->key >= x->key));
}

static void insert(struct rd_delta_tree *t, uint32_t n, enum rd_delta_tree_end end) {
    struct rd_delta_tree_node *x = rd_delta_tree_node(t, n);
    uint32_t *link = &t->fringe;
    while (*link && weight(*link) > weight(n)) {
        struct rd_delta_tree_node *at = rd_delta_tree_node(t, *link);
        link = goes_before(x->key, end, at) ? &at->left : &at->right;
    }
    uint32_t below = *link, *left = &x->left, *right = &x->right;
    *link = n;
    while (below) { /* splits the subtree below into the nodes before the new node and the nodes after it */
        struct rd_delta_tree_node *at = rd_delta_tree_node(t, below);
        uint32_t *next;
        if (goes_before(x->key, end, at)) {
            *right = below;
            right = next = &at->left;
        } else {
            *left = below;
            left = next = &at->right;
        }
        below = *next;
    }
    *left = *right = 0;
    RD_ASSERT(is_treap_node(t, n));
}

static uint32_t take_first(struct rd_delta_tree *t) {
    uint32_t *link = &t->fringe;
    while (*link && rd_delta_tree_node(t, *link)->left)
        link = &rd_delta_tree_node(t, *link)->left;
    uint32_t n = *link;
    if (n)
        *link = rd_delta_tree_node(t, n)->right;
    return n;
}

static uint32_t take_last(struct rd_delta_tree *t) {
    RD_CHECK(t->fringe);
    uint32_t *link = &t->fringe;
    while (rd_delta_tree_node(t, *link)->right)
        link = &rd_delta_tree_node(t, *link)->right;
    uint32_t n = *link;
    *link = rd_delta_tree_node(t, n)->left;
    return n;
}

/* Joins two treaps; all of the first comes before the second. */
static uint32_t join(struct rd_delta_tree *t, uint32_t a, uint32_t b) {
    uint32_t root = 0, *link = &root;
    while (a && b) {
        bool first = weight(a) > weight(b);
        struct rd_delta_tree_node *at = rd_delta_tree_node(t, first ? a : b);
        *link = first ? a : b;
        link = first ? &at->right : &at->left;
        if (first)
            a = at->right;
        else
            b = at->left;
    }
    *link = a ? a : b;
    return root;
}

static uint32_t *link_up_to(struct rd_delta_tree *t, uint64_t key_max) {
    uint32_t *found = NULL, *link = &t->fringe;
    while (*link) {
        struct rd_delta_tree_node *at = rd_delta_tree_node(t, *link);
        found = at->key <= key_max ? link : found;
        link = at->key <= key_max ? &at->right : &at->left;
    }
    return found;
}

uint32_t rd_delta_tree_last_up_to(struct rd_delta_tree *t, uint64_t key_max) {
    const uint32_t *link = link_up_to(t, key_max);
    return link ? *link : 0;
}

void rd_delta_tree_forget(struct rd_delta_tree *t, uint64_t key_max) {
    uint32_t *link = link_up_to(t, key_max);
    RD_CHECK(link);
    uint32_t n = *link;
    *link = join(t, rd_delta_tree_node(t, n)->left, rd_delta_tree_node(t, n)->right);
    delete_up(t, n);
}

uint32_t rd_delta_tree_adopt(struct rd_delta_tree *t, struct rd_delta_tree_node node, bool waits) {
    RD_CHECK(node.parent <= t->used);
    uint32_t n = new_node(t);
    *rd_delta_tree_node(t, n) = node;
    if (node.parent)
        rd_delta_tree_node(t, node.parent)->children++;
    if (waits)
        insert(t, n, RD_DELTA_TREE_QUEUE);
    return n;
}

const struct rd_delta_tree_node *rd_delta_tree_first(const struct rd_delta_tree *t) {
    uint32_t n = t->fringe;
    while (n && rd_delta_tree_node(t, n)->left)
        n = rd_delta_tree_node(t, n)->left;
    return n ? rd_delta_tree_node(t, n) : NULL;
}

/* ---- running the tree ---- */

static void write_plan(const struct rd_delta_tree *t, struct rd_draft *d, uint32_t picker) {
    uint32_t count = 0;
    for (uint32_t n = t->now; rd_delta_tree_node(t, n)->parent; n = rd_delta_tree_node(t, n)->parent)
        count++;
    RD_CHECK(count <= d->prefix_max);
    d->plan = (struct rd_plan){.prefix_count = count, .picker = picker, .sparse = 1};
    for (uint32_t n = t->now; count > 0; n = rd_delta_tree_node(t, n)->parent) {
        const struct rd_delta_tree_node *at = rd_delta_tree_node(t, n);
        d->prefix[--count] = (struct rd_choice){
            .step = at->step, .fp = at->fp, .pick = at->pick, .op = at->value ? RD_OP_WAITER : RD_OP_NONE};
    }
}

enum rd_next rd_delta_tree_next(struct rd_delta_tree *t, struct rd_draft *d, uint32_t picker) {
    RD_CHECK(t->now == 0);
    if (t->started) {
        t->now = take_first(t);
    } else {
        t->now = new_node(t);
        *rd_delta_tree_node(t, t->now) = (struct rd_delta_tree_node){.parent = 0};
        t->started = true;
    }
    if (!t->now)
        return RD_NEXT_DONE;
    rd_delta_tree_node(t, t->now)->children = 1; /* the execution itself, until rd_delta_tree_done */
    write_plan(t, d, picker);
    return RD_NEXT_RUN;
}

void rd_delta_tree_keep_within(struct rd_delta_tree *t) {
    t->bytes_max = RD_MAX(t->bytes_max, rd_delta_tree_bytes(t));
    while (t->bytes_max_allowed && rd_delta_tree_bytes(t) > t->bytes_max_allowed && t->fringe) {
        uint32_t n = take_last(t), cost = rd_delta_tree_node(t, n)->cost;
        t->lost_cost = t->lost++ ? RD_MIN(t->lost_cost, cost) : cost;
        delete_up(t, n);
    }
}

void rd_delta_tree_add(struct rd_delta_tree *t, struct rd_delta_tree_node child, enum rd_delta_tree_end end) {
    /* with a child at its own step a node would offer its parent again */
    RD_CHECK(t->now &&
             (!rd_delta_tree_node(t, t->now)->parent || child.step > rd_delta_tree_node(t, t->now)->step));
    rd_delta_tree_add_below(t, t->now, child, end);
    rd_delta_tree_keep_within(t);
}

uint32_t rd_delta_tree_add_below(struct rd_delta_tree *t, uint32_t parent, struct rd_delta_tree_node child,
                                 enum rd_delta_tree_end end) {
    uint32_t n = new_node(t);
    child.parent = parent;
    *rd_delta_tree_node(t, n) = child;
    rd_delta_tree_node(t, parent)->children++;
    insert(t, n, end);
    return n;
}

void rd_delta_tree_defer(struct rd_delta_tree *t, uint64_t key) {
    uint32_t n = take_first(t);
    RD_CHECK(n && key > rd_delta_tree_node(t, n)->key);
    rd_delta_tree_node(t, n)->key = key;
    insert(t, n, RD_DELTA_TREE_QUEUE);
}

void rd_delta_tree_done(struct rd_delta_tree *t) {
    RD_CHECK(t->now);
    uint32_t n = t->now;
    t->now = 0;
    if (--rd_delta_tree_node(t, n)->children == 0)
        delete_up(t, n);
}

/* ---- the alternatives of an execution ---- */

uint32_t rd_delta_tree_from(struct rd_delta_tree *t, const struct rd_plan *plan, const struct rd_record *r) {
    RD_CHECK(t->now && plan->sparse && r->out->prefix_used <= plan->prefix_count);
    const struct rd_delta_tree_node *now = rd_delta_tree_node(t, t->now);
    t->early += r->out->prefix_used < plan->prefix_count;
    return now->parent ? now->step + 1 : 0;
}

uint32_t rd_delta_tree_others(const struct rd_record *r, uint32_t step, uint16_t *list, uint32_t *late) {
    const struct rd_step *s = &r->steps[step];
    bool value = rd_step_is_way(s);
    uint16_t taken = value ? (uint16_t)s->value : s->tid;
    uint32_t n = 0;
    if (late)
        *late = 0;
    if (s->flags & RD_STEP_FORCED)
        return 0; /* the fair tail is not explored */
    RD_CHECK(s->ncand <= RD_TID_MAX);
    for (unsigned pass = 0; pass < 2; pass++) {
        if (late && pass)
            *late = n;
        for (uint32_t i = 0; i < s->ncand; i++) {
            uint16_t pick = value ? (uint16_t)i : r->cands[s->cand + i];
            if (pick != taken && rd_step_only_times_out(s, i) == pass)
                list[n++] = pick;
        }
    }
    return n;
}

struct rd_delta_tree_node rd_delta_tree_child(const struct rd_record *r, uint32_t step, uint16_t pick,
                                              uint32_t cost) {
    const struct rd_step *s = &r->steps[step];
    RD_CHECK(step < r->out->steps);
    return (struct rd_delta_tree_node){.step = step & 0x3fffffff,
                                       .value = rd_step_is_way(s),
                                       .fp = s->fp,
                                       .pick = pick,
                                       .cost = (uint16_t)RD_MIN(cost, (uint32_t)COST_MAX)};
}

rd_tid rd_delta_tree_default(const struct rd_record *r, uint32_t step) {
    const struct rd_step *s = &r->steps[step];
    if (s->flags & RD_STEP_COULD_STAY)
        return step ? r->steps[step - 1].tid : 0;
    for (uint32_t i = 0; i < s->ncand; i++)
        if (!rd_step_only_times_out(s, i))
            return r->cands[s->cand + i];
    return r->cands[s->cand];
}

uint32_t rd_delta_tree_preempts(const struct rd_record *r, uint32_t step, uint16_t pick) {
    const struct rd_step *s = &r->steps[step];
    rd_tid before = step ? r->steps[step - 1].tid : 0;
    return !rd_step_is_way(s) && s->flags & RD_STEP_COULD_STAY && pick != before;
}

void rd_delta_tree_claim(const struct rd_delta_tree *t, struct rd_claim *c) {
    c->incomplete = t->lost > 0;
    c->nodes = t->alive;
    c->nodes_max = t->alive_max;
    c->tree_bytes_max = t->bytes_max;
    if (t->early)
        rd_text_copy(c->voids, sizeof c->voids, "an execution ended before the choice that it was to make");
}
