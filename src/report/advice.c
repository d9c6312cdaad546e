/*
 * advice.c - recommends options that would bring a search further that was not finished or whose claim is void. A
 * recommended time follows from the estimate of the search, and a recommended bound is the next one, so neither is
 * certain to finish the search.
 */
#include "report/run_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A longer time is not recommended. */
static const double DAY_S = 86400;

static void add(struct rd_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct rd_run *run, const char *format, ...) {
    size_t used = strlen(run->next);
    va_list args;
    va_start(args, format);
    if (used && used + 2 < sizeof run->next) {
        memcpy(run->next + used, "; ", 3);
        used += 2;
    }
    vsnprintf(run->next + used, sizeof run->next - used, format, args);
    va_end(args);
}

/* Recommends the next bound, with the strategy that has proved the last one. */
static void bound(struct rd_run *run, const struct rd_claim *k) {
    if (k->preemptions >= 0)
        add(run, "-s %s:c=%d proves the next bound", k->reduced ? "bpor" : "icb", k->preemptions + 1);
    else if (k->depth < 0)
        add(run, "-s delay:d=%d proves %s", k->delays + 1 > 1 ? k->delays + 1 : 1,
            k->delays >= 0 ? "the next bound" : "a bound that needs few executions");
}

static void more_time(struct rd_run *run, const struct rd_claim *k) {
    double left = k->done > 0 && k->done < 1 ? run->elapsed_s / k->done : 0;
    if (left > 0 && left < DAY_S)
        add(run, "-t %.0f finishes it, if the estimate holds", 2 * left + 1);
    else
        add(run, "-t gives it more time");
}

static void void_claim(struct rd_run *run, const struct rd_summary *s) {
    if (s->claim.incomplete)
        add(run, "--memory gives it more");
    if (s->claim.voids[0])
        add(run, "without -s, auto goes on without a reduction or a locking discipline where they do not hold");
    if (s->limited)
        add(run, "--max-steps gives executions more steps");
    if (s->fair_tails)
        add(run, "a loop that yields (sched_yield) while it waits is bounded, and explored to its end");
}

void rd_find_next(struct rd_run *run, const struct rd_run_result *result) {
    const struct rd_summary *s = run->summary;
    run->next[0] = 0;
    if (run->finished || run->samples)
        return;
    if (run->uncontrolled_count) {
        add(run, "let a thread of the test do what comes from outside it: then that is controlled, and proved");
        return;
    }
    if (run->void_count) {
        void_claim(run, s);
        return;
    }
    if (s->end != RD_END_BUDGET)
        return;
    more_time(run, &s->claim);
    bound(run, &s->claim);
    if (!run->blind.everything && result->config.points != RD_POINTS_SYNC)
        add(run, "--points sync switches threads at synchronisation only, and checks accesses for races");
    add(run, "a test with fewer threads or rounds has fewer schedules");
}
