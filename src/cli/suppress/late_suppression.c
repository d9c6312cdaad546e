/* late_suppression.c - see late_suppression.h. */
#include "cli/suppress/late_suppression.h"

#include "base/name_pattern.h"
#include "cli/options.h"
#include "drive/make_schedule.h"
#include "report/findings/bug_groups.h"

#include <stdio.h>
#include <string.h>

enum { FRAMES_MAX = 2048 };

/* A call that led to the finding. `top`: it is the innermost one of its stack that is not the runtime's. */
struct finding_call {
    const struct rd_frame *frame;
    bool top;
};

/* The calls of all stacks of a finding, and the names of its memory. */
struct finding_facts {
    const struct rd_report *r;
    struct finding_call at[FRAMES_MAX];
    uint32_t count;
    char names[3][RD_PHRASE];
};

/* Adds the frames of one place. Returns true if one of them is not the runtime's. */
static bool add_place(struct finding_facts *x, rd_place pc, bool exact, bool top) {
    const struct rd_frame *f;
    uint32_t n = pc ? rd_symbols_frames(x->r->symbols, pc, exact, &f) : 0;
    bool any = false;
    for (uint32_t i = 0; i < n && x->count < FRAMES_MAX; i++) {
        if (f[i].kind == RD_FRAME_RUNTIME)
            continue;
        x->at[x->count++] = (struct finding_call){.frame = &f[i], .top = top && !any};
        any = true;
    }
    return any;
}

/* Adds a stack, of which `pc` is the innermost place if it is known; 0 ends the stack. */
static void add_stack(struct finding_facts *x, rd_place pc, const rd_place *stack, uint32_t count, bool exact) {
    bool top = !add_place(x, pc, exact, true);
    for (uint32_t i = 0; stack && i < count && stack[i]; i++)
        top &= !add_place(x, stack[i], false, top);
}

static void add_step(struct finding_facts *x, uint32_t step) {
    const struct rd_schedule *s = x->r->schedule;
    if (step == 0 || step > s->step_count)
        return;
    const struct rd_step *at = &s->steps[step - 1];
    add_stack(x, at->pc, s->step_stacks ? s->step_stacks[step - 1] : NULL, RD_STEP_STACK, at->op == RD_OP_START);
}

static void add_thread(struct finding_facts *x, rd_tid tid) {
    const struct rd_schedule *s = x->r->schedule;
    if (tid >= s->thread_count)
        return;
    const struct rd_thread_info *t = &s->threads[tid];
    bool waits = t->state == RD_T_READY && t->pending.kind != RD_OP_NONE;
    add_stack(x, waits ? t->pending.pc : 0, s->stacks ? s->stacks[tid] : NULL, RD_MIN(t->frames, RD_STACK_MAX),
              false);
}

static void collect(struct finding_facts *x, const struct rd_report *r) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_finding *f = &s->finding;
    uint32_t first, second;
    x->r = r;
    if (rd_race_steps(r, &first, &second)) {
        rd_place data = f->data ? f->data : s->steps[second].place;
        add_step(x, first + 1);
        add_step(x, second + 1);
        rd_words_data(r, data, x->names[0], RD_PHRASE);
        rd_symbols_data(r->symbols, data, x->names[1], RD_PHRASE);
        rd_symbols_whole(r->symbols, data, x->names[2], RD_PHRASE);
        return;
    }
    for (uint32_t i = 0; i < f->circle_count; i++)
        add_step(x, f->circle[i]);
    for (uint32_t i = 0; rd_is_stuck(f->kind) && i < s->thread_count; i++)
        if (rd_facts_blocked(r, (rd_tid)i))
            add_thread(x, (rd_tid)i);
    add_stack(x, f->pc, NULL, 0, f->kind == RD_CRASH);
    if (!rd_is_stuck(f->kind) && f->kind != RD_LEAK)
        add_thread(x, f->tid);
    add_stack(x, f->other_tid < s->thread_count ? f->other_pc : 0, NULL, 0, false);
    add_stack(x, f->heap.made_pc, f->heap.made, RD_HEAP_STACK, false);
    add_stack(x, f->heap.freed_pc, f->heap.freed, RD_HEAP_STACK, false);
}

/* Does the pattern match the function: its whole name, or without the namespaces and classes around it? */
static bool function_matches(const char *pattern, const char *function) {
    const char *last = strrchr(function, ':');
    return rd_name_pattern_matches(pattern, function) || (last && rd_name_pattern_matches(pattern, last + 1));
}

