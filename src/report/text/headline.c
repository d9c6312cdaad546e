/*
 * headline.c - the first lines of a report: the finding and its position, and for a deadlock each blocked thread
 * with the object that it waits for, the thread that holds the object, and the step since which it does.
 */
#include "base/safe_text.h"
#include "report/text/report_text.h"

#include <limits.h>
#include <string.h>

/* The source lines around the finding. */
struct excerpt {
    FILE *out;
    const struct rd_look *look;
    int line;
};

static void print_line(void *ctx, int number, const char *text) {
    const struct excerpt *e = ctx;
    bool here = number == e->line;
    unsigned width = e->look->width ? e->look->width : UINT_MAX;
    fprintf(e->out, "%s  %s %5d | ", rd_paint(e->look, here ? RD_BOLD : RD_DIM), here ? ">" : " ", number);
    unsigned column = 12;
    for (size_t left = strlen(text);
         left && column < width;) { /* a tab becomes blanks, so that the width is known */
        char c[RD_SAFE_CHAR] = " ";
        unsigned blanks = 4 - (column - 12) % 4;
        size_t n = *text == '\t' ? 1 : rd_safe_char(text, left, RD_BAD_BYTE_SHOWN, c);
        fprintf(e->out, "%*s", *text == '\t' ? (int)blanks : 0, c);
        column += *text == '\t' ? blanks : rd_paint_width(c);
        text += n;
        left -= n;
    }
    fprintf(e->out, "%s\n", rd_paint(e->look, RD_UNPAINTED));
}

/* The last steps at the variables that the failed assertion names. */
static void print_named(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    enum { NAMED = 3 };
    uint32_t last[NAMED], n = rd_facts_named(r, last, NAMED);
    char at[RD_LOCATION], phrase[RD_PHRASE];
    while (n-- > 0) { /* they are in descending order */
        const struct rd_step *s = &r->schedule->steps[last[n]];
        rd_phrase_at(r, last[n], phrase, sizeof phrase);
        rd_words_frame(r, rd_facts_step_frame(r, last[n]), true, at, sizeof at);
        fprintf(out, "  last step there: %sT%u%s  %s%s%s (step %u)\n", rd_paint_thread(look, s->tid), s->tid,
                rd_paint(look, RD_UNPAINTED), phrase, at[0] ? " at " : "", at, last[n] + 1);
    }
}

void rd_print_finding(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_finding *f = &s->finding;
    char text[700], thread[64];
    struct rd_where w;
    if (f->kind == RD_NO_FINDING) {
        fprintf(out, "%sno bug in this execution%s\n", rd_paint(look, RD_BOLD), rd_paint(look, RD_UNPAINTED));
        return;
    }
    rd_facts_headline(r, text, sizeof text);
    rd_facts_where(r, &w);
    bool warning = r->warning || rd_is_unreliable(f);
    if (r->number)
        fprintf(out, "%s%s#%u%s ", r->number > 1 ? "\n" : "", rd_paint(look, RD_BOLD), r->number,
                rd_paint(look, RD_UNPAINTED));
    fprintf(out, "%s%s%s%s\n", rd_paint(look, warning ? RD_YELLOW : RD_RED), warning ? "warning: " : "", text,
            rd_paint(look, RD_UNPAINTED));
    bool printed = rd_print_race(out, r, look) || rd_print_lock_cycle(out, r, look);
    if (!printed && f->tid < s->thread_count && !rd_is_stuck(f->kind)) {
        rd_words_thread(r, f->tid, thread, sizeof thread);
        fprintf(out, "  in %s%s%s", rd_paint_thread(look, f->tid), thread, rd_paint(look, RD_UNPAINTED));
        if (w.function[0])
            fprintf(out, ", %s", w.function);
        if (w.line)
            fprintf(out, " at %s%s:%d%s", rd_paint(look, RD_BOLD), w.file, w.line, rd_paint(look, RD_UNPAINTED));
        fputs("\n", out);
    }
    print_named(out, r, look);
    const struct rd_frame *other = printed ? NULL : rd_facts_other_frame(r);
    if (other) {
        char place[512];
        rd_words_thread(r, f->other_tid, thread, sizeof thread);
        rd_words_frame(r, other, true, place, sizeof place);
        fprintf(out, "  because of %s%s%s at %s\n", rd_paint_thread(look, f->other_tid), thread,
                rd_paint(look, RD_UNPAINTED), place);
    }
    rd_print_block(out, r, look);
    rd_print_also(out, r, look);
    if (rd_is_stuck(f->kind)) {
        rd_print_deadlock(out, r, look);
        return;
    }
    if (!w.line || !w.path[0])
        return;
    fputs("\n", out);
    struct excerpt e = {out, look, w.line};
    if (rd_source_around(r, w.path, w.line, 2, 1, print_line, &e))
        return;
    enum rd_source_state state = rd_source_state(r, w.path);
    fprintf(out, "  (%s %s)\n", w.path,
            state == RD_SOURCE_CHANGED  ? "has changed since this was recorded, so its lines are not shown"
            : state == RD_SOURCE_UNREAD ? "is not shown: the schedule has no hash of it"
                                        : "cannot be read");
}

