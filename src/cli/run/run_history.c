/*
 * run_history.c - see run_history.h. The driver sees the counts of all workers about every 20 ms. When the table is
 * full, every second moment goes and later ones are taken half as often, so that a search of any length fits.
 */
#include "cli/run/run_history.h"

enum { MOMENTS_MAX = 512 };

static struct {
    bool on;
    void (*next)(const struct rd_progress *p);
    struct rd_run_moment at[MOMENTS_MAX];
    uint32_t count;
    uint64_t calls, stride;
} past = {.stride = 1};

void rd_run_history_begin(void) { past.on = true; }

void rd_run_history_pass_on(void (*next)(const struct rd_progress *p)) { past.next = next; }

static void take(const struct rd_summary *s) {
    const struct rd_run_moment *last = past.count ? &past.at[past.count - 1] : NULL;
    if (last && (s->executions < last->executions || s->classes < last->orders))
        past.count = 0; /* the search began again */
    else if (last && s->executions == last->executions)
        return;
    if (past.count == MOMENTS_MAX) {
        for (uint32_t i = 0; i < MOMENTS_MAX; i += 2)
            past.at[i / 2] = past.at[i];
        past.count = MOMENTS_MAX / 2;
        past.stride *= 2;
    }
    past.at[past.count++] = (struct rd_run_moment){s->executions, s->classes};
}

static void tick(const struct rd_progress *p) {
    if (past.on && past.calls++ % past.stride == 0)
        take(&p->summary);
    if (past.next)
        past.next(p);
}

void (*rd_run_history_tick(void))(const struct rd_progress *p) { return past.on || past.next ? tick : NULL; }

uint32_t rd_run_history(const struct rd_run_result *r, const struct rd_run_moment **to) {
    uint32_t samples = r->summary.coverage.sample_count;
    if (past.on && samples) {
        past.count = 0;
        for (uint32_t i = 0; i < samples; i += samples / MOMENTS_MAX + 1)
            past.at[past.count++] = (struct rd_run_moment){r->samples[i].executions, r->samples[i].classes};
    }
    *to = past.at;
    return past.count;
}
