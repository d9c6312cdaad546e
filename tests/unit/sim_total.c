/* sim_total.c - see sim_total.h. */
#include "sim_total.h"

#include "base/map.h"
#include "unit.h"

static uint64_t schedule_of(const struct rd_record *r) {
    uint64_t h = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        h = rd_hash2(h, rd_step_is_way(s) ? s->value + RD_TID_MAX : s->tid);
    }
    return rd_mix(h);
}

static void count(struct total *n, struct rd_map *classes, struct rd_arena *a, const struct rd_record *r) {
    if (r->out->verdict == RD_CUT) {
        n->cut++;
        return;
    }
    n->executions++;
    n->sum += schedule_of(r);
    n->classes += (*rd_map_put(classes, a, r->out->class_hash[0] ^ rd_mix(r->out->class_hash[1])))++ == 0;
}

struct total total_by_team(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                           uint32_t workers, uint64_t turns) {
    static char region[1 << 22];
    struct rd_arena a;
    struct rd_map classes = {0};
    struct total n = {0};
    rd_arena_init(&a, region, sizeof region);
    struct sim_team *t = sim_team_open(p, strategy, o, workers, turns);
    for (const struct sim *s; (s = sim_team_next(t)) != NULL;)
        count(&n, &classes, &a, &s->rec);
    n.helped = n.executions - t->at[0].executions;
    n.claim = sim_team_claim(t);
    return n;
}

struct total total_by_one(const struct sim_program *p, const char *strategy, const struct sim_options *o) {
    static char region[1 << 22];
    struct rd_arena a;
    struct rd_map classes = {0};
    struct total n = {0};
    rd_arena_init(&a, region, sizeof region);
    struct sim_search s = sim_search_open(p, strategy, o);
    while ((!o->executions_max || s.executions < o->executions_max) && sim_search_next(&s))
        count(&n, &classes, &a, &s.sim->rec);
    n.claim = sim_search_claim(&s);
    sim_search_close(&s);
    return n;
}

struct totals total_by_both(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                            uint64_t seed) {
    struct totals t = {.one = total_by_one(p, strategy, o)};
    t.team = total_by_team(p, strategy, o, (uint32_t)(2 + seed % 3), seed);
    return t;
}

struct totals total_by_both_if_small(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                                     uint64_t seed, uint64_t most) {
    struct sim_options few = *o;
    few.executions_max = most;
    struct totals t = {.one = total_by_one(p, strategy, &few)};
    if (t.one.executions + t.one.cut >= most)
        return (struct totals){.one = {0}};
    t.team = total_by_team(p, strategy, o, (uint32_t)(1 + seed % 3), seed);
    return t;
}

bool total_case(struct total_case *c, size_t number, uint64_t most) {
    const struct sim_case *from = &sim_cases[number];
    c->program = sim_make(from->build, from->n, from->k);
    c->options = (struct sim_options){.asserts_go_on = true};
    sim_enumerate(&c->program, &c->options, &c->all);
    return c->all.executions <= most;
}

void total_same_claim(const char *program, const struct rd_claim *got, const struct rd_claim *wanted) {
    assert_string_equal(got->proved, wanted->proved);
    assert_string_equal(got->voids, wanted->voids);
    unit_count(program, "complete", got->complete, wanted->complete);
    unit_count(program, "preemptions", (uint64_t)got->preemptions, (uint64_t)wanted->preemptions);
    unit_count(program, "delays", (uint64_t)got->delays, (uint64_t)wanted->delays);
    unit_count(program, "depth", (uint64_t)got->depth, (uint64_t)wanted->depth);
    unit_count(program, "classes", (uint64_t)got->classes, (uint64_t)wanted->classes);
}
