/*
 * thread_stacks.c - the state and the stack of every thread at the end. Frames of libraries are left out, except
 * the innermost one, the function that the program has called last.
 */
#include "report/text/report_text.h"

#include <string.h>

enum { FRAMES_MAX = 128, FRAMES_SHOWN = 12 };

static void state_text(const struct rd_report *r, rd_tid tid, char *to, size_t room) {
    const struct rd_thread_info *t = &r->schedule->threads[tid];
    char phrase[RD_PHRASE];
    rd_phrase_pending(r, &t->pending, phrase, sizeof phrase);
    if (t->pending.kind == RD_OP_NONE)
        snprintf(to, room, "%s", rd_words_running(r, tid));
    else
        snprintf(to, room, "%s: %s", t->enabled ? "next" : "blocked", phrase);
}

static void print_frame(FILE *out, const struct rd_report *r, const struct rd_frame *f, uint32_t number,
                        const struct rd_look *look) {
    char at[RD_LOCATION];
    rd_words_frame(r, f, true, at, sizeof at);
    fprintf(out, "      #%-2u %s", number, f->function);
    if (f->file && f->line)
        fprintf(out, " at %s%s%s", rd_paint(look, RD_BOLD), at, rd_paint(look, RD_UNPAINTED));
    else if (f->module)
        fprintf(out, " %sin %s%s", rd_paint(look, RD_DIM),
                strrchr(f->module, '/') ? strrchr(f->module, '/') + 1 : f->module, rd_paint(look, RD_UNPAINTED));
    fprintf(out, "%s\n", f->inlined ? " (inlined)" : "");
}

static void print_stack(FILE *out, const struct rd_report *r, rd_tid tid, const struct rd_look *look) {
    static struct rd_frame frames[FRAMES_MAX];
    uint32_t n = rd_facts_stack(r, tid, frames, FRAMES_MAX), shown = 0;
    bool any_user = false;
    for (uint32_t i = 0; i < n; i++)
        any_user |= frames[i].kind == RD_FRAME_USER;
    for (uint32_t i = 0; i < n; i++) {
        bool last_called = i == 0 && frames[i].kind == RD_FRAME_LIBRARY && !frames[i].file &&
                           strcmp(frames[i].function, "??") != 0;
        if (any_user && frames[i].kind != RD_FRAME_USER && !last_called)
            continue;
        if (shown == FRAMES_SHOWN) {
            fprintf(out, "      ... and more frames\n");
            return;
        }
        print_frame(out, r, &frames[i], shown++, look);
    }
}

static void print_thread(FILE *out, const struct rd_report *r, rd_tid tid, const struct rd_look *look) {
    const struct rd_thread_info *t = &r->schedule->threads[tid];
    char name[64], state[RD_PHRASE + 32], at[RD_LOCATION];
    bool stack = r->schedule->stacks && t->frames > 0;
    rd_words_thread(r, tid, name, sizeof name);
    state_text(r, tid, state, sizeof state);
    fprintf(out, "  %s%s%s  %s", rd_paint_thread(look, tid), name, rd_paint(look, RD_UNPAINTED), state);
    if (!stack) {
        rd_words_frame(r, rd_facts_pending_frame(r, tid), true, at, sizeof at);
        fprintf(out, "%s%s", at[0] ? " at " : "", at);
    }
    fputs("\n", out);
    if (stack)
        print_stack(out, r, tid, look);
}

void rd_print_threads(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    uint32_t finished = 0, known = 0;
    for (uint32_t i = 0; i < r->schedule->thread_count; i++)
        known += r->schedule->threads[i].state != RD_T_UNUSED;
    if (known == 0)
        return;
    fprintf(out, "\n%swhere every thread was%s\n", rd_paint(look, RD_BOLD), rd_paint(look, RD_UNPAINTED));
    for (uint32_t i = 0; i < r->schedule->thread_count; i++) {
        if (r->schedule->threads[i].state == RD_T_READY)
            print_thread(out, r, (rd_tid)i, look);
        finished += r->schedule->threads[i].state == RD_T_FINISHED;
    }
    for (uint32_t i = 0, n = 0; i < r->schedule->thread_count; i++) {
        char name[64];
        if (r->schedule->threads[i].state != RD_T_FINISHED)
            continue;
        rd_words_thread(r, (rd_tid)i, name, sizeof name);
        fprintf(out, "%s%s%s%s%s",
                n == 0        ? "  finished: "
                : n % 12 == 0 ? ",\n            "
                              : ", ",
                rd_paint_thread(look, (rd_tid)i), name, rd_paint(look, RD_UNPAINTED),
                n + 1 == finished ? "\n" : "");
        n++;
    }
}
