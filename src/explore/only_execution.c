/*
 * only_execution.c - the result of a program that ended before it created a second thread. There is only one
 * schedule, and the loop never ran: the driver computes the result from the one execution in the channel.
 */
#include "explore/loop.h"

#include "explore/suppression.h"

#include "base/text.h"
#include "explore/outcomes.h"

void rd_only_execution_claim(struct rd_claim *c) {
    *c = (struct rd_claim){.preemptions = -1, .delays = -1, .depth = -1, .complete = 1, .done = 1, .estimate = 1};
    rd_text_copy(c->proved, sizeof c->proved, "the program created no second thread: there is only one schedule");
}

/* Counts the errors of the heap after which the execution went on. */
static void count_known(struct rd_summary *s, const struct rd_outcome *o) {
    for (uint32_t i = 0; i < RD_MIN(o->known_count, (uint32_t)RD_KNOWN_MAX); i++) {
        const struct rd_known_error *k = &o->known[i];
        const struct rd_left_out left_out = {.key = k->key, .pc = k->pc, .kind = k->kind};
        if (k->line < RD_SUPPRESS_LINES)
            rd_suppression_count(s, &left_out, k->line);
    }
}

/* Writes how the search ends, by the verdict of the execution. */
static void end_by_verdict(struct rd_channel *c) {
    struct rd_summary *s = &c->result.summary;
    const struct rd_outcome *o = &c->execution.outcome;
    s->end = RD_END_COMPLETE;
    count_known(s, o);
    int line = o->verdict == RD_FOUND ? rd_suppression_line(c, &o->finding) : RD_SUPPRESSION_NONE;
    if (line != RD_SUPPRESSION_NONE) {
        const struct rd_left_out left_out = rd_suppression_left_out(c, &o->finding);
        s->suppressed_ends = 1;
        if (line != RD_SUPPRESSION_KEY)
            rd_suppression_count(s, &left_out, line);
    } else if (o->verdict == RD_FOUND) {
        s->findings = 1;
        s->found_count = 1;
        c->result.found[0] = (struct rd_found){.finding = o->finding, .execution = 1, .threads = 1, .count = 1};
        s->end = RD_END_FOUND;
    } else if (o->verdict == RD_DROPPED) {
        s->dropped = 1;
    } else if (o->verdict != RD_PASSED) {
        s->end = RD_END_TROUBLE;
        s->trouble = o->verdict;
        rd_text_copy(s->message, sizeof s->message, o->message);
        s->unseen_pc = o->unseen_pc;
    }
}

void rd_only_execution_count(struct rd_channel *c) {
    struct rd_summary *s = &c->result.summary;
    const struct rd_outcome *o = &c->execution.outcome;
    if (o->verdict == RD_GIVEN_UP) {
        s->end = rd_end_of_stop(c);
        s->unseen_pc = o->unseen_pc;
        return;
    }
    s->executions = s->classes = s->threads_max = 1;
    s->preemptions[0] = s->classes_by[0] = 1;
    rd_coverage_digest(c);
    if (c->config.separate) {
        rd_outcomes_expect(c);
        rd_outcomes_note(c);
    }
    s->children = o->children;
    s->waited_outside = o->waited_outside;
    s->unseen = o->unseen;
    rd_only_execution_claim(&s->claim);
    if (c->config.coverage) {
        s->coverage.states = s->coverage.states_by[0] = s->coverage.lazy = 1;
        rd_coverage_count_order(c, &(uint64_t){0});
        rd_coverage_sample(c, true);
    }
    end_by_verdict(c);
}
