/*
 * run_findings.c - see run_findings.h. A finding that another one supersedes, and a predicted deadlock that the
 * search has refuted, are left out.
 */
#include "cli/run/run_findings.h"

#include "cli/options.h"
#include "drive/deadline.h"

#include <unistd.h>

/* After this many searches, each of which a suppressed finding stopped, the next one goes on after findings. */
enum { SEARCHES_MAX = 16 };

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

/* Does a finding of this kind end its execution? Others are read from the record of an execution that goes on. */
static bool ends_execution(unsigned kind) {
    return kind != RD_DATA_RACE && kind != RD_LOCK_DISCIPLINE && kind != RD_PREDICTED_DEADLOCK;
}

/* Leaves the last finding of the list out if it is suppressed; the next search of the command will know it. */
static bool leave_out(struct rd_run_findings *x, struct rd_session *session) {
    RD_CHECK(x->list.count > 0);
    struct rd_confirmed *f = &x->list.findings[x->list.count - 1];
    if (!rd_late_suppression_takes(&x->suppressed, &f->report))
        return false;
    rd_suppress_files_add_key(x->suppressed.files, session, &f->schedule.finding);
    x->left_out = true;
    x->ended |= ends_execution(f->schedule.finding.kind);
    unlink(f->path);
    rd_confirm_finding_close(f);
    x->list.count--;
    return true;
}

/* Leaves a predicted deadlock out if an execution has shown it, and the deadlock there was suppressed. */
static void leave_out_predicted(struct rd_run_findings *x, struct rd_session *session, const struct rd_found *f) {
    const struct rd_run_result *r = &session->result;
    bool shown = f->finding.kind == RD_PREDICTED_DEADLOCK && f->confirmed;
    for (uint32_t i = 0; i < r->summary.found_count && shown; i++)
        shown = r->found[i].finding.kind != RD_DEADLOCK;
    if (!shown)
        return;
    rd_suppress_files_add_key(x->suppressed.files, session, &f->finding);
    x->left_out = true;
}

/*
 * Did suppressed findings hide others from the last search? It stops at its first finding, or looks for no more
 * races then; with --keep-going only the rest of the executions that they ended is missing.
 */
static bool is_hiding(const struct rd_run_findings *x, const struct rd_session *session) {
    return x->ended || (x->left_out && !session->config.keep_going && !x->run.findings);
}

bool rd_run_findings_repeat(struct rd_run_findings *x, struct rd_session *session,
                            const struct rd_session *settings) {
    struct rd_summary *s = &session->result.summary;
    if (!is_hiding(x, session) || s->end == RD_END_TROUBLE)
        return false;
    uint64_t limit = settings->config.time_max_ns, used = rd_deadline_elapsed_ns();
    if (x->searches > SEARCHES_MAX || rd_deadline_over() || (limit && used >= limit)) {
        s->end = s->end == RD_END_STOPPED ? s->end : RD_END_BUDGET;
        rd_void_claim(&x->run, "suppressed findings ended the search, and it was not repeated without them");
        return false;
    }
    rd_run_findings_close(x);
    rd_session_close(session);
    uint32_t count = session->suppress_count;
    *session = *settings;
    session->suppress_count = count;
    session->config.time_max_ns = limit ? limit - used : 0;
    session->config.keep_going |= ++x->searches >= SEARCHES_MAX;
    return true;
}

int rd_run_findings_confirm(struct rd_run_findings *x, struct rd_session *session) {
    const struct rd_run_result *r = &session->result;
    const struct rd_unseen_code *blind = &x->run.blind;
    int status = RD_EXIT_CLEAN;
    bool voided = false;
    x->left_out = x->ended = false;
    /* where no access at all is seen, the search takes no execution to be equivalent to another by its accesses */
    bool all_seen = rd_unseen_code_none(blind) || blind->everything || blind->accesses;
    for (uint32_t i = 0; i < r->summary.found_count; i++) {
        bool superseded = rd_found_is_superseded(&r->found[i], r);
        bool refuted = !superseded && is_refuted(&r->found[i], &x->run, session->search);
        x->run.refuted += refuted;
        if (superseded)
            leave_out_predicted(x, session, &r->found[i]);
        if (refuted || superseded)
            continue;
        const struct rd_confirmed *f = &x->list.findings[x->list.count];
        int one = rd_confirm_finding(&x->list, session, i, all_seen);
        if (one != RD_EXIT_TROUBLE && leave_out(x, session)) /* the schedule of one in trouble has no stacks */
            continue;
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
