/*
 * loop.h - the loop around a search: it runs the executions that the search asks for, counts them, keeps findings
 * with their schedules, and decides when the search ends. The loop runs in the explorer inside the tested process
 * (snapshot and fork isolation) or in a side process of the driver (exec isolation); all that differs is in struct
 * rd_loop_env.
 *
 * The life of a search (rd_loop_run):
 *
 *   learn      executions before the search show which memory threads share   (loop_sharing.c)
 *   plan       the search writes the plan of the next execution               (loop_team.c)
 *   run        one execution under that plan, or two: the hooks of some code  (loop_sites.c)
 *              may be off in the first
 *   verdict    the output completes the verdict                               (outcomes.c)
 *   take in    the outcome is counted, its finding is kept with its schedule, (coverage.c, loop_findings.c)
 *              the search reads the record
 *   infer      detectors read the record if its class is new                  (loop_inferred.c)
 *   repeat     the first execution runs a second time and must be the same
 *   probe      extra executions look for livelocks                            (livelock_probe.c)
 *   count      in a team: the execution counts for all workers                (loop_team.c)
 *   confirm    extra executions try to run into predicted deadlocks           (loop_inferred.c)
 *   restart    the search begins again if more memory became shared           (loop_sharing.c)
 *   refine     after the search: simpler schedules, and explanations          (refine.c)
 */
#ifndef RD_EXPLORE_LOOP_H
#define RD_EXPLORE_LOOP_H

#include "base/map.h"
#include "explore/confirm.h"
#include "explore/coverage.h"
#include "explore/livelock_probe.h"
#include "search/search.h"
#include "explore/sites.h"
#include "search/team/team.h"
#include "channel/channel.h"

struct rd_loop_env {
    void *ctx;
    /* Runs the plan in the channel and leaves record and outcome there. */
    void (*run)(void *ctx);
    uint64_t (*now_ns)(void *ctx);
    /* Copies the standard output of the last execution to `to`, at most `room` bytes; returns its full size. */
    uint64_t (*output)(void *ctx, char *to, uint64_t room);
    struct rd_team *team;       /* the team that this worker is of; NULL: it is alone */
    struct rd_sharing *sharing; /* the table of shared memory; NULL: every access is a point */
    bool outlives;              /* the arena outlives this process, so another process can resume (resume.h) */
};

/* The executions before the search in which accesses raced that were no points: loop_sharing.c runs them again. */
enum { RD_LEARN_MAX = 40 }; /* the most executions before the search */
struct rd_learnt {
    struct {
        struct rd_sharing_use sharing;
        uint64_t number;
    } raced[RD_LEARN_MAX];
    uint32_t count;
};

/* A predicted deadlock of the last execution that the loop has not tried to confirm yet. */
struct rd_suspect {
    struct rd_circle circle;
    uint64_t key;
};
enum { RD_SUSPECTS_MAX = 8 };

struct rd_loop {
    struct rd_channel *channel;
    struct rd_arena *arena;
    struct rd_loop_env env;
    const struct rd_search *search;
    void *state;              /* of the search */
    enum rd_search_turn turn; /* which slots of the search may be called now */
    uint64_t started_ns;      /* when the search began; 0: it has not */
    uint64_t claimed_ns;      /* time since then at which the search was last asked for its claim */
    bool single_threaded;     /* the last execution created no thread */
    bool extra;         /* an execution that the summary does not count runs: no finding counts it as showing it */
    bool only_shorter;  /* detectors look only for shorter schedules of known findings */
    bool only_inferred; /* every finding so far was inferred from a record: no execution has failed */
    /* with only_inferred: executions and time when the first finding was inferred */
    uint64_t inferred_executions, inferred_ns;
    struct rd_coverage_state cover;
    struct rd_map findings;         /* key -> index + 1 in result.found; 0: suppressed, or there was no room */
    uint64_t counted[RD_FOUND_MAX]; /* by finding: live.sequence of the last execution that counts as showing it */
    struct rd_suspect suspect[RD_SUSPECTS_MAX];
    uint32_t suspect_count;
    struct rd_sites sites;
    struct rd_livelock_probe probe;
    /* in a team: plans that this worker has asked for, and how many executions all workers may still run */
    uint64_t plans_asked, team_left;
    uint32_t sharing_changes; /* the value of rd_sharing.changes that the search has taken into account */
    uint32_t sharing_races;   /* the value of rd_sharing.races whose races were shown */
    struct rd_choice *raced;  /* the last execution in which silent accesses raced, to be shown; NULL: none was */
    uint32_t raced_count, raced_room;
    bool restart_set_due;  /* hooks that were switched off hid accesses: earlier executions of the set are void */
    struct rd_draft draft; /* the plan that the search wrote last */
    struct {
        size_t used, lent;
    } resume_arena; /* the arena's counters when resuming was last allowed (resume.h) */
};

