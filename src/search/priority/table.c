/* table.c - the table of priorities, and the order in which a search compares them. See priority.h. */
#include "search/priority/priority.h"

#include <string.h>

/* The rows: the priority, the key of its parameter, and how it is given. */
// clang-format off
#define ROWS(ROW)                                         \
    ROW(rd_priority_pb, "pb", "pb")                       \
    ROW(rd_priority_dpor, "dpor", "dpor")                 \
    ROW(rd_priority_ss, "ss", "ss")                       \
    ROW(rd_priority_mdpor, "mdpor", "mdpor")              \
    ROW(rd_priority_rand, "rand", "rand")                 \
    ROW(rd_priority_method, "method=", "method=f,g")      \
    ROW(rd_priority_var, "var=", "var=x,y")
// clang-format on

#define DECLARED(row, key, usage) extern const struct rd_priority row;
#define ELEMENT(row, key, usage) {key, &row},
#define KEY(row, key, usage) key " "
#define USAGE(row, key, usage) usage ", "

ROWS(DECLARED)
const struct rd_priority_row rd_priorities[] = {ROWS(ELEMENT)};
const uint32_t rd_priority_count = RD_COUNT(rd_priorities);
const char rd_best_keys[] = ROWS(KEY) "c# reduce";
const char rd_best_summary[] = "best first by " ROWS(USAGE) "in the order given; c=N: at most N preemptions; "
                                                            "reduce: leave out what is equivalent";

/* Returns the priority that a parameter names, or NULL. */
static const struct rd_priority *named(const char *key) {
    for (uint32_t i = 0; i < rd_priority_count; i++) {
        size_t length = strcspn(rd_priorities[i].key, "=");
        if (strlen(key) == length && memcmp(key, rd_priorities[i].key, length) == 0)
            return rd_priorities[i].priority;
    }
    return NULL;
}

/*
 * The priorities of a search that gives none, or only names, which then come behind. Of those that were measured
 * they show the most bugs of eval/programs with the fewest executions. A name in front is a trap where the program
 * calls the function all the time: the switches between the named functions are most of the tree
 * (docs/strategies.md).
 */
static const char *const otherwise[] = {"ss", "pb", "dpor"};

static bool has(const struct rd_priority_order *o, const struct rd_priority *p) {
    for (uint32_t i = 0; i < o->count; i++)
        if (o->at[i] == p)
            return true;
    return false;
}

static void add(struct rd_priority_order *o, const char *key) {
    const struct rd_priority *p = named(key);
    if (!p || has(o, p) || o->count == RD_PRIORITIES_MAX)
        return;
    o->at[o->count++] = p;
    o->bits += p->bits;
    o->needs |= p->needs;
}

void rd_priority_order_open(struct rd_priority_order *o, const struct rd_params *params) {
    *o = (struct rd_priority_order){.ranges = params->ranges, .range_count = params->range_count};
    rd_rng_seed(&o->rng, params->seed);
    bool named_only = true;
    for (uint32_t i = 0; i < params->count; i++) {
        const struct rd_priority *p = named(params->at[i].key);
        named_only &= !p || p->names;
    }
    for (uint32_t i = 0; named_only && i < RD_COUNT(otherwise); i++)
        add(o, otherwise[i]);
    for (uint32_t i = 0; i < params->count; i++)
        add(o, params->at[i].key);
}

void rd_priority_order_examine(const struct rd_priority_order *o, const struct rd_record *r,
                               const struct rd_delta_tree *tree, struct rd_arena *scratch,
                               struct rd_backtrack_marks *m) {
    *m = (struct rd_backtrack_marks){.record = r};
    if (!o->needs)
        return;
    rd_backtrack_marks_open(m, scratch, r);
    if (o->needs & RD_PRIORITY_RACES)
        rd_backtrack_marks_races(m, scratch);
    if (o->needs & RD_PRIORITY_SLEEP)
        rd_backtrack_marks_sleep(m, tree);
    rd_backtrack_marks_begin(m);
}

uint64_t rd_priority_order_key(struct rd_priority_order *o, const struct rd_backtrack_marks *m, uint32_t step,
                               const struct rd_delta_tree_node *child) {
    struct rd_priority_view v = {.record = m->record,
                                 .marks = m,
                                 .step = step,
                                 .child = child,
                                 .ranges = o->ranges,
                                 .range_count = o->range_count,
                                 .rng = &o->rng};
    uint64_t key = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        uint64_t value = o->at[i]->of(&v);
        RD_CHECK(o->at[i]->bits == RD_PRIORITY_BITS || value >> o->at[i]->bits == 0);
        key = (o->at[i]->bits == RD_PRIORITY_BITS ? 0 : key << o->at[i]->bits) | value;
    }
    return key;
}
