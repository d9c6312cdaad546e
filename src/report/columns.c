/*
 * columns.c - the execution as it happened: a line for each operation, a column for each thread.
 *
 * Only one thread acts on a line, so its text may run on to the right over the columns of others: columns can be
 * narrower than their text, and eight threads fit on an ordinary terminal. When even the starts of the columns would
 * be too close, there is one column with the thread's name in front.
 *
 * Long executions are shown by their beginning and their end, and what a deadlock's threads hold is kept in between.
 */
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

enum { PITCH_MIN = 4, TEXT_MIN = 16, PLACE_MAX = 28, ROWS_HEAD = 8 };

struct lane {
    rd_tid tid;
    uint32_t first, last; /* steps between which it is alive */
};

struct table {
    FILE *out;
    const struct rd_report *r;
    const struct rd_look *look;
    struct lane *lanes;
    uint32_t lane_count;
    unsigned number_width, pitch, text_width, place_width; /* pitch 0: one column */
    bool *shown;                                           /* by step */
    int16_t lane_of[RD_TID_MAX];
};

static void choose_rows(struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    uint32_t max = t->look->rows_max, head = RD_MIN(max / 4, (uint32_t)ROWS_HEAD);
    for (uint32_t i = 0; i < s->step_count; i++)
        t->shown[i] = max == 0 || s->step_count <= max || i < head || i >= s->step_count - (max - head);
    for (uint32_t i = 0; i < s->thread_count; i++) {
        uint32_t held = s->threads[i].held_step;
        if (s->finding.kind == RD_DEADLOCK && held > 0 && held <= s->step_count)
            t->shown[held - 1] = true;
    }
    for (uint32_t i = 1; i + 1 < s->step_count; i++) /* a line that says "1 step left out" is no shorter than the step */
        if (!t->shown[i] && t->shown[i - 1] && t->shown[i + 1])
            t->shown[i] = true;
}

static void find_lanes(struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    bool used[RD_TID_MAX];
    t->lane_count = 0;
    t->lanes = calloc(rd_facts_used(t->r, used), sizeof *t->lanes);
    for (uint32_t i = 0; i < RD_TID_MAX; i++) {
        t->lane_of[i] = -1;
        if (!used[i] || !t->lanes)
            continue;
        t->lane_of[i] = (int16_t)t->lane_count;
        t->lanes[t->lane_count++] = (struct lane){.tid = (rd_tid)i, .first = UINT32_MAX};
    }
    for (uint32_t i = 0; i < s->step_count && t->lanes; i++) {
        const struct rd_step *step = &s->steps[i];
        struct lane *lane = &t->lanes[t->lane_of[step->tid]];
        lane->first = RD_MIN(lane->first, i);
        lane->last = i;
        if (step->op == RD_OP_CREATE && step->result == 0 && step->value < s->thread_count) {
            lane = &t->lanes[t->lane_of[step->value]];
            lane->first = RD_MIN(lane->first, i);
        }
    }
    for (uint32_t i = 0; i < t->lane_count; i++)
        if (s->threads[t->lanes[i].tid].state == RD_T_READY)
            t->lanes[i].last = s->step_count;
}

static void place_of_step(const struct table *t, uint32_t step, char *to, size_t room) {
    rd_words_frame(t->r, rd_facts_step_frame(t->r, step), false, to, room);
}

/* Widths from what is to be shown. */
static void measure(struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    unsigned width = t->look->width ? t->look->width : 100, longest = 12, place = 8;
    struct rd_waits *waits = calloc(1, sizeof *waits);
    for (uint32_t i = 0; i < s->step_count && waits; i++) {
        char text[RD_PHRASE], at[RD_LOCATION];
        rd_phrase_step(t->r, waits, i, text, sizeof text);
        if (!t->shown[i])
            continue;
        place_of_step(t, i, at, sizeof at);
        longest = RD_MAX(longest, rd_paint_width(text));
        place = RD_MAX(place, rd_paint_width(at));
    }
    free(waits);
    t->number_width = (unsigned)snprintf(NULL, 0, "%u", s->step_count);
    t->number_width = RD_MAX(t->number_width, 4u);
    t->place_width = RD_MIN(place, RD_MIN((unsigned)PLACE_MAX, width / 3));
    unsigned left = t->number_width + 4, rest = width > left + t->place_width + 2 ? width - left - t->place_width - 2 : 0;
    unsigned gaps = t->lane_count > 1 ? t->lane_count - 1 : 1;
    t->text_width = RD_MIN(longest, RD_MAX(rest, (unsigned)TEXT_MIN));
    t->pitch = rest > t->text_width ? (rest - t->text_width) / gaps : 0;
    if (t->pitch < PITCH_MIN + 4 && rest > TEXT_MIN) { /* crowded: shorter text before narrower columns */
        t->text_width = RD_MIN(t->text_width, RD_MAX((unsigned)TEXT_MIN + 8, rest / 3));
        t->pitch = rest > t->text_width ? (rest - t->text_width) / gaps : 0;
    }
    t->pitch = RD_MIN(t->pitch, RD_MAX(t->text_width + 2, 10u));
    if (t->pitch < PITCH_MIN) {
        t->pitch = 0;
        t->text_width = RD_MIN(longest, rest > 8 ? rest - 8 : TEXT_MIN);
    }
}

