/*
 * engine.h - one execution: who can go on, who is chosen, what that does, and the record of it. Pure.
 *
 * The runtime drives it with real threads, the simulator with programs as data; both follow the same protocol:
 *
 *   rd_engine_begin          once
 *   rd_engine_announce       a thread publishes its pending operation and stops
 *   rd_engine_next           the choice; its step is recorded before it is returned
 *   rd_engine_perform        the chosen thread's operation happens in the model
 *   rd_engine_instant        an operation that is no point, at once, by the running thread
 *   rd_engine_finish_thread  the running thread is over; _next decides who goes on
 *   rd_engine_end            once, when the execution is over: completes the outcome
 *
 * `_next` returns RD_TID_NONE when nobody goes on: the outcome's verdict says why, and RD_RUNNING means that
 * every thread has finished.
 */
#ifndef RD_ENGINE_ENGINE_H
#define RD_ENGINE_ENGINE_H

#include "base/bitset.h"
#include "engine/fair.h"
#include "engine/stall.h"
#include "engine/retry_cycle.h"
#include "engine/livelock_cycle.h"
#include "engine/spin.h"
#include "model/model.h"
#include "pick/pick.h"
#include "trace/code_ranges.h"
#include "trace/hb_class.h"

struct rd_engine_limits {
    uint32_t steps_max;     /* there it is ended */
    uint32_t fair_after;    /* from then on every thread gets its turn, whether the execution gets on or not */
    uint32_t stalled_after; /* so many steps without anything new, and it gets it until there is; 0: as usual */
    uint32_t yields;        /* only every so manieth yield of a loop counts for fairness */
};

/* Operations that were announced, and their hashes: those of a loop come again and again. */
struct rd_announced {
    rd_place place, pc;
    uint64_t hash; /* 0: there is none */
    uint32_t size;
    rd_tid tid;
    uint8_t kind;
};
enum { RD_ANNOUNCED_BITS = 4 };

/* What every step looks at stays together: see struct rd_thread. */
struct rd_engine {
    struct rd_world world;
    struct rd_record rec;
    uint32_t quiet; /* before this step nothing of the limits is to be thought of */
    /* who can go on (enabled.c): a list, and as the picker is given it; false: some were taken out of the list */
    bool listed;
    uint32_t listed_count;
    uint32_t version;                     /* of the list: another one has another number */
    uint32_t last_version, asked_version; /* of the last step's candidates, and the picker's; 0: of no list */
    rd_tid *enabled;
    struct rd_cand *cand, *some; /* `some`: room for those of the candidates that the picker is given */
    uint64_t *summed, sum;       /* hashes of what each is about to do, by number; of all in the list */
    uint32_t last_cands, last_ncand;
    const struct rd_picker *picker;
    uint32_t room; /* of the lists: as many as there are threads, or some more; made when it is needed, so that what
                      an execution writes lies close together */
    uint32_t unasked; /* thread + 1 that goes on at the next step */
    uint32_t extra;   /* steps that were so */
    uint32_t passed;  /* accesses that were no points, since the last step */
    uint32_t asleep;  /* how many threads of `sleeping` are */
    rd_tid current;   /* who made the last step */
    bool recording;   /* false until there is something to choose: before the first thread creation */
    bool strict;      /* the prefix is a whole execution: ending early is a divergence too */
    bool after;       /* the next one is a point because of the last step */
    bool tail;        /* every thread gets its turn: nothing gets on, or the execution is very long */
    bool alone;       /* the last step was one that nobody was asked about */
    bool at_focus;    /* the last step was an operation that is in focus */
    uint32_t focus_count;
    const struct rd_range *focus; /* NULL: preemptions anywhere */
    struct rd_profiler *profiler; /* NULL: the plan does not ask for a profile */
    struct rd_fair fair;
    struct rd_spin spin;
    struct rd_livelock_cycle cycle;
    struct rd_stall stall;
    struct rd_plan plan;
    struct rd_hb_class hb_class;
    struct rd_retry_cycle retry;
    struct rd_announced announced[1 << RD_ANNOUNCED_BITS];
    struct rd_engine_limits limits;
    struct rd_bits sleeping, who; /* `who`: those of the list */
    _Alignas(16) unsigned char picker_state[RD_PICKER_STATE];
};

void rd_engine_begin(struct rd_engine *e, struct rd_arena *a, const struct rd_record *rec,
                     struct rd_thread_path *paths, uint32_t *path_count);
/* The first thread is about to be created: from here on steps are recorded, and chosen by this plan. */
void rd_engine_record(struct rd_engine *e, const struct rd_plan *plan, const struct rd_engine_limits *limits);

/*
 * The engine is as it was before some step of an earlier execution, and so is its record. From there on it follows
 * this plan, whose prefix begins with the steps that were taken. Not for sparse or selective ones, or pickers that
 * remember. Only for memory that was put back: see rt/isolate/deep_checkpoint.h.
 */
void rd_engine_resume(struct rd_engine *e, const struct rd_plan *plan);

/*
 * From here on a thread that could go on is preempted only where it has just done, or is about to do, an operation
 * on one of these variables or in one of these functions (RD_NAMES_FOCUS_*). Fingerprints are of all who could go
 * on all the same: what is recorded can be repeated without it.
 */
void rd_engine_focus(struct rd_engine *e, const struct rd_range *ranges, uint32_t count);

/* An access to memory is about to happen, by the running thread. */
enum rd_access_action {
    RD_ACTION_ANNOUNCE, /* announce it */
    RD_ACTION_PROCEED,  /* it is no point: do it */
    RD_ACTION_YIELD,    /* nor is this one, but there were many: yield, then do it, or a loop might wait for ever */
};
/* Is the first access after a step that does this a point, where the plan asks for those? */
bool rd_engine_goes_after(const struct rd_engine *e, const struct rd_op *op);
enum rd_access_action rd_engine_access(struct rd_engine *e, rd_tid tid, const struct rd_op *op);
enum rd_access_action rd_engine_untracked(
    struct rd_engine *e); /* the same of one that is known to touch nothing tracked */
/*
 * The operation that this thread announces next is a step, but neither plan nor picker is asked who makes it: the
 * thread goes on, unless it must give way.
 */
void rd_engine_unasked(struct rd_engine *e, rd_tid tid);
void rd_engine_announce(struct rd_engine *e, rd_tid tid, const struct rd_op *op);
rd_tid rd_engine_next(struct rd_engine *e);
void rd_engine_perform(struct rd_engine *e, rd_tid tid, struct rd_result *r);
void rd_engine_instant(struct rd_engine *e, rd_tid tid, const struct rd_op *op, struct rd_result *r);
void rd_engine_finish_thread(struct rd_engine *e, rd_tid tid);
void rd_engine_end(struct rd_engine *e);

#endif
