/* exitblock_claim.c - the predictions and the claim of a search over atomic blocks. */
#include "search/exitblock/exitblock_state.h"

#include "base/text.h"
#include "detect/detect.h"

static bool is_known(const void *ctx, uint64_t key) {
    const struct rd_exitblock_search *s = ctx;
    return rd_map_get(&s->known, key) != NULL;
}

/* The locks that only one thread uses let no other thread go on. */
static bool keeps_out(const void *ctx, rd_place lock) { return !rd_private_locks_has(ctx, lock); }

static bool is_none(const void *ctx, uint64_t key) {
    (void)ctx;
    (void)key;
    return false;
}

/*
 * Returns whether accesses in the execution race, also such as the program declares harmless: library calls and
 * atomic accesses keep the discipline if they are ordered with all others.
 */
static bool has_race(struct rd_exitblock_search *s, const struct rd_record *r) {
    static const struct rd_known none = {.has = is_none};
    struct rd_record plain = *r;
    struct rd_finding f;
    size_t mark = s->arena->used;
    plain.annotation_count = 0;
    bool found = rd_detect_run(RD_DETECT_RACES, s->arena, &plain, &none, &f);
    s->arena->used = mark;
    return found;
}

bool rd_exitblock_predict(void *state, const struct rd_record *r, struct rd_finding *f) {
    struct rd_exitblock_search *s = state;
    struct rd_known known = {.has = is_known, .ctx = s};
    size_t mark = s->arena->used;
    bool found = rd_detect_run(RD_DETECT_LOCKS, s->arena, r, &known, f);
    s->undisciplined |= found;
    s->arena->used = mark;
    s->undisciplined = s->undisciplined || has_race(s, r);
    if (!found && s->dd) {
        found = rd_detect_lockchain_of(s->arena, r, keeps_out, &s->blocks.privates, &known, f);
        s->stuck |= found;
        s->arena->used = mark;
    }
    if (found)
        *rd_map_put(&s->known, s->arena, f->key) = 1;
    return found;
}

/* The beginning of the claim where threads went on beyond their limits. */
static void name_limits(const struct rd_exitblock_search *s, struct rd_text *t) {
    rd_text_str(t, "no assertion can fail up to the limit of each thread: every order of ");
    if (s->limits.blocks) {
        rd_text_str(t, "the first ");
        rd_text_dec(t, (int64_t)s->limits.blocks);
        rd_text_str(t, s->limits.blocks == 1 ? " block of each thread" : " blocks of each thread");
    } else {
        rd_text_str(t, "the blocks of each thread");
    }
    if (s->limits.within_count)
        rd_text_str(t, ", until it leaves the code of within=,");
    rd_text_str(t, " that makes a difference was covered (");
}

void rd_exitblock_claim(const void *state, struct rd_claim *c) {
    const struct rd_exitblock_search *s = state;
    *c = (struct rd_claim){.preemptions = -1, .delays = -1, .depth = -1};
    bool done = s->team ? rd_team_done(s->team) : s->started && !s->planned && s->stack.count == 0;
    c->complete = done && !s->limited;
    c->reduced = 1;
    rd_text_copy(c->phase, sizeof c->phase, "the orders of blocks between lock exits");
    if (s->undisciplined)
        rd_text_copy(c->voids, sizeof c->voids, "shared data is used without a lock that all its uses hold");
    else if (s->ended)
        rd_text_copy(c->voids, sizeof c->voids,
                     "a bug ended an execution in the middle of a block: what comes after it was not covered");
    else if (s->blocks.misplaced)
        rd_text_copy(c->voids, sizeof c->voids,
                     "libraries are loaded in another order than when their code was looked up");
    else if (s->blocks.handlers)
        rd_text_copy(c->voids, sizeof c->voids,
                     "a signal's handler or a cancellation can come in the middle of a block");
    c->deadlocks = s->dd;
    if (s->blocks.trusted_count)
        rd_text_copy(c->assumes, sizeof c->assumes, "the code of trust= has no part in a bug");
    if (!done)
        return;
    uint64_t paths = rd_exitblock_counted(s).paths;
    struct rd_text t;
    rd_text_init(&t, c->proved, sizeof c->proved);
    if (s->limited)
        name_limits(s, &t);
    else
        rd_text_str(&t,
                    "no assertion can fail: every order of the blocks between lock exits that makes a difference "
                    "was covered (");
    rd_text_dec(&t, (int64_t)paths);
    rd_text_str(&t, paths == 1 ? " path)" : " paths)");
    if (s->limited)
        rd_text_str(&t, "; beyond its limit a thread ran only when no other could go on");
    else if (s->dd && !s->rw && s->blocks.waits)
        rd_text_str(&t,
                    "; a deadlock may have been missed, a lock is held while its thread waits for something else");
    else if (s->dd && !s->rw)
        rd_text_str(&t, s->stuck ? ", and there is no other deadlock by mutexes and conditions alone"
                                 : ", and there is no deadlock by mutexes and conditions alone");
    else
        rd_text_str(&t, s->dd ? "; a deadlock may have been missed" : "; deadlocks were not looked for");
}
