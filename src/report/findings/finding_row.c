/* finding_row.c - a finding in the few words of a list: its kind, its place, how many executions showed it. */
#include "report/findings/bug_groups.h"

#include "base/text.h"

#include <string.h>

void rd_findings_place(const struct rd_report *r, const struct rd_frame *f, char *to, size_t room) {
    char line[RD_LOCATION];
    rd_words_frame(r, f, true, line, sizeof line);
    bool named = f && f->line && strcmp(f->function, "??") != 0;
    snprintf(to, room, "%s%s%.200s", line, named ? " in " : "", named ? f->function : "");
}

static void race_place(const struct rd_report *r, uint32_t first, uint32_t second, char *to, size_t room) {
    char a[RD_LOCATION + 208], b[RD_LOCATION + 208];
    rd_findings_place(r, rd_facts_step_frame(r, second), a, sizeof a);
    rd_findings_place(r, rd_facts_step_frame(r, first), b, sizeof b);
    bool one = strcmp(a, b) == 0 || !b[0];
    snprintf(to, room, "%s%s%s", a, one || !a[0] ? "" : ", ", one ? "" : b);
}

static void race_variable(const struct rd_report *r, uint32_t second, char *to, size_t room) {
    rd_place data = r->schedule->finding.data;
    rd_words_data(r, data ? data : r->schedule->steps[second].place, to, room);
}

void rd_findings_row(const struct rd_report *r, struct rd_finding_row *row) {
    const struct rd_finding *f = &r->schedule->finding;
    bool warning = r->warning || rd_is_unreliable(f);
    uint32_t first, second;
    char number[32];
    memset(row, 0, sizeof *row);
    snprintf(row->kind, sizeof row->kind, "%s%s", warning ? "warning: " : "", rd_words_kind(f->kind));
    if (rd_race_steps(r, &first, &second)) {
        race_place(r, first, second, row->place, sizeof row->place);
        race_variable(r, second, row->variable, sizeof row->variable);
    } else {
        struct rd_where w;
        struct rd_text t;
        rd_facts_where(r, &w);
        rd_text_init(&t, row->place, sizeof row->place);
        if (w.file[0] && w.line) {
            rd_text_str(&t, rd_words_path(r, w.file));
            rd_text_char(&t, ':');
            rd_text_dec(&t, (uint64_t)w.line);
            rd_text_str(&t, w.function[0] ? " in " : "");
        }
        rd_text_str(&t, w.function);
    }
    uint64_t shown = r->shown;
    for (uint32_t i = 0; i < r->also_count; i++)
        shown = RD_MAX(shown, r->also[i]->shown); /* one execution can show several of them */
    if (shown)
        snprintf(row->shown, sizeof row->shown, "%s%s %s%s", r->also_count ? "at least " : "",
                 rd_words_number(shown, number), rd_is_predicted(f->kind) ? "order" : "execution",
                 shown == 1 ? "" : "s");
}

void rd_findings_member(const struct rd_report *r, char *to, size_t room) {
    uint32_t first, second;
    char message[600];
    const struct rd_step *steps = r->schedule->steps;
    if (!rd_race_steps(r, &first, &second)) {
        struct rd_finding_row row;
        rd_findings_row(r, &row);
        rd_facts_message(r, message, sizeof message);
        snprintf(to, room, "%s%s%s", message, row.place[0] ? " at " : "", row.place);
        return;
    }
    char variable[RD_PHRASE], a[RD_LOCATION], b[RD_LOCATION];
    race_variable(r, second, variable, sizeof variable);
    rd_words_frame(r, rd_facts_step_frame(r, second), true, a, sizeof a);
    rd_words_frame(r, rd_facts_step_frame(r, first), true, b, sizeof b);
    snprintf(to, room, "T%u %s %s at %s, T%u %s it at %s%s", steps[second].tid, rd_race_verb(r, second), variable,
             a, steps[first].tid, rd_race_verb(r, first), b,
             rd_is_unreliable(&r->schedule->finding) ? " (a warning)" : "");
}
