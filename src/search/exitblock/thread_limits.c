/* thread_limits.c - see thread_limits.h. */
#include "search/exitblock/thread_limits.h"

void rd_thread_limits_init(struct rd_thread_limits *l, const struct rd_params *params) {
    *l = (struct rd_thread_limits){.blocks = rd_param_number(params, "blocks", 0)};
    for (uint32_t i = 0; i < params->range_count; i++)
        if (params->ranges[i].list == RD_NAMES_WITHIN)
            l->within[l->within_count++] = params->ranges[i];
}

static struct rd_thread_mark mark_of(const struct rd_thread_limits *l, uint32_t list, rd_tid tid) {
    for (; list; list = l->marks.at[list - 1].next)
        if (l->marks.at[list - 1].tid == tid)
            return l->marks.at[list - 1];
    return (struct rd_thread_mark){.tid = tid};
}

bool rd_thread_limits_over(const struct rd_thread_limits *l, uint32_t list, rd_tid tid) {
    return rd_thread_limits_any(l) && mark_of(l, list, tid).over;
}

static bool is_within(const struct rd_thread_limits *l, rd_place pc) {
    for (uint32_t i = 0; i < l->within_count; i++)
        if (pc >= l->within[i].first && pc <= l->within[i].last)
            return true;
    return false;
}

uint32_t rd_thread_limits_block(struct rd_thread_limits *l, struct rd_arena *a, uint32_t list,
                                const struct rd_step *last) {
    if (!rd_thread_limits_any(l))
        return list;
    struct rd_thread_mark m = mark_of(l, list, last->tid), was = m;
    if (m.over)
        return list;
    m.blocks += l->blocks != 0;
    m.inside |= is_within(l, last->pc);
    m.over = (l->blocks && m.blocks >= l->blocks) || (m.inside && !is_within(l, last->pc));
    if (m.blocks == was.blocks && m.inside == was.inside && m.over == was.over)
        return list;
    m.next = list;
    rd_vec_push(a, &l->marks, m);
    return l->marks.count;
}
