/*
 * unknown_functions.c - names the opaque functions: Raddle does not know which memory they touch, so a call depends
 * on every other operation and the search must try it in every order. The user can instrument their library or
 * write a rule, so the summary names the functions that were called most.
 */
#include "report/run_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_calls(const void *a, const void *b) {
    const struct rd_opaque *x = a, *y = b;
    return x->calls == y->calls ? (x->function < y->function ? -1 : 1) : x->calls > y->calls ? -1 : 1;
}

void rd_run_opaque(struct rd_run *run, const struct rd_summary *s, struct rd_symbols *symbols) {
    struct rd_opaque all[RD_OPAQUE_MAX];
    uint32_t count = RD_MIN(s->opaque_count, (uint32_t)RD_OPAQUE_MAX);
    memcpy(all, s->opaque, count * sizeof *all);
    qsort(all, count, sizeof *all, by_calls);
    run->opaque_count = RD_MIN(count, (uint32_t)RD_COUNT(run->opaque));
    for (uint32_t i = 0; i < run->opaque_count; i++) {
        struct rd_opaque_shown *o = &run->opaque[i];
        const struct rd_frame *f = rd_symbols_at(symbols, all[i].function, true);
        const char *path = f && f->module ? f->module : "", *slash = strrchr(path, '/');
        snprintf(o->function, sizeof o->function, "%s", f && f->function ? f->function : "??");
        snprintf(o->library, sizeof o->library, "%s", slash ? slash + 1 : path);
        o->calls = all[i].calls;
    }
}