static void spaces(FILE *out, unsigned n) { fprintf(out, "%*s", (int)n, ""); }

/* The lines of the other threads between two columns of the screen. */
static unsigned guides(const struct table *t, unsigned from, unsigned to, uint32_t step) {
    while (from < to) {
        uint32_t lane = t->pitch ? from / t->pitch : 0;
        bool start = t->pitch && from % t->pitch == 0 && lane < t->lane_count;
        if (start && t->lanes[lane].first <= step && step <= t->lanes[lane].last)
            fprintf(t->out, "%s%s%s", rd_paint_thread(t->look, t->lanes[lane].tid), t->look->unicode ? "│" : "|",
                    rd_paint(t->look, RD_PLAIN));
        else
            fputc(' ', t->out);
        from++;
    }
    return to;
}

struct row {
    rd_tid tid;
    uint32_t step; /* for the guides */
    char mark;
    enum rd_paint paint;
    const char *number, *text, *place;
};

static void print_row(const struct table *t, const struct row *row) {
    const struct rd_look *look = t->look;
    int lane = row->tid < RD_TID_MAX ? t->lane_of[row->tid] : -1;
    const char *tint = row->paint == RD_PLAIN ? rd_paint_thread(look, row->tid) : rd_paint(look, row->paint);
    fprintf(t->out, "%s%*s%s %s%c%s  ", rd_paint(look, RD_DIM), (int)t->number_width, row->number,
            rd_paint(look, RD_PLAIN), rd_paint(look, row->mark == '!' ? RD_RED : RD_BOLD), row->mark,
            rd_paint(look, RD_PLAIN));
    unsigned at = 0, end;
    if (t->pitch) {
        at = guides(t, 0, (unsigned)(lane < 0 ? 0 : lane) * t->pitch, row->step);
        end = (t->lane_count - 1) * t->pitch + t->text_width;
        fputs(tint, t->out);
        at += rd_paint_cut(t->out, row->text, t->text_width, look);
        fputs(rd_paint(look, RD_PLAIN), t->out);
        at = at < end ? (fputc(' ', t->out), at + 1) : at; /* keep text and lines apart */
        if (row->place[0] || at < end)
            at = guides(t, at, end, row->step);
    } else {
        char name[16];
        snprintf(name, sizeof name, "T%u", row->tid);
        fprintf(t->out, "%s%-5s ", tint, name);
        at = rd_paint_cut(t->out, row->text, t->text_width, look);
        fputs(rd_paint(look, RD_PLAIN), t->out);
        end = t->text_width;
        spaces(t->out, end > at ? end - at : 0);
    }
    fputs("  ", t->out);
    fputs(rd_paint(look, RD_DIM), t->out);
    rd_paint_cut(t->out, row->place, t->place_width, look);
    fprintf(t->out, "%s\n", rd_paint(look, RD_PLAIN));
}

