/*
 * columns.c - the steps of an execution: a line for each step, a column for each thread.
 *
 * A line has the text of one thread only, which may run on to the right over the columns of other threads. So
 * columns can be narrower than their texts, and eight threads fit on an ordinary terminal. If even the beginnings
 * of the columns would be too close, there is one column for all threads, with the name of the thread in each line.
 *
 * row_selection.c selects the steps that are shown.
 */
#include "report/row_selection.h"
#include "report/text/report_text.h"

#include <stdlib.h>
#include <string.h>

/* In columns of the screen. */
enum { PITCH_MIN = 4, PITCH_MAX = 24, TEXT_MIN = 20, PLACE_MAX = 28, WIDE = 100000 };

/* The column of one thread. */
struct lane {
    rd_tid tid;
    uint32_t first, last; /* the thread is alive between these steps */
    unsigned width;       /* of its longest text */
};

struct table {
    FILE *out;
    const struct rd_report *r;
    const struct rd_look *look;
    struct lane *lanes;
    uint32_t lane_count;
    unsigned number_width, place_width;
    unsigned pitch;           /* distance from one column to the next; 0: one column for all threads */
    unsigned text_width, end; /* limit for the text of a step; where all texts end */
    uint8_t *rows;            /* enum rd_row, by step */
    bool left_out;            /* some steps were not printed */
    int16_t lane_of[RD_TID_MAX];
};

static void find_lanes(struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    bool used[RD_TID_MAX];
    t->lane_count = 0;
    t->lanes = calloc(rd_facts_threads_used(t->r, used), sizeof *t->lanes);
    for (uint32_t i = 0; i < RD_TID_MAX; i++) {
        t->lane_of[i] = -1;
        if (!used[i] || !t->lanes)
            continue;
        t->lane_of[i] = (int16_t)t->lane_count;
        t->lanes[t->lane_count++] = (struct lane){.tid = (rd_tid)i, .first = UINT32_MAX};
    }
    for (uint32_t i = 0; i < s->step_count && t->lanes; i++) {
        const struct rd_step *step = &s->steps[i];
        RD_CHECK(t->lane_of[step->tid] >= 0); /* a thread with a step takes part */
        struct lane *lane = &t->lanes[t->lane_of[step->tid]];
        lane->first = RD_MIN(lane->first, i);
        lane->last = i;
        if (step->op == RD_OP_CREATE && step->result == 0 && step->value < s->thread_count &&
            t->lane_of[step->value] >= 0) {
            lane = &t->lanes[t->lane_of[step->value]];
            lane->first = RD_MIN(lane->first, i);
        }
    }
    for (uint32_t i = 0; i < t->lane_count; i++)
        if (s->threads[t->lanes[i].tid].state == RD_T_READY)
            t->lanes[i].last = s->step_count;
}

static void place_of_step(const struct table *t, uint32_t step, char *to, size_t room) {
    const struct rd_frame *f = rd_facts_step_frame(t->r, step);
    /* a thread of the C++ library starts in the library: its position is of no use to the reader */
    bool empty = t->r->schedule->steps[step].op == RD_OP_START && f && f->kind != RD_FRAME_USER;
    rd_words_frame(t->r, empty ? NULL : f, false, to, room);
}

static bool blocked(const struct rd_schedule *s, uint32_t tid) {
    return rd_is_stuck(s->finding.kind) && s->threads[tid].state == RD_T_READY && !s->threads[tid].enabled;
}

static void blocked_text(const struct table *t, uint32_t tid, char *to, size_t room) {
    char phrase[RD_PHRASE];
    rd_phrase_pending(t->r, &t->r->schedule->threads[tid].pending, phrase, sizeof phrase);
    snprintf(to, room, "blocked: %s", phrase);
}

static void finding_place(const struct table *t, char *to, size_t room) {
    struct rd_where w;
    rd_facts_where(t->r, &w);
    const char *slash = strrchr(w.file, '/');
    to[0] = 0;
    if (w.line)
        snprintf(to, room, "%s:%d", slash ? slash + 1 : w.file, w.line);
}

/* Widens the lane of a thread for a text. A thread that takes no part in the execution has no lane. */
static void widen(struct table *t, uint32_t tid, const char *text, const char *at) {
    if (tid >= RD_TID_MAX || t->lane_of[tid] < 0)
        return;
    struct lane *lane = &t->lanes[t->lane_of[tid]];
    lane->width = RD_MAX(lane->width, rd_paint_width(text));
    t->place_width = RD_MAX(t->place_width, rd_paint_width(at));
}

