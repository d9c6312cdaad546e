/*
 * engine.h - one execution: which threads are enabled, which one is chosen, what its operation does, and the record
 * of it. Pure.
 *
 * The runtime drives it with real threads, the simulator with programs as data; both follow the same protocol:
 *
 *   rd_engine_begin          once
 *   rd_engine_record         once, when the first thread is about to be created: steps are recorded from here on
 *   rd_engine_announce       a thread publishes its pending operation and stops
 *   rd_engine_next           chooses the thread that goes on; its step is recorded before the call returns
 *   rd_engine_perform        performs the operation of the thread that was chosen last, in the model
 *   rd_engine_instant        performs an operation that is no point, at once, by the running thread
 *   rd_engine_finish_thread  ends the running thread; rd_engine_next is called after it
 *   rd_engine_end            once, when the execution is over: completes the outcome
 *
 * rd_engine_next returns RD_TID_NONE when no thread goes on: the outcome's verdict says why, and RD_RUNNING means
 * that every thread has finished.
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
    uint32_t steps_max;     /* the execution is ended after so many steps */
    uint32_t fair_after;    /* the fair tail begins after so many steps, even if the execution makes progress */
    uint32_t stalled_after; /* steps after which an execution may be stalled (stall.h); 0: RD_STALLED_AFTER */
    uint32_t yields;        /* rd_fair.every */
};

/* A cache of hashes of operations that were announced: a loop announces the same operations again and again. */
struct rd_announced {
    rd_place place, pc;
    uint64_t hash; /* 0: the entry is empty */
    uint32_t size;
    rd_tid tid;
    uint8_t kind;
};
enum { RD_ANNOUNCED_BITS = 4 };

/*
 * The state of one execution. The fields that every step reads stay together, as in struct rd_thread.
 *
 * enabled.c keeps the list of enabled threads in several forms (enabled, cand, listed_set, hash_sum) and updates it
 * from one step to the next.
 */
struct rd_engine {
    struct rd_world world;
    struct rd_record rec;
    uint32_t quiet_until; /* before this step no limit can be reached */
    bool listed; /* the list is complete; false: it must be built anew, some threads were taken out of it */
    uint32_t listed_count;
    uint32_t version; /* number of the list's contents: a list with other threads has another number */
    uint32_t last_version, asked_version; /* version at the last step, and at the picker's last call; 0: unknown */
    rd_tid *enabled;                      /* the enabled threads, in ascending order */
    struct rd_cand *cand;                 /* the same, as candidates for the picker */
    struct rd_cand *awake_cand;           /* room for the candidates that are not asleep */
    uint64_t *listed_hash;                /* by thread: hash of its pending operation, as it is in hash_sum */
    uint64_t hash_sum;                    /* sum of listed_hash over the threads of the list */
    uint32_t last_cands, last_ncand;      /* the candidates of the last step, in the record's `cands` */
    const struct rd_picker *picker;
    uint32_t room; /* length of the lists' memory: at least the number of threads. It grows when it must, so that
                      the memory that an execution writes lies close together */
    uint32_t
        unasked; /* the thread of the next step, + 1, if it is an unasked step (rd_engine_unasked); 0: it is not */
    uint32_t unasked_steps; /* number of unasked steps so far */
    uint32_t passed;        /* accesses that were no points, since the last step */
    uint32_t asleep;        /* number of threads in `sleeping`; 0 until a sparse prefix has ended */
    rd_tid current;         /* the thread that performed the last operation */
    rd_tid chosen; /* the thread that rd_engine_next returned and that has yet to perform; RD_TID_NONE: no thread */
    bool recording;     /* false before the first creation of a thread, when there is nothing to choose */
    bool strict;        /* the prefix is a whole execution: if the execution ends before it, that is a divergence */
    bool next_is_point; /* the next access of the running thread is a point (RD_ACCESSES_AFTER and the like) */
    bool tail;          /* the fair tail: the execution is stalled or very long */
    bool last_unasked;  /* the last step was an unasked step */
    bool at_focus;      /* the last step was an operation in focus */
    uint32_t focus_count;
    const struct rd_range *focus; /* NULL: preemptions are allowed everywhere */
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
    struct rd_bits sleeping;   /* the threads that are asleep (rd_plan.sleep_count) */
    struct rd_bits listed_set; /* the threads of the list */
    _Alignas(16) unsigned char picker_state[RD_PICKER_STATE];
};

void rd_engine_begin(struct rd_engine *e, struct rd_arena *a, const struct rd_record *rec,
                     struct rd_thread_path *paths, uint32_t *path_count);
/* The first thread is about to be created: steps are recorded from here on, and chosen by this plan. */
void rd_engine_record(struct rd_engine *e, const struct rd_plan *plan, const struct rd_engine_limits *limits);

/*
 * Goes on with another plan, in an engine that was put back to the state before a step of an earlier execution,
 * with its record (rt/isolate/deep_checkpoint.h). The plan's prefix begins with the steps that the record has. pre:
 * the plan is neither sparse nor selective, and its picker needs no state from earlier steps
 */
void rd_engine_resume(struct rd_engine *e, const struct rd_plan *plan);

/*
 * From here on an enabled thread is preempted only directly before or after an operation in focus: on one of these
 * variables, or in one of these functions (RD_NAMES_FOCUS_*). Fingerprints still cover all enabled threads, so a
 * recorded schedule replays without the focus.
 */
void rd_engine_focus(struct rd_engine *e, const struct rd_range *ranges, uint32_t count);

/* How the running thread makes an access to memory. */
enum rd_access_action {
    RD_ACTION_ANNOUNCE, /* it is a point: announce it */
    RD_ACTION_PROCEED,  /* it is no point: make it */
    RD_ACTION_YIELD,    /* it is no point, but there were many since the last step: yield, then make it, because the
                           access may be in a loop that waits for another thread */
};
/* Returns whether the first access after a step with this operation is a point (RD_ACCESSES_AFTER and the like). */
bool rd_engine_goes_after(const struct rd_engine *e, const struct rd_op *op);
/* Returns how thread tid makes the access that it is about to make. */
enum rd_access_action rd_engine_access(struct rd_engine *e, rd_tid tid, const struct rd_op *op);
/* The same for an access that is known to touch no tracked memory. */
enum rd_access_action rd_engine_untracked(struct rd_engine *e);
/*
 * Makes the step of the operation that the thread announces next an *unasked* step: neither the plan nor the picker
 * decides it, and it does not count for them. The thread goes on if it is enabled and not held back by fairness.
 */
void rd_engine_unasked(struct rd_engine *e, rd_tid tid);
void rd_engine_announce(struct rd_engine *e, rd_tid tid, const struct rd_op *op);
rd_tid rd_engine_next(struct rd_engine *e);
void rd_engine_perform(struct rd_engine *e, rd_tid tid, struct rd_result *r);
void rd_engine_instant(struct rd_engine *e, rd_tid tid, const struct rd_op *op, struct rd_result *r);
void rd_engine_finish_thread(struct rd_engine *e, rd_tid tid);
void rd_engine_end(struct rd_engine *e);

#endif
