/*
 * claims.c - checks a search's claim about the executions until now against the executions that it has run until
 * now.
 */
#include "fuzz.h"

#include "channel/channel.h"

/* Checks that every thing of this kind within the bound was shown; fails with the first that was not. */
static bool shown(const struct fuzz_truth *t, unsigned kind, uint32_t preemptions, uint64_t executions,
                  struct fuzz_failure *f) {
    static const char *const what[FUZZ_THINGS] = {"a class", "a final state", "a failure"};
    for (uint32_t i = 0; i < t->things[kind].count; i++) {
        const struct fuzz_thing *it = &t->things[kind].at[i];
        if (!it->seen && it->preemptions <= preemptions)
            return fuzz_fail(f, FUZZ_CLAIM, "after %llu executions %s with %u preemptions was not shown",
                             (unsigned long long)executions, what[kind], it->preemptions);
    }
    return true;
}

/* Checks that every schedule with at most this number of delays was run. */
static bool delayed(const struct fuzz_truth *t, const uint8_t *seen, uint32_t delays, uint64_t executions,
                    struct fuzz_failure *f) {
    for (uint32_t i = 0; i < t->runs.count; i++)
        if (!seen[i] && t->runs.at[i].delays <= delays)
            return fuzz_fail(f, FUZZ_CLAIM, "after %llu executions a schedule with %u delays was not run",
                             (unsigned long long)executions, t->runs.at[i].delays);
    return true;
}

bool fuzz_claim(const struct rd_claim *c, const struct fuzz_truth *t, const uint8_t *seen, uint64_t executions,
                struct fuzz_failure *f) {
    if (c->voids[0] || c->incomplete || c->likely)
        return true;
    if (c->delays >= 0 && !delayed(t, seen, (uint32_t)c->delays, executions, f))
        return false;
    if (c->complete && !shown(t, FUZZ_CLASS, UINT32_MAX, executions, f))
        return false;
    if (!c->complete && c->preemptions < 0)
        return true;
    uint32_t bound = c->complete ? UINT32_MAX : (uint32_t)c->preemptions;
    return shown(t, FUZZ_FINAL, bound, executions, f) && shown(t, FUZZ_FAILURE, bound, executions, f);
}
