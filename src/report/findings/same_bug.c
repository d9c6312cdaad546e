/*
 * same_bug.c - when two findings are the same bug: they are of the same kind, and the places in the source that
 * make the bug are the same, in any order. Threads, memory and copies of the machine code do not matter. Where no
 * line of source is known, the key of the search decides.
 *
 * This is not the identity of a finding (finding_identity.c), which has to last from build to build, so it knows
 * lines by their text. Here the findings are of one run of one binary, and lines are known by their numbers: two
 * lines of a function that read the same are two bugs with one identity. The other way round, a group has the
 * identity of the finding that stands for it; another member can have another one, as the identity has the message
 * of an assertion (which can quote the program's output), and here only its line counts, or the key of the search.
 */
#include "report/findings/bug_groups.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 24 };

/* A line of source, and what is done there. */
struct bug_place {
    char file[512];
    int line;
    uint32_t op;
};

/* What tells bugs apart. */
struct bug {
    uint32_t kind, count;
    int64_t detail; /* a signal, a status */
    bool by_key;    /* a place is not known, so only the key counts */
    bool full;      /* there are more places than there is room for: only the key counts */
    struct bug_place at[PLACES_MAX];
};

static int compare(const struct bug_place *a, const struct bug_place *b) {
    int order = strcmp(a->file, b->file);
    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    return order ? order : (a->op > b->op) - (a->op < b->op);
}

/* Adds a place, in ascending order. A place that is there counts once. */
static void add(struct bug *b, const char *file, int line, uint32_t op) {
    struct bug_place p = {.line = line, .op = op};
    if (!file || !file[0] || line <= 0) {
        b->by_key = true;
        return;
    }
    snprintf(p.file, sizeof p.file, "%s", file);
    uint32_t at = 0;
    while (at < b->count && compare(&b->at[at], &p) < 0)
        at++;
    if (at < b->count && compare(&b->at[at], &p) == 0)
        return;
    if (b->count == PLACES_MAX) {
        b->full = true;
        return;
    }
    memmove(&b->at[at + 1], &b->at[at], (b->count - at) * sizeof b->at[0]);
    b->at[at] = p;
    b->count++;
}

static void add_frame(struct bug *b, const struct rd_frame *f, uint32_t op) {
    add(b, f ? f->file : NULL, f ? f->line : 0, op);
}

static void add_where(struct bug *b, const struct rd_report *r) {
    struct rd_where w;
    rd_facts_where(r, &w);
    add(b, w.path[0] ? w.path : w.file, w.line, 0);
}

/* The threads of the circle, or all blocked threads if there is none: what each waits for, and where. */
static void add_waits(struct bug *b, const struct rd_report *r) {
    const struct rd_schedule *s = r->schedule;
    rd_tid cycle[RD_TID_MAX];
    uint32_t n = rd_facts_cycle(r, cycle);
    for (uint32_t i = 0; i < n; i++)
        add_frame(b, rd_facts_pending_frame(r, cycle[i]), s->threads[cycle[i]].pending.kind);
    for (uint32_t i = 0; n == 0 && i < s->thread_count; i++)
        if (rd_facts_blocked(r, (rd_tid)i))
            add_frame(b, rd_facts_pending_frame(r, (rd_tid)i), s->threads[i].pending.kind);
}

/* The operations of the round that repeats, or the loops in which threads wait. */
static void add_loops(struct bug *b, const struct rd_report *r) {
    const struct rd_schedule *s = r->schedule;
    uint32_t first = rd_facts_livelock_round(s);
    for (uint32_t i = first; first && i < s->step_count; i++)
        add_frame(b, rd_facts_step_frame(r, i), 0);
    for (uint32_t i = 0; !first && i < s->thread_count; i++)
        if (s->threads[i].state == RD_T_READY && s->threads[i].pending.kind == RD_OP_AWAIT)
            add_frame(b, rd_facts_pending_frame(r, (rd_tid)i), 0);
}

/* The places at which the threads of a predicted deadlock want a lock. */
static void add_circle(struct bug *b, const struct rd_report *r) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_finding *f = &s->finding;
    for (uint32_t i = 0; i < f->circle_count; i++) {
        bool pending = f->circle[i] == 0 && f->tid < s->thread_count;
        bool performed = f->circle[i] > 0 && f->circle[i] <= s->step_count;
        add_frame(b,
                  performed ? rd_facts_step_frame(r, f->circle[i] - 1)
                  : pending ? rd_facts_pending_frame(r, f->tid)
                            : NULL,
                  0);
    }
}

static void add_race(struct bug *b, const struct rd_report *r) {
    uint32_t first, second;
    if (!rd_race_steps(r, &first, &second)) {
        b->by_key = true;
        return;
    }
    add_frame(b, rd_facts_step_frame(r, first), 0);
    add_frame(b, rd_facts_step_frame(r, second), 0);
}

static void describe(struct bug *b, const struct rd_report *r) {
    const struct rd_finding *f = &r->schedule->finding;
    memset(b, 0, sizeof *b);
    b->kind = f->kind;
    switch (f->kind) {
    case RD_DATA_RACE:
        add_race(b, r);
        break;
    case RD_DEADLOCK:
        add_waits(b, r);
        break;
    case RD_LIVELOCK:
        add_loops(b, r);
        break;
    case RD_PREDICTED_DEADLOCK:
        add_circle(b, r);
        break;
    case RD_CRASH:
    case RD_ASSERTION:
        b->detail = f->kind == RD_CRASH ? f->signal : 0;
        add_where(b, r);
        break;
    case RD_USE_AFTER_FREE:
    case RD_DOUBLE_FREE:
    case RD_HEAP_OVERFLOW:
    case RD_LEAK:
        add_where(b, r);
        if (rd_facts_block(r, false))
            add_frame(b, rd_facts_block(r, false), 1); /* where it was allocated */
        break;
    case RD_MISUSE:
        add_where(b, r);
        break;
    default: /* a wrong status or output, a hang: the place is where it was noticed */
        b->by_key = true;
    }
    b->by_key |= b->full || b->count == 0;
}

static bool is_equal(const struct bug *a, const struct bug *b) {
    if (a->kind != b->kind || a->by_key || b->by_key || a->count != b->count || a->detail != b->detail)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (compare(&a->at[i], &b->at[i]) != 0)
            return false;
    return true;
}

bool rd_findings_same(const struct rd_report *a, const struct rd_report *b) {
    const struct rd_finding *f = &a->schedule->finding, *g = &b->schedule->finding;
    if (f->kind != g->kind)
        return false;
    if (f->key == g->key)
        return true;
    if (f->kind == RD_MISUSE && strcmp(f->message, g->message) != 0)
        return false;
    struct bug *x = malloc(2 * sizeof *x);
    if (!x)
        abort();
    describe(&x[0], a);
    describe(&x[1], b);
    bool same = is_equal(&x[0], &x[1]);
    free(x);
    return same;
}
