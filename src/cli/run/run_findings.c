/*
 * run_findings.c - see run_findings.h. A finding that another one supersedes, and a predicted deadlock that the
 * search has refuted, are left out.
 */
#include "cli/run/run_findings.h"

#include "cli/options.h"

/* Is this a predicted deadlock that a search through all executions would have met, and has not? */
static bool is_refuted(const struct rd_found *f, const struct rd_run *run, const struct rd_search *search) {
    return f->finding.kind == RD_PREDICTED_DEADLOCK && !f->confirmed && run->all &&
           !search->guarantee.misses_deadlocks;
}

static void count_minimised(struct rd_run *run, const struct rd_schedule *s) {
    if (!s->why.minimised)
        return;
    run->minimised++;
    run->preemptions_before += s->why.preemptions;
    run->preemptions_after += rd_schedule_preemptions(s);
}

/* Groups the confirmed findings, and counts each group once. */
static void group(struct rd_run_findings *x) {
    struct rd_report *reports[RD_FOUND_MAX];
    for (uint32_t i = 0; i < x->list.count; i++)
        reports[i] = &x->list.findings[i].report;
    rd_findings_group(&x->groups, reports, x->list.count);
    for (uint32_t i = 0; i < x->groups.count; i++) {
        const struct rd_report *r = x->groups.at[i];
        x->bugs[i] = *r;
        x->run.warnings += r->warning;
        x->run.unreliable += rd_is_unreliable(&r->schedule->finding);
    }
    x->run.findings = x->groups.count - x->run.warnings;
}

int rd_run_findings_confirm(struct rd_run_findings *x, struct rd_session *session) {
    const struct rd_run_result *r = &session->result;
    const struct rd_unseen_code *blind = &x->run.blind;
    int status = RD_EXIT_CLEAN;
    bool voided = false;
    /* where no access at all is seen, the search takes no execution to be equivalent to another by its accesses */
    bool all_seen = rd_unseen_code_none(blind) || blind->everything || blind->accesses;
    for (uint32_t i = 0; i < r->summary.found_count; i++) {
        bool superseded = rd_found_is_superseded(&r->found[i], r);
        bool refuted = !superseded && is_refuted(&r->found[i], &x->run, session->search);
        x->run.refuted += refuted;
        if (refuted || superseded)
            continue;
        const struct rd_confirmed *f = &x->list.findings[x->list.count];
        int one = rd_confirm_finding(&x->list, session, i, all_seen);
        status = RD_MAX(status, one);
        if (one == RD_EXIT_TROUBLE && !voided) {
            rd_void_claim(&x->run, "a finding could not be stored, or its schedule did not show it again");
            voided = true;
        }
        if (f == &x->list.findings[x->list.count])
            continue;
        count_minimised(&x->run, &f->schedule);
    }
    group(x);
    if (r->summary.unstored)
        rd_trouble("no room for the schedules of %llu more executions with other findings",
                   (unsigned long long)r->summary.unstored);
    return status;
}

void rd_run_findings_close(struct rd_run_findings *x) {
    for (uint32_t i = 0; i < x->list.count; i++)
        rd_confirm_finding_close(&x->list.findings[i]);
    x->list.count = x->groups.count = 0;
}
