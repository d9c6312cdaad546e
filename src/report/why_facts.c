/*
 * why_facts.c - why an execution fails (struct rd_why) in words: the step that decides it, the operations whose
 * order matters, the number of preemptions. The words distinguish a fact that holds for all executions from one
 * that was found by trying some of them.
 */
#include "report/report.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* "(2 were run, and any other is equivalent to one of them)" */
static void tried(const struct rd_why *w, char *to, size_t room) {
    char number[32];
    rd_words_number(w->tried, number);
    if (w->all)
        snprintf(to, room, "(%s %s run, and any other is equivalent to %s)", number, w->tried == 1 ? "was" : "were",
                 w->tried == 1 ? "it" : "one of them");
    else
        snprintf(to, room, "of %s that %s run", number, w->tried == 1 ? "was" : "were");
}

void rd_why_decided(const struct rd_report *r, char *to, size_t room) {
    const struct rd_why *w = &r->schedule->why;
    bool read = rd_is_predicted(r->schedule->finding.kind);
    const char *fails = read ? "shows it" : "fails", *passed = read ? "did not" : "passed";
    char how[128];
    snprintf(to, room, "%s", "");
    /* a race, a deadlock and the like are always about threads */
    bool by_itself = !rd_is_predicted(r->schedule->finding.kind) && !rd_is_stuck(r->schedule->finding.kind);
    if (!w->explained)
        return;
    tried(w, how, sizeof how);
    if (w->all && w->critical)
        snprintf(to, room, "step %u decides it: from there on every execution %s %s; before it one %s", w->critical,
                 fails, how, passed);
    else if (w->critical)
        snprintf(
            to, room,
            "step %u decides it, as far as was tried: from there on every execution %s %s; before it one passed",
            w->critical, how, fails);
    else if (w->all)
        snprintf(to, room, "no schedule avoids it: every execution %s %s%s", fails, how,
                 by_itself ? "; it may not be about the order of threads" : "");
    else
        snprintf(to, room, "no schedule that was tried avoids it: every execution %s %s%s", how, fails,
                 by_itself ? "; it may not be about the order of threads" : "");
}

/* Describes a step that was performed. */
static void describe_step(const struct rd_report *r, uint32_t step, struct rd_why_step *to) {
    *to = (struct rd_why_step){.tid = r->schedule->steps[step].tid, .step = step + 1};
    rd_phrase_at(r, step, to->phrase, sizeof to->phrase);
    to->frame = rd_facts_step_frame(r, step);
}

/* Describes the second operation if the execution ended before it. */
static void describe_missing(const struct rd_report *r, struct rd_why_step *to) {
    const struct rd_why *w = &r->schedule->why;
    const struct rd_op *pending = &r->schedule->threads[w->second_tid].pending;
    *to = (struct rd_why_step){.tid = w->second_tid};
    if (pending->kind == w->second_op &&
        pending->pc == w->second_pc) { /* it was pending at the end, so its stack may be known */
        to->frame = rd_facts_pending_frame(r, w->second_tid);
        rd_phrase_pending(r, pending, to->phrase, sizeof to->phrase);
        return;
    }
    to->frame = rd_symbols_at(r->symbols, w->second_pc, w->second_op == RD_OP_START);
    rd_phrase_op(r, w->second_op, w->second_place, 0, RD_TID_MAX, to->phrase, sizeof to->phrase);
    if (w->second_op == RD_OP_JOIN) /* which thread is not known */
        snprintf(to->phrase, sizeof to->phrase, "join a thread");
}

uint32_t rd_why_order(const struct rd_report *r, struct rd_why_step to[3]) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_why *w = &s->why;
    uint32_t n = 0;
    if (!w->explained || !w->first || w->second_tid >= s->thread_count)
        return 0;
    if (w->before)
        describe_step(r, w->before - 1, &to[n++]);
    describe_step(r, w->first - 1, &to[n++]);
    if (w->second)
        describe_step(r, w->second - 1, &to[n++]);
    else
        describe_missing(r, &to[n++]);
    return n;
}

bool rd_why_simpler(const struct rd_schedule *s) {
    uint32_t switches = 0;
    for (uint32_t i = 0; i < s->step_count; i++)
        switches += (s->steps[i].flags & RD_STEP_SWITCH) != 0;
    return s->why.minimised && (s->why.preemptions != rd_schedule_preemptions(s) || s->why.switches != switches ||
                                s->why.steps != s->step_count);
}

