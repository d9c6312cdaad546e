/* why_text.c - the paragraph "why": the deciding operations in their order, the deciding step, the preemptions. */
#include "report/text/report_text.h"

static void print_order(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    char at[RD_LOCATION];
    struct rd_why_step steps[3];
    uint32_t n = rd_why_order(r, steps);
    if (!n)
        return;
    fputs("  these operations, in this order:\n", out);
    for (uint32_t i = 0; i < n; i++) {
        rd_words_frame(r, steps[i].frame, true, at, sizeof at);
        fprintf(out, "    %sT%u%s  %s", rd_paint_thread(look, steps[i].tid), steps[i].tid,
                rd_paint(look, RD_UNPAINTED), steps[i].phrase);
        if (at[0])
            fprintf(out, " at %s%s%s", rd_paint(look, RD_BOLD), at, rd_paint(look, RD_UNPAINTED));
        if (steps[i].step)
            fprintf(out, " (step %u)\n", steps[i].step);
        else
            fputs(" (it did not get there)\n", out);
    }
    const struct rd_why_step *last = &steps[n - 1], *above = &steps[RD_MAX(n, 2u) - 2];
    fprintf(out, "  an execution %s in which ",
            rd_is_predicted(r->schedule->finding.kind) ? "did not show it" : "passed");
    if (last->step)
        fprintf(out, "step %u of T%u came before step %u of T%u\n", last->step, last->tid, above->step, above->tid);
    else
        fprintf(out, "T%u did the last of these before step %u of T%u\n", last->tid, above->step, above->tid);
}

void rd_print_why(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    char decided[400], preemptions[256], size[800];
    rd_why_decided(r, decided, sizeof decided);
    rd_why_preemptions(r, preemptions, sizeof preemptions);
    rd_why_size(r, size, sizeof size);
    if (!decided[0] && !preemptions[0] && !size[0])
        return;
    fprintf(out, "\n%swhy%s\n", rd_paint(look, RD_BOLD), rd_paint(look, RD_UNPAINTED));
    print_order(out, r, look);
    if (decided[0])
        fprintf(out, "  %s\n", decided);
    if (preemptions[0])
        fprintf(out, "  %s\n", preemptions);
    if (size[0])
        fprintf(out, "  %s\n", size);
}
