/* test_progress.c - see test_progress.h. The line is cut to the width of the terminal, so that it is one line. */
#include "cli/test/test_progress.h"

#include "cli/interrupt.h"
#include "drive/real_clock.h"
#include "report/text/report_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double INTERVAL_S = 0.2;
static const char clear_line[] = "\r\033[J";

static struct {
    bool shown, terminal;
    double due;
} line;

void rd_test_progress_begin(const struct rd_test_runs *r) {
    const char *term = getenv("TERM");
    int when = r->options->progress;
    line.shown = when == RD_WHEN_ALWAYS || (when == RD_WHEN_AUTO && isatty(2) && !r->options->quiet);
    line.terminal = isatty(2) && term && strcmp(term, "dumb") != 0;
    line.due = 0;
    if (line.shown && line.terminal)
        rd_interrupt_write_first(clear_line);
}

void rd_test_progress(const struct rd_test_runs *r, const struct rd_test *const *now, uint32_t count) {
    struct winsize size;
    char text[1024], shown[1024], name[256];
    double moment = rd_clock_s();
    if (!line.shown || !line.terminal || moment < line.due)
        return;
    line.due = moment + INTERVAL_S;
    if (ioctl(2, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        size.ws_col = 80;
    size_t room = sizeof text;
    int n = snprintf(text, room, "raddle: %u of %u tests done", r->done, r->to_run);
    if (r->bugs)
        n += snprintf(text + n, room - (size_t)n, ", %u with a bug", r->bugs);
    if (r->troubles)
        n += snprintf(text + n, room - (size_t)n, ", %u with trouble", r->troubles);
    n += snprintf(text + n, room - (size_t)n, ", %.0f s", moment - r->began);
    if (r->options->time_s > 0)
        n += snprintf(text + n, room - (size_t)n, " of %g", r->options->time_s);
    if (*rd_interrupt_requested())
        n += snprintf(text + n, room - (size_t)n, "; ending (Ctrl-C again: at once)");
    for (uint32_t i = 0; i < count && (size_t)n < room - sizeof name - 8; i++)
        n += snprintf(text + n, room - (size_t)n, "%s%.200s", i ? ", " : "; ",
                      rd_test_full_name(now[i], r->several, name, sizeof name));
    rd_test_make_safe(text, shown, sizeof shown);
    shown[rd_paint_fit(shown, size.ws_col - 1u)] = 0;
    dprintf(2, "%s%s\r", clear_line, shown);
}

void rd_test_progress_ended(const struct rd_test_runs *r, const struct rd_test *t) {
    char name[512], text[2048], shown[2048];
    const struct rd_test_result *x = &t->result;
    if (!line.shown || line.terminal)
        return;
    snprintf(text, sizeof text, "raddle: %u of %u: %s: %s%s%s, %.1f s", r->done, r->to_run,
             rd_test_full_name(t, r->several, name, sizeof name), rd_test_outcome_word(x->outcome),
             *x->words ? ": " : "", x->words, x->seconds);
    dprintf(2, "%s\n", rd_test_make_safe(text, shown, sizeof shown));
}

void rd_test_progress_end(void) {
    rd_interrupt_write_first(NULL);
    if (line.shown && line.terminal)
        (void)!write(2, clear_line, sizeof clear_line - 1);
    line.shown = false;
}
