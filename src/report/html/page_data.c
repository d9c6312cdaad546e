/*
 * page_data.c - the execution as data for the script of a page, small enough that 24,000 steps take far less than 2
 * MB: each text is there once, a step is a few small numbers in arrays, and the words of a step are put together
 * from a form ("read ", object, value), its object and its value. All texts are those of the other formats.
 *
 * - `strings`: texts; all other parts name them by their index.
 * - `threads`: [number, name, index of the step that created it or -1, 1 if it was alive at the end].
 * - `forms`: [before the object, 1 if the object is part of it, after the object, after the value].
 * - `objects`: [name, lowest, highest]; objects whose ranges meet use the same memory.
 * - `frames`: [function, "file.c:12", the same with its path, source or -1, 1 if it is the program's own, 1 if
 *   it is inlined].
 * - `sources`: [number of the first line, lines …] around the line of a frame.
 * - `stacks`: [1 if outer calls were not recorded, frames, innermost first …].
 * - `steps`: the number of steps of the execution, also of those that the page leaves out.
 * - `step`: arrays with an entry for each step: `t` thread, `f` form, `v` value, `o` object, `p` second object, `w`
 *   frame, `s` stack, `m` marks (1 switch, 2 preemption); and, if steps are left out, `n`: its number from 0.
 * - `gaps`: [first step, steps, text]; what is folded at first.
 * - `edges`: by kind, [steps since the `to` before, distance back to `from`] …, in one flat array.
 * - `locks`: [steps since the one before, object, 1 taken, 2 taken to read, 0 released] …, in one flat array.
 * - `marks`: [step, text]; the part that a step has in the finding.
 * - `ends`: [thread, text, frame, text of its place, step or -1].
 *
 * A step is named by its index in the page, a thread by its number, all else by its index in its table.
 */
#include "report/html/page_data.h"
#include "report/html/html_text.h"
#include "report/html/page.h"
#include "report/html/step_edges.h"
#include "report/row_selection.h"
#include "trace/held.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lines of source around a line; bytes of such a line, and of any text. */
enum { AROUND = 3, LINE_MAX_SHOWN = 400, STRING_MAX = 4096 };

/* ---- writing ---- */

static void begin(struct page_data *d, const char *key) { fprintf(d->out, ",\n\"%s\":[", key); }

static void number(struct page_data *d, uint32_t n, bool first) {
    if (!first)
        fputc(',', d->out);
    if (n == RD_PAGE_NONE)
        fputs("-1", d->out);
    else
        fprintf(d->out, "%" PRIu32, n);
}

static void column(struct page_data *d, const char *key, const uint32_t *values, bool first) {
    fprintf(d->out, "%s\"%s\":[", first ? "" : ",\n", key);
    for (uint32_t i = 0; i < d->count; i++)
        number(d, values[i], i == 0);
    fputc(']', d->out);
}

/* Writes a table of rows of numbers, as they were interned. */
static void write_table(struct page_data *d, const char *key, const struct rd_intern *t) {
    begin(d, key);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t size;
        const uint32_t *row = rd_intern_get(t, i, &size);
        fputs(i ? ",[" : "[", d->out);
        for (uint32_t k = 0; k < size / sizeof *row; k++)
            number(d, row[k], k == 0);
        fputc(']', d->out);
    }
    fputc(']', d->out);
}

static void write_steps(struct page_data *d) {
    const struct rd_schedule *s = d->s;
    uint32_t *tid = rd_page_zeroed(d->count, sizeof *tid), *marks = rd_page_zeroed(d->count, sizeof *marks),
             *step = rd_page_zeroed(d->count, sizeof *step);
    for (uint32_t i = 0; i < s->step_count; i++) {
        uint32_t at = d->index[i];
        if (at == RD_PAGE_NONE)
            continue;
        step[at] = i;
        tid[at] = s->steps[i].tid;
        marks[at] = s->steps[i].flags & (RD_STEP_SWITCH | RD_STEP_PREEMPTION);
    }
    fputs(",\n\"step\":{", d->out);
    column(d, "t", tid, true);
    column(d, "f", d->form, false);
    column(d, "v", d->value, false);
    column(d, "o", d->of, false);
    column(d, "p", d->second, false);
    column(d, "w", d->frame, false);
    column(d, "s", d->stack, false);
    column(d, "m", marks, false);
    if (d->count != s->step_count)
        column(d, "n", step, false);
    fputc('}', d->out);
    free(tid);
    free(marks);
    free(step);
}

