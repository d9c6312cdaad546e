/*
 * status.c - see status.h. The first line has the phase of the search and its time, the second one the counts so
 * far, the third one the work and the time that are left, if the search has an estimate or the user has set a
 * limit.
 */
#include "report/text/status.h"

#include "report/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define YEAR_S 31557600.0

/* A line that is being written; it is cut at RD_STATUS_LINE bytes. */
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

/* The strategy as the user has given it, and the phase of the search. */
static void add_phase(struct line *l, const struct rd_progress *now) {
    const char *phase = now->summary.claim.phase;
    add(l, "raddle: %.32s%s", now->strategy, strlen(now->strategy) > 32 ? "..." : "");
    if (now->summary.minimising) {
        add(l, " is over: schedules are made simpler, ");
        add_count(l, (double)now->summary.minimising, "execution");
    } else if (now->summary.executions + now->summary.cut == 0)
        add(l, ": the first execution");
    else if (phase[0])
        add(l, ": %s", phase);
}

/* The number of distinct findings, and of warnings. */
static void add_findings(struct line *l, const struct rd_progress *now) {
    add_count(l, now->summary.found_count - now->warnings, "finding");
    if (now->warnings) {
        add(l, ", ");
        add_count(l, now->warnings, "warning");
    }
}

static void add_executions(struct line *l, const struct rd_progress *now, const struct rd_pace *p) {
    const struct rd_summary *s = &now->summary;
    double orders = s->claim.classes;
    char number[32];
    add(l, "  ");
    add_count(l, (double)s->executions, "execution");
    if (s->cut)
        add(l, " (+%s cut short)", rd_words_number(s->cut, number));
    add(l, ", %s a second, ", rd_words_number((uint64_t)RD_MAX(p->rate, 0), number));
    add_count(l, (double)s->classes, "order");
    if (orders > 0 && orders >= (double)s->classes && orders < 9e18)
        add(l, " of about %s", rd_words_number((uint64_t)orders, number));
    add(l, ", ");
    add_findings(l, now);
}

/*
 * The part of the search that is done, if the search has an estimate; and the time that is left until its own end
 * or until the first limit.
 */
static void add_left(struct line *l, const struct rd_progress *now, const struct rd_pace *p) {
    const struct rd_claim *k = &now->summary.claim;
    double done = k->done, estimate = k->estimate, left = -1;
    double runs = (double)(now->summary.executions + now->summary.cut);
    bool more = k->or_more;
    const char *until = "";
    if (now->summary.minimising) /* minimising has limits of its own */
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
    double by_time = RD_MAX((double)now->time_max_ns * 1e-9 - p->elapsed_s, 0);
    if (now->time_max_ns && (left < 0 || by_time < left)) {
        left = by_time;
        until = " until the limit of time";
        more = false;
    }
    double by_count = p->rate > 0 ? RD_MAX((double)now->executions_max - runs, 0) / p->rate : -1;
    if (now->executions_max && by_count >= 0 && (left < 0 || by_count < left)) {
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

void rd_status(const struct rd_progress *now, const struct rd_pace *p,
               char lines[RD_STATUS_LINES][RD_STATUS_LINE]) {
    struct line l[RD_STATUS_LINES];
    for (unsigned i = 0; i < RD_STATUS_LINES; i++) {
        l[i] = (struct line){lines[i], 0};
        lines[i][0] = 0;
    }
    add_phase(&l[0], now);
    add(&l[0], ", ");
    add_time(&l[0], p->elapsed_s);
    if (p->stopping)
        add(&l[0], "; ending after this execution (Ctrl-C again: at once)");
    add_executions(&l[1], now, p);
    add(&l[2], "  ");
    add_left(&l[2], now, p);
    add(&l[2], "nothing new for ");
    add_time(&l[2], p->quiet_s);
    if (now->summary.repeated)
        add(&l[2], ", the first schedule repeats exactly");
    else
        add(&l[2], ", determinism not checked%s", now->summary.executions ? "" : " yet");
}
