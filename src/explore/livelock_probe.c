/* livelock_probe.c - see livelock_probe.h. */
#include "explore/livelock_probe.h"

#include "pick/pick.h"

/* Threads that state_hash tells apart. */
enum { THREADS = 64 };

/* A hash of the last operation of each thread: from the same operations the threads would go the same way. */
static uint64_t state_hash(const struct rd_step *steps, uint32_t count) {
    uint64_t last[THREADS] = {0}, h = 0;
    for (uint32_t i = 0; i < count; i++)
        last[steps[i].tid % THREADS] = rd_hash2(steps[i].pc, steps[i].op);
    for (uint32_t t = 0; t < THREADS; t++)
        h = rd_hash2(h, last[t]);
    return h;
}

/*
 * Returns the number of steps of the search's execution after which the threads should take turns; 0: no thread
 * completed a retry cycle, or probes were run from this state before.
 */
static uint32_t begin_probes(struct rd_livelock_probe *p, struct rd_arena *a, struct rd_channel *c) {
    const struct rd_outcome *o = &c->execution.outcome;
    bool ended = o->verdict == RD_PASSED || o->verdict == RD_CUT;
    if (!o->retried || !ended || o->limited || c->execution.plan.access_points != RD_ACCESSES_ALL ||
        o->retried > c->prefix_max || p->count == RD_LIVELOCK_PROBES_MAX)
        return 0;
    RD_CHECK(o->retried <= o->steps && p->count < RD_LIVELOCK_PROBES_MAX);
    const struct rd_step *steps = rd_channel_record(c).steps;
    uint64_t *tried = rd_map_put(&p->tried, a, state_hash(steps, o->retried));
    if (*tried)
        return 0;
    *tried = ++p->count;
    rd_choices_of_steps(rd_channel_prefix(c), steps, o->retried);
    return o->retried;
}

bool rd_livelock_probe_next(struct rd_livelock_probe *p, struct rd_arena *a, struct rd_channel *c) {
    bool shown = c->execution.outcome.verdict == RD_FOUND || c->execution.outcome.verdict == RD_REFUSED;
    if (!p->from) {
        p->from = begin_probes(p, a, c);
        p->phase = 0;
    } else if (shown || ++p->phase == RD_LIVELOCK_PROBE_PHASES) {
        p->from = 0;
    }
    RD_CHECK(!p->from || p->phase < RD_LIVELOCK_PROBE_PHASES);
    if (p->from)
        c->execution.plan = (struct rd_plan){.prefix_count = p->from, .picker = RD_PICK_TURNS, .a = p->phase};
    return p->from;
}