static void print_head(const struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    uint32_t preemptions = rd_schedule_preemptions(s);
    char steps[32], which[48] = "the execution", number[32];
    if (t->r->execution)
        snprintf(which, sizeof which, "execution %s", rd_words_number(t->r->execution, number));
    fprintf(t->out, "\n%s%s%s: %s step%s, %u thread%s, %u preemption%s\n", rd_paint(t->look, RD_BOLD), which,
            rd_paint(t->look, RD_PLAIN), rd_words_number(s->step_count, steps), s->step_count == 1 ? "" : "s",
            t->lane_count, t->lane_count == 1 ? "" : "s", preemptions, preemptions == 1 ? "" : "s");
    fprintf(t->out, "%s  > another thread goes on   ! a preemption: the thread before could have gone on%s\n\n",
            rd_paint(t->look, RD_DIM), rd_paint(t->look, RD_PLAIN));
    spaces(t->out, t->number_width + 4);
    for (uint32_t i = 0; i < t->lane_count && t->pitch; i++) {
        char name[64];
        rd_words_thread(t->r, t->lanes[i].tid, name, sizeof name);
        bool last = i + 1 == t->lane_count;
        if (!last && rd_paint_width(name) >= t->pitch)
            snprintf(name, sizeof name, "T%u", t->lanes[i].tid);
        fputs(rd_paint_thread(t->look, t->lanes[i].tid), t->out);
        unsigned used = rd_paint_cut(t->out, name, last ? t->text_width : t->pitch - 1, t->look);
        fputs(rd_paint(t->look, RD_PLAIN), t->out);
        if (!last)
            spaces(t->out, t->pitch - used);
    }
    fputs("\n", t->out);
}

static void print_gap(const struct table *t, uint32_t count) {
    char number[32];
    spaces(t->out, t->number_width + 4);
    fprintf(t->out, "%s... %s steps left out", rd_paint(t->look, RD_YELLOW), rd_words_number(count, number));
    if (t->r->schedule_path)
        fprintf(t->out, "; all of them: raddle show %s", t->r->schedule_path);
    fprintf(t->out, "%s\n", rd_paint(t->look, RD_PLAIN));
}

/* After the last step: what the finding is, in the column of its thread; or who is blocked at what. */
static void print_end(const struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    const struct rd_finding *f = &s->finding;
    char text[RD_PHRASE + 32], phrase[RD_PHRASE], at[RD_LOCATION] = "";
    struct rd_where w;
    if (f->kind == RD_DEADLOCK) {
        for (uint32_t i = 0; i < s->thread_count; i++) {
            if (s->threads[i].state != RD_T_READY || s->threads[i].enabled)
                continue;
            rd_phrase_pending(t->r, &s->threads[i].pending, phrase, sizeof phrase);
            snprintf(text, sizeof text, "%s blocked", phrase);
            rd_words_frame(t->r, rd_facts_pending_frame(t->r, (rd_tid)i), false, at, sizeof at);
            struct row row = {(rd_tid)i, s->step_count, '*', RD_RED, "", text, at};
            print_row(t, &row);
        }
        return;
    }
    if (f->kind == RD_NO_FINDING || f->tid >= s->thread_count)
        return;
    rd_facts_where(t->r, &w);
    const char *slash = strrchr(w.file, '/');
    if (w.line)
        snprintf(at, sizeof at, "%s:%d", slash ? slash + 1 : w.file, w.line);
    struct row row = {f->tid, s->step_count, '*', RD_RED, "", rd_words_kind(f->kind), at};
    print_row(t, &row);
}

static void print_steps(const struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    struct rd_waits *waits = calloc(1, sizeof *waits);
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < s->step_count && waits; i++) {
        char text[RD_PHRASE], at[RD_LOCATION], number[16];
        rd_phrase_step(t->r, waits, i, text, sizeof text);
        hidden += !t->shown[i];
        if (!t->shown[i])
            continue;
        if (hidden)
            print_gap(t, hidden);
        hidden = 0;
        place_of_step(t, i, at, sizeof at);
        snprintf(number, sizeof number, "%u", i + 1);
        unsigned flags = s->steps[i].flags;
        char mark = flags & RD_STEP_PREEMPTION ? '!' : flags & RD_STEP_SWITCH ? '>' : ' ';
        struct row row = {s->steps[i].tid, i, mark, RD_PLAIN, number, text, at};
        print_row(t, &row);
    }
    free(waits);
}

void rd_print_columns(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    struct table t = {.out = out, .r = r, .look = look};
    t.shown = calloc(r->schedule->step_count + 1, sizeof *t.shown);
    find_lanes(&t);
    if (t.shown && t.lanes) {
        choose_rows(&t);
        measure(&t);
        print_head(&t);
        print_steps(&t);
        print_end(&t);
    }
    free(t.shown);
    free(t.lanes);
}
