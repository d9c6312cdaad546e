/*
 * live_status.c - see live_status.h. Between two drawings the cursor is where the block begins, and all that is
 * below belongs to the block. So it is taken away without knowing how many rows it has: a terminal that was made
 * narrower may have broken its lines, and one that was made wider may have joined them. No line is as wide as the
 * terminal, which is asked each time.
 */
#include "cli/run/live_status.h"

#include "cli/interrupt.h"
#include "drive/real_clock.h"
#include "report/text/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* When the block or the line is first shown, and how often from then on. */
static const double BLOCK_FIRST_S = 0.2, BLOCK_S = 0.2, LINE_FIRST_S = 1, LINE_S = 5;
static const char wipe[] = "\r\033[J";

static struct {
    bool terminal, shown;
    double begun, next;
    double last, quiet; /* of the last drawing; when there was something new */
    uint64_t runs, orders;
    uint32_t found;
} now;

void rd_live_status_begin(void) {
    const char *term = getenv("TERM");
    memset(&now, 0, sizeof now);
    now.terminal = isatty(2) && term && strcmp(term, "dumb") != 0;
    now.begun = now.last = now.quiet = rd_clock_s();
    now.next = now.begun + (now.terminal ? BLOCK_FIRST_S : LINE_FIRST_S);
    if (now.terminal)
        rd_stop_first(wipe);
}

/* One write: half a block is never seen. */
static void draw_block(char lines[RD_STATUS_LINES][RD_STATUS_LINE]) {
    struct winsize size = {0};
    if (ioctl(2, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        size = (struct winsize){.ws_col = 80, .ws_row = 24};
    int width = RD_MIN(size.ws_col - 1, RD_STATUS_LINE - 1), rows = RD_MIN(size.ws_row, RD_STATUS_LINES);
    char text[RD_STATUS_LINES * (RD_STATUS_LINE + 8) + 16];
    int used = snprintf(text, sizeof text, "%s", wipe);
    for (int i = 0; i < rows; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%.*s", i ? "\r\n" : "", width, lines[i]);
    if (rows > 1)
        used += snprintf(text + used, sizeof text - (size_t)used, "\033[%dA", rows - 1);
    used += snprintf(text + used, sizeof text - (size_t)used, "\r");
    (void)!write(2, text, (size_t)used);
}

static void print_line(char lines[RD_STATUS_LINES][RD_STATUS_LINE]) {
    char text[RD_STATUS_LINES * RD_STATUS_LINE];
    int used = snprintf(text, sizeof text, "%s; %s; %s\n", lines[0], lines[1] + 2, lines[2] + 2);
    (void)!write(2, text, (size_t)used);
}

void rd_live_status(const struct rd_channel *c) {
    const struct rd_summary *s = &c->result.summary;
    double at = rd_clock_s();
    if (s->orders != now.orders || s->found_count != now.found) {
        now.orders = s->orders;
        now.found = s->found_count;
        now.quiet = at;
    }
    if (at < now.next)
        return;
    uint64_t runs = s->executions + s->cut;
    struct rd_pace pace = {.elapsed_s = at - now.begun,
                           .rate = runs > now.runs ? (double)(runs - now.runs) / (at - now.last) : 0,
                           .quiet_s = at - now.quiet,
                           .stopping = *rd_stop_wanted() != 0};
    char lines[RD_STATUS_LINES][RD_STATUS_LINE];
    rd_status(c, &pace, lines);
    if (now.terminal)
        draw_block(lines);
    else
        print_line(lines);
    now.shown = true;
    now.runs = runs;
    now.last = at;
    now.next = at + (now.terminal ? BLOCK_S : LINE_S);
}

void rd_live_status_end(void) {
    rd_stop_first(NULL);
    if (now.terminal && now.shown)
        (void)!write(2, wipe, sizeof wipe - 1);
}