/* Finds the widths of all texts that will be printed. */
static void measure(struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    char text[RD_PHRASE + 16], at[RD_LOCATION];
    struct rd_waits *waits = calloc(1, sizeof *waits);
    t->place_width = 8;
    for (uint32_t i = 0; i < s->step_count && waits; i++) {
        bool folded = t->rows[i] != RD_ROW_SHOWN, begins = folded && (i == 0 || t->rows[i - 1] == RD_ROW_SHOWN);
        if (folded)
            rd_phrase_skip(t->r, waits, i);
        else
            rd_phrase_step(t->r, waits, i, text, RD_PHRASE);
        struct rd_row_gap g = {0};
        if (begins && t->rows[i] == RD_ROW_LIBRARY)
            g = rd_row_gap_at(t->r, t->rows, i);
        if (g.library)
            rd_words_gap(t->r, &g, text, RD_PHRASE);
        if (folded && !g.library)
            continue;
        place_of_step(t, i, at, sizeof at);
        widen(t, s->steps[i].tid, text, at);
    }
    free(waits);
    for (uint32_t i = 0; i < s->thread_count; i++) {
        if (!blocked(s, i))
            continue;
        blocked_text(t, i, text, sizeof text);
        rd_words_frame(t->r, rd_facts_pending_frame(t->r, (rd_tid)i), false, at, sizeof at);
        widen(t, i, text, at);
    }
    finding_place(t, at, sizeof at);
    if (s->finding.tid < s->thread_count && !rd_is_stuck(s->finding.kind))
        widen(t, s->finding.tid, rd_words_kind(s->finding.kind), at);
    t->number_width = (unsigned)snprintf(NULL, 0, "%u", s->step_count);
    t->number_width = RD_MAX(t->number_width, 4u);
}

/* The largest pitch with which every text, cut to text_width, ends within `room`. */
static unsigned widest_pitch(const struct table *t, unsigned room) {
    unsigned pitch = PITCH_MAX, before = 0;
    for (uint32_t i = 0; i + 1 < t->lane_count; i++)
        before = RD_MAX(before, RD_MIN(t->lanes[i].width, t->text_width));
    pitch = RD_MIN(pitch, RD_MAX(before + 2, 12u));
    for (uint32_t i = 1; i < t->lane_count; i++) {
        unsigned width = RD_MIN(t->lanes[i].width, t->text_width);
        pitch = RD_MIN(pitch, width < room ? (room - width) / i : 0);
    }
    return pitch;
}

/* Chooses the widths of the table for the width of the terminal. */
static void arrange(struct table *t) {
    unsigned width = t->look->width ? t->look->width : WIDE, left = t->number_width + 4, longest = 12;
    if (t->look->width)
        t->place_width = RD_MIN(t->place_width, RD_MIN((unsigned)PLACE_MAX, width / 3));
    unsigned room = width > left + t->place_width + 2 + TEXT_MIN ? width - left - t->place_width - 2 : TEXT_MIN;
    for (uint32_t i = 0; i < t->lane_count; i++)
        longest = RD_MAX(longest, t->lanes[i].width);
    t->text_width = RD_MIN(longest, room);
    t->pitch = widest_pitch(t, room);
    if (t->pitch < 2 * PITCH_MIN) { /* crowded: shorter texts before narrower columns */
        t->text_width = RD_MIN(t->text_width, RD_MAX((unsigned)TEXT_MIN, room / 3));
        t->pitch = widest_pitch(t, room);
    }
    bool cut = t->text_width < longest * 3 / 4;
    if (t->pitch < PITCH_MIN || (cut && t->look->width)) { /* one column has more room for the texts */
        t->pitch = 0;
        t->text_width = RD_MIN(longest, room > TEXT_MIN + 6 ? room - 6 : TEXT_MIN);
    }
    t->end = t->text_width;
    if (t->pitch)
        t->end = t->lane_count * t->pitch - t->pitch + 1;
    for (uint32_t i = 0; i < t->lane_count && t->pitch; i++)
        t->end = RD_MAX(t->end, i * t->pitch + RD_MIN(t->lanes[i].width, t->text_width));
}

static void spaces(FILE *out, unsigned n) { fprintf(out, "%*s", (int)n, ""); }

static bool alive(const struct lane *lane, uint32_t step) { return lane->first <= step && step <= lane->last; }

