/*
 * live_status.c - see live_status.h. Invariant: between two updates the cursor is at the beginning of the block,
 * and the terminal shows only the block from there on. So the block can be cleared without knowing how many rows it
 * takes: if the user makes the terminal narrower, the terminal may wrap its lines, and if wider, join them. Each
 * update asks the terminal for its width and cuts the lines so that they are narrower.
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

/* The time until the first block or line, and the interval of the others. */
static const double BLOCK_FIRST_S = 0.2, BLOCK_S = 0.2, LINE_FIRST_S = 1, LINE_S = 5;
static const char clear_block[] = "\r\033[J";

static struct {
    bool terminal, drawn;
    double began, next_due;
    double last_drawn; /* time of the last update */
    double last_news;  /* when the search last found a new class or a new finding */
    uint64_t runs;     /* executions at the last update */
    uint64_t classes;  /* classes … */
    uint32_t found;    /* … and findings at the last call */
} status;

void rd_live_status_begin(void) {
    const char *term = getenv("TERM");
    memset(&status, 0, sizeof status);
    status.terminal = isatty(2) && term && strcmp(term, "dumb") != 0;
    status.began = status.last_drawn = status.last_news = rd_clock_s();
    status.next_due = status.began + (status.terminal ? BLOCK_FIRST_S : LINE_FIRST_S);
    if (status.terminal)
        rd_interrupt_write_first(clear_block);
}

/* Draws the block with one write, so that the terminal never shows half of it. */
static void draw_block(char lines[RD_STATUS_LINES][RD_STATUS_LINE]) {
    struct winsize size = {0};
    if (ioctl(2, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        size = (struct winsize){.ws_col = 80, .ws_row = 24};
    int width = RD_MIN(size.ws_col - 1, RD_STATUS_LINE - 1), rows = RD_MIN(size.ws_row, RD_STATUS_LINES);
    char text[RD_STATUS_LINES * (RD_STATUS_LINE + 8) + 16];
    int used = snprintf(text, sizeof text, "%s", clear_block);
    for (int i = 0; i < rows; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%.*s", i ? "\r\n" : "", width, lines[i]);
    if (rows > 1)
        used += snprintf(text + used, sizeof text - (size_t)used, "\033[%dA", rows - 1);
    used += snprintf(text + used, sizeof text - (size_t)used, "\r");
    RD_CHECK((size_t)used < sizeof text);
    (void)!write(2, text, (size_t)used);
}

static void print_line(char lines[RD_STATUS_LINES][RD_STATUS_LINE]) {
    char text[RD_STATUS_LINES * RD_STATUS_LINE];
    int used = snprintf(text, sizeof text, "%s; %s; %s\n", lines[0], lines[1] + 2, lines[2] + 2);
    (void)!write(2, text, (size_t)used);
}

void rd_live_status(const struct rd_progress *p) {
    const struct rd_summary *s = &p->summary;
    double moment = rd_clock_s();
    if (s->classes != status.classes || s->found_count != status.found) {
        status.classes = s->classes;
        status.found = s->found_count;
        status.last_news = moment;
    }
    if (moment < status.next_due)
        return;
    uint64_t runs = s->executions + s->cut;
    struct rd_pace pace = {.elapsed_s = moment - status.began,
                           .rate =
                               runs > status.runs ? (double)(runs - status.runs) / (moment - status.last_drawn) : 0,
                           .quiet_s = moment - status.last_news,
                           .stopping = *rd_interrupt_requested() != 0};
    char lines[RD_STATUS_LINES][RD_STATUS_LINE];
    rd_status(p, &pace, lines);
    if (status.terminal)
        draw_block(lines);
    else
        print_line(lines);
    status.drawn = true;
    status.runs = runs;
    status.last_drawn = moment;
    status.next_due = moment + (status.terminal ? BLOCK_S : LINE_S);
}

void rd_live_status_end(void) {
    rd_interrupt_write_first(NULL);
    if (status.terminal && status.drawn)
        (void)!write(2, clear_block, sizeof clear_block - 1);
}
