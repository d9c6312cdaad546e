/* restart.c - see restart.h. */
#include "drive/restart.h"

#include "base/text.h"
#include "drive/real_clock.h"
#include "drive/deadline.h"
#include "drive/replace_worker.h"
#include "drive/sharing_table.h"
#include "drive/worker_team.h"

#include <stdio.h>
#include <sys/wait.h>

enum rd_failure rd_failure_alone(const struct rd_worker *w) {
    const struct rd_channel *c = w->channel;
    if (!rd_worker_is_whole(w) || c->result.summary.end > RD_END_AGAIN)
        return RD_FAILURE_DIED; /* whatever it says */
    if (c->result.summary.broken)
        return RD_FAILURE_BROKEN;
    if (c->result.summary.end == RD_END_AGAIN)
        return RD_FAILURE_SHARED;
    uint32_t end = c->result.summary.end;
    bool explored = w->revived || (c->live.attached && c->live.explorer_pid);
    bool told = end == RD_END_TROUBLE || end == RD_END_NO_FORK || c->live.phase == RD_PHASE_TOLD;
    return explored && (end == RD_END_NONE || !told) ? RD_FAILURE_DIED : RD_FAILURE_NOT;
}

/* Decides what is to be different. False: there is nothing left to try. */
static bool change(struct rd_session *s, enum rd_failure odd, uint32_t *deaths) {
    if (rd_deadline_over())
        return false;
    if (odd == RD_FAILURE_SHARED) {
        rd_sharing_advance(rd_drive_sharing());
        return true;
    }
    bool shared = s->isolation == RD_ISOLATION_AUTO &&
                  (s->left_snapshot || !s->worker.channel->result.summary.no_snapshot[0]);
    bool by_chance = odd == RD_FAILURE_DIED && s->killed && *deaths == 0;
    s->killed = false;
    if (odd != RD_FAILURE_TEAM && shared && !by_chance) {
        s->isolation = RD_ISOLATION_FORK;
        rd_text_copy(s->fell_back, sizeof s->fell_back,
                     odd == RD_FAILURE_BROKEN ? "the program damages the memory of the search"
                                              : rd_replace_worker_why);
        return true;
    }
    if (odd == RD_FAILURE_BROKEN && s->isolation == RD_ISOLATION_SNAPSHOT) /* the user wants it so */
        return false;
    if (odd == RD_FAILURE_DIED && (*deaths)++ == 0) {
        rd_text_copy(s->one_worker, sizeof s->one_worker, "a worker died; the search was begun again");
        return true;
    }
    if (s->jobs == 1)
        return false;
    rd_text_copy(s->one_worker, sizeof s->one_worker,
                 "something went wrong with several workers; the search was begun again with one");
    s->jobs = 1;
    return true;
}

/* A new first worker; what it may use of the time is what is left. */
static int open_again(struct rd_session *s, const struct rd_saved_findings *p, uint64_t used_ns,
                      struct rd_error *error) {
    const struct rd_worker before = s->worker;
    uint64_t *limit = &s->config.time_max_ns, whole = *limit;
    s->config.workers = s->jobs;
    s->config.mode = RD_MODE_EXPLORE;
    s->config.isolation = (uint8_t)s->isolation;
    *limit = whole ? RD_MAX(whole, used_ns + 1) - used_ns : 0;
    int failed = rd_session_open(s, &s->worker, error);
    *limit = whole;
    if (failed) {
        s->worker = before; /* what the caller closes */
        return failed;
    }
    s->worker.lazy = before.lazy;
    rd_saved_findings_numbers(p, s->worker.channel);
    struct rd_worker over = before;
    rd_worker_close(&over);
    return 0;
}

/* Nothing more can be tried: what is told is that, and the findings that show again. Nothing else counts. */
static int give_up(struct rd_session *s, struct rd_saved_findings *p, enum rd_failure odd, int status,
                   struct rd_error *error) {
    bool whole = rd_worker_is_whole(&s->worker), by_signal = WIFSIGNALED(status);
    rd_saved_findings_keep(p, s, &s->worker);
    if (open_again(s, p, 0, error) != 0)
        return -1;
    struct rd_channel *c = s->worker.channel;
    struct rd_summary *u = &c->result.summary;
    c->live.attached = 1; /* the program could be taken over, and came to its first thread */
    c->live.explorer_pid = -1;
    u->end = RD_END_TROUBLE;
    u->trouble = RD_REFUSED;
    if (odd == RD_FAILURE_BROKEN || !whole)
        rd_text_copy(u->message, sizeof u->message, "the program has written into the memory of the search");
    else
        snprintf(u->message, sizeof u->message, "the explorer ended unexpectedly (%s %d)",
                 by_signal ? "signal" : "status", by_signal ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}

/*
 * The time is over when the search would have to begin again: it ends here, with what the first worker has counted.
 * Nothing is claimed.
 */
static void end_in_time(struct rd_session *s, int *status) {
    struct rd_summary *u = &s->worker.channel->result.summary;
    u->end = RD_END_BUDGET;
    u->claim = rd_claim_none();
    *status = 0;
}

int rd_restart_run(struct rd_session *s, int *status, struct rd_error *error) {
    struct rd_saved_findings past = {.is_open = false};
    uint64_t begun = rd_clock_ns(), used = 0;
    uint32_t deaths = 0;
    int failed = 0;
    for (bool again = true; again && !failed;) {
        enum rd_failure odd = RD_FAILURE_NOT;
        if (s->jobs > 1) {
            failed = rd_team_run(s, &past, status, &odd, error);
        } else {
            failed = rd_session_wait(&s->worker, s->target, status, error);
            while (!failed && rd_replace_worker(s, &s->worker, *status))
                *status = rd_worker_wait(&s->worker);
            odd = rd_failure_alone(&s->worker);
        }
        again = !failed && odd != RD_FAILURE_NOT && change(s, odd, &deaths);
        if (again) {
            rd_saved_findings_keep(&past, s, &s->worker);
            used = rd_clock_ns() - begun;
            failed = open_again(s, &past, used, error);
        } else if (!failed && odd != RD_FAILURE_NOT && odd != RD_FAILURE_BROKEN && rd_deadline_over() &&
                   rd_worker_is_whole(&s->worker)) {
            end_in_time(s, status);
        } else if (!failed && odd != RD_FAILURE_NOT) {
            failed = give_up(s, &past, odd, *status, error);
        }
    }
    rd_replace_worker_note(s);
    rd_saved_findings_recall(&past, s->worker.channel);
    s->worker.channel->result.summary.elapsed_ns += used;
    return failed;
}