/* Is the call in a library, and not in the program itself? */
static bool is_in_library(const struct rd_report *r, const struct rd_frame *f) {
    return f->module && r->schedule->module_count && strcmp(f->module, r->schedule->modules[0].path) != 0;
}

static bool call_matches(const struct rd_suppress_line *l, const struct rd_report *r,
                         const struct finding_call *c) {
    if (l->scope == RD_SUPPRESS_MODULE)
        return c->top && is_in_library(r, c->frame) && rd_path_pattern_matches(l->pattern, c->frame->module);
    if (l->scope == RD_SUPPRESS_TOP && !c->top)
        return false;
    bool named = strcmp(c->frame->function, "??") != 0;
    return (named && function_matches(l->pattern, c->frame->function)) ||
           rd_path_pattern_matches(l->pattern, c->frame->file) ||
           rd_path_pattern_matches(l->pattern, c->frame->module);
}

/* How a line matches a finding. OUTER: only by a call further out, so the finding is suppressed for all callers. */
enum match { NO_MATCH, MATCH, MATCH_OUTER };

static enum match line_matches(const struct rd_suppress_line *l, const struct finding_facts *x) {
    const struct rd_finding *f = &x->r->schedule->finding;
    bool same = rd_is_heap_misuse(f) ? l->kinds & RD_SUPPRESSED_HEAP_MISUSE : l->kinds >> f->kind & 1;
    enum match found = NO_MATCH;
    if (l->scope == RD_SUPPRESS_NOTHING || !same)
        return NO_MATCH;
    for (unsigned i = 0; l->variables && i < RD_COUNT(x->names); i++)
        if (x->names[i][0] && rd_name_pattern_matches(l->pattern, x->names[i]))
            return MATCH;
    for (uint32_t i = 0; l->scope != RD_SUPPRESS_NAMES && i < x->count; i++)
        if (call_matches(l, x->r, &x->at[i])) {
            if (x->at[i].top)
                return MATCH;
            found = MATCH_OUTER;
        }
    return found;
}

/* The entry of the list for one more finding that suppression `by` has suppressed; NULL: there is no room. */
static char *add_match(struct rd_late_suppression *s, uint32_t by) {
    if (s->match_count == RD_SUPPRESSED_SHOWN)
        return NULL;
    s->matches[s->match_count].by = by;
    return s->matches[s->match_count++].text;
}

/* Adds a finding that was run again, and is complete. */
static void add_late(struct rd_late_suppression *s, uint32_t by, const struct rd_report *r, bool outer) {
    struct rd_finding_row row;
    char *to = add_match(s, by);
    if (!to)
        return;
    rd_findings_row(r, &row);
    snprintf(to, sizeof s->matches->text, "%s%s%.250s%s%.1300s%s", rd_words_kind(r->schedule->finding.kind),
             row.variable[0] ? " of " : "", row.variable, row.place[0] ? ": " : "", row.place,
             outer ? ", from every caller" : "");
}

/* Adds a finding that the search itself has left out. */
static void add_early(struct rd_late_suppression *s, const struct rd_report *r, const struct rd_left_out *f) {
    char a[RD_LOCATION + 208], b[RD_LOCATION + 208], data[RD_PHRASE] = "";
    char *to = add_match(s, f->line);
    if (!to)
        return;
    rd_findings_place(r, rd_symbols_at(r->symbols, f->pc, f->kind == RD_CRASH), a, sizeof a);
    rd_findings_place(r, rd_symbols_at(r->symbols, f->other_pc, false), b, sizeof b);
    if (f->data)
        rd_words_data(r, f->data, data, sizeof data);
    bool one = !b[0] || strcmp(a, b) == 0;
    snprintf(to, sizeof s->matches->text, "%s%s%.250s%s%.800s%s%.800s", rd_words_kind(f->kind),
             data[0] ? " of " : "", data, a[0] ? ": " : "", a, one ? "" : ", ", one ? "" : b);
}

/* Counts a comment that has suppressed a finding, and lists the finding. */
static void note_comment(struct rd_late_suppression *s, const struct rd_report *r,
                         const struct rd_suppress_comment *c) {
    uint32_t i = 0;
    while (i < s->comment_count && strcmp(s->comments[i].where, c->where) != 0)
        i++;
    if (i == RD_SUPPRESS_COMMENTS) {
        rd_trouble("%s: '%s' suppresses a finding, but only %d such comments are listed", c->where, c->text,
                   RD_SUPPRESS_COMMENTS);
        return;
    }
    if (i == s->comment_count)
        s->comments[s->comment_count++] = *c;
    s->comments[i].findings++;
    add_late(s, s->files->line_count + i, r, false);
}

