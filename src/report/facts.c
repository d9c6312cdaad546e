/*
 * facts.c - facts of a report that follow from the schedule and the symbols: the position of the finding, its
 * sentence, the data that it is about, stacks. Nothing is printed here.
 */
#include "report/report.h"
#include "trace/place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t rd_facts_threads_used(const struct rd_report *r, bool used[RD_TID_MAX]) {
    const struct rd_schedule *s = r->schedule;
    uint32_t n = 0;
    memset(used, 0, RD_TID_MAX * sizeof *used);
    for (uint32_t i = 0; i < s->thread_count && i < RD_TID_MAX; i++)
        used[i] = i == 0 || s->threads[i].state != RD_T_UNUSED;
    for (uint32_t i = 0; i < s->step_count; i++) {
        used[s->steps[i].tid] = true;
        if (s->steps[i].op == RD_OP_CREATE && !s->steps[i].result && s->steps[i].value < s->thread_count)
            used[s->steps[i].value] = true;
    }
    for (uint32_t i = 0; i < RD_TID_MAX; i++)
        n += used[i];
    return n;
}

static bool is_user(const struct rd_frame *f) { return f && f->kind == RD_FRAME_USER; }

const struct rd_frame *rd_facts_step_frame(const struct rd_report *r, uint32_t step) {
    const struct rd_schedule *s = r->schedule;
    bool exact = s->steps[step].op == RD_OP_START; /* its pc is the function itself */
    const struct rd_frame *at = rd_symbols_at(r->symbols, s->steps[step].pc, exact), *f = NULL;
    if (!is_user(at) && s->step_stacks)
        f = rd_symbols_user_frame(r->symbols, s->step_stacks[step], RD_STEP_STACK, false);
    return is_user(f) ? f : at;
}

const struct rd_frame *rd_facts_pending_frame(const struct rd_report *r, rd_tid tid) {
    const struct rd_thread_info *t = &r->schedule->threads[tid];
    const struct rd_frame *at = rd_symbols_at(r->symbols, t->pending.pc, t->pending.kind == RD_OP_START), *f = NULL;
    if (!is_user(at) && r->schedule->stacks)
        f = rd_symbols_user_frame(r->symbols, r->schedule->stacks[tid], RD_MIN(t->frames, RD_STACK_MAX), false);
    return is_user(f) ? f : at;
}

/*
 * The frame of the finding: the innermost frame of the program on the stack of its thread, if its pc is in a
 * library. The pc of a crash is the instruction itself and not a return address.
 */
static const struct rd_frame *finding_frame(const struct rd_report *r) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_finding *f = &s->finding;
    const struct rd_frame *at = rd_symbols_at(r->symbols, f->pc, f->kind == RD_CRASH), *of_stack = NULL;
    if (!is_user(at) && s->stacks && f->tid < s->thread_count)
        of_stack = rd_symbols_user_frame(r->symbols, s->stacks[f->tid],
                                         RD_MIN(s->threads[f->tid].frames, RD_STACK_MAX), false);
    return is_user(of_stack) ? of_stack : at;
}

/* Have two paths the same last part? The program may have been compiled in another directory than is recorded. */
static bool same_name(const char *a, const char *b) {
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
    return strcmp(x ? x + 1 : a, y ? y + 1 : b) == 0;
}

/*
 * Did main() return the wrong exit status? Then the pc is in the runtime, and a stack is only that of exit
 * handlers.
 */
static bool main_returned(const struct rd_report *r) {
    const struct rd_finding *f = &r->schedule->finding;
    const struct rd_frame *at;
    return f->kind == RD_EXIT_STATUS && f->tid == 0 && rd_symbols_frames(r->symbols, f->pc, false, &at) > 0 &&
           at->kind == RD_FRAME_RUNTIME;
}

void rd_facts_where(const struct rd_report *r, struct rd_where *w) {
    const struct rd_finding *f = &r->schedule->finding;
    const struct rd_frame *frame = finding_frame(r);
    memset(w, 0, sizeof *w);
    if (!f->file[0] && main_returned(r)) {
        snprintf(w->function, sizeof w->function, "main");
        return;
    }
    if (f->file[0]) { /* the program itself has named the position: an assertion */
        snprintf(w->file, sizeof w->file, "%s", f->file);
        w->line = f->line;
        snprintf(w->function, sizeof w->function, "%s", f->function);
        char *with = strstr(w->function, " [with ");
        if (with)
            *with = 0;
        rd_demangle_strip(w->function);
        if (frame && frame->file &&
            same_name(frame->file, f->file)) /* only debug information names a file to open */
            snprintf(w->path, sizeof w->path, "%s", frame->file);
        return;
    }
    if (!frame || (frame->kind != RD_FRAME_USER && !frame->file))
        return;
    if (frame->file) {
        snprintf(w->path, sizeof w->path, "%s", frame->file);
        snprintf(w->file, sizeof w->file, "%s", rd_words_path(r, frame->file));
        w->line = frame->line;
    }
    if (strcmp(frame->function, "??") != 0)
        snprintf(w->function, sizeof w->function, "%s", frame->function);
}

