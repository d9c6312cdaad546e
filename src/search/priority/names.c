/* names.c - the priorities by names: first the preemptions between operations in functions, or at variables, that
 * the user names. */
#include "search/priority/priority.h"

static bool listed(const struct rd_priority_view *v, enum rd_names list, rd_place p) {
    for (uint32_t i = 0; i < v->range_count; i++)
        if (v->ranges[i].list == list && p >= v->ranges[i].first && p <= v->ranges[i].last)
            return true;
    return false;
}

uint64_t rd_priority_unlisted(const struct rd_priority_view *v, enum rd_names list) {
    const struct rd_step *here = &v->record->steps[v->step];
    rd_place place = list == RD_NAMES_METHOD ? here->pc : here->place, other = place;
    if (!v->child->value) {
        const struct rd_event *e = v->marks->now[v->child->pick].at;
        other = !e ? 0 : list == RD_NAMES_METHOD ? rd_backtrack_marks_pc(v->marks, v->child->pick) : e->place;
    }
    return 2 - (uint64_t)listed(v, list, place) - (uint64_t)listed(v, list, other);
}