/* Prints the vertical lines of the threads that are alive, from one column of the screen to another. */
static unsigned guides(const struct table *t, unsigned from, unsigned to, uint32_t step) {
    while (from < to) {
        uint32_t lane = t->pitch ? from / t->pitch : 0;
        bool start = t->pitch && from % t->pitch == 0 && lane < t->lane_count;
        if (start && alive(&t->lanes[lane], step))
            fprintf(t->out, "%s%s%s", rd_paint_thread(t->look, t->lanes[lane].tid), t->look->unicode ? "│" : "|",
                    rd_paint(t->look, RD_UNPAINTED));
        else
            fputc(' ', t->out);
        from++;
    }
    return to;
}

/* The screen column after the vertical line of the last thread that is alive. */
static unsigned last_guide(const struct table *t, uint32_t step) {
    unsigned end = 0;
    for (uint32_t i = 0; i < t->lane_count; i++)
        if (alive(&t->lanes[i], step))
            end = i * t->pitch + 1;
    return end;
}

/* One line of the table. */
struct table_row {
    rd_tid tid;
    uint32_t step; /* decides which threads are alive */
    char mark;
    enum rd_paint paint;
    const char *number, *text, *place;
};

static void print_row(const struct table *t, const struct table_row *row) {
    const struct rd_look *look = t->look;
    int lane = row->tid < RD_TID_MAX ? t->lane_of[row->tid] : -1;
    const char *tint = row->paint == RD_UNPAINTED ? rd_paint_thread(look, row->tid) : rd_paint(look, row->paint);
    fprintf(t->out, "%s%*s%s %s%c%s  ", rd_paint(look, RD_DIM), (int)t->number_width, row->number,
            rd_paint(look, RD_UNPAINTED), rd_paint(look, row->mark == '!' ? RD_RED : RD_BOLD), row->mark,
            rd_paint(look, RD_UNPAINTED));
    unsigned at = 0, end = t->end;
    if (t->pitch) {
        at = guides(t, 0, (unsigned)(lane < 0 ? 0 : lane) * t->pitch, row->step);
        fputs(tint, t->out);
        at += rd_paint_cut(t->out, row->text, t->text_width, look);
        fputs(rd_paint(look, RD_UNPAINTED), t->out);
        if (!row->place[0]) /* no blanks at the end of the line */
            end = last_guide(t, row->step);
        at = at < end ? (fputc(' ', t->out), at + 1) : at; /* a blank between the text and the vertical lines */
        guides(t, at, end, row->step);
    } else {
        char name[16];
        snprintf(name, sizeof name, "T%u", row->tid);
        fprintf(t->out, "%s%-5s ", tint, name);
        at = rd_paint_cut(t->out, row->text, t->text_width, look);
        fputs(rd_paint(look, RD_UNPAINTED), t->out);
        spaces(t->out, row->place[0] && t->text_width > at ? t->text_width - at : 0);
    }
    if (row->place[0]) {
        fprintf(t->out, "  %s", rd_paint(look, RD_DIM));
        rd_paint_cut(t->out, row->place, t->place_width, look);
        fputs(rd_paint(look, RD_UNPAINTED), t->out);
    }
    fputs("\n", t->out);
}

static bool waits_in_loops(const struct rd_schedule *s) {
    for (uint32_t i = 0; i < s->step_count; i++)
        if (s->steps[i].op == RD_OP_AWAIT)
            return true;
    return false;
}

static void print_head(const struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    uint32_t preemptions = rd_schedule_preemptions(s);
    char steps[32], which[48] = "the execution", number[32], switches[32];
    if (t->r->execution)
        snprintf(which, sizeof which, "execution %s%s", rd_words_number(t->r->execution, number),
                 rd_why_simpler(s) ? ", made simpler" : "");
    fprintf(t->out, "\n%s%s%s: %s step%s, %u thread%s, %s preemption%s\n", rd_paint(t->look, RD_BOLD), which,
            rd_paint(t->look, RD_UNPAINTED), rd_words_number(s->step_count, steps), s->step_count == 1 ? "" : "s",
            t->lane_count, t->lane_count == 1 ? "" : "s", rd_words_number(preemptions, switches),
            preemptions == 1 ? "" : "s");
    fputs(rd_paint(t->look, RD_DIM), t->out);
    fputs("  > another thread goes on   ! a preemption: the thread before could have gone on\n", t->out);
    if (waits_in_loops(s))
        fputs("  wait for a change: the thread waits in a loop, which is not run until the memory that it reads "
              "changes\n",
              t->out);
    fprintf(t->out, "%s\n", rd_paint(t->look, RD_UNPAINTED));
    if (!t->pitch)
        return;
    spaces(t->out, t->number_width + 4);
    for (uint32_t i = 0; i < t->lane_count; i++) {
        char name[64];
        rd_words_thread(t->r, t->lanes[i].tid, name, sizeof name);
        bool last = i + 1 == t->lane_count;
        if (!last && rd_paint_width(name) >= t->pitch)
            snprintf(name, sizeof name, "T%u", t->lanes[i].tid);
        fputs(rd_paint_thread(t->look, t->lanes[i].tid), t->out);
        unsigned used = rd_paint_cut(t->out, name, last ? RD_MAX(t->text_width, 12u) : t->pitch - 1, t->look);
        fputs(rd_paint(t->look, RD_UNPAINTED), t->out);
        if (!last)
            spaces(t->out, t->pitch - used);
    }
    fputs("\n", t->out);
}

