/*
 * outcome_table.c - the list of --outcomes: how often, and with which output, status or finding executions ended.
 */
#include "report/text/report_text.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 48 };

/* The output in quotes on one line, cut to SHOWN bytes. */
static void print_output(FILE *out, const struct rd_outcome_shown *o) {
    size_t n = o->output_size, shown = 0;
    fputs("printed \"", out);
    while (n && o->output[n - 1] == '\n')
        n--;
    for (; shown < n && shown < SHOWN; shown++) {
        unsigned char c = (unsigned char)o->output[shown];
        if (c == '\n')
            fputs("\\n", out);
        else
            fputc(c < ' ' || c == 127 ? '?' : c, out);
    }
    fprintf(out, "\"%s", n > shown || o->output_total > o->output_size ? "..." : "");
}

static void print_one(FILE *out, const struct rd_outcome_shown *o) {
    char number[32];
    const char *between = "";
    fprintf(out, "%12s  ", rd_words_number(o->count, number));
    if (o->observed[0]) {
        fprintf(out, "%s", o->observed);
        between = ", ";
    }
    if (o->ended && (o->output_total || !o->observed[0])) {
        fputs(between, out);
        between = ", ";
        if (o->output_total)
            print_output(out, o);
        else
            fputs("printed nothing", out);
    }
    if (o->ended && o->status)
        fprintf(out, "%sstatus %d", between, o->status);
    else if (!o->ended)
        fprintf(out, "%s%s%s", between, o->finding ? o->finding : "no end",
                o->extra ? " (predicted, then run)" : "");
    fprintf(out, "  %s\n", o->schedule ? o->schedule : "(no room for its schedule)");
}

void rd_print_outcomes(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    char number[32];
    fprintf(out, "%s%s outcome%s%s", rd_paint(look, RD_BOLD), rd_words_number(run->outcome_count, number),
            run->outcome_count == 1 ? "" : "s", rd_paint(look, RD_UNPAINTED));
    if (run->outcomes_all)
        fprintf(out, ", and there %s no other%s%s%s\n", run->outcome_count == 1 ? "is" : "are",
                run->outcome_count == 1 ? "" : "s", run->all ? "" : " within the bound",
                run->summary->fairness ? " (loops of yields bounded by fairness, see --yields)" : "");
    else if (run->outcomes_seen)
        fprintf(out, "; there is no other%s%s%s\n",
                rd_unseen_code_none(&run->blind) ? "" : " by the operations that raddle sees",
                run->assumes[0] ? " if " : "", run->assumes);
    else if (run->outcomes_unordered)
        fputs("; more are possible: threads write to standard output without its stream, in an order that is not "
              "explored\n",
              out);
    else
        fputs("; more may be possible\n", out);
    for (uint32_t i = 0; i < run->outcome_count; i++)
        print_one(out, &run->outcomes[i]);
    if (run->outcomes_lost)
        fprintf(out, "%12s  others, for which there was no room\n", rd_words_number(run->outcomes_lost, number));
}