static void write_threads(struct page_data *d) {
    const struct rd_schedule *s = d->s;
    bool used[RD_TID_MAX];
    uint32_t *created = rd_page_zeroed(RD_TID_MAX, sizeof *created);
    rd_facts_threads_used(d->r, used);
    for (uint32_t i = 0; i < s->step_count; i++)
        if (s->steps[i].op == RD_OP_CREATE && !s->steps[i].result && s->steps[i].value < RD_TID_MAX)
            created[s->steps[i].value] = d->index[i] == RD_PAGE_NONE ? 0 : d->index[i] + 1;
    begin(d, "threads");
    for (uint32_t i = 0, last = 0; i < RD_TID_MAX; i++) {
        char name[64];
        if (!used[i])
            continue;
        rd_words_thread(d->r, (rd_tid)i, name, sizeof name);
        fprintf(d->out, "%s[%" PRIu32 ",%" PRIu32 ",", last++ ? "," : "", i, rd_intern_text(&d->strings, name));
        fprintf(d->out, "%d,%d]", created[i] ? (int)created[i] - 1 : -1,
                i < s->thread_count && s->threads[i].state == RD_T_READY);
    }
    fputc(']', d->out);
    free(created);
}

static int compare_places(const void *a, const void *b) {
    rd_place x = *(const rd_place *)a, y = *(const rd_place *)b;
    return x < y ? -1 : x > y;
}

static uint32_t rank_of(const rd_place *sorted, uint32_t count, rd_place p) {
    const rd_place *at = bsearch(&p, sorted, count, sizeof p, compare_places);
    RD_CHECK(at != NULL);
    while (at > sorted && at[-1] == p)
        at--;
    return (uint32_t)(at - sorted);
}

/* Places do not fit into the numbers of a script, so each is replaced by its rank among them. */
static void write_objects(struct page_data *d) {
    uint32_t n = d->places.count;
    rd_place *sorted = rd_page_zeroed(n * 2, sizeof *sorted);
    for (uint32_t i = 0; i < n; i++) {
        sorted[i * 2] = d->object[i].first;
        sorted[i * 2 + 1] = d->object[i].last;
    }
    qsort(sorted, n * 2, sizeof *sorted, compare_places);
    begin(d, "objects");
    for (uint32_t i = 0; i < n; i++)
        fprintf(d->out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", i ? "," : "", d->object[i].name,
                rank_of(sorted, n * 2, d->object[i].first), rank_of(sorted, n * 2, d->object[i].last));
    fputc(']', d->out);
    free(sorted);
}

static void keep_line(void *ctx, int line, const char *text) {
    struct page_data *d = ctx;
    (void)line;
    char cut[LINE_MAX_SHOWN + 1];
    snprintf(cut, sizeof cut, "%s", text);
    fprintf(d->out, ",%" PRIu32, rd_intern_text(&d->strings, cut));
}

static void write_sources(struct page_data *d) {
    begin(d, "sources");
    for (uint32_t i = 0; i < d->sources.count; i++) {
        const uint64_t *key = rd_intern_get(&d->sources, i, NULL);
        int line = (int)key[1];
        char *file = strdup(rd_intern_get(&d->strings, (uint32_t)key[0], NULL));
        fprintf(d->out, "%s[%d", i ? "," : "", RD_MAX(line - AROUND, 1));
        if (file)
            rd_source_around(d->r, file, line, AROUND, AROUND, keep_line, d);
        fputc(']', d->out);
        free(file);
    }
    fputc(']', d->out);
}

static void write_gaps(struct page_data *d, const uint8_t *rows) {
    uint32_t written = 0;
    begin(d, "gaps");
    for (uint32_t i = 0; i < d->s->step_count; i++) {
        char text[RD_PHRASE];
        if (rows[i] == RD_ROW_SHOWN)
            continue;
        struct rd_row_gap g = rd_row_gap_at(d->r, rows, i);
        uint32_t first = RD_PAGE_NONE, count = 0;
        for (uint32_t k = g.first; k < g.first + g.count; k++)
            if (d->index[k] != RD_PAGE_NONE) {
                first = first == RD_PAGE_NONE ? d->index[k] : first;
                count++;
            }
        rd_words_gap(d->r, &g, text, sizeof text);
        if (count)
            fprintf(d->out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", written++ ? "," : "", first, count,
                    rd_intern_text(&d->strings, text));
        i += g.count - 1;
    }
    fputc(']', d->out);
}

static void write_edges(struct page_data *d) {
    struct rd_step_edges e;
    rd_step_edges_find(d->r, &e);
    begin(d, "edges");
    for (unsigned kind = 0; kind < RD_EDGE_KINDS; kind++) {
        uint32_t before = 0, n = 0;
        fputs(kind ? ",[" : "[", d->out);
        for (uint32_t i = 0; i < e.count; i++) {
            uint32_t from = d->index[e.at[i].from], to = d->index[e.at[i].to];
            if (e.at[i].kind != kind || from == RD_PAGE_NONE || to == RD_PAGE_NONE)
                continue;
            fprintf(d->out, "%s%" PRIu32 ",%" PRIu32, n++ ? "," : "", to - before, to - from);
            before = to;
        }
        fputc(']', d->out);
    }
    fputc(']', d->out);
    rd_step_edges_free(&e);
}

