/*
 * status.c - see status.h. The lines say: what it does and for how long; what there was; what is left. Nothing is
 * said to be left that nobody has estimated.
 */
#include "report/text/status.h"

#include "report/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define YEAR_S 31557600.0

struct line {
    char *at;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *l, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->at + l->used, RD_STATUS_LINE - l->used, format, args);
    va_end(args);
    if (n > 0)
        l->used = RD_MIN(l->used + (size_t)n, (size_t)RD_STATUS_LINE - 1);
}

static void add_count(struct line *l, double n, const char *what) {
    char number[32];
    add(l, "%s %s%s", rd_words_number((uint64_t)RD_MIN(n, 9e18), number), what, n == 1 ? "" : "s");
}

static void add_time(struct line *l, double s) {
    static const struct {
        double until, unit;
        const char *name;
    } units[] = {{9.95, 1, "s"}, {120, 1, "s"}, {7200, 60, "min"}, {172800, 3600, "h"}, {YEAR_S, 86400, "days"}};
    for (unsigned i = 0; i < RD_COUNT(units); i++) {
        if (s < units[i].until) {
            add(l, "%.*f %s", i == 0, s / units[i].unit, units[i].name);
            return;
        }
    }
    add(l, "more than a year");
}

/* The name of the strategy as it was given, and what it is at. */
static void add_phase(struct line *l, const struct rd_channel *c) {
    char phase[sizeof c->result.summary.claim.phase];
    memcpy(phase, c->result.summary.claim.phase, sizeof phase);
    phase[sizeof phase - 1] = 0;
    add(l, "raddle: %.32s%s", c->config.strategy, strlen(c->config.strategy) > 32 ? "..." : "");
    if (c->result.summary.minimising) {
        add(l, " is over: schedules are made simpler, ");
        add_count(l, (double)c->result.summary.minimising, "execution");
    } else if (c->result.summary.executions + c->result.summary.cut == 0)
        add(l, ": the first execution");
    else if (phase[0])
        add(l, ": %s", phase);
}

/* Different findings, and how many of them are warnings only. */
static void add_findings(struct line *l, const struct rd_channel *c) {
    uint32_t found = RD_MIN(c->result.summary.found_count, (uint32_t)RD_FOUND_MAX), warnings = 0;
    for (uint32_t i = 0; i < found; i++)
        warnings += rd_is_warning(&c->config, &c->result.found[i].finding);
    add_count(l, found - warnings, "finding");
    if (warnings) {
        add(l, ", ");
        add_count(l, warnings, "warning");
    }
}

static void add_executions(struct line *l, const struct rd_channel *c, const struct rd_pace *p) {
    const struct rd_summary *s = &c->result.summary;
    double orders = s->claim.classes;
    char number[32];
    add(l, "  ");
    add_count(l, (double)s->executions, "execution");
    if (s->cut)
        add(l, " (+%s cut short)", rd_words_number(s->cut, number));
    add(l, ", %s a second, ", rd_words_number((uint64_t)RD_MAX(p->rate, 0), number));
    add_count(l, (double)s->orders, "order");
    if (orders > 0 && orders >= (double)s->orders && orders < 9e18)
        add(l, " of about %s", rd_words_number((uint64_t)orders, number));
    add(l, ", ");
    add_findings(l, c);
}

/* How much is done, where the search can tell; and what ends it first: its own end, or a limit. */
static void add_left(struct line *l, const struct rd_channel *c, const struct rd_pace *p) {
    const struct rd_claim *k = &c->result.summary.claim;
    const struct rd_config *f = &c->config;
    double done = k->done, estimate = k->estimate, left = -1;
    double runs = (double)(c->result.summary.executions + c->result.summary.cut);
    bool more = k->or_more;
    const char *until = "";
    if (c->result.summary.minimising) /* that has limits of its own */
        return;
    if (done > 0 && done < 1 && estimate >= 1) {
        char number[32];
        bool little = done < 0.0001;
        add(l, "%s%.*f %% of about %s executions%s, ",
            little ? "less than "
            : more ? "at most "
                   : "",
            done < 0.1 ? 2 : 0, little ? 0.01 : done * 100,
            rd_words_number((uint64_t)RD_MIN(estimate, 9e18), number), more ? " or more" : "");
        left = p->elapsed_s * (1 - done) / done;
    }
    double by_time = RD_MAX((double)f->time_max_ns * 1e-9 - p->elapsed_s, 0);
    if (f->time_max_ns && (left < 0 || by_time < left)) {
        left = by_time;
        until = " until the limit of time";
        more = false;
    }
    double by_count = p->rate > 0 ? RD_MAX((double)f->executions_max - runs, 0) / p->rate : -1;
    if (f->executions_max && by_count >= 0 && (left < 0 || by_count < left)) {
        left = by_count;
        until = " until the limit of executions";
        more = false;
    }
    if (left < 0)
        return;
    if (left < YEAR_S)
        add(l, more ? "at least " : "about ");
    add_time(l, left);
    add(l, "%s%s, ", *until ? "" : " left", until);
}

void rd_status(const struct rd_channel *c, const struct rd_pace *p, char lines[RD_STATUS_LINES][RD_STATUS_LINE]) {
    struct line l[RD_STATUS_LINES];
    for (unsigned i = 0; i < RD_STATUS_LINES; i++) {
        l[i] = (struct line){lines[i], 0};
        lines[i][0] = 0;
    }
    add_phase(&l[0], c);
    add(&l[0], ", ");
    add_time(&l[0], p->elapsed_s);
    if (p->stopping)
        add(&l[0], "; ending after this execution (Ctrl-C again: at once)");
    add_executions(&l[1], c, p);
    add(&l[2], "  ");
    add_left(&l[2], c, p);
    add(&l[2], "nothing new for ");
    add_time(&l[2], p->quiet_s);
    if (c->result.summary.repeated)
        add(&l[2], ", the first schedule repeats exactly");
    else
        add(&l[2], ", determinism not checked%s", c->result.summary.executions ? "" : " yet");
}
