/* backtrack_marks.c - see backtrack_marks.h. */
#include "search/por/backtrack_marks.h"

#include "search/por/prefix_classes.h"
#include "search/por/hb_graph.h"

#define NO_STEP UINT32_MAX

void rd_backtrack_marks_open(struct rd_backtrack_marks *m, struct rd_arena *a, const struct rd_record *r) {
    uint32_t steps = r->out->steps, cands = 0;
    *m = (struct rd_backtrack_marks){.record = r};
    m->event = rd_arena_alloc(a, steps * sizeof *m->event);
    m->next = rd_arena_alloc(a, steps * sizeof *m->next);
    m->base = rd_arena_alloc(a, steps * sizeof *m->base);
    m->first = rd_arena_alloc(a, RD_TID_MAX * sizeof *m->first);
    m->birth = rd_arena_zero(a, RD_TID_MAX * sizeof *m->birth);
    m->last = rd_arena_zero(a, RD_TID_MAX * sizeof *m->last);
    m->now = rd_arena_zero(a, RD_TID_MAX * sizeof *m->now);
    for (uint32_t t = 0; t < RD_TID_MAX; t++)
        m->first[t] = NO_STEP;
    for (uint32_t i = steps; i-- > 0;) {
        const struct rd_step *s = &r->steps[i];
        m->event[i] = rd_event_of_step(s);
        m->next[i] = m->first[s->tid];
        if (!rd_step_is_way(s))
            m->first[s->tid] = i;
        if (s->op == RD_OP_CREATE && m->event[i].target != RD_TID_NONE)
            m->birth[m->event[i].target] = i + 1;
        cands += s->ncand;
    }
    for (uint32_t i = 0, n = 0; i < steps; n += r->steps[i++].ncand)
        m->base[i] = n;
    m->at = rd_arena_zero(a, cands);
    for (uint32_t t = 0; t < r->out->threads && t < RD_TID_MAX; t++)
        if (r->threads[t].state == RD_T_READY && r->threads[t].pending.kind != RD_OP_NONE)
            m->last[t] = rd_event_of_pending((rd_tid)t, &r->threads[t].pending);
}

static const struct rd_event *about(const struct rd_backtrack_marks *m, rd_tid tid, uint32_t step) {
    if (step != NO_STEP)
        return &m->event[step];
    return m->last[tid].op != RD_OP_NONE ? &m->last[tid] : NULL;
}

void rd_backtrack_marks_begin(struct rd_backtrack_marks *m) {
    for (uint32_t t = 0; t < RD_TID_MAX; t++)
        m->now[t].at = m->birth[t] ? NULL : about(m, (rd_tid)t, m->first[t]);
}

void rd_backtrack_marks_pass(struct rd_backtrack_marks *m, uint32_t step) {
    const struct rd_event *e = &m->event[step];
    if (rd_step_is_way(&m->record->steps[step]))
        return;
    m->now[e->tid].at = about(m, e->tid, m->next[step]);
    if (e->op == RD_OP_CREATE && e->target != RD_TID_NONE)
        m->now[e->target].at = about(m, e->target, m->first[e->target]);
}

rd_place rd_backtrack_marks_pc(const struct rd_backtrack_marks *m, rd_tid tid) {
    const struct rd_event *e = m->now[tid].at;
    if (!e)
        return 0;
    return e == &m->last[tid] ? m->record->threads[tid].pending.pc : m->record->steps[e - m->event].pc;
}

/* Returns the index of the thread among the candidates of a step; ncand: it is not one. */
static uint32_t candidate(const struct rd_backtrack_marks *m, uint32_t step, rd_tid tid) {
    const struct rd_step *s = &m->record->steps[step];
    uint32_t i = 0;
    while (i < s->ncand && m->record->cands[s->cand + i] != tid)
        i++;
    return i;
}

unsigned rd_backtrack_marks_of(const struct rd_backtrack_marks *m, uint32_t step, rd_tid tid) {
    const struct rd_step *s = &m->record->steps[step];
    if (rd_step_is_way(s))
        return RD_BACKTRACK_RACE | RD_BACKTRACK_FIRM;
    uint32_t i = candidate(m, step, tid);
    return i < s->ncand ? m->at[m->base[step] + i] : 0;
}

/* ---- races ---- */

static bool releases(unsigned op) {
    return op == RD_OP_MUTEX_UNLOCK || op == RD_OP_SPIN_UNLOCK || op == RD_OP_RWLOCK_UNLOCK ||
           op == RD_OP_SEM_POST || op == RD_OP_ONCE_END;
}

static void mark_race(struct rd_backtrack_marks *m, uint32_t step, rd_tid tid) {
    RD_CHECK(step < m->record->out->steps);
    const struct rd_step *s = &m->record->steps[step];
    uint8_t *at = &m->at[m->base[step]];
    uint32_t i = candidate(m, step, tid);
    if (i < s->ncand) {
        at[i] |= RD_BACKTRACK_RACE | (releases(s->op) ? 0 : RD_BACKTRACK_FIRM);
        return;
    }
    for (i = 0; i < s->ncand; i++) /* it is not enabled there: any thread may enable it */
        at[i] |= RD_BACKTRACK_RACE;
}

/*
 * The classic rule: an event counts if it raced with an operation while that was pending; of the racing events
 * before, only the last one counts.
 */
void rd_backtrack_marks_races(struct rd_backtrack_marks *m, struct rd_arena *a) {
    struct rd_hb_graph t = {.scratch = rd_arena_rest(a)};
    rd_hb_graph_build(&t, m->record);
    for (uint32_t i = 0; i < t.all; i++) {
        const struct rd_hb_graph_event *e = &t.at[i];
        uint32_t last = RD_HB_GRAPH_NONE, count;
        const uint32_t *racing = rd_hb_graph_racing(&t, i, &count);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t rival = racing[k];
            if (rd_hb_graph_swap(&t, rival, i) == RD_SWAP_NEVER)
                continue;
            if (e->prev == RD_HB_GRAPH_NONE || rival > e->prev)
                mark_race(m, t.at[rival].step, e->e.tid);
            else if (last == RD_HB_GRAPH_NONE || rival > last)
                last = rival;
        }
        if (last != RD_HB_GRAPH_NONE)
            mark_race(m, t.at[last].step, e->e.tid);
    }
}

/* ---- sleep ---- */

void rd_backtrack_marks_sleep(struct rd_backtrack_marks *m, const struct rd_delta_tree *t) {
    const struct rd_record *r = m->record;
    RD_CHECK(t->now);
    for (uint32_t n = t->now; rd_delta_tree_node(t, n)->parent; n = rd_delta_tree_node(t, n)->parent) {
        const struct rd_delta_tree_node *at = rd_delta_tree_node(t, n);
        if (at->value || at->step >= r->out->steps)
            continue;
        rd_tid tid = rd_delta_tree_default(r, at->step);
        uint32_t own = at->step;
        while (own < r->out->steps && (r->steps[own].tid != tid || rd_step_is_way(&r->steps[own])))
            own++;
        const struct rd_event *e = about(m, tid, own < r->out->steps ? own : NO_STEP);
        for (uint32_t i = at->step; e && i < r->out->steps; i++) {
            uint32_t c = rd_step_is_way(&r->steps[i]) ? UINT32_MAX : candidate(m, i, tid);
            if (c < r->steps[i].ncand)
                m->at[m->base[i] + c] |= RD_BACKTRACK_ASLEEP;
            if (rd_event_dependent(&m->event[i], e))
                break;
        }
    }
}
