/* known_findings.c - see known_findings.h. */
#include "explore/known_findings.h"

#include "explore/suppression.h"

bool rd_known_findings_suppress(struct rd_loop *l, const struct rd_finding *f) {
    if (!rd_suppression_covers(l->channel, f))
        return false;
    rd_map_put(&l->findings, l->arena, f->key); /* no detector reports it again */
    l->channel->result.summary.suppressed += rd_loop_team_is_first(l, f->key);
    return true;
}

void rd_known_findings_count(struct rd_loop *l) {
    const struct rd_outcome *o = &l->channel->execution.outcome;
    RD_CHECK(o->known_count <= RD_KNOWN_MAX);
    for (uint32_t i = 0; i < o->known_count; i++)
        if (!rd_map_get(&l->findings, o->known[i])) {
            rd_map_put(&l->findings, l->arena, o->known[i]);
            l->channel->result.summary.suppressed += rd_loop_team_is_first(l, o->known[i]);
        }
}
