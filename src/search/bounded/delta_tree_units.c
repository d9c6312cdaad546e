/*
 * delta_tree_units.c - nodes of a delta tree as bytes, for other workers: see delta_tree.h. Neighbours in the
 * fringe have most nodes on their paths in common, so the receiver compares the path of each node with the path
 * before it and creates the common nodes once.
 */
#include "search/bounded/delta_tree.h"

#include <string.h>

struct head {
    uint64_t key;
    uint32_t length; /* choices on the way to the node, its own last */
    uint32_t pad;
};

struct delta {
    uint32_t step : 31;
    uint32_t value : 1;
    uint32_t fp;
    uint16_t pick, cost;
};

static uint32_t count_up_to(const struct rd_delta_tree *t, uint32_t n, uint64_t key_max) {
    if (!n)
        return 0;
    const struct rd_delta_tree_node *at = rd_delta_tree_node(t, n);
    if (at->key > key_max)
        return count_up_to(t, at->left, key_max);
    return 1 + count_up_to(t, at->left, key_max) + count_up_to(t, at->right, key_max);
}

/* Writes the node and returns its size in bytes; 0: there is no room. */
static size_t write_node(const struct rd_delta_tree *t, uint32_t node, char *to, size_t room) {
    struct head h = {.key = rd_delta_tree_node(t, node)->key};
    for (uint32_t n = node; rd_delta_tree_node(t, n)->parent; n = rd_delta_tree_node(t, n)->parent)
        h.length++;
    size_t size = sizeof h + h.length * sizeof(struct delta);
    if (size > room)
        return 0;
    memcpy(to, &h, sizeof h);
    uint32_t i = h.length;
    for (uint32_t n = node; i > 0; n = rd_delta_tree_node(t, n)->parent) {
        const struct rd_delta_tree_node *at = rd_delta_tree_node(t, n);
        struct delta d = {.step = at->step, .value = at->value, .fp = at->fp, .pick = at->pick, .cost = at->cost};
        memcpy(to + sizeof h + --i * sizeof d, &d, sizeof d);
    }
    return size;
}

/*
 * Gives the last nodes of the fringe away: they were found first, at early steps, and so have the largest
 * subtrees.
 */
size_t rd_delta_tree_give(struct rd_delta_tree *t, uint64_t key_max, void *to, size_t room) {
    RD_CHECK(!t->now); /* between two executions */
    size_t used = 0;
    for (uint32_t n = count_up_to(t, t->fringe, key_max) / 2; n > 0; n--) {
        uint32_t node = rd_delta_tree_last_up_to(t, key_max);
        size_t size = write_node(t, node, (char *)to + used, room - used);
        if (!size)
            break;
        used += size;
        rd_delta_tree_forget(t, key_max);
    }
    return used;
}

static bool same(const struct rd_delta_tree_node *n, const struct delta *d) {
    return n->step == d->step && n->value == d->value && n->pick == d->pick;
}

/* Makes the node of a choice below `parent`. With a key it is in the fringe, else it counts as executed. */
static uint32_t make_node(struct rd_delta_tree *t, uint32_t parent, const struct delta *d, const uint64_t *key) {
    struct rd_delta_tree_node n = {.parent = parent};
    if (d)
        n = (struct rd_delta_tree_node){
            .parent = parent, .step = d->step, .value = d->value, .fp = d->fp, .pick = d->pick, .cost = d->cost};
    n.key = key ? *key : 0;
    return rd_delta_tree_adopt(t, n, key != NULL);
}

void rd_delta_tree_take(struct rd_delta_tree *t, const void *unit, size_t size) {
    const char *at = unit, *end = at + size;
    uint32_t above[RD_DELTA_TREE_DEPTH_KEPT]; /* executed nodes on the way to the last node, from the root on */
    uint32_t known = 0;
    RD_CHECK(!t->now);
    while (at < end) {
        struct head h;
        struct delta d = {0};
        RD_CHECK((size_t)(end - at) >= sizeof h);
        memcpy(&h, at, sizeof h);
        at += sizeof h;
        RD_CHECK(h.length <= (size_t)(end - at) / sizeof d);
        uint32_t parent = 0;
        for (uint32_t i = 0; i <= h.length; i++) { /* the root has no choice */
            if (i > 0)
                memcpy(&d, at + (i - 1) * sizeof d, sizeof d);
            if (i < h.length && i < known && (i == 0 || same(rd_delta_tree_node(t, above[i]), &d))) {
                parent = above[i];
                continue;
            }
            parent = make_node(t, parent, i ? &d : NULL, i == h.length ? &h.key : NULL);
            known = RD_MIN(known, i);
            if (i < h.length && i == known && i < RD_DELTA_TREE_DEPTH_KEPT)
                above[known++] = parent;
        }
        at += h.length * sizeof d;
    }
    rd_delta_tree_keep_within(t);
}