void rd_facts_complete(const struct rd_report *r, struct rd_finding *f) {
    struct rd_where w;
    rd_facts_where(r, &w);
    snprintf(f->file, sizeof f->file, "%.*s", (int)sizeof f->file - 1, w.file);
    snprintf(f->function, sizeof f->function, "%.*s", (int)sizeof f->function - 1, w.function);
    f->line = w.line;
}

const struct rd_frame *rd_facts_other_frame(const struct rd_report *r) {
    const struct rd_finding *f = &r->schedule->finding;
    bool there = f->other_pc && f->other_tid < r->schedule->thread_count;
    return there ? rd_symbols_at(r->symbols, f->other_pc, false) : NULL;
}

static void crash_message(const struct rd_finding *f, char *to, size_t room) {
    const char *what = rd_words_signal(f->signal);
    if (f->signal == 0 || f->fault_addr == RD_FAULT_UNKNOWN || strstr(what, "memory") == NULL)
        snprintf(to, room, "%s", f->signal ? what : "the program crashed");
    else
        snprintf(to, room, "%s at address 0x%" PRIx64 "%s", what, f->fault_addr,
                 f->fault_addr < 4096 ? ": a null pointer" : "");
}

uint32_t rd_facts_livelock_round(const struct rd_schedule *s) {
    const struct rd_finding *f = &s->finding;
    bool round =
        f->kind == RD_LIVELOCK && f->other_step > 1 && f->other_step <= f->step && f->step == s->step_count;
    return round ? f->other_step - 1 : 0;
}

/* "T1 goes round in a loop, and …", or the number of operations in a round if the rounds are equal. */
static void livelock_message(const struct rd_report *r, char *to, size_t room) {
    const struct rd_schedule *s = r->schedule;
    uint32_t loops = 0, first = rd_facts_livelock_round(s);
    rd_tid last = 0;
    if (first) {
        uint32_t steps = s->step_count - first;
        snprintf(to, room, "the same %u operation%s again and again, and no thread makes progress", steps,
                 steps == 1 ? "" : "s");
        return;
    }
    for (uint32_t i = 0; i < s->thread_count; i++) {
        if (s->threads[i].state != RD_T_READY || s->threads[i].pending.kind != RD_OP_AWAIT)
            continue;
        loops++;
        last = (rd_tid)i;
    }
    if (loops == 1)
        snprintf(to, room, "T%u goes round in a loop, and nobody is left who could end it", last);
    else
        snprintf(to, room, "%u threads go round in loops, and nobody is left who could end them", loops);
}

static void deadlock_message(const struct rd_report *r, char *to, size_t room) {
    rd_tid cycle[RD_TID_MAX];
    uint32_t in_cycle = rd_facts_cycle(r, cycle), blocked = 0;
    for (uint32_t i = 0; i < r->schedule->thread_count; i++)
        blocked += r->schedule->threads[i].state == RD_T_READY && !r->schedule->threads[i].enabled;
    if (in_cycle == 1)
        snprintf(to, room, "T%u waits for itself", cycle[0]);
    else if (in_cycle > 1)
        snprintf(to, room, "%u threads wait for each other", in_cycle);
    else if (blocked == 1)
        snprintf(to, room, "the last thread waits for ever");
    else if (blocked > 1)
        snprintf(to, room, "the %u threads that are left wait for ever", blocked);
    else
        snprintf(to, room, "every thread that is left waits for ever");
}

void rd_facts_message(const struct rd_report *r, char *to, size_t room) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_finding *f = &s->finding;
    char number[32];
    if (f->kind == RD_DATA_RACE)
        rd_race_message(r, to, room);
    else if (f->message[0])
        snprintf(to, room, "%s", f->message);
    else if (f->kind == RD_CRASH)
        crash_message(f, to, room);
    else if (f->kind == RD_EXIT_STATUS)
        snprintf(to, room, "the program exited with status %d, %d was expected", f->status, s->expect_status);
    else if (f->kind == RD_LIVELOCK)
        livelock_message(r, to, room);
    else if (f->kind == RD_DEADLOCK)
        deadlock_message(r, to, room);
    else if (f->kind == RD_HANG && s->steps_max && s->step_count >= s->steps_max)
        snprintf(to, room, "no end after %s steps", rd_words_number(s->step_count, number));
    else if (f->kind == RD_HANG)
        snprintf(to, room, "the execution took too long");
    else
        snprintf(to, room, "%s", rd_finding_name(f->kind));
    rd_words_in_one_line(to);
}

