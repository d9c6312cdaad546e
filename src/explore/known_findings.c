/* known_findings.c - see known_findings.h. */
#include "explore/known_findings.h"

#include "explore/suppression.h"

/* Counts a finding, unless this search has met it before. One that the driver suppresses is counted there. */
static void count(struct rd_loop *l, const struct rd_left_out *f, int line) {
    struct rd_summary *s = &l->channel->result.summary;
    RD_CHECK(line < RD_SUPPRESS_LINES);
    if (rd_map_get(&l->findings, f->key))
        return;
    rd_map_put(&l->findings, l->arena, f->key); /* no detector reports it again */
    if (line != RD_SUPPRESSION_KEY && rd_loop_team_is_first(l, f->key))
        rd_suppression_count(s, f, line);
}

bool rd_known_findings_suppress(struct rd_loop *l, const struct rd_finding *f) {
    int line = rd_suppression_line(l->channel, f);
    if (line == RD_SUPPRESSION_NONE)
        return false;
    struct rd_left_out left_out = rd_suppression_left_out(l->channel, f);
    count(l, &left_out, line);
    return true;
}

void rd_known_findings_count(struct rd_loop *l) {
    const struct rd_outcome *o = &l->channel->execution.outcome;
    RD_CHECK(o->known_count <= RD_KNOWN_MAX);
    for (uint32_t i = 0; i < o->known_count; i++) {
        const struct rd_known_error *k = &o->known[i];
        const struct rd_left_out left_out = {.key = k->key, .pc = k->pc, .kind = k->kind};
        count(l, &left_out, k->line < RD_SUPPRESS_LINES ? k->line : RD_SUPPRESSION_KEY);
    }
}
