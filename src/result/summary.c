/* summary.c - see summary.h. counters.def is expanded three times here: to merge, and to list the counters. */
#include "result/summary.h"

#include "base/text.h"

#include <string.h>

/* How the numbers of two workers become one, by the third column of counters.def. */
#define RD_MERGE_SUM(to, from) ((to) += (from))
#define RD_MERGE_MAX(to, from) ((to) = RD_MAX(to, from))
#define RD_MERGE_OR(to, from) ((to) |= (from))
#define RD_MERGE_FIRST(to, from) ((void)(from))

static void merge_counters(struct rd_summary *to, const struct rd_summary *from) {
#define RD_COUNTER(type, name, merge, json, one, many) RD_MERGE_##merge(to->name, from->name);
#include "result/counters.def"
#undef RD_COUNTER
}

/* Name and texts of each row. */
static const char *const texts[][4] = {
#define RD_COUNTER(type, name, merge, json, one, many) {#name, json, one, many},
#include "result/counters.def"
#undef RD_COUNTER
};

uint32_t rd_summary_counter_count(void) { return RD_COUNT(texts); }

struct rd_counter_row rd_summary_counter(const struct rd_summary *s, uint32_t i) {
    const uint64_t values[] = {
#define RD_COUNTER(type, name, merge, json, one, many) s->name,
#include "result/counters.def"
#undef RD_COUNTER
    };
    static_assert(RD_COUNT(values) == RD_COUNT(texts), "one row each");
    RD_CHECK(i < RD_COUNT(texts));
    return (struct rd_counter_row){texts[i][0], texts[i][1], texts[i][2], texts[i][3], values[i]};
}

/* How much an end says about the whole search: a team ends as its worker with the highest rank. */
static int end_rank(uint32_t end) {
    static const uint8_t rank[RD_END_COUNT] = {
        [RD_END_FOUND] = 7,  [RD_END_TROUBLE] = 6, [RD_END_COMPLETE] = 5, [RD_END_MEMORY] = 4,
        [RD_END_BUDGET] = 3, [RD_END_STOPPED] = 2, [RD_END_NO_FORK] = 1};
    return end < RD_COUNT(rank) ? rank[end] : 0;
}

/* Adds the calls of an opaque function, to its own entry or to those without one. */
static void merge_opaque(struct rd_summary *to, const struct rd_opaque *x) {
    uint32_t i = 0;
    while (i < to->opaque_count && to->opaque[i].function != x->function)
        i++;
    if (i == RD_OPAQUE_MAX) {
        to->opaque_others += x->calls;
        return;
    }
    if (i == to->opaque_count)
        to->opaque[to->opaque_count++] = (struct rd_opaque){x->function, 0};
    to->opaque[i].calls += x->calls;
}

void rd_summary_merge(struct rd_summary *to, const struct rd_summary *from) {
    RD_CHECK(to->opaque_count <= RD_OPAQUE_MAX);
    merge_counters(to, from);
    for (uint32_t i = 0; i < RD_PREEMPTION_COUNTS; i++)
        to->preemptions[i] += from->preemptions[i];
    for (uint32_t i = 0; i < RD_SUPPRESS_LINES; i++)
        to->suppressed_by[i] += from->suppressed_by[i];
    for (uint32_t i = 0; i < from->left_out_count && to->left_out_count < RD_LEFT_OUT_MAX; i++)
        to->left_out[to->left_out_count++] = from->left_out[i];
    for (uint32_t i = 0; i < RD_MIN(from->opaque_count, (uint32_t)RD_OPAQUE_MAX); i++)
        merge_opaque(to, &from->opaque[i]);
    if (!to->no_snapshot[0])
        rd_text_copy(to->no_snapshot, sizeof to->no_snapshot, from->no_snapshot);
    if (from->cpu_ns_min && (!to->cpu_ns_min || from->cpu_ns_min < to->cpu_ns_min))
        to->cpu_ns_min = from->cpu_ns_min;
    if (end_rank(from->end) <= end_rank(to->end))
        return;
    to->end = from->end;
    to->trouble = from->trouble;
    to->unseen_pc = from->unseen_pc;
    to->divergence = from->divergence;
    to->divergence_execution = from->divergence_execution;
    rd_text_copy(to->message, sizeof to->message, from->message);
}

/* Ends the text at the end of its room. Returns true if it ended before. */
static bool end_text(char *text, size_t room) {
    bool ended = memchr(text, 0, room) != NULL;
    text[room - 1] = 0;
    return ended;
}

/* Cuts a number to its limit. Returns true if it was within. */
static bool cut_to(uint32_t *n, uint32_t limit) {
    bool within = *n <= limit;
    *n = RD_MIN(*n, limit);
    return within;
}

bool rd_summary_clamp(struct rd_summary *s) {
    struct rd_claim *c = &s->claim;
    bool sound = s->end < RD_END_COUNT && s->trouble < RD_VERDICTS;
    s->end = s->end < RD_END_COUNT ? s->end : RD_END_NONE;
    s->trouble = s->trouble < RD_VERDICTS ? s->trouble : RD_REFUSED;
    sound &= cut_to(&s->opaque_count, RD_OPAQUE_MAX);
    sound &= end_text(s->message, sizeof s->message);
    sound &= end_text(s->no_snapshot, sizeof s->no_snapshot);
    sound &= end_text(c->proved, sizeof c->proved);
    sound &= end_text(c->voids, sizeof c->voids);
    sound &= end_text(c->assumes, sizeof c->assumes);
    sound &= end_text(c->phase, sizeof c->phase);
    sound &= end_text(c->chance, sizeof c->chance);
    sound &= s->divergence.expected.op < RD_OP_KINDS && s->divergence.actual.kind < RD_OP_KINDS;
    if (s->divergence.expected.op >= RD_OP_KINDS || s->divergence.actual.kind >= RD_OP_KINDS)
        s->divergence = (struct rd_divergence){.tid = RD_TID_NONE};
    return sound;
}
