/*
 * loop.h - the loop around a search: run what it asks for, keep count, keep the findings, know when to stop.
 * The same code runs in the explorer inside the tested process (fork isolation) and in the driver (exec
 * isolation); the only difference is `run`.
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
    /* Runs channel->plan and leaves the outcome in the channel. */
    void (*run)(void *ctx);
    uint64_t (*now_ns)(void *ctx);
    /* The standard output of the last execution: as much as there is room for, and how much there is. */
    uint64_t (*output)(void *ctx, char *to, uint64_t room);
    struct rd_team *team;       /* that this worker is of; NULL: it is alone */
    struct rd_sharing *sharing; /* what memory threads share; NULL: every access is a point */
    bool outlives;              /* what is in the arena is there when this process has died (resume.h) */
};

/* A predicted deadlock of the last execution that is yet to be confirmed. */
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
    void *state;
    enum rd_search_turn turn; /* which slots of the search may be called now */
    uint64_t started, claimed_ns;
    bool unthreaded; /* the last execution created no thread */
    bool read_only;  /* nothing has gone wrong yet: what was found was read in executions */
    uint64_t read_at, read_ns;
    struct rd_coverage_state cover;
    struct rd_map findings; /* key -> index + 1 in channel->found */
    struct rd_suspect suspect[RD_SUSPECTS_MAX];
    uint32_t suspects;
    struct rd_weight *weights; /* room for those of a plan; NULL until there was a suspect */
    struct rd_sites sites;
    struct rd_livelock_probe probe;
    uint64_t asked, left;     /* in a team: executions, and how many all of them may still run */
    uint32_t sharing_changes; /* that the search has taken into account */
    bool deceived;            /* the last execution has shown that others of its set were not what they seemed */
    struct rd_draft draft;
    struct {
        size_t used, lent;
    } kept; /* of the arena, when it was marked last (resume.h) */
};

/* Runs until the search is done, the budget is used up, a finding stops it, or there is trouble. */
void rd_loop_run(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env);
/* True when the search must stop here. */
bool rd_loop_over(struct rd_loop *l);

/* loop_team.c: what is different with several workers; and the time from which on it counts. */
void rd_loop_join(struct rd_loop *l, struct rd_params *params);
/* As next() of the search; waits where that has to be. */
enum rd_next rd_loop_ask(struct rd_loop *l, struct rd_draft *d);
/* An execution was run, and looked at. */
void rd_loop_ran(struct rd_loop *l);
/* The number of the execution that has just been, of all workers. */
uint64_t rd_loop_number(const struct rd_loop *l);
/* Has nobody else met this finding? */
bool rd_loop_first(struct rd_loop *l, uint64_t key);
void rd_loop_leave(struct rd_loop *l);

/* loop_findings.c: keeps a finding of the last execution with its schedule; one that is known already is counted.
 */
void rd_loop_keep_finding(struct rd_loop *l, const struct rd_finding *f);
/* What the execution has shown, before anything that may take long: a process can be killed (drive/deadline.h). */
void rd_loop_keep_shown(struct rd_loop *l);

/* The last execution cannot be used; `execution` is its number, for the report. */
void rd_loop_trouble(struct rd_loop *l, uint64_t execution);
/* Was the execution given up because the search is to stop? */
bool rd_loop_stopped(struct rd_loop *l);
/* loop_sites.c: an execution with code switched off: was it what it seemed? False: there is trouble. */
bool rd_loop_watch_sites(struct rd_loop *l);
/* The search begins again what was not what it seemed. */
void rd_loop_repair(struct rd_loop *l);

/*
 * loop_sharing.c: before a search, executions that nobody counts show most of what threads share.
 * False: the program did what Raddle cannot control.
 */
bool rd_loop_learn(struct rd_channel *c, const struct rd_loop_env *env);
/* One of them never ended: the search would meet that, too, and take as long. */
bool rd_loop_hung(const struct rd_channel *c);
/* The search is over: a failure that those executions have shown, and it has not, is told, too. */
bool rd_loop_recall(struct rd_loop *l);
/*
 * Has memory turned out to be shared since the search began, so that what it claims is about too few points? No
 * claim of a sampler is.
 */
bool rd_loop_stale(const struct rd_loop *l);
/* Is the search to begin again for that reason? A sampler goes on, with the new points in its next executions. */
bool rd_loop_restarts(struct rd_loop *l);
/* It begins again: what was counted so far is forgotten, findings are not. */
void rd_loop_forget(struct rd_loop *l);

/* off_plan.c: the last execution went another way than its plan, which was trouble. May the search go on? */
bool rd_loop_goes_on(struct rd_loop *l);

/* only_execution.c: what is proved of a program that ran once and created no second thread. */
void rd_loop_claim_only(struct rd_claim *c);
/* The whole result of such a program, whose process has ended: its execution is in the channel. */
void rd_loop_count_only(struct rd_channel *c);

/*
 * refine.c, after the search: every schedule that was kept is made simpler and explained, as far as the budget goes
 * (config.minimise_*). Nothing of it counts as an execution of the search. What was kept stays until there is
 * something better.
 */
void rd_refine(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env);

#endif
