/*
 * schedule_why.c - the lines of a schedule file about struct rd_why: how far the schedule was minimised, and the
 * step or the order of two events that decides whether the execution fails. Both the reader's and the writer's
 * half.
 */
#include "trace/place.h"
#include "file/schedule_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The place as text; "-" if its address differs between processes. */
static const char *name_of(rd_place place, char to[RD_PLACE_TEXT]) {
    unsigned region = rd_place_region(place);
    rd_place_text(region == 0 || region >= RD_PLACE_OTHER ? 0 : place, to);
    return to;
}

const char *rd_schedule_why(const struct rd_why *w, char to[RD_WHY_TEXT]) {
    char place[RD_PLACE_TEXT], pc[RD_PLACE_TEXT];
    int n = 0;
    to[0] = 0;
    if (w->minimised)
        n = snprintf(to, RD_WHY_TEXT, "minimised %u %u %u %s\n", w->preemptions, w->switches, w->steps,
                     w->proved ? "proved" : "-");
    if (w->explained)
        n += snprintf(to + n, RD_WHY_TEXT - (size_t)n, "why %u %s %u order %u %u %u thread %u", w->critical,
                      w->all ? "all" : "tried", w->tried, w->before, w->first, w->second, w->second_tid);
    if (w->explained && w->first && !w->second)
        n += snprintf(to + n, RD_WHY_TEXT - (size_t)n, " before %s %s %s", rd_op_name(w->second_op),
                      name_of(w->second_place, place), name_of(w->second_pc, pc));
    if (w->explained)
        n += snprintf(to + n, RD_WHY_TEXT - (size_t)n, "\n");
    if (w->ordered_known)
        n += snprintf(to + n, RD_WHY_TEXT - (size_t)n, "ordered %" PRIu64 "\n", w->ordered);
    RD_CHECK(n < RD_WHY_TEXT);
    return to;
}

/* Takes one of two words; returns 1 for the first one. */
static uint32_t is_first(struct rd_lines *in, const char *yes, const char *no) {
    const char *word = rd_lines_word(in);
    bool is = strcmp(word, yes) == 0;
    if (!is && strcmp(word, no) != 0)
        rd_lines_fail(in, in->line, "expected '%s' or '%s', not '%s'", yes, no, word);
    return is;
}

static uint32_t number(struct rd_lines *in, const char *what) {
    return (uint32_t)rd_lines_number(in, what, UINT32_MAX);
}

/* Reads the second event where it is an operation that the execution did not perform. */
static void read_second(struct rd_lines *in, struct rd_schedule *s) {
    rd_lines_expect(in, "before");
    const char *name = rd_lines_word(in);
    unsigned op = rd_op_by_name(name);
    if (op >= RD_OP_KINDS)
        rd_lines_fail(in, in->line, "unknown operation '%s'", name);
    s->why.second_op = (uint8_t)op;
    s->why.second_place = rd_parse_place(in, s, "place");
    s->why.second_pc = rd_parse_place(in, s, "pc");
}

bool rd_parse_why(struct rd_lines *in, struct rd_schedule *s) {
    struct rd_why *w = &s->why;
    bool more = !in->failed;
    if (more && rd_lines_is(in, "minimised")) {
        w->minimised = 1;
        w->preemptions = number(in, "preemptions");
        w->switches = number(in, "switches");
        w->steps = number(in, "steps");
        w->proved = is_first(in, "proved", "-");
        rd_lines_end(in);
        more = rd_lines_next(in);
    }
    if (more && rd_lines_is(in, "why")) {
        w->explained = 1;
        w->critical = number(in, "step");
        w->all = is_first(in, "all", "tried");
        w->tried = number(in, "executions");
        rd_lines_expect(in, "order");
        w->before = number(in, "step");
        w->first = number(in, "step");
        w->second = number(in, "step");
        rd_lines_expect(in, "thread");
        w->second_tid = (rd_tid)rd_lines_number(in, "thread", RD_TID_MAX - 1);
        if (w->first && !w->second)
            read_second(in, s);
        rd_lines_end(in);
        more = rd_lines_next(in);
    }
    if (more && rd_lines_is(in, "ordered")) {
        w->ordered_known = 1;
        w->ordered = rd_lines_number(in, "set of threads", UINT64_MAX);
        rd_lines_end(in);
        more = rd_lines_next(in);
    }
    return more;
}

void rd_parse_why_fits(struct rd_lines *in, const struct rd_schedule *s) {
    const struct rd_why *w = &s->why;
    const uint32_t steps[] = {w->critical, w->before, w->first, w->second};
    for (size_t i = 0; i < RD_COUNT(steps); i++)
        if (steps[i] > s->step_count)
            rd_lines_fail(in, 0, "is damaged: it is explained by step %u of %u", steps[i], s->step_count);
    if (s->thread_count < 64 && w->ordered >> s->thread_count)
        rd_lines_fail(in, 0, "is damaged: it orders threads that it does not have");
    if (w->first && w->second_tid >= s->thread_count)
        rd_lines_fail(in, 0, "is damaged: it is explained by thread %u of %u", w->second_tid, s->thread_count);
}
