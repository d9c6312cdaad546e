/*
 * suppression.c - see suppression.h. The user names code and variables; a finding is known if one of its two places
 * lies in that code, or the memory of a race in that variable. What depends on stacks the driver decides later.
 */
#include "explore/suppression.h"

/* The kinds whose second place is an access or a lock of another thread, and not only a place that explains it. */
static bool has_two_sides(unsigned kind) { return kind == RD_DATA_RACE || kind == RD_PREDICTED_DEADLOCK; }

/* The heap's own findings are looked up where they happen, with their stacks (rt/heap/heap_known.c). */
static bool is_of_heap(const struct rd_finding *f) {
    return f->kind == RD_USE_AFTER_FREE || f->kind == RD_DOUBLE_FREE || f->kind == RD_HEAP_OVERFLOW ||
           f->kind == RD_LEAK || rd_is_heap_misuse(f);
}

static bool is_within(const struct rd_suppressed *s, rd_place at) { return at && at >= s->first && at <= s->last; }

/* The memory that a race is about. */
static rd_place memory_of(struct rd_channel *c, const struct rd_finding *f) {
    if (f->kind != RD_DATA_RACE || f->data || !f->step)
        return f->data;
    RD_CHECK(f->step <= c->execution.outcome.steps);
    return rd_channel_record(c).steps[f->step - 1].place;
}

int rd_suppression_line(struct rd_channel *c, const struct rd_finding *f) {
    const struct rd_suppressed *s = rd_channel_suppress(c);
    if (f->kind == RD_DATA_RACE && f->status == RD_RACE_BENIGN)
        return RD_SUPPRESSION_INTENDED;
    for (uint64_t i = 0; i < c->suppress_count; i++) {
        bool same = false;
        if (s[i].by == RD_SUPPRESSED_KEY && f->key == s[i].first)
            return RD_SUPPRESSION_KEY;
        if (!(s[i].kinds >> f->kind & 1))
            continue;
        if (s[i].by == RD_SUPPRESSED_MEMORY)
            same = is_within(&s[i], memory_of(c, f));
        else if (s[i].by == RD_SUPPRESSED_CODE && !is_of_heap(f))
            same = is_within(&s[i], f->pc) || (has_two_sides(f->kind) && is_within(&s[i], f->other_pc));
        if (same)
            return s[i].line;
    }
    return RD_SUPPRESSION_NONE;
}

struct rd_left_out rd_suppression_left_out(struct rd_channel *c, const struct rd_finding *f) {
    return (struct rd_left_out){.key = f->key,
                                .pc = f->pc,
                                .other_pc = has_two_sides(f->kind) ? f->other_pc : 0,
                                .data = memory_of(c, f),
                                .kind = (uint16_t)f->kind};
}

void rd_suppression_count(struct rd_summary *s, const struct rd_left_out *f, int line) {
    RD_CHECK(line < RD_SUPPRESS_LINES && s->left_out_count <= RD_LEFT_OUT_MAX && f->kind < RD_FINDING_KINDS);
    s->suppressed++;
    if (line < 0)
        return;
    s->suppressed_by[line]++;
    if (s->left_out_count == RD_LEFT_OUT_MAX)
        return;
    s->left_out[s->left_out_count] = *f;
    s->left_out[s->left_out_count++].line = (uint16_t)line;
}