/* The lines at which the finding happens: the two accesses, the waits, or the place of the failure. */
static bool has_comment(struct rd_late_suppression *s, const struct rd_report *r) {
    const struct rd_schedule *x = r->schedule;
    const struct rd_frame *frames[64];
    struct rd_suppress_comment comment;
    struct rd_where w;
    uint32_t first, second, n = 0;
    rd_facts_where(r, &w);
    bool found = rd_source_comment(r, w.path, w.line, s->program, &comment);
    if (rd_race_steps(r, &first, &second)) {
        frames[n++] = rd_facts_step_frame(r, second);
        frames[n++] = rd_facts_step_frame(r, first);
    }
    for (uint32_t i = 0; i < x->finding.circle_count; i++)
        if (x->finding.circle[i] && x->finding.circle[i] <= x->step_count)
            frames[n++] = rd_facts_step_frame(r, x->finding.circle[i] - 1);
    for (uint32_t i = 0; x->finding.kind == RD_DEADLOCK && i < x->thread_count && n < RD_COUNT(frames); i++)
        if (rd_facts_blocked(r, (rd_tid)i))
            frames[n++] = rd_facts_pending_frame(r, (rd_tid)i);
    for (uint32_t i = 0; i < n && !found; i++)
        found = frames[i] && frames[i]->file &&
                rd_source_comment(r, frames[i]->file, frames[i]->line, s->program, &comment);
    if (found)
        note_comment(s, r, &comment);
    return found;
}

bool rd_late_suppression_takes(struct rd_late_suppression *s, const struct rd_report *r) {
    static struct finding_facts x;
    x = (struct finding_facts){.r = r};
    if (s->files->line_count)
        collect(&x, r);
    bool taken = false;
    for (uint32_t i = 0; i < s->files->line_count && !taken; i++) {
        enum match match = line_matches(&s->files->lines[i], &x);
        taken = match != NO_MATCH;
        s->files->lines[i].late += taken;
        if (taken)
            add_late(s, i, r, match == MATCH_OUTER);
    }
    taken = taken || has_comment(s, r);
    s->total += taken;
    return taken;
}

/* Lists the findings that the last search itself has left out. */
static void list_left_out(struct rd_late_suppression *s, const struct rd_target *target,
                          struct rd_run_result *result) {
    struct rd_schedule schedule;
    if (!result->summary.left_out_count)
        return;
    rd_schedule_make(&schedule, target, result, NULL);
    struct rd_report r = {.schedule = &schedule, .symbols = rd_symbols_open(result->modules, result->module_count)};
    for (uint32_t i = 0; i < result->summary.left_out_count; i++)
        add_early(s, &r, &result->summary.left_out[i]);
    rd_symbols_close(r.symbols);
}

/* The path relative to a directory, if it is in there. */
static const char *path_from(const char *directory, const char *path) {
    size_t n = strlen(directory);
    return n > 1 && strncmp(path, directory, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

void rd_late_suppression_list(struct rd_late_suppression *s, const struct rd_target *target,
                              struct rd_run_result *result, struct rd_run *run) {
    struct rd_summary *summary = &result->summary;
    uint32_t n = 0;
    list_left_out(s, target, result);
    for (uint32_t i = 0; i < s->files->line_count; i++) {
        const struct rd_suppress_line *l = &s->files->lines[i];
        struct rd_suppression_shown *to = &s->shown[n++];
        *to = (struct rd_suppression_shown){.text = l->text,
                                            .findings = (uint64_t)l->late + summary->suppressed_by[i],
                                            .meaningless = l->scope == RD_SUPPRESS_NOTHING};
        snprintf(to->where, sizeof to->where, "%.560s:%u", path_from(target->cwd, l->file), l->number);
    }
    for (uint32_t i = 0; i < s->comment_count; i++) {
        struct rd_suppression_shown *to = &s->shown[n++];
        *to = (struct rd_suppression_shown){.text = s->comments[i].text, .findings = s->comments[i].findings};
        snprintf(to->where, sizeof to->where, "%s", s->comments[i].where);
    }
    summary->suppressed += s->total;
    run->suppressions = s->shown;
    run->suppression_count = n;
    run->suppressed = s->matches;
    run->suppressed_count = s->match_count;
}
