/*
 * pick.h - pickers: which of the candidates goes on at one point. Pure; a picker is one file and one row.
 *
 * Call order: begin once an execution, then pick at every point that the plan's prefix does not decide.
 * `pick` returns an index below `count`, or RD_PICK_STOP to end the execution here (cut); with one candidate it is
 * not called, unless the plan says so. Threads that the plan has put to sleep are not among them. A VALUE point
 * (which waiter is woken) has no candidates in `cand`, only their number.
 */
#ifndef RD_PICK_PICK_H
#define RD_PICK_PICK_H

#include "trace/types.h"

struct rd_cand {
    const struct rd_op *op; /* its pending operation */
    rd_tid tid;
    bool only_times_out; /* it can only give up: what it waits for has not come */
};

struct rd_point {
    uint32_t step;
    rd_tid current; /* the thread that made the last step */
    uint32_t count;
    const struct rd_cand *cand; /* ascending by thread; NULL at a VALUE point */
    const struct rd_weight *weight;
    const struct rd_track *track; /* of the plan; see track.h */
    uint32_t track_count;
    const struct rd_choice *guide; /* behind the prefix of the plan; see guide.h */
    bool over;                     /* `current` has finished */
    bool same;                     /* the candidates are those that the picker was given the last time */
};

/* Room for some numbers of every thread. */
enum { RD_PICKER_STATE = 32 * RD_TID_MAX };
#define RD_PICK_STOP UINT32_MAX

struct rd_picker {
    const char *name, *summary;
    void (*begin)(void *state, const struct rd_plan *plan);
    uint32_t (*pick)(void *state, const struct rd_point *point);
    bool fair; /* no thread that can go on waits for ever: long executions need no fair tail */
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
    RD_PICKERS
};
extern const struct rd_picker *const rd_pickers[RD_PICKERS];
extern const struct rd_picker rd_pick_stay, rd_pick_random, rd_pick_first, rd_pick_round, rd_pick_block;
extern const struct rd_picker rd_pick_pct, rd_pick_pos, rd_pick_rapos, rd_pick_urw;
extern const struct rd_picker rd_pick_surw, rd_pick_rff, rd_pick_rank, rd_pick_circle, rd_pick_turns;
extern const struct rd_picker rd_pick_guide, rd_pick_last;
/* What a thread that takes this lock there has as its weight for rd_pick_circle; never 0. */
uint32_t rd_circle_mark(rd_place lock, rd_place pc);

#endif
