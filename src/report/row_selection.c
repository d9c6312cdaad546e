/*
 * row_selection.c - see row_selection.h.
 *
 * Each step has a rank: the steps that explain the finding (struct rd_why, the two accesses of a race, the locks
 * that blocked threads hold) are always shown; where none is known, the operations around the preemptions are, and
 * the objects are those and the variables that the failed assertion names. Then come uses of the objects of these
 * steps, and preemptions; then switches and synchronisation; then all other steps. A long execution shows as many
 * ranks as there is room for, and of the next rank the steps that are nearest to one that explains. Before that,
 * rounds of loops that do the same as the round before them are folded: a thread that spins, or works off a queue,
 * would fill the report otherwise.
 */
#include "report/row_selection.h"

#include <stdlib.h>
#include <string.h>

enum {
    PERIOD_MAX = 64, /* steps of a round that is recognised */
    ROUNDS = 4,      /* so many rounds are folded, at least */
    OBJECTS = 32,    /* objects that the finding is about, at most */
    DEPTH_MAX = 4,   /* loops within loops */
    LIBRARY = 3,     /* so many accesses in a library are folded, at least */
    SWITCHES = 4,    /* preemptions that explain a finding without an explanation, at most */
};

/* The memory and the objects that the finding is about. */
struct objects {
    rd_place at[OBJECTS];
    uint32_t count;
    rd_place block_first, block_last; /* a block of the heap */
};

static void add(struct objects *o, rd_place place) {
    for (uint32_t i = 0; i < o->count; i++)
        if (o->at[i] == place)
            return;
    if (place && o->count < OBJECTS)
        o->at[o->count++] = place;
}

/* Marks in `explains` the steps that explain the finding, as far as they exist. */
static void find_explaining(const struct rd_schedule *s, uint8_t *rank) {
    const struct rd_finding *f = &s->finding;
    const uint32_t steps[] = {s->why.critical,
                              s->why.before,
                              s->why.first,
                              s->why.second,
                              f->kind == RD_DATA_RACE ? f->step : 0,
                              f->kind == RD_DATA_RACE ? f->other_step : 0};
    for (uint32_t i = 0; i < RD_COUNT(steps); i++)
        if (steps[i] > 0 && steps[i] <= s->step_count)
            rank[steps[i] - 1] = RD_RANK_EXPLAINS;
    for (uint32_t i = 0; i < f->circle_count && i < RD_CIRCLE_MAX; i++)
        if (f->circle[i] > 0 && f->circle[i] <= s->step_count)
            rank[f->circle[i] - 1] = RD_RANK_EXPLAINS;
    for (uint32_t i = 0; i < s->thread_count && rd_is_stuck(f->kind); i++)
        if (s->threads[i].held_step > 0 && s->threads[i].held_step <= s->step_count)
            rank[s->threads[i].held_step - 1] = RD_RANK_EXPLAINS;
}

/*
 * Few preemptions are a part of the explanation, and without another one (there was no time for it) all of it:
 * marks them, what the preempted thread did last, and what it did when it went on.
 */
static void find_preempted(const struct rd_schedule *s, uint8_t *rank) {
    uint32_t count = rd_schedule_preemptions(s);
    for (uint32_t i = 1; i < s->step_count && count <= SWITCHES; i++) {
        rd_tid preempted = s->steps[i - 1].tid;
        uint32_t next = i;
        if (!(s->steps[i].flags & RD_STEP_PREEMPTION))
            continue;
        while (next < s->step_count && s->steps[next].tid != preempted)
            next++;
        rank[i - 1] = rank[i] = RD_RANK_EXPLAINS;
        if (next < s->step_count)
            rank[next] = RD_RANK_EXPLAINS;
    }
}

/* Adds the variables that the text of a failed assertion names. */
static void find_named(const struct rd_report *r, struct objects *o) {
    uint32_t last[OBJECTS];
    uint32_t n = rd_facts_named(r, last, OBJECTS);
    for (uint32_t i = 0; i < n; i++)
        add(o, r->schedule->steps[last[i]].place);
}

