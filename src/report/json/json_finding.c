/*
 * json_finding.c - one finding in the JSON summary of a run: where it is, its threads and stacks, and why it
 * fails.
 */
#include "report/json/json_finding.h"

#include "report/findings/bug_groups.h"

#include <string.h>

enum { FRAMES_MAX = 128, VARIABLES_MAX = 16 };

static void write_order(struct rd_json *j, const struct rd_report *r) {
    struct rd_why_step steps[3];
    uint32_t n = rd_why_order(r, steps);
    rd_json_open(j, "order", '[');
    for (uint32_t i = 0; i < n; i++) {
        const struct rd_frame *f = steps[i].frame;
        rd_json_open(j, NULL, '{');
        rd_json_number(j, "thread", steps[i].tid);
        rd_json_string(j, "operation", steps[i].phrase);
        rd_json_string(j, "file", f && f->file ? rd_words_path(r, f->file) : NULL);
        rd_json_number(j, "line", f ? (uint64_t)RD_MAX(f->line, 0) : 0);
        if (steps[i].step)
            rd_json_number(j, "step", steps[i].step);
        else
            rd_json_string(j, "step", NULL);
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
}

void rd_json_why(struct rd_json *j, const struct rd_report *r) {
    const struct rd_why *w = &r->schedule->why;
    char text[400];
    if (w->minimised) {
        rd_json_open(j, "minimised", '{');
        rd_json_number(j, "preemptions_before", w->preemptions);
        rd_json_number(j, "switches_before", w->switches);
        rd_json_number(j, "steps_before", w->steps);
        rd_json_bool(j, "proved", w->proved);
        rd_json_number(j, "executions", w->executions);
        rd_json_close(j, '}');
    } else {
        rd_json_string(j, "minimised", NULL);
    }
    if (w->explained && w->critical)
        rd_json_number(j, "critical_step", w->critical);
    else
        rd_json_string(j, "critical_step", NULL);
    if (!w->explained) {
        rd_json_string(j, "explanation", NULL);
        return;
    }
    rd_why_decided(r, text, sizeof text);
    rd_json_open(j, "explanation", '{');
    rd_json_string(j, "text", text);
    rd_json_string(j, "established", w->all ? "all" : "tried");
    rd_json_number(j, "executions", w->tried);
    write_order(j, r);
    rd_json_close(j, '}');
}

static void write_threads(struct rd_json *j, const struct rd_report *r) {
    bool used[RD_TID_MAX];
    rd_facts_threads_used(r, used);
    rd_json_open(j, "threads", '[');
    for (uint32_t i = 0; i < r->schedule->thread_count; i++) {
        const struct rd_thread_info *t = &r->schedule->threads[i];
        char name[64], phrase[RD_PHRASE];
        if (!used[i])
            continue;
        rd_words_thread(r, (rd_tid)i, name, sizeof name);
        rd_phrase_pending(r, &t->pending, phrase, sizeof phrase);
        bool waits = t->state == RD_T_READY && t->pending.kind != RD_OP_NONE;
        rd_json_open(j, NULL, '{');
        rd_json_number(j, "id", i);
        rd_json_string(j, "name", name);
        rd_json_string(j, "state",
                       t->state == RD_T_FINISHED ? "finished"
                       : t->state == RD_T_UNUSED ? "unknown"
                       : !waits                  ? rd_words_running(r, (rd_tid)i)
                       : t->enabled              ? "ready"
                                                 : "blocked");
        rd_json_string(j, "operation", waits ? phrase : NULL);
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
}

static void write_variables(struct rd_json *j, const struct rd_report *r) {
    rd_place places[VARIABLES_MAX];
    uint32_t n = rd_facts_variables(r, places, VARIABLES_MAX);
    rd_json_open(j, "variables", '[');
    for (uint32_t i = 0; i < n; i++) {
        char name[RD_PHRASE];
        rd_words_data(r, places[i], name, sizeof name);
        rd_json_string(j, NULL, name);
    }
    rd_json_close(j, ']');
}

static void write_stack(struct rd_json *j, const struct rd_report *r, rd_tid tid) {
    static struct rd_frame frames[FRAMES_MAX];
    uint32_t n = rd_facts_stack(r, tid, frames, FRAMES_MAX);
    if (n == 0)
        return;
    rd_json_open(j, NULL, '{');
    rd_json_number(j, "thread", tid);
    rd_json_open(j, "frames", '[');
    for (uint32_t i = 0; i < n; i++) {
        rd_json_open(j, NULL, '{');
        rd_json_string(j, "function", frames[i].function);
        rd_json_string(j, "file", frames[i].file);
        rd_json_number(j, "line", (uint64_t)RD_MAX(frames[i].line, 0));
        rd_json_string(j, "module", frames[i].module);
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
    rd_json_close(j, '}');
}

/* Written only if the finding depends on a second position. */
static void write_other(struct rd_json *j, const struct rd_report *r) {
    const struct rd_frame *other = rd_facts_other_frame(r);
    if (!other)
        return;
    rd_json_open(j, "because_of", '{');
    rd_json_number(j, "thread", r->schedule->finding.other_tid);
    rd_json_string(j, "file", other->file ? rd_words_path(r, other->file) : NULL);
    rd_json_number(j, "line", (uint64_t)RD_MAX(other->line, 0));
    rd_json_string(j, "function", other->function);
    rd_json_close(j, '}');
}

static void write_block_end(struct rd_json *j, const struct rd_report *r, bool freed) {
    const struct rd_heap_fact *h = &r->schedule->finding.heap;
    const struct rd_frame *f = rd_facts_block(r, freed);
    if (!f)
        return;
    rd_json_open(j, freed ? "freed" : "allocated", '{');
    rd_json_number(j, "thread", freed ? h->freed_tid : h->made_tid);
    rd_json_string(j, "file", f->file ? rd_words_path(r, f->file) : NULL);
    rd_json_number(j, "line", (uint64_t)RD_MAX(f->line, 0));
    rd_json_string(j, "function", f->function);
    rd_json_close(j, '}');
}

/* The block of the heap that the finding is about, if there is one. */
static void write_block(struct rd_json *j, const struct rd_report *r) {
    const struct rd_heap_fact *h = &r->schedule->finding.heap;
    if (!h->block)
        return;
    rd_json_open(j, "block", '{');
    rd_json_number(j, "size", h->size);
    rd_json_real(j, "offset", (double)h->offset, 0);
    if (h->count)
        rd_json_number(j, "count", h->count);
    write_block_end(j, r, false);
    write_block_end(j, r, true);
    rd_json_close(j, '}');
}

/* Written only for an unreliable race: the functions that may have ordered the two accesses. */
static void write_between(struct rd_json *j, const struct rd_report *r) {
    uint32_t at[2];
    char name[2][RD_PHRASE];
    char *const *functions = NULL;
    bool calls = rd_race_unseen(r, at, name);
    uint32_t count = calls ? 0 : rd_race_inline(r, &functions);
    if (!calls && !count)
        return;
    rd_json_open(j, "unseen", '[');
    if (calls)
        rd_json_string(j, NULL, name[0]);
    if (calls && strcmp(name[0], name[1]) != 0)
        rd_json_string(j, NULL, name[1]);
    for (uint32_t i = 0; i < count; i++)
        rd_json_string(j, NULL, functions[i]);
    rd_json_close(j, ']');
}

static void write_preempted(struct rd_json *j, const struct rd_report *r) {
    struct rd_preempted_at at[RD_REPORT_PREEMPTED];
    uint32_t n = rd_why_preempted(r, at, RD_REPORT_PREEMPTED);
    rd_json_open(j, "preempted_at", '[');
    for (uint32_t i = 0; i < n; i++) {
        char name[RD_PHRASE];
        rd_why_preempted_name(r, &at[i], name, sizeof name);
        rd_json_string(j, NULL, name);
    }
    rd_json_close(j, ']');
}

static void write_ordered(struct rd_json *j, const struct rd_schedule *s) {
    rd_tid ordered[64];
    uint32_t n = rd_why_ordered(s, ordered);
    if (!s->why.ordered_known) {
        rd_json_string(j, "ordered_threads", NULL);
        return;
    }
    rd_json_number(j, "ordered_threads", n);
    rd_json_open(j, "ordered", '[');
    for (uint32_t i = 0; i < n; i++)
        rd_json_number(j, NULL, ordered[i]);
    rd_json_close(j, ']');
}

/* The findings of the search that are this bug, beside the one that represents it; and other memory of a race. */
static void write_also(struct rd_json *j, const struct rd_report *r) {
    rd_json_number(j, "count", r->also_count + (uint64_t)1);
    rd_json_open(j, "also", '[');
    for (uint32_t i = 0; i < r->also_count; i++) {
        const struct rd_report *m = r->also[i];
        char text[2400];
        rd_findings_member(m, text, sizeof text);
        rd_json_open(j, NULL, '{');
        rd_json_string(j, "message", text);
        rd_json_bool(j, "warning", m->warning || rd_is_unreliable(&m->schedule->finding));
        rd_json_number(j, "execution", m->execution);
        rd_json_number(j, "executions", m->shown);
        rd_json_number(j, "preemptions", rd_schedule_preemptions(m->schedule));
        rd_json_string(j, "schedule", m->schedule_path);
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
    rd_json_open(j, "other_memory", '[');
    for (uint32_t i = 0; i < r->memory_count; i++) {
        char name[RD_PHRASE];
        rd_words_data(r, r->memory[i], name, sizeof name);
        rd_json_string(j, NULL, name);
    }
    rd_json_close(j, ']');
}

/* How many executions of the search showed the finding, and whether they were counted as orders of events. */
static void write_shown(struct rd_json *j, const struct rd_report *r) {
    rd_json_number(j, "number", RD_MAX(r->number, 1u));
    rd_json_number(j, "executions", r->shown);
    rd_json_string(j, "counted", rd_is_predicted(r->schedule->finding.kind) ? "orders" : "executions");
    if (r->same_memory)
        rd_json_number(j, "same_memory_as", r->same_memory);
    else
        rd_json_string(j, "same_memory_as", NULL);
}

void rd_json_finding(struct rd_json *j, const struct rd_report *r) {
    struct rd_where w;
    char message[600], id[RD_IDENTITY];
    rd_facts_where(r, &w);
    rd_facts_message(r, message, sizeof message);
    rd_facts_identity(r, id);
    rd_json_open(j, NULL, '{');
    rd_json_string(j, "id", id);
    rd_json_string(j, "kind", rd_finding_name(r->schedule->finding.kind));
    rd_json_bool(j, "warning", r->warning);
    rd_json_string(j, "message", message);
    rd_json_string(j, "file", w.file[0] ? w.file : NULL);
    rd_json_number(j, "line", (uint64_t)RD_MAX(w.line, 0));
    rd_json_string(j, "function", w.function[0] ? w.function : NULL);
    write_shown(j, r);
    write_also(j, r);
    write_other(j, r);
    write_between(j, r);
    write_block(j, r);
    rd_json_number(j, "execution", r->execution);
    rd_json_number(j, "preemptions", rd_schedule_preemptions(r->schedule));
    write_preempted(j, r);
    write_ordered(j, r->schedule);
    rd_json_why(j, r);
    write_threads(j, r);
    write_variables(j, r);
    rd_json_string(j, "schedule", r->schedule_path);
    rd_json_open(j, "stacks", '[');
    for (uint32_t i = 0; i < r->schedule->thread_count; i++)
        write_stack(j, r, (rd_tid)i);
    rd_json_close(j, ']');
    rd_json_close(j, '}');
}
