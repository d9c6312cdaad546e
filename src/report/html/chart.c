/*
 * chart.c - see chart.h. Bars have a logarithmic scale where the largest number would hide the others; the numbers
 * stand at the bars. Colours come from the style sheet.
 */
#include "report/html/chart.h"

#include <inttypes.h>
#include <math.h>

enum { WIDTH = 560, HEIGHT = 230, LEFT = 62, RIGHT = 14, TOP = 18, BOTTOM = 36, GROUPS = 12, LINEAR_MAX = 60 };

static void begin(FILE *out, const char *title, const char *words) {
    fprintf(out,
            "<figure><figcaption>%s</figcaption>\n<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"%s: %s\">\n<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n",
            title, WIDTH, HEIGHT, title, words, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM);
}

static void label(FILE *out, double x, double y, const char *anchor, const char *text) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

/* The height of a bar. */
static double scaled(uint64_t n, uint64_t most, bool logarithmic) {
    double room = HEIGHT - TOP - BOTTOM;
    if (!n || !most)
        return 0;
    return room * (logarithmic ? log10(1 + (double)n) / log10(1 + (double)most) : (double)n / (double)most);
}

/* 1234567 as 1.2M: fits above a bar. */
static const char *short_number(uint64_t n, char to[32]) {
    if (n < 10000)
        return rd_words_number(n, to);
    static const char units[] = "kMGTPE";
    double value = (double)n / 1000;
    unsigned unit = 0;
    for (; value >= 999.5 && unit + 2 < sizeof units; unit++)
        value /= 1000;
    snprintf(to, 32, value < 99.95 ? "%.1f%c" : "%.0f%c", value, units[unit]);
    return to;
}

/* A group of two bars for each number of preemptions; the last group has all larger numbers. */
struct groups {
    uint64_t executions[GROUPS], orders[GROUPS], most;
    uint32_t count;
    bool rest; /* the last group stands for several numbers */
};

static void count_groups(const struct rd_summary *s, struct groups *g) {
    *g = (struct groups){0};
    for (uint32_t i = 0; i < RD_PREEMPTION_COUNTS; i++) {
        if (!s->preemptions[i] && !s->classes_by[i])
            continue;
        uint32_t at = RD_MIN(i, GROUPS - 1u);
        g->executions[at] += s->preemptions[i];
        g->orders[at] += s->classes_by[i];
        g->count = RD_MAX(g->count, at + 1);
        g->rest |= i >= GROUPS - 1u;
    }
    for (uint32_t i = 0; i < g->count; i++)
        g->most = RD_MAX(g->most, RD_MAX(g->executions[i], g->orders[i]));
}

bool rd_chart_preemptions(FILE *out, const struct rd_run *run) {
    const struct rd_summary *s = run->summary;
    struct groups g;
    char number[32], words[96];
    count_groups(s, &g);
    if (!g.count)
        return false;
    bool logarithmic = g.most > LINEAR_MAX;
    double pitch = (double)(WIDTH - LEFT - RIGHT) / g.count, bar = RD_MIN(pitch * 0.36, 46.0);
    snprintf(words, sizeof words, "%" PRIu32 " groups of two bars", g.count);
    begin(out, "Coverage by preemptions", words);
    for (uint32_t i = 0; i < g.count; i++) {
        double middle = LEFT + pitch * (i + 0.5), bottom = HEIGHT - BOTTOM;
        const uint64_t values[] = {g.executions[i], g.orders[i]};
        for (unsigned k = 0; k < 2; k++) {
            double height = scaled(values[k], g.most, logarithmic), x = middle + (k ? 1 : -bar - 1);
            fprintf(out,
                    "<rect class=\"bar%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%" PRIu64
                    " %s</title></rect>\n",
                    k + 1, x, bottom - height, bar, height, values[k], k ? "orders of events" : "executions");
            if (pitch > 44 || (k == 0 && values[0]))
                label(out, pitch > 44 ? x + bar / 2 : middle, bottom - height - 4, "middle",
                      short_number(values[k], number));
        }
        snprintf(words, sizeof words, "%" PRIu32 "%s", i, g.rest && i + 1 == g.count ? "+" : "");
        label(out, middle, HEIGHT - BOTTOM + 15, "middle", words);
    }
    label(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 4, "middle", "preemptions of an execution");
    fprintf(out,
            "</svg>\n<p class=\"chart-key\"><b class=\"key1\">executions</b> with so many preemptions, and "
            "<b class=\"key2\">orders of events</b> by the fewest preemptions that reach them%s</p></figure>\n",
            logarithmic ? "; the scale is logarithmic" : "");
    return true;
}

/* ---- over executions ---- */

struct plane {
    double executions, orders; /* at the ends of the axes */
};

static double across(const struct plane *p, double executions) {
    return LEFT + (WIDTH - LEFT - RIGHT) * (executions / p->executions);
}
static double up(const struct plane *p, double orders) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (orders / p->orders);
}

static void write_findings(FILE *out, const struct plane *p, const struct rd_report *findings, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        double at = (double)findings[i].execution;
        if (at <= 0 || at > p->executions)
            continue;
        fprintf(out,
                "<line class=\"mark\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"><title>execution %" PRIu64
                ": %s</title></line>\n",
                across(p, at), TOP, across(p, at), HEIGHT - BOTTOM, findings[i].execution,
                rd_words_kind(findings[i].schedule->finding.kind));
    }
}

bool rd_chart_progress(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count) {
    const struct rd_summary *s = run->summary;
    const struct plane p = {(double)s->executions, (double)RD_MAX(s->classes, (uint64_t)1)};
    char number[32], words[96];
    if (s->executions < 2)
        return false;
    snprintf(words, sizeof words, "%" PRIu64 " orders in %" PRIu64 " executions", s->classes, s->executions);
    begin(out, "Coverage over executions", words);
    if (run->moment_count) {
        fprintf(out, "<polyline class=\"line1\" points=\"%.1f,%.1f", across(&p, 0), up(&p, 0));
        for (uint32_t i = 0; i < run->moment_count; i++) {
            const struct rd_run_moment *m = &run->moments[i];
            if (m->executions <= s->executions && m->orders <= s->classes)
                fprintf(out, " %.1f,%.1f", across(&p, (double)m->executions), up(&p, (double)m->orders));
        }
        fprintf(out, " %.1f,%.1f\"/>\n", across(&p, p.executions), up(&p, (double)s->classes));
    }
    fprintf(out, "<circle class=\"bar1\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", across(&p, p.executions),
            up(&p, (double)s->classes));
    write_findings(out, &p, findings, count);
    label(out, LEFT - 6, up(&p, (double)s->classes) + 4, "end", short_number(s->classes, number));
    label(out, LEFT - 6, HEIGHT - BOTTOM + 4, "end", "0");
    label(out, WIDTH - RIGHT, HEIGHT - BOTTOM + 15, "end", short_number(s->executions, number));
    label(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 4, "middle", "executions");
    fputs("</svg>\n<p class=\"chart-key\"><b class=\"key1\">different orders of events</b>", out);
    if (run->moment_count)
        fprintf(out, ", seen at %" PRIu32 " moments of the search", run->moment_count + 1);
    else
        fputs(" at the end: the search was too short to watch; --coverage records each execution", out);
    fprintf(out, "%s</p></figure>\n", count ? "; dashed: the execution that showed a finding first" : "");
    return true;
}