static void find_objects(const struct rd_schedule *s, const uint8_t *rank, struct objects *o) {
    const struct rd_finding *f = &s->finding;
    memset(o, 0, sizeof *o);
    add(o, f->data);
    for (uint32_t i = 0; i < s->step_count; i++)
        if (rank[i] == RD_RANK_EXPLAINS)
            add(o, s->steps[i].place);
    for (uint32_t i = 0; i < s->thread_count && rd_is_stuck(f->kind); i++)
        if (s->threads[i].state == RD_T_READY && !s->threads[i].enabled)
            add(o, s->threads[i].pending.place);
    if (f->heap.block) {
        o->block_first = f->heap.block;
        o->block_last = f->heap.block + RD_MAX(f->heap.size, (uint64_t)1) - 1;
    }
}

static bool uses(const struct objects *o, const struct rd_step *s) {
    if (o->block_first && s->place >= o->block_first && s->place <= o->block_last)
        return true;
    for (uint32_t i = 0; i < o->count; i++)
        if (s->place == o->at[i])
            return true;
    return false;
}

static bool is_access(const struct rd_step *s) { return rd_op_flags(s->op) & (RD_F_READS | RD_F_WRITES); }

static void find_ranks(const struct rd_report *r, uint8_t *rank, struct objects *o) {
    const struct rd_schedule *s = r->schedule;
    memset(rank, RD_RANK_OTHER, s->step_count);
    find_explaining(s, rank);
    bool explained = memchr(rank, RD_RANK_EXPLAINS, s->step_count) != NULL;
    if (explained)
        find_objects(s, rank, o); /* what the preempted operations used need not matter */
    find_preempted(s, rank);
    if (!explained) {
        find_objects(s, rank, o);
        find_named(r, o);
    }
    for (uint32_t i = 0; i < s->step_count; i++) {
        const struct rd_step *step = &s->steps[i];
        if (rank[i] == RD_RANK_EXPLAINS)
            continue;
        bool begins = step->op == RD_OP_CREATE || step->op == RD_OP_START;
        if (uses(o, step) || step->flags & RD_STEP_PREEMPTION || begins)
            rank[i] = RD_RANK_USES;
        else if (!is_access(step) || step->flags & RD_STEP_SWITCH)
            rank[i] = RD_RANK_SYNCHRONISES;
    }
}

/* ---- loops ---- */

/* Did the two steps do the same? `exact`: with the same data and values. */
static bool same(const struct rd_step *a, const struct rd_step *b, bool exact) {
    unsigned values = RD_STEP_HAS_VALUE | RD_STEP_VALUE2;
    if (a->tid != b->tid || a->op != b->op || a->pc != b->pc)
        return false;
    return !exact || (a->place == b->place && a->value == b->value && a->result == b->result &&
                      (a->flags & values) == (b->flags & values));
}

/* The steps that are shown so far. */
struct shown {
    uint32_t *at;
    uint32_t count;
};

/* The number of shown steps from `from` on that repeat the `period` steps before them, in whole rounds. */
static uint32_t repeats(const struct rd_schedule *s, const struct shown *x, uint32_t from, uint32_t period,
                        bool exact) {
    uint32_t n = 0;
    while (from + n < x->count && same(&s->steps[x->at[from + n]], &s->steps[x->at[from + n - period]], exact))
        n++;
    return n - n % period;
}

/* Hides the steps between two shown ones, and these, but not what explains the finding. */
static void hide(const struct shown *x, uint32_t from, uint32_t to, const uint8_t *rank, uint8_t *rows) {
    for (uint32_t i = x->at[from]; from < to && i <= x->at[to - 1]; i++)
        if (rank[i] != RD_RANK_EXPLAINS)
            rows[i] = RD_ROW_REPEATED;
}

/* Hides the rounds between the first and the last one of each loop. Returns whether there was one. */
static bool fold_rounds(const struct rd_schedule *s, struct shown *x, const uint8_t *rank, bool exact,
                        uint8_t *rows) {
    bool any = false;
    x->count = 0;
    for (uint32_t i = 0; i < s->step_count; i++)
        if (rows[i] == RD_ROW_SHOWN)
            x->at[x->count++] = i;
    for (uint32_t i = 0; i < x->count; i++) {
        for (uint32_t period = 1; period <= PERIOD_MAX && i + period < x->count; period++) {
            uint32_t n = repeats(s, x, i + period, period, exact);
            if (n < ROUNDS * period)
                continue;
            hide(x, i + period, i + period + (exact ? n : n - period), rank, rows);
            any = true;
            i += period + n - 1;
            break;
        }
    }
    return any;
}

