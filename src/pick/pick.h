/*
 * pick.h - pickers: which candidate goes on at one point. Pickers are pure; a picker is one file, a number in enum
 * rd_picker_index, and its row in table.c.
 *
 * Call order: `begin` once for each execution, then `pick` at every point that the plan's prefix does not decide.
 * `pick` returns an index below `count`, or RD_PICK_STOP to cut the execution here. It is not called with a single
 * candidate, unless the plan says so (`ask_always`). Threads that the plan has put to sleep are no candidates. At a
 * VALUE point (which waiter is woken) `cand` is NULL and `count` is the number of ways.
 */
#ifndef RD_PICK_PICK_H
#define RD_PICK_PICK_H

#include "trace/types.h"

struct rd_cand {
    const struct rd_op *op; /* the pending operation */
    rd_tid tid;
    bool only_times_out; /* a timed wait that would time out: the event it waits for has not come */
};

struct rd_point {
    uint32_t step;
    rd_tid current; /* the thread that made the last step */
    uint32_t count;
    const struct rd_cand *cand; /* in ascending order of threads; NULL at a VALUE point */
    const struct rd_weight *weight;
    const struct rd_track *track; /* of the plan; see trace/track.h */
    uint32_t track_count;
    const struct rd_choice *guide; /* behind the prefix of the plan; see guide.h */
    bool over;                     /* `current` has finished */
    bool same;                     /* the candidates are those of the picker's last call */
};

/* Bytes of a picker's state: room for some numbers of every thread. */
enum { RD_PICKER_STATE = 32 * RD_TID_MAX };
#define RD_PICK_STOP UINT32_MAX

struct rd_picker {
    const char *name, *summary;
    void (*begin)(void *state, const struct rd_plan *plan);
    uint32_t (*pick)(void *state, const struct rd_point *point);
    bool fair; /* no enabled thread waits for ever: long executions need no fair tail */
};

enum rd_picker_index {
    RD_PICK_STAY,
    RD_PICK_RANDOM,
    RD_PICK_FIRST,
    RD_PICK_ROUND,
    RD_PICK_BLOCK,
    RD_PICK_PCT,
    RD_PICK_POS,
    RD_PICK_RAPOS,
    RD_PICK_URW,
    RD_PICK_SURW,
    RD_PICK_RFF,
    RD_PICK_RANK,
    RD_PICK_CIRCLE,
    RD_PICK_TURNS,
    RD_PICK_GUIDE,
    RD_PICK_LAST,
    RD_PICK_FOLLOW,
    RD_PICK_ORDER,
    RD_PICKERS
};
extern const struct rd_picker *const rd_pickers[RD_PICKERS];
extern const struct rd_picker rd_pick_stay, rd_pick_random, rd_pick_first, rd_pick_round, rd_pick_block;
extern const struct rd_picker rd_pick_pct, rd_pick_pos, rd_pick_rapos, rd_pick_urw;
extern const struct rd_picker rd_pick_surw, rd_pick_rff, rd_pick_rank, rd_pick_circle, rd_pick_turns;
extern const struct rd_picker rd_pick_guide, rd_pick_last, rd_pick_follow, rd_pick_order;

#endif
