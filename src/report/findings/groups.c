/* groups.c - groups findings that are the same bug, and notes which groups are about the same memory. */
#include "report/findings/bug_groups.h"

/* Does `a` represent a group better than `b`, which the search found before it? */
static bool is_simpler(const struct rd_report *a, const struct rd_report *b) {
    bool doubt_a = a->warning || rd_is_unreliable(&a->schedule->finding);
    bool doubt_b = b->warning || rd_is_unreliable(&b->schedule->finding);
    if (doubt_a != doubt_b)
        return doubt_b;
    uint32_t preemptions_a = rd_schedule_preemptions(a->schedule);
    uint32_t preemptions_b = rd_schedule_preemptions(b->schedule);
    if (preemptions_a != preemptions_b)
        return preemptions_a < preemptions_b;
    return a->schedule->step_count < b->schedule->step_count;
}

enum { MEMORY_MAX = 4 };

/*
 * The memory that a finding is about: that of a race, or of the operations whose order decides a failure. Returns
 * the number of places.
 */
static uint32_t memory_of(const struct rd_report *r, rd_place to[MEMORY_MAX]) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_why *w = &s->why;
    uint32_t first, second, n = 0;
    if (rd_race_steps(r, &first, &second))
        to[n++] = s->finding.data ? s->finding.data : s->steps[second].place;
    else if (w->explained && w->first && w->first <= s->step_count &&
             rd_op_flags(s->steps[w->first - 1].op) & (RD_F_READS | RD_F_WRITES))
        to[n++] = s->steps[w->first - 1].place;
    return n;
}

/* The number of the first group before `at` that is about the same memory as this one; 0: there is none. */
static uint32_t same_memory(const struct rd_finding_groups *g, uint32_t at) {
    rd_place here[MEMORY_MAX], there[MEMORY_MAX];
    uint32_t n = memory_of(g->at[at], here);
    for (uint32_t i = 0; i < at; i++) {
        uint32_t m = memory_of(g->at[i], there);
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < m; b++)
                if (here[a] && here[a] == there[b])
                    return i + 1;
    }
    return 0;
}

/* Makes one report the representative of those with its number in `group`, and the others its members. */
static void form(struct rd_finding_groups *g, struct rd_report *const *reports, const uint32_t *group,
                 uint32_t count, uint32_t number, uint32_t *used) {
    struct rd_report *best = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (group[i] == number && (!best || is_simpler(reports[i], best)))
            best = reports[i];
    RD_CHECK(best != NULL);
    best->also = &g->members[*used];
    best->also_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (group[i] == number && reports[i] != best) {
            g->members[(*used)++] = reports[i];
            best->also_count++;
        }
    g->at[g->count++] = best;
}

void rd_findings_group(struct rd_finding_groups *g, struct rd_report *const *reports, uint32_t count) {
    uint32_t group[RD_FOUND_MAX], groups = 0, used = 0;
    RD_CHECK(count <= RD_FOUND_MAX);
    g->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        group[i] = groups;
        for (uint32_t k = 0; k < i && group[i] == groups; k++)
            if (rd_findings_same(reports[k], reports[i]))
                group[i] = group[k];
        groups += group[i] == groups;
    }
    for (uint32_t i = 0; i < groups; i++)
        form(g, reports, group, count, i, &used);
    for (uint32_t i = 0; i < g->count && g->count > 1; i++) {
        g->at[i]->number = i + 1;
        g->at[i]->same_memory = same_memory(g, i);
    }
}