static const char *short_name(const struct rd_look *look, rd_tid tid, char to[48]) {
    snprintf(to, 48, "%sT%u%s", rd_paint_thread(look, tid), tid, rd_paint(look, RD_UNPAINTED));
    return to;
}

/*
 * Where the holder took the lock that this thread waits for. The step is preferred because it has a stack; the pc
 * alone may be in a header file of a library.
 */
static const struct rd_frame *held_frame(const struct rd_report *r, const struct rd_thread_info *t) {
    if (t->held_step > 0 && t->held_step <= r->schedule->step_count)
        return rd_facts_step_frame(r, t->held_step - 1);
    return rd_symbols_at(r->symbols, t->held_pc, false);
}

/*
 * Explains a wait at an object without an owner: at a semaphore by the thread that took its last unit, at a barrier
 * by the arrivals that are missing. False: the thread waits at another kind of object.
 */
static bool explain_ownerless(FILE *out, const struct rd_report *r, rd_tid tid, const char *object,
                              const struct rd_look *look) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_op *op = &s->threads[tid].pending;
    char name[48], there[RD_LOCATION];
    if (op->kind == RD_OP_BARRIER_LEAVE)
        fprintf(out, "others to arrive at %s%s%s\n", rd_paint(look, RD_BOLD), object, rd_paint(look, RD_UNPAINTED));
    if (op->kind != RD_OP_SEM_WAIT)
        return op->kind == RD_OP_BARRIER_LEAVE;
    fprintf(out, "%s%s%s, which nobody is left to post", rd_paint(look, RD_BOLD), object,
            rd_paint(look, RD_UNPAINTED));
    for (uint32_t i = s->step_count; i-- > 0;) {
        const struct rd_step *step = &s->steps[i];
        bool takes = step->op == RD_OP_SEM_WAIT || step->op == RD_OP_SEM_TRYWAIT;
        if (step->place != op->place || !takes || step->result)
            continue;
        rd_words_frame(r, rd_facts_step_frame(r, i), true, there, sizeof there);
        fprintf(out, "; %s took its last unit at step %u%s%s%s", short_name(look, step->tid, name), i + 1,
                there[0] ? " (" : "", there, there[0] ? ")" : "");
        break;
    }
    fputs("\n", out);
    return true;
}