/* Folds loops, and loops around them: what is left of an inner loop is the same in each round of the outer one. */
static void fold_loops(const struct rd_schedule *s, const uint8_t *rank, bool exact, uint8_t *rows) {
    struct shown x = {.at = malloc(s->step_count * sizeof *x.at)};
    if (!x.at)
        abort();
    for (unsigned depth = 0; depth < DEPTH_MAX && fold_rounds(s, &x, rank, exact, rows); depth++)
        ;
    free(x.at);
}

/* ---- code of libraries ---- */

static bool in_library(const struct rd_report *r, uint32_t step) {
    const struct rd_frame *f;
    rd_place pc = r->schedule->steps[step].pc;
    return pc && rd_symbols_frames(r->symbols, pc, false, &f) && f->kind != RD_FRAME_USER;
}

/* Do the two steps belong to the same line of the program? */
static bool same_line(const struct rd_report *r, uint32_t a, uint32_t b) {
    const struct rd_frame *f = rd_facts_step_frame(r, a), *g = rd_facts_step_frame(r, b);
    return f && g && f->kind == RD_FRAME_USER && f->line == g->line && f->file && g->file &&
           strcmp(f->file, g->file) == 0;
}

/* Folds accesses in code of a library that one line of the program calls. */
static void fold_libraries(const struct rd_report *r, const uint8_t *rank, uint8_t *rows) {
    const struct rd_schedule *s = r->schedule;
    for (uint32_t i = 0, end; i < s->step_count; i = end) {
        end = i + 1;
        if (rank[i] != RD_RANK_OTHER || rows[i] != RD_ROW_SHOWN || !in_library(r, i) || !same_line(r, i, i))
            continue;
        while (end < s->step_count && rank[end] == RD_RANK_OTHER && s->steps[end].tid == s->steps[i].tid &&
               rows[end] == RD_ROW_SHOWN && in_library(r, end) && same_line(r, i, end))
            end++;
        for (uint32_t k = i; k < end && end - i >= LIBRARY; k++)
            rows[k] = RD_ROW_LIBRARY;
    }
}

/* ---- the choice ---- */

/* Leaves out the steps of ranks above `rank`, and of that rank those farther than `near` from a step that explains.
 */
static void leave_out(const uint8_t *ranks, const uint32_t *distance, unsigned rank, uint32_t near, uint32_t count,
                      uint8_t *rows) {
    for (uint32_t i = 0; i < count; i++)
        if (rows[i] == RD_ROW_SHOWN && (ranks[i] > rank || (ranks[i] == rank && distance[i] > near)))
            rows[i] = RD_ROW_LEFT_OUT;
}

/* The number of lines that the rows take; `gaps`: each gap takes one, too. */
static uint32_t lines(const uint8_t *rows, uint32_t count, bool gaps) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += rows[i] == RD_ROW_SHOWN || (gaps && (i == 0 || rows[i - 1] == RD_ROW_SHOWN));
    return n;
}

/* Counts the lines of a choice, on a copy of the rows. */
static uint32_t lines_of(const uint8_t *ranks, const uint32_t *distance, unsigned rank, uint32_t near,
                         uint32_t count, bool gaps, const uint8_t *rows, uint8_t *copy) {
    memcpy(copy, rows, count);
    leave_out(ranks, distance, rank, near, count, copy);
    return lines(copy, count, gaps);
}

/* By step: how many steps away the next one that explains is, or the end. */
static void find_distances(const uint8_t *ranks, uint32_t count, uint32_t *distance) {
    for (uint32_t i = 0, last = UINT32_MAX; i < count; i++) {
        last = ranks[i] == RD_RANK_EXPLAINS ? i : last;
        distance[i] = last == UINT32_MAX ? UINT32_MAX : i - last;
    }
    for (uint32_t i = count, next = count; i-- > 0;) {
        next = ranks[i] == RD_RANK_EXPLAINS ? i : next;
        distance[i] = RD_MIN(distance[i], next - i);
    }
}

