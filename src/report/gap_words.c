/*
 * gap_words.c - the line in place of steps that a report does not show: how many, of which threads, in which
 * function of a library. The text and the page take it from here.
 */
#include "report/row_selection.h"

#include <string.h>

/* "T1", "T1 and T2", "4 threads": the threads of the steps that are not shown. */
static void gap_threads(const struct rd_report *r, const struct rd_row_gap *g, char *to, size_t room) {
    rd_tid found[2] = {RD_TID_NONE, RD_TID_NONE};
    bool seen[RD_TID_MAX] = {false};
    uint32_t n = 0;
    for (uint32_t i = g->first; i < g->first + g->count; i++) {
        rd_tid tid = r->schedule->steps[i].tid;
        if (!seen[tid] && n < RD_COUNT(found))
            found[n] = tid;
        n += !seen[tid];
        seen[tid] = true;
    }
    if (n == 1)
        snprintf(to, room, "T%u", found[0]);
    else if (n == 2)
        snprintf(to, room, "T%u and T%u", RD_MIN(found[0], found[1]), RD_MAX(found[0], found[1]));
    else
        snprintf(to, room, "%u threads", n);
}

/* The function of a library that a line of the program calls and in which the step is, without template arguments.
 */
static void called_function(const struct rd_report *r, uint32_t step, char *to, size_t room) {
    const struct rd_schedule *s = r->schedule;
    const rd_place *stack = s->step_stacks ? s->step_stacks[step] : &s->steps[step].pc;
    uint32_t frames = s->step_stacks ? RD_STEP_STACK : 1;
    const char *name = "";
    for (uint32_t i = 0, user = 0; i < frames && stack[i] && !user; i++) {
        const struct rd_frame *f;
        uint32_t n = rd_symbols_frames(r->symbols, stack[i], false, &f);
        for (uint32_t k = 0; k < n && !user; k++)
            if (f[k].kind == RD_FRAME_USER)
                user = 1;
            else if (f[k].kind == RD_FRAME_LIBRARY)
                name = f[k].function;
    }
    size_t used = 0;
    unsigned depth = 0;
    for (const char *p = name; *p && used + 1 < room; p++) {
        bool opens = *p == '<' && p[1] != '<' && p[1] != '=' && (p == name || p[-1] != '<');
        depth += opens;
        if (!depth)
            to[used++] = *p;
        depth -= *p == '>' && depth;
    }
    to[used] = 0;
}

void rd_words_gap(const struct rd_report *r, const struct rd_row_gap *g, char *to, size_t room) {
    char number[32], threads[32], objects[32];
    char function[RD_PHRASE - 64];
    rd_words_number(g->count, number);
    gap_threads(r, g, threads, sizeof threads);
    called_function(r, g->first, function, sizeof function);
    if (g->library)
        snprintf(to, room, "... %s accesses in %s", number, function[0] ? function : "a library");
    else if (g->objects)
        snprintf(to, room, "... %s%s steps of %s, %s of them at what this is about",
                 g->repeated == g->count ? "the same again, " : "", number, threads,
                 rd_words_number(g->objects, objects));
    else
        snprintf(to, room, "... %s%s steps of %s", g->repeated == g->count ? "the same again, " : "", number,
                 threads);
}