/* "T1 waits for b at f.c:9, which T2 holds since step 8 (f.c:16)" */
static void explain(FILE *out, const struct rd_report *r, rd_tid tid, const struct rd_look *look) {
    const struct rd_thread_info *t = &r->schedule->threads[tid];
    rd_tid other = rd_facts_waits_for(r, tid);
    char object[RD_PHRASE], second[RD_PHRASE], here[RD_LOCATION], there[RD_LOCATION], name[48], thread[64];
    rd_words_data(r, t->pending.place, object, sizeof object);
    rd_words_data(r, t->pending.place2, second, sizeof second);
    rd_words_frame(r, rd_facts_pending_frame(r, tid), true, here, sizeof here);
    rd_words_frame(r, held_frame(r, t), true, there, sizeof there);
    rd_words_thread(r, tid, thread, sizeof thread);
    fprintf(out, "  %s%s%s ", rd_paint_thread(look, tid), thread, rd_paint(look, RD_UNPAINTED));
    fprintf(out, "waits%s%s for ", here[0] ? " at " : "", here);
    if (t->pending.kind == RD_OP_JOIN) {
        fprintf(out, "the end of %s\n", other == RD_TID_NONE ? "a thread" : short_name(look, other, name));
        return;
    }
    if (t->pending.kind == RD_OP_TEAM) {
        fputs("others of its OpenMP team, or for work\n", out);
        return;
    }
    if (t->pending.kind == RD_OP_AWAIT) {
        bool one = t->pending.place && t->pending.size <= RD_ACCESS_MAX;
        fprintf(out, "%s%s%s to change, in a loop\n", rd_paint(look, RD_BOLD),
                one ? object : "something that it reads", rd_paint(look, RD_UNPAINTED));
        return;
    }
    if (t->pending.kind == RD_OP_COND_WAKE && other == RD_TID_NONE) {
        fprintf(out, "a signal of %s%s%s that nobody is left to send\n", rd_paint(look, RD_BOLD), object,
                rd_paint(look, RD_UNPAINTED));
        return;
    }
    if (t->pending.kind == RD_OP_SIGNAL_PAUSE || t->pending.kind == RD_OP_SIGNAL_WAIT) {
        fputs("a signal that nobody is left to send it\n", out);
        return;
    }
    if (t->pending.kind == RD_OP_FUTEX_WOKEN) {
        fprintf(out, "a wake-up at %s%s%s that nobody is left to send\n", rd_paint(look, RD_BOLD),
                t->pending.place2 ? second : object, rd_paint(look, RD_UNPAINTED));
        return;
    }
    if (explain_ownerless(out, r, tid, object, look))
        return;
    fprintf(out, "%s%s%s", rd_paint(look, RD_BOLD), t->pending.kind == RD_OP_COND_WAKE ? second : object,
            rd_paint(look, RD_UNPAINTED));
    const struct rd_op *theirs = other == RD_TID_NONE ? NULL : &r->schedule->threads[other].pending;
    if (theirs && t->pending.kind == RD_OP_RWLOCK_RDLOCK && theirs->kind == RD_OP_RWLOCK_WRLOCK &&
        theirs->place == t->pending.place) {
        fprintf(out, ", which lets no more readers in while %s waits to write", short_name(look, other, name));
    } else if (theirs) {
        fprintf(out, ", which %s holds", other == tid ? "it already" : short_name(look, other, name));
        if (t->held_step)
            fprintf(out, " since step %u", t->held_step);
        if (there[0])
            fprintf(out, " (%s)", there);
        if (r->schedule->threads[other].state == RD_T_FINISHED)
            fputs(" and took to its end", out);
    }
    fputs("\n", out);
}

/* "T1 -> b -> T2 -> a": the threads, each with the object that it waits for. */
static void print_wait_chain(FILE *out, const struct rd_report *r, const rd_tid *tids, uint32_t count,
                             const struct rd_look *look) {
    char name[48], object[RD_PHRASE];
    for (uint32_t i = 0; i < count; i++) {
        const struct rd_op *op = &r->schedule->threads[tids[i]].pending;
        bool mutex = op->kind == RD_OP_COND_WAKE && rd_facts_waits_for(r, tids[i]) != RD_TID_NONE;
        rd_words_data(r, mutex ? op->place2 : op->place, object, sizeof object);
        fprintf(out, "%s%s", i ? " -> " : "", short_name(look, tids[i], name));
        if (op->place)
            fprintf(out, " -> %s", object);
    }
}

void rd_print_deadlock(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    const struct rd_schedule *s = r->schedule;
    rd_tid cycle[RD_TID_MAX];
    char name[48];
    uint32_t length = rd_facts_cycle(r, cycle);
    rd_print_livelock_round(out, r, look);
    for (uint32_t i = 0; i < length; i++)
        explain(out, r, cycle[i], look);
    /* first the threads that wait for no thread, because the other threads wait for them */
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < s->thread_count; i++) {
            bool skip = s->threads[i].state != RD_T_READY || s->threads[i].enabled;
            for (uint32_t k = 0; k < length && !skip; k++)
                skip = cycle[k] == i;
            if (!skip && (rd_facts_waits_for(r, (rd_tid)i) == RD_TID_NONE) == (pass == 0))
                explain(out, r, (rd_tid)i, look);
        }
    }
    if (length > 1) {
        fputs("  the circle: ", out);
        print_wait_chain(out, r, cycle, length, look);
        fprintf(out, " -> %s\n", short_name(look, cycle[0], name));
        return;
    }
    length = length ? 0 : rd_facts_chain(r, cycle);
    if (length) {
        fputs("  the chain: ", out);
        print_wait_chain(out, r, cycle, length, look);
        fputs("\n", out);
    }
}