static void write_locks(struct page_data *d) {
    static const int codes[] = {[RD_LOCK_TAKEN] = 1, [RD_LOCK_SHARED] = 2, [RD_LOCK_RELEASED] = 0};
    uint32_t before = 0, n = 0;
    begin(d, "locks");
    for (uint32_t i = 0; i < d->s->step_count; i++) {
        rd_place lock;
        enum rd_lock_change change = rd_lock_change(&d->s->steps[i], &lock);
        if (change == RD_LOCK_SAME || d->index[i] == RD_PAGE_NONE)
            continue;
        char name[RD_PHRASE];
        rd_words_data(d->r, lock, name, sizeof name);
        fprintf(d->out, "%s%" PRIu32 ",%" PRIu32 ",%d", n++ ? "," : "", d->index[i] - before,
                rd_page_object(d, lock, 1, name), codes[change]);
        before = d->index[i];
    }
    fputc(']', d->out);
}

/* Writes the part that a step, from 1, has in the finding. */
static void mark(struct page_data *d, uint32_t *written, uint32_t step, const char *text) {
    if (step == 0 || step > d->s->step_count || d->index[step - 1] == RD_PAGE_NONE)
        return;
    fprintf(d->out, "%s[%" PRIu32 ",%" PRIu32 "]", (*written)++ ? "," : "", d->index[step - 1],
            rd_intern_text(&d->strings, text));
}

static void write_marks(struct page_data *d) {
    const struct rd_why *w = &d->s->why;
    const struct rd_finding *f = &d->s->finding;
    uint32_t n = 0, first, second;
    struct rd_why_step order[3];
    begin(d, "marks");
    uint32_t count = rd_why_order(d->r, order);
    for (uint32_t i = 0; i < count; i++)
        mark(d, &n, order[i].step, "one of the operations whose order makes the difference");
    mark(d, &n, w->explained ? w->critical : 0, "this step decides it");
    if (rd_race_steps(d->r, &first, &second)) {
        mark(d, &n, first + 1, "the first access of the race");
        mark(d, &n, second + 1, "the second access of the race");
    }
    for (uint32_t i = 0; i < f->circle_count && i < RD_CIRCLE_MAX; i++)
        mark(d, &n, f->circle[i], "takes a lock of the circle");
    for (uint32_t i = 0; i < d->s->thread_count; i++)
        if (rd_facts_blocked(d->r, (rd_tid)i)) {
            char text[64];
            snprintf(text, sizeof text, "takes what T%" PRIu32 " waits for at the end", i);
            mark(d, &n, d->s->threads[i].held_step, text);
        }
    fputc(']', d->out);
}

static void write_ends(struct page_data *d) {
    struct rd_page_end *ends;
    uint32_t n = rd_page_ends(d->r, &ends);
    begin(d, "ends");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t since = ends[i].since ? d->index[ends[i].since - 1] : RD_PAGE_NONE;
        fprintf(d->out, "%s[%u,%" PRIu32 ",", i ? "," : "", ends[i].tid, rd_intern_text(&d->strings, ends[i].text));
        number(d, rd_page_frame(d, ends[i].frame), true);
        fprintf(d->out, ",%" PRIu32, rd_intern_text(&d->strings, ends[i].at));
        number(d, since, false);
        fputc(']', d->out);
    }
    fputc(']', d->out);
    free(ends);
}

void rd_page_data(FILE *out, const struct rd_report *r, const uint8_t *rows) {
    struct page_data d = {.out = out, .r = r, .s = r->schedule};
    rd_intern_text(&d.strings, "");
    rd_page_take_steps(&d, rows);
    fprintf(out, "{\"steps\":%" PRIu32, d.s->step_count);
    write_steps(&d);
    write_threads(&d);
    write_gaps(&d, rows);
    write_edges(&d);
    write_locks(&d);
    write_marks(&d);
    write_ends(&d);
    write_objects(&d); /* after all that use objects; then frames, sources, and the strings of all */
    write_table(&d, "forms", &d.forms);
    write_table(&d, "stacks", &d.stacks);
    write_table(&d, "frames", &d.frames);
    write_sources(&d);
    begin(&d, "strings");
    for (uint32_t i = 0; i < d.strings.count; i++) {
        fputs(i ? ",\n" : "", out);
        rd_html_json_string(out, rd_intern_get(&d.strings, i, NULL), STRING_MAX);
    }
    fputs("]}", out);
    rd_page_data_free(&d);
}
