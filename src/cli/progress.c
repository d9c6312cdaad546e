/* progress.c - see progress.h. */
#include "cli/progress.h"

#include "report/report.h"

#include <stdio.h>
#include <unistd.h>

/* How much is done, where the search can tell. It may be being written meanwhile: what makes no sense is not shown.
 */
static void print_done(const struct rd_claim *c) {
    char number[32];
    double done = c->done, estimate = c->estimate;
    if (!(done > 0 && done <= 1 && estimate >= 1))
        return;
    fprintf(stderr, ", %.*f %% of about %s", done < 0.1 ? 2 : 0, done * 100,
            rd_words_number((uint64_t)RD_MIN(estimate, 9e18), number));
}

void rd_progress(const struct rd_channel *c) {
    static uint64_t last_ns, last_runs;
    const struct rd_summary *s = &c->summary;
    bool terminal = isatty(2);
    uint64_t now = s->elapsed_ns, runs = s->executions + s->cut;
    if (now < last_ns + (terminal ? 200000000u : 5000000000u))
        return;
    double rate = runs > last_runs ? (double)(runs - last_runs) / ((double)(now - last_ns) * 1e-9) : 0;
    last_ns = now;
    last_runs = runs;
    char number[32], orders[32];
    fprintf(stderr, "%sraddle: %s executions", terminal ? "\r\033[K" : "", rd_words_number(s->executions, number));
    if (s->cut)
        fprintf(stderr, " (+%s cut short)", rd_words_number(s->cut, number));
    fprintf(stderr, ", %s/s", rd_words_number((uint64_t)rate, number));
    print_done(&s->claim);
    fprintf(stderr, ", %s different orders, %llu findings, %.0f s%s", rd_words_number(s->orders, orders),
            (unsigned long long)s->findings, (double)now * 1e-9, terminal ? "" : "\n");
}

void rd_progress_end(void) {
    if (isatty(2))
        fputs("\r\033[K", stderr);
}