/* The words of assert() around the asserted condition are left out. */
void rd_facts_headline(const struct rd_report *r, char *to, size_t room) {
    char message[600];
    const struct rd_finding *f = &r->schedule->finding;
    rd_facts_message(r, message, sizeof message);
    size_t n = strlen(message);
    static const char before[] = "Assertion `", after[] = "' failed.";
    if (f->kind == RD_ASSERTION && n > sizeof before + sizeof after &&
        strncmp(message, before, sizeof before - 1) == 0 && strcmp(message + n - (sizeof after - 1), after) == 0) {
        message[n - (sizeof after - 1)] = 0;
        snprintf(to, room, "%s: %s", rd_words_kind(f->kind), message + sizeof before - 1);
    } else {
        snprintf(to, room, "%s: %s", f->kind == RD_ASSERTION ? "assertion" : rd_words_kind(f->kind), message);
    }
}

/* How threads access a place. */
struct touched {
    rd_place place;
    rd_tid tid;
    bool shared, written; /* by two threads; by one of them */
    bool listed;
};

/* The entry of a place in a table with 2^bits entries, at most half of them used. */
static struct touched *look_up(struct touched *table, unsigned bits, rd_place place) {
    uint64_t mask = ((uint64_t)1 << bits) - 1, at = rd_mix(place) & mask;
    while (table[at].place && table[at].place != place)
        at = (at + 1) & mask;
    return &table[at];
}

/*
 * The data that at least two threads access and at least one of them writes, in the order of the first access. The
 * first pass over the steps finds these places, the second one lists them.
 */
static uint32_t shared_data(const struct rd_schedule *s, rd_place *to, uint32_t max) {
    unsigned bits = 4;
    while (((uint64_t)1 << bits) < (uint64_t)s->step_count * 2)
        bits++;
    struct touched *table = calloc((size_t)1 << bits, sizeof *table);
    uint32_t n = 0;
    for (uint32_t pass = 0; pass < 2 && table; pass++) {
        for (uint32_t i = 0; i < s->step_count; i++) {
            const struct rd_step *step = &s->steps[i];
            unsigned flags = rd_op_flags(step->op);
            if (!(flags & (RD_F_READS | RD_F_WRITES)) || !step->place)
                continue;
            struct touched *t = look_up(table, bits, step->place);
            if (pass == 0) {
                t->shared |= t->place && t->tid != step->tid;
                t->written |= (flags & RD_F_WRITES) != 0;
                t->place = step->place;
                t->tid = step->tid;
            } else if (t->shared && t->written && !t->listed && n < max) {
                t->listed = true;
                to[n++] = t->place;
            }
        }
    }
    free(table);
    return n;
}

uint32_t rd_facts_variables(const struct rd_report *r, rd_place *to, uint32_t max) {
    const struct rd_schedule *s = r->schedule;
    uint32_t n = 0;
    if (!rd_is_stuck(s->finding.kind))
        return shared_data(s, to, max);
    for (uint32_t i = 0; i < s->thread_count && n < max; i++) {
        const struct rd_thread_info *t = &s->threads[i];
        bool known = t->state != RD_T_READY || t->enabled || t->pending.place == 0;
        for (uint32_t k = 0; k < n && !known; k++)
            known = to[k] == t->pending.place;
        if (!known)
            to[n++] = t->pending.place;
    }
    return n;
}

uint32_t rd_facts_stack(const struct rd_report *r, rd_tid tid, struct rd_frame *to, uint32_t max) {
    const struct rd_schedule *s = r->schedule;
    if (!s->stacks || tid >= s->thread_count || s->threads[tid].state == RD_T_FINISHED)
        return 0;
    uint32_t n = 0, user = 0, frames = RD_MIN(s->threads[tid].frames, RD_STACK_MAX);
    for (uint32_t i = 0; i < frames && s->stacks[tid][i]; i++) {
        const struct rd_frame *f;
        uint32_t count = rd_symbols_frames(r->symbols, s->stacks[tid][i], false, &f);
        for (uint32_t k = 0; k < count && n < max; k++) {
            if (f[k].kind != RD_FRAME_RUNTIME)
                to[n++] = f[k];
            if (f[k].kind == RD_FRAME_USER)
                user = n;
        }
    }
    return user ? user : n; /* frames below the program's outermost function are libc's start-up code */
}
