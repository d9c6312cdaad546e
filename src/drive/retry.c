/* retry.c - see retry.h. */
#include "drive/retry.h"

#include "base/text.h"
#include "drive/deadline.h"
#include "drive/make_schedule.h"
#include "drive/replace_worker.h"
#include "drive/replay_schedule.h"
#include "drive/sharing_table.h"

static const char why_fork[] = "the program damages the memory of the search";
static const char why_again[] = "a worker died; the search was begun again";
static const char why_one_worker[] = "the search failed with several workers and was begun again with one";

/* Did one process run all executions, and may the next attempt start one for each? */
static bool can_leave_snapshot(const struct rd_session *s, const struct rd_run_result *r) {
    return s->isolation == RD_ISOLATION_AUTO && (s->left_snapshot || !r->summary.no_snapshot[0]);
}

/* Fork cannot isolate the program: the next attempt starts the program anew for each execution. */
static bool change_to_exec(struct rd_session *s, const struct rd_run_result *r) {
    rd_text_copy(s->fell_back, sizeof s->fell_back, r->summary.message);
    s->jobs = 1;
    s->isolation = RD_ISOLATION_EXEC;
    return true;
}

bool rd_retry_change(struct rd_session *s, enum rd_failure failure, const struct rd_run_result *r,
                     struct rd_attempts *a) {
    if (failure == RD_FAILURE_NO_FORK)
        return change_to_exec(s, r);
    if (rd_deadline_over() || s->isolation == RD_ISOLATION_EXEC)
        return false;
    if (failure == RD_FAILURE_SHARED) {
        rd_sharing_advance(rd_sharing_table());
        return true;
    }
    bool killed_once = failure == RD_FAILURE_DIED && s->killed && a->deaths == 0;
    s->killed = false;
    if (failure != RD_FAILURE_TEAM && can_leave_snapshot(s, r) && !killed_once) {
        s->isolation = RD_ISOLATION_FORK;
        rd_text_copy(s->fell_back, sizeof s->fell_back,
                     failure == RD_FAILURE_DAMAGED ? why_fork : rd_replace_worker_why);
        return true;
    }
    if (failure == RD_FAILURE_DAMAGED &&
        s->isolation == RD_ISOLATION_SNAPSHOT) /* the user has asked for snapshots */
        return false;
    if (failure == RD_FAILURE_DIED && a->deaths++ == 0) {
        rd_text_copy(s->one_worker, sizeof s->one_worker, why_again);
        return true;
    }
    if (s->jobs == 1)
        return false;
    rd_text_copy(s->one_worker, sizeof s->one_worker, why_one_worker);
    s->jobs = 1;
    return true;
}

/*
 * Does the schedule show the finding in a new process, which has no memory in common with the search? Without time
 * for a replay the answer is yes: the report then says that the finding was not run again.
 */
static bool shows_again(const struct rd_session *s, struct rd_run_result *r, const struct rd_found *f) {
    struct rd_error error;
    struct rd_replay replay;
    struct rd_schedule schedule;
    rd_schedule_make(&schedule, s->target, r, f);
    if (!rd_replay_has_time())
        return true;
    if (rd_replay_run(&replay, s->target, &schedule, RD_BACKEND_VIRTUAL, s->execution_s_max, &error) != 0)
        return false;
    const struct rd_outcome *o = &replay.result.outcome;
    bool shows = o->verdict == RD_FOUND && o->finding.kind == f->finding.kind && o->finding.key == f->finding.key;
    shows |= o->verdict == RD_GIVEN_UP;
    rd_replay_close(&replay);
    return shows;
}

void rd_retry_keep_findings(struct rd_attempts *a, const struct rd_session *s, struct rd_run_result *r) {
    for (uint32_t i = 0; i < r->summary.found_count; i++) {
        if (!shows_again(s, r, &r->found[i]))
            continue;
        if (!a->has_saved)
            a->saved = rd_run_result_empty(&s->config);
        a->has_saved = true;
        r->found[i].count = 0; /* the executions that showed it count no more */
        rd_run_result_add_finding(&a->saved, r, &r->found[i]);
        rd_run_result_add_paths(&a->saved, r);
    }
}

void rd_retry_recall_findings(struct rd_attempts *a, struct rd_run_result *r) {
    if (!a->has_saved)
        return;
    uint32_t before = r->summary.found_count;
    rd_run_result_add_findings(r, &a->saved);
    r->summary.findings += r->summary.found_count - before;
    rd_run_result_free(&a->saved);
    a->has_saved = false;
}