void rd_why_preemptions(const struct rd_report *r, char *to, size_t room) {
    const struct rd_why *w = &r->schedule->why;
    uint32_t now = rd_schedule_preemptions(r->schedule);
    char found[64] = "", number[32];
    snprintf(to, room, "%s", "");
    if (!w->minimised || (!w->proved && now >= w->preemptions))
        return;
    if (w->preemptions > now)
        snprintf(found, sizeof found, " (it was found with %s)", rd_words_number(w->preemptions, number));
    if (now == 0)
        snprintf(to, room, "it takes no preemption%s", found);
    else if (w->proved)
        snprintf(to, room,
                 "it takes %u preemption%s%s: no execution with fewer shows it, at the operations that are points",
                 now, now == 1 ? "" : "s", found);
    else
        snprintf(to, room, "%u preemption%s enough%s", now, now == 1 ? " is" : "s are", found);
}

uint32_t rd_why_preempted(const struct rd_report *r, struct rd_preempted_at *to, uint32_t max) {
    const struct rd_schedule *s = r->schedule;
    uint32_t n = 0;
    for (uint32_t i = 1; i < s->step_count && n < max; i++) {
        if (!(s->steps[i].flags & RD_STEP_PREEMPTION))
            continue;
        struct rd_preempted_at at = rd_preempted_at(s->steps, i);
        uint32_t k = 0;
        while (k < n && !rd_preempted_same(&to[k], &at))
            k++;
        if (k == n)
            to[n++] = at;
    }
    return n;
}

void rd_why_preempted_name(const struct rd_report *r, const struct rd_preempted_at *at, char *to, size_t room) {
    if (at->place)
        rd_words_data(r, at->place, to, room);
    else
        snprintf(to, room, "T%u", at->thread);
}

uint32_t rd_why_ordered(const struct rd_schedule *s, rd_tid to[64]) {
    uint32_t n = 0;
    for (uint32_t t = 0; s->why.ordered_known && t < 64; t++)
        if (s->why.ordered >> t & 1)
            to[n++] = (rd_tid)t;
    return n;
}

/* "T1 is interrupted between steps 4 and 8, T2 after step 9" */
static void interrupted_words(const struct rd_schedule *s, struct rd_text *t) {
    const char *before = "";
    for (uint32_t i = 1; i < s->step_count; i++) {
        rd_tid tid = s->steps[i - 1].tid;
        uint32_t next = i;
        if (!(s->steps[i].flags & RD_STEP_PREEMPTION))
            continue;
        while (next < s->step_count && s->steps[next].tid != tid)
            next++;
        rd_text_str(t, before);
        rd_text_str(t, "T");
        rd_text_dec(t, tid);
        rd_text_str(t, before[0] ? "" : " is interrupted");
        rd_text_str(t, next < s->step_count ? " between steps " : " after step ");
        rd_text_dec(t, i);
        if (next < s->step_count) {
            rd_text_str(t, " and ");
            rd_text_dec(t, next + 1);
        }
        before = ", ";
    }
}

/* Where the preemptions are: "T1 is interrupted between steps 4 and 8, at counter"; of many only the variables. */
static void preempted_words(const struct rd_report *r, struct rd_text *t) {
    enum { NAMED = 4, FEW = 3 };
    struct rd_preempted_at at[RD_REPORT_PREEMPTED];
    uint32_t n = rd_why_preempted(r, at, RD_REPORT_PREEMPTED);
    bool few = rd_schedule_preemptions(r->schedule) <= FEW;
    if (few)
        interrupted_words(r->schedule, t);
    rd_text_str(t, few ? ", at " : "the preemptions are at ");
    for (uint32_t i = 0; i < RD_MIN(n, (uint32_t)NAMED); i++) {
        char name[RD_PHRASE];
        rd_why_preempted_name(r, &at[i], name, sizeof name);
        rd_text_str(t, i ? ", " : "");
        rd_text_str(t, name);
    }
    if (n > NAMED) {
        rd_text_str(t, " and ");
        rd_text_dec(t, n - NAMED);
        rd_text_str(t, n == RD_REPORT_PREEMPTED ? " or more other variables"
                       : n == NAMED + 1         ? " more"
                                                : " others");
    }
}

void rd_why_size(const struct rd_report *r, char *to, size_t room) {
    const struct rd_schedule *s = r->schedule;
    rd_tid ordered[64];
    uint32_t n = rd_why_ordered(s, ordered), preemptions = rd_schedule_preemptions(s);
    bool unavoidable = s->why.explained && !s->why.critical;
    struct rd_text t;
    rd_text_init(&t, to, room);
    if (!s->why.minimised)
        return;
    if (preemptions)
        preempted_words(r, &t);
    if (n < 2 || unavoidable)
        return;
    rd_text_str(&t, preemptions ? "; the order of " : "the order of ");
    for (uint32_t i = 0; i < n; i++) {
        rd_text_str(&t, i == 0 ? "T" : i + 1 < n ? ", T" : " and T");
        rd_text_dec(&t, ordered[i]);
    }
    rd_text_str(&t, " matters");
}
