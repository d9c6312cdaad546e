/*
 * row_selection.c - see row_selection.h. Shown are the first and the last steps, the steps that explain the finding
 * (struct rd_why), preemptions if there are few, and for a deadlock the steps at which the threads took the locks
 * that they hold. Before that, equal rounds of a loop are reduced to the first one: a thread that spins would fill
 * the report otherwise.
 */
#include "report/row_selection.h"

enum {
    HEAD = 8,       /* steps shown at the beginning */
    PERIOD_MAX = 8, /* steps of a loop of one thread that is recognised */
    ROUND_MAX = 64, /* steps of a round of a livelock, by several threads */
    FEW = 4,        /* so many preemptions are all shown */
};

/* Did the two steps do the same, with the same values? */
static bool same(const struct rd_step *a, const struct rd_step *b) {
    unsigned values = RD_STEP_HAS_VALUE | RD_STEP_VALUE2;
    return a->tid == b->tid && a->op == b->op && a->place == b->place && a->pc == b->pc && a->value == b->value &&
           a->result == b->result && (a->flags & values) == (b->flags & values);
}

/* The number of steps from `from` on that repeat the `period` steps before them, in whole rounds. */
static uint32_t repeats(const struct rd_schedule *s, uint32_t from, uint32_t period) {
    uint32_t n = 0;
    while (from + n < s->step_count && same(&s->steps[from + n], &s->steps[from + n - period]) &&
           (!(s->steps[from + n].flags & RD_STEP_SWITCH) || s->finding.kind == RD_LIVELOCK))
        n++;
    return n - n % period;
}

/* Marks the rounds after the first one of each loop. */
static void fold_loops(const struct rd_schedule *s, uint8_t *rows) {
    uint32_t longest = s->finding.kind == RD_LIVELOCK ? ROUND_MAX : PERIOD_MAX;
    for (uint32_t i = 0; i < s->step_count; i++) {
        for (uint32_t period = 1; period <= longest && i + period < s->step_count; period++) {
            uint32_t n = repeats(s, i + period, period);
            if (n < 3 || n < 2 * period)
                continue;
            for (uint32_t k = 0; k < n; k++)
                rows[i + period + k] = RD_ROW_REPEATED;
            i += period + n - 1;
            break;
        }
    }
}

void rd_row_selection_choose(const struct rd_schedule *s, uint32_t max, uint8_t *rows) {
    uint32_t count = s->step_count, left = 0, seen = 0;
    for (uint32_t i = 0; i < count; i++)
        rows[i] = RD_ROW_SHOWN;
    if (max == 0 || (count <= max && s->finding.kind != RD_LIVELOCK))
        return;
    fold_loops(s, rows);
    for (uint32_t i = 0; i < count; i++)
        left += rows[i] == RD_ROW_SHOWN;
    uint32_t head = RD_MIN(max / 4, (uint32_t)HEAD), tail = max - head;
    for (uint32_t i = 0; i < count && left > max; i++) {
        if (rows[i] != RD_ROW_SHOWN)
            continue;
        if (seen >= head && seen < left - tail)
            rows[i] = RD_ROW_LEFT_OUT;
        seen++;
    }
    for (uint32_t i = 0; i < s->thread_count; i++) {
        uint32_t held = s->threads[i].held_step;
        if (rd_is_stuck(s->finding.kind) && held > 0 && held <= count)
            rows[held - 1] = RD_ROW_SHOWN;
    }
    bool few = rd_schedule_preemptions(s) <= FEW;
    for (uint32_t i = 0; i < count && few; i++)
        if (s->steps[i].flags & RD_STEP_PREEMPTION)
            rows[i] = RD_ROW_SHOWN;
    const uint32_t explaining[] = {s->why.critical, s->why.before, s->why.first, s->why.second};
    for (uint32_t i = 0; i < RD_COUNT(explaining); i++)
        if (explaining[i] > 0 && explaining[i] <= count)
            rows[explaining[i] - 1] = RD_ROW_SHOWN;
    for (uint32_t i = 1; i + 1 < count; i++) /* a line that says "1 step left out" is no shorter than the step */
        if (rows[i] == RD_ROW_LEFT_OUT && rows[i - 1] == RD_ROW_SHOWN && rows[i + 1] == RD_ROW_SHOWN)
            rows[i] = RD_ROW_SHOWN;
}