static void print_gap(const struct table *t, const struct rd_row_gap *g) {
    char text[RD_PHRASE], at[RD_LOCATION];
    rd_words_gap(t->r, g, text, sizeof text);
    if (g->library) {
        place_of_step(t, g->first, at, sizeof at);
        struct table_row row = {t->r->schedule->steps[g->first].tid, g->first, ' ', RD_UNPAINTED, "", text, at};
        print_row(t, &row);
        return;
    }
    spaces(t->out, t->number_width + 4);
    fprintf(t->out, "%s%s%s\n", rd_paint(t->look, RD_YELLOW), text, rd_paint(t->look, RD_UNPAINTED));
}

/*
 * After the last step: the kind of the finding in the column of its thread, or each blocked thread with its
 * operation.
 */
static void print_end(const struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    const struct rd_finding *f = &s->finding;
    char text[RD_PHRASE + 16], at[RD_LOCATION] = "";
    for (uint32_t i = 0; i < s->thread_count; i++) {
        if (!blocked(s, i))
            continue;
        blocked_text(t, i, text, sizeof text);
        rd_words_frame(t->r, rd_facts_pending_frame(t->r, (rd_tid)i), false, at, sizeof at);
        struct table_row row = {(rd_tid)i, s->step_count, '*', RD_RED, "", text, at};
        print_row(t, &row);
    }
    if (rd_is_stuck(f->kind))
        return;
    if (f->kind == RD_NO_FINDING || f->tid >= s->thread_count)
        return;
    finding_place(t, at, sizeof at);
    struct table_row row = {f->tid, s->step_count, '*', RD_RED, "", rd_words_kind(f->kind), at};
    print_row(t, &row);
}

static void print_step(const struct table *t, struct rd_waits *waits, uint32_t i) {
    const struct rd_step *s = &t->r->schedule->steps[i];
    char text[RD_PHRASE], at[RD_LOCATION], number[16];
    rd_phrase_step(t->r, waits, i, text, sizeof text);
    place_of_step(t, i, at, sizeof at);
    snprintf(number, sizeof number, "%u", i + 1);
    char mark = s->flags & RD_STEP_PREEMPTION ? '!' : s->flags & RD_STEP_SWITCH ? '>' : ' ';
    struct table_row row = {s->tid, i, mark, RD_UNPAINTED, number, text, at};
    print_row(t, &row);
}

static void print_steps(struct table *t) {
    const struct rd_schedule *s = t->r->schedule;
    struct rd_waits *waits = calloc(1, sizeof *waits);
    bool left_out = false;
    for (uint32_t i = 0; i < s->step_count && waits; i++) {
        if (t->rows[i] == RD_ROW_SHOWN) {
            print_step(t, waits, i);
            continue;
        }
        struct rd_row_gap g = rd_row_gap_at(t->r, t->rows, i);
        print_gap(t, &g);
        left_out = true;
        for (uint32_t k = i; k < i + g.count; k++)
            rd_phrase_skip(t->r, waits, k);
        i += g.count - 1;
    }
    free(waits);
    t->left_out = left_out;
}

void rd_print_columns(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    struct table t = {.out = out, .r = r, .look = look};
    char number[32];
    t.rows = calloc(r->schedule->step_count + 1, sizeof *t.rows);
    find_lanes(&t);
    if (t.rows && t.lanes) {
        rd_row_selection_choose(r, look->rows_max, t.rows);
        measure(&t);
        arrange(&t);
        print_head(&t);
        print_steps(&t);
        print_end(&t);
        if (t.left_out && r->schedule_path)
            fprintf(out, "\n%sall %s steps: %s%s\n", rd_paint(look, RD_DIM),
                    rd_words_number(r->schedule->step_count, number),
                    rd_words_command(r, "show --all-steps", (char[RD_COMMAND]){0}), rd_paint(look, RD_UNPAINTED));
    }
    free(t.rows);
    free(t.lanes);
}
