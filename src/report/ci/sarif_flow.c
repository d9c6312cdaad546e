/*
 * sarif_flow.c - the columns of a report as a code flow of SARIF: a thread flow for each thread, whose locations
 * have the numbers of the steps as their order of execution, so that a reader can put the threads side by side
 * again.
 */
#include "report/ci/sarif.h"
#include "report/row_selection.h"

#include <stdlib.h>
#include <string.h>

struct flow {
    struct rd_sarif *s;
    const struct rd_report *r;
    uint8_t *rows, *ranks; /* by step: enum rd_row, enum rd_row_rank */
    char **phrases;        /* by step; NULL: not shown */
    uint32_t shown;
};

/* Puts the steps that are shown into words. The waits at conditions need the steps in their order. */
static void find_phrases(struct flow *f) {
    char text[RD_PHRASE];
    struct rd_waits *waits = calloc(1, sizeof *waits);
    if (!waits)
        abort();
    for (uint32_t i = 0; i < f->r->schedule->step_count; i++) {
        if (f->rows[i] != RD_ROW_SHOWN || f->shown == f->s->locations_max) {
            rd_phrase_skip(f->r, waits, i);
            continue;
        }
        rd_phrase_step(f->r, waits, i, text, sizeof text);
        f->phrases[i] = strdup(text);
        if (!f->phrases[i])
            abort();
        f->shown++;
    }
    free(waits);
}

static const char *importance(unsigned rank) {
    return rank == RD_RANK_EXPLAINS ? "essential" : rank == RD_RANK_OTHER ? "unimportant" : "important";
}

/* The kinds of a step that SARIF has words for: what takes a lock, and what gives it back. */
static const char *lock_kind(unsigned op) {
    switch (op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
        return "acquire";
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_UNLOCK:
        return "release";
    default:
        return NULL;
    }
}

/* The value that the step has read or written, by the name of the data. */
static void write_state(struct flow *f, const struct rd_step *step) {
    char data[RD_PHRASE], value[RD_PHRASE];
    bool access = rd_op_flags(step->op) & (RD_F_READS | RD_F_WRITES);
    if (!access || !(step->flags & RD_STEP_HAS_VALUE) || !step->place || step->op == RD_OP_AWAIT)
        return;
    rd_words_data(f->r, step->place, data, sizeof data);
    rd_words_value(f->r, step->place, step->value, step->size, value, sizeof value);
    rd_json_open(&f->s->j, "state", '{');
    rd_sarif_message(f->s, data, value);
    rd_json_close(&f->s->j, '}');
}

static void write_step(struct flow *f, uint32_t i) {
    const struct rd_step *step = &f->r->schedule->steps[i];
    struct rd_json *j = &f->s->j;
    bool preemption = step->flags & RD_STEP_PREEMPTION;
    char text[RD_PHRASE + 64];
    const char *kind = step->result ? NULL : lock_kind(step->op);
    snprintf(text, sizeof text, "step %u: %s%s", i + 1, f->phrases[i], preemption ? " (a preemption)" : "");
    rd_json_open(j, NULL, '{');
    rd_sarif_location(f->s, "location", f->r, rd_facts_step_frame(f->r, i), text, 0);
    rd_json_number(j, "executionOrder", i + 1);
    rd_json_string(j, "importance", importance(f->ranks[i]));
    if (kind) {
        rd_json_open(j, "kinds", '[');
        rd_json_string(j, NULL, kind);
        rd_json_string(j, NULL, "lock");
        rd_json_close(j, ']');
    }
    write_state(f, step);
    rd_json_close(j, '}');
}

/* Does the execution end in this thread: with the finding, or blocked? */
static bool ends_in(const struct flow *f, rd_tid tid) {
    const struct rd_finding *x = &f->r->schedule->finding;
    if (rd_is_stuck(x->kind))
        return tid < f->r->schedule->thread_count && rd_facts_blocked(f->r, tid);
    return x->kind != RD_NO_FINDING && x->tid == tid && tid < f->r->schedule->thread_count;
}

/* The end of the execution, after the last step. */
static void write_end(struct flow *f, rd_tid tid) {
    const struct rd_schedule *schedule = f->r->schedule;
    char phrase[RD_PHRASE], text[RD_PHRASE + 16];
    rd_json_open(&f->s->j, NULL, '{');
    if (rd_is_stuck(schedule->finding.kind)) {
        rd_phrase_pending(f->r, &schedule->threads[tid].pending, phrase, sizeof phrase);
        snprintf(text, sizeof text, "blocked: %s", phrase);
        rd_sarif_location(f->s, "location", f->r, rd_facts_pending_frame(f->r, tid), text, 0);
    } else {
        rd_sarif_where(f->s, "location", f->r, rd_words_kind(schedule->finding.kind));
    }
    rd_json_number(&f->s->j, "executionOrder", schedule->step_count + 1);
    rd_json_string(&f->s->j, "importance", "essential");
    rd_json_close(&f->s->j, '}');
}

static void write_thread(struct flow *f, rd_tid tid) {
    const struct rd_schedule *schedule = f->r->schedule;
    struct rd_json *j = &f->s->j;
    char name[64], id[16];
    bool any = ends_in(f, tid);
    for (uint32_t i = 0; i < schedule->step_count && !any; i++)
        any = f->phrases[i] && schedule->steps[i].tid == tid;
    if (!any)
        return;
    snprintf(id, sizeof id, "T%u", tid);
    rd_words_thread(f->r, tid, name, sizeof name);
    rd_json_open(j, NULL, '{');
    rd_json_string(j, "id", id);
    rd_sarif_message(f->s, "message", name);
    rd_json_open(j, "locations", '[');
    for (uint32_t i = 0; i < schedule->step_count; i++)
        if (f->phrases[i] && schedule->steps[i].tid == tid)
            write_step(f, i);
    if (ends_in(f, tid))
        write_end(f, tid);
    rd_json_close(j, ']');
    rd_json_close(j, '}');
}

static void write_flow(struct flow *f) {
    bool used[RD_TID_MAX];
    char text[128];
    struct rd_json *j = &f->s->j;
    rd_facts_threads_used(f->r, used);
    snprintf(text, sizeof text, "The execution, %u of its %u steps.", f->shown, f->r->schedule->step_count);
    rd_json_open(j, "codeFlows", '[');
    rd_json_open(j, NULL, '{');
    rd_sarif_message(f->s, "message", text);
    rd_json_open(j, "threadFlows", '[');
    for (uint32_t i = 0; i < RD_TID_MAX; i++)
        if (used[i])
            write_thread(f, (rd_tid)i);
    rd_json_close(j, ']');
    rd_json_close(j, '}');
    rd_json_close(j, ']');
}

void rd_sarif_code_flows(struct rd_sarif *s, const struct rd_report *r) {
    uint32_t steps = r->schedule->step_count;
    struct flow f = {.s = s, .r = r, .rows = calloc(steps + 1, 1), .ranks = calloc(steps + 1, 1)};
    f.phrases = calloc(steps + 1, sizeof *f.phrases);
    if (!f.rows || !f.ranks || !f.phrases)
        abort();
    if (steps) {
        rd_row_selection_choose(r, s->rows_max, f.rows);
        rd_row_selection_rank(r, f.ranks);
        find_phrases(&f);
        if (f.shown) /* a list of thread flows may not be empty */
            write_flow(&f);
    }
    for (uint32_t i = 0; i < steps; i++)
        free(f.phrases[i]);
    free(f.rows);
    free(f.ranks);
    free(f.phrases);
}
