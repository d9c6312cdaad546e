/* sim_search.c - see sim_search.h. */
#include "sim_search.h"

#include "search/bounded/bound.h"

#include <sys/mman.h>

enum { REGION = 1 << 28 };

const struct sim_case sim_cases[] = {
    {sim_independent, 2, 2},
    {sim_independent, 2, 3},
    {sim_independent, 3, 2},
    {sim_independent, 3, 3},
    {sim_all_conflict, 2, 3},
    {sim_all_conflict, 3, 2},
    {sim_rapos1, 0, 0},
    {sim_rank1, 0, 0},
    {sim_rank2, 0, 0},
    {sim_rank3, 0, 0},
    {sim_rank4, 0, 0},
    {sim_rank8, 0, 0},
    {sim_rank9_printed, 0, 0},
    {sim_rank9, 0, 0},
    {sim_rank10, 0, 0},
    {sim_rank12, 0, 0},
    {sim_split_sync, 0, 0},
    {sim_lost_update, 0, 0},
    {sim_lost_update_main, 0, 0},
    {sim_abba, 0, 0},
    {sim_philosophers, 2, 0},
    {sim_philosophers, 3, 0},
    {sim_readers, 3, 0},
    {sim_readers, 4, 0},
    {sim_last_zero, 2, 0},
    {sim_last_zero, 3, 0},
    {sim_ring, 3, 0},
    {sim_ring, 4, 0},
    {sim_store_buffer, 0, 0},
    {sim_reorder, 2, 0},
    {sim_reorder, 3, 0},
    {sim_reorder_sct, 2, 0},
    {sim_two_stage, 1, 0},
    {sim_critical, 2, 2},
    {sim_bluetooth, 0, 0},
    {sim_consumers, 0, 0},
    {sim_consumers, 0, 1},
    {sim_slot, 2, 0},
    {sim_slot, 2, 1},
    {sim_spin_flag, 0, 0},
    {sim_yield_once, 0, 2},
    {sim_hidden_read, 0, 0},
};
const size_t sim_case_count = RD_COUNT(sim_cases);

struct sim_search sim_search_open(const struct sim_program *p, const char *strategy, const struct sim_options *o) {
    struct sim_search s = {.sim = sim_open()};
    struct rd_error error;
    sim_load(s.sim, p, o, NULL);
    s.arena = sim_region(REGION);
    s.params.seed = s.sim->options.seed;
    s.search = rd_search_parse(strategy, &s.params, &error);
    RD_CHECK(s.search);
    return s;
}

bool sim_search_next(struct sim_search *s) {
    struct rd_draft draft = {.prefix = s->sim->prefix,
                             .prefix_max = SIM_STEPS_MAX,
                             .left = s->left,
                             .memory_unseen = s->memory_unseen,
                             .sleep = s->sim->sleep,
                             .weight = s->sim->weight,
                             .track = s->sim->track};
    if (!s->state)
        s->state = s->search->open(&s->arena, &s->params);
    if (s->search->next(s->state, &draft) == RD_NEXT_DONE)
        return false;
    s->plan = draft.plan;
    sim_run(s->sim, &draft.plan);
    s->search->feedback(s->state, &draft.plan, &s->sim->rec);
    s->executions++;
    s->cut = s->sim->rec.out->verdict == RD_CUT;
    uint64_t h = 0;
    for (uint32_t i = 0; i < s->sim->rec.out->steps; i++) {
        const struct rd_step *step = &s->sim->rec.steps[i];
        h = rd_hash2(h, rd_op_flags(step->op) & RD_F_VALUE ? step->value + RD_TID_MAX : step->tid);
    }
    s->sum += s->cut ? 0 : rd_mix(h);
    return true;
}

void sim_search_rest(struct sim_search *s) {
    while (sim_search_next(s)) {
    }
}

struct rd_claim sim_search_claim(const struct sim_search *s) {
    struct rd_claim c = rd_claim_none();
    s->search->claim(s->state, &c);
    return c;
}

const struct rd_delta_tree *sim_search_tree(const struct sim_search *s) { return s->state; }

void sim_search_close(struct sim_search *s) {
    munmap(s->arena.base, REGION);
    sim_close(s->sim);
}

const char *sim_schedule(const struct sim *s, char *to, size_t room) {
    uint32_t i = 0;
    for (; i < s->rec.out->steps && i + 1 < room; i++) {
        const struct rd_step *step = &s->rec.steps[i];
        to[i] = step->op == RD_OP_WAITER ? (char)('0' + step->value) : (char)('A' - 1 + step->tid);
    }
    to[i] = 0;
    return to;
}