/*
 * Runs a whole search, and refines its findings. result.summary.end says why the search ended (enum rd_end). It
 * is RD_END_AGAIN if the driver has to begin the search of a team again, and stays RD_END_NONE if this process
 * could not resume the search of another one.
 */
void rd_loop_run(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env);
/*
 * Updates the clock and, now and then, the claim in the summary. Returns true when the search must end, and then
 * summary.end says why.
 */
bool rd_loop_check_end(struct rd_loop *l);
/*
 * Writes to the summary that the search ends because the last execution cannot be used; the caller leaves the loop.
 * `execution` is the number of that execution, for the report.
 */
void rd_loop_set_trouble(struct rd_loop *l, uint64_t execution);
/* If the driver has ended the last execution because the search is to stop: ends the search, and returns true. */
bool rd_loop_check_given_up(struct rd_loop *l);
/* Asks the search for its claim so far, and writes it to the summary. */
void rd_loop_update_claim(struct rd_loop *l);

/* loop_findings.c: notes where the threads of the deadlock wait, which this record shows or from which it was
 * predicted. */
void rd_loop_note_waits(struct rd_found *f, const struct rd_record *r);

/* loop_inferred.c: keeps what detectors, and the search itself, infer from the record in the channel. */
void rd_loop_infer(struct rd_loop *l, bool new_class, uint64_t findings_before);
/* Runs the executions that test the record for a livelock (livelock_probe.h). Overwrites the record. */
void rd_loop_probe_livelock(struct rd_loop *l);
/*
 * Runs the plan in the channel as an extra execution, adds it to `count`, and keeps what it reports and what
 * detectors find in it. Overwrites the record.
 */
void rd_loop_run_and_detect(struct rd_loop *l, uint64_t *count);
/* Tries to run into the deadlocks that were predicted (confirm.h). Overwrites the record. */
void rd_loop_confirm_suspects(struct rd_loop *l);

/*
 * loop_team.c: takes the seat of this worker in its team, and sets the time from which the budget counts. Without a
 * team only the latter. A worker that joins later first runs the execution that all workers have in common, which
 * overwrites the record, and ends its search if that is not the same here. Called before `open`: it fills in
 * params->team.
 */
void rd_loop_team_join(struct rd_loop *l, struct rd_params *params);
/* Asks the search for its next plan, like `next`; waits for other workers, so it never returns RD_NEXT_WAIT. */
enum rd_next rd_loop_team_next(struct rd_loop *l, struct rd_draft *d);
/* Counts the last execution for the team. The first worker also lets the others in. Overwrites the record then. */
void rd_loop_team_count(struct rd_loop *l);
/* Returns the number of the last execution, counted over all workers. */
uint64_t rd_loop_team_number(const struct rd_loop *l);
/* Returns true if no other worker has met the finding with this key. */
bool rd_loop_team_is_first(struct rd_loop *l, uint64_t key);
void rd_loop_team_leave(struct rd_loop *l);