/* A line that says "1 step" is no shorter than the step. */
static void fill_holes(uint8_t *rows, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        bool before = i == 0 || rows[i - 1] == RD_ROW_SHOWN, after = i + 1 == count || rows[i + 1] == RD_ROW_SHOWN;
        if (rows[i] != RD_ROW_SHOWN && before && after)
            rows[i] = RD_ROW_SHOWN;
    }
}

/* Leaves steps out until the rest fits into `max` lines. `gaps`: with the gaps. */
static void fit(const uint8_t *ranks, uint32_t count, uint32_t max, bool gaps, uint8_t *rows) {
    uint32_t *distance = calloc(count, sizeof *distance), low = 0, high = count;
    uint8_t *copy = malloc(count);
    if (!distance || !copy)
        abort();
    find_distances(ranks, count, distance);
    unsigned rank = RD_RANK_OTHER;
    while (rank > RD_RANK_EXPLAINS && lines_of(ranks, distance, rank - 1, count, count, gaps, rows, copy) > max)
        rank--;
    while (low < high) { /* of `rank` as many as there is room for */
        uint32_t middle = low + (high - low + 1) / 2;
        if (lines_of(ranks, distance, rank, middle, count, gaps, rows, copy) <= max)
            low = middle;
        else
            high = middle - 1;
    }
    leave_out(ranks, distance, rank, rank == RD_RANK_EXPLAINS ? count : low, count, rows);
    free(distance);
    free(copy);
}

void rd_row_selection_choose(const struct rd_report *r, uint32_t max, uint8_t *rows) {
    const struct rd_schedule *s = r->schedule;
    struct objects objects;
    memset(rows, RD_ROW_SHOWN, s->step_count);
    if (max == 0 || s->step_count == 0)
        return;
    uint8_t *ranks = malloc(s->step_count);
    if (!ranks)
        abort();
    find_ranks(r, ranks, &objects);
    if (s->step_count > max || s->finding.kind == RD_LIVELOCK)
        fold_loops(s, ranks, true, rows);
    if (lines(rows, s->step_count, true) > max)
        fold_loops(s, ranks, false, rows);
    fold_libraries(r, ranks, rows);
    if (lines(rows, s->step_count, true) > max)
        fit(ranks, s->step_count, max, true, rows);
    fill_holes(rows, s->step_count);
    free(ranks);
}

void rd_row_selection_fit(const struct rd_report *r, uint32_t max, uint8_t *rows) {
    uint32_t count = r->schedule->step_count;
    memset(rows, RD_ROW_SHOWN, count);
    if (count <= max)
        return;
    uint8_t *ranks = malloc(count);
    if (!ranks)
        abort();
    rd_row_selection_rank(r, ranks);
    fit(ranks, count, max, false, rows);
    free(ranks);
}

void rd_row_selection_rank(const struct rd_report *r, uint8_t *ranks) {
    struct objects objects;
    find_ranks(r, ranks, &objects);
}

struct rd_row_gap rd_row_gap_at(const struct rd_report *r, const uint8_t *rows, uint32_t step) {
    const struct rd_schedule *s = r->schedule;
    struct rd_row_gap g = {.first = step, .library = rows[step] == RD_ROW_LIBRARY};
    struct objects objects;
    uint8_t *ranks = malloc(s->step_count);
    if (!ranks)
        abort();
    find_ranks(r, ranks, &objects);
    for (uint32_t i = step; i < s->step_count && rows[i] != RD_ROW_SHOWN; i++) {
        g.library &= rows[i] == RD_ROW_LIBRARY && s->steps[i].tid == s->steps[step].tid && same_line(r, step, i);
        g.repeated += rows[i] == RD_ROW_REPEATED;
        g.objects += is_access(&s->steps[i]) && uses(&objects, &s->steps[i]);
        g.count++;
    }
    free(ranks);
    return g;
}