/* loop_findings.c: notes that the last execution shows a stored finding, from 0; it counts once. */
void rd_loop_note_shown(struct rd_loop *l, uint64_t found);
/* The same, keeps a finding of the last execution with its schedule; counts it if it is known already. */
void rd_loop_keep_finding(struct rd_loop *l, const struct rd_finding *f);
/*
 * Keeps the findings that the execution itself reports: its verdict, and misuses that did not end it. The loop
 * calls this before any work that takes long, because a process can be killed at any time (drive/deadline.h).
 */
void rd_loop_keep_reported(struct rd_loop *l);

/*
 * loop_sites.c: after an execution with hooks switched off, finds out whether they hid accesses; may run it again
 * with all hooks on. Returns false if the search must end.
 */
bool rd_loop_sites_check(struct rd_loop *l);
/*
 * If restart_set_due: tells the search to begin again with the set of variables whose executions it runs now. (rank
 * searches one set of variables after the other.)
 */
void rd_loop_sites_restart_set(struct rd_loop *l);

/*
 * loop_sharing.c: runs executions before the search, which are not counted and show most of the memory that threads
 * share. Returns false if Raddle could not control the last one (RD_REFUSED).
 */
bool rd_loop_sharing_learn(struct rd_channel *c, const struct rd_loop_env *env, struct rd_learnt *learnt);
/*
 * With points where accesses race: an access that was no point has raced. Runs the same execution again with these
 * accesses as points, so that the detector finds the race in its record, whatever the search will run. `learnt`:
 * the executions before the search. `note` is called while the record is the one of the search, `show` later; it
 * overwrites the record.
 */
void rd_loop_sharing_show_learnt(struct rd_loop *l, const struct rd_learnt *learnt);
void rd_loop_sharing_note_race(struct rd_loop *l);
void rd_loop_sharing_show_race(struct rd_loop *l);
/* Returns true if one of these executions hung and may end the search: the search would meet that hang, too. */
bool rd_loop_sharing_hung(const struct rd_channel *c);
/* Does a schedule of so many steps deserve to take the place of the finding's own, which is very long? */
bool rd_loop_is_much_shorter(const struct rd_loop *l, const struct rd_found *f, uint32_t steps);
/* At the end of the search: adds a failure that only an execution before the search has shown to the findings. */
bool rd_loop_sharing_report_failure(struct rd_loop *l);
/*
 * Returns true if memory became shared since the search began, so that its claim is about too few points. Never
 * true of a sampler, which makes no such claim.
 */
bool rd_loop_sharing_is_outdated(const struct rd_loop *l);
/*
 * May the record lack operations that order accesses? It may if memory became shared in the execution: the atomic
 * accesses to this memory were no operations yet, and the accesses that they order seem to race. After such an
 * execution the search begins again with these operations; a sampler without a team goes on with them.
 */
bool rd_loop_sharing_hides_order(const struct rd_loop *l);
/* Returns true if the search has to begin again for that reason. A sampler may instead go on with more points. */
bool rd_loop_sharing_needs_restart(struct rd_loop *l);
/* Before the search begins again: clears the counters and keeps the findings. pre: no team */
void rd_loop_sharing_reset_counters(struct rd_loop *l);

/*
 * off_plan.c: the last execution did not follow its plan, and rd_loop_set_trouble was called. If input from outside
 * explains that and the search can go on, clears the trouble, counts the execution as cut, and returns true.
 */
bool rd_loop_accept_divergence(struct rd_loop *l);

/* only_execution.c: writes the claim about a program that created no second thread. */
void rd_only_execution_claim(struct rd_claim *c);
/* Writes the whole result of such a program, whose process has ended and left its execution in the channel. */
void rd_only_execution_count(struct rd_channel *c);

/*
 * refine.c: after the search, makes the schedule of every finding simpler and explains it, as far as the budget
 * (config.minimise_*) allows. None of these executions counts for the search. A stored schedule is replaced only by
 * a better one.
 */
void rd_refine(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env);

#endif
