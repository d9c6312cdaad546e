/*
 * exitblock_state.h - the state of a search over atomic blocks, for its files: exitblock.c (the search),
 * exitblock_claim.c (predictions and the claim) and exitblock_team.c (teams).
 */
#ifndef RD_SEARCH_EXITBLOCK_EXITBLOCK_STATE_H
#define RD_SEARCH_EXITBLOCK_EXITBLOCK_STATE_H

#include "search/exitblock/exitblock.h"
#include "search/exitblock/footprint.h"
#include "search/exitblock/thread_limits.h"
#include "search/team/team.h"

/* An execution that is due: repeat the path for `length` steps, then take `pick`. */
struct rd_exitblock_branch {
    uint32_t start; /* the step at which the block begins */
    uint32_t length;
    uint32_t fresh; /* choices inside the block are new from this step on */
    uint32_t fp;    /* fingerprint of step `length`; 0: unknown */
    /* lists of cells (footprint.h) at `start`: delayed threads, and threads stopped in a block */
    uint32_t delayed, blocked;
    uint32_t limits;               /* list of marks (thread_limits.h) at `start` */
    uint32_t cells, events, marks; /* cells, events and marks that belong to the branch or are older */
    rd_tid tid;                    /* the thread that runs the block; RD_TID_NONE at the very start */
    uint16_t pick;
    uint8_t op; /* the operation if `pick` is a VALUE choice; else RD_OP_NONE */
    /* the block was run before, with another choice inside: the branch that delays it exists already */
    bool again;
    bool let_go;   /* all threads are stopped: the execution goes on to show the deadlock */
    bool had_stop; /* on the path a thread was stopped in its block */
};

struct rd_exitblock_search {
    struct rd_arena *arena;
    struct rd_atomic_blocks blocks;
    bool rw, dd;
    bool started, planned, undisciplined;
    bool stuck; /* there was a deadlock, or one was predicted */
    bool ended; /* a bug ended an execution while other threads were enabled */
    struct rd_exitblock_branch now;
    struct {
        RD_VEC(struct rd_exitblock_branch);
    } stack;
    struct {
        RD_VEC(struct rd_choice);
    } path;
    struct rd_footprints footprints;
    struct rd_thread_limits limits;
    bool limited;        /* a thread went on beyond its limit */
    struct rd_map known; /* keys of predicted findings */
    struct rd_exitblock_count count;

    /* in a team */
    struct rd_team *team;
    uint32_t generation;
    uint64_t told; /* changes of `blocks` up to this number are known to the team */
};

/*
 * rd_exitblock_begin: begins from the first execution, with the present knowledge of blocks. rd_exitblock_drop:
 * the same, but this worker has no execution to run.
 */
void rd_exitblock_begin(struct rd_exitblock_search *s);
void rd_exitblock_drop(struct rd_exitblock_search *s);

/* Slots of struct rd_search. */
bool rd_exitblock_predict(void *state, const struct rd_record *r, struct rd_finding *f);
void rd_exitblock_claim(const void *state, struct rd_claim *c);

/* exitblock_team.c */
void rd_exitblock_join(struct rd_exitblock_search *s, const struct rd_params *params);
/*
 * Shares this worker's knowledge of blocks with the team. Returns false if the search has begun again: the last
 * execution does not count.
 */
bool rd_exitblock_agree(struct rd_exitblock_search *s, bool news);
/* Returns the counts of this worker; zeros if its work is void because the search has begun again. */
struct rd_exitblock_count rd_exitblock_counted(const struct rd_exitblock_search *s);
uint64_t rd_exitblock_level(void *state);
size_t rd_exitblock_give(void *state, uint64_t level, void *to, size_t room);
void rd_exitblock_take(void *state, const void *unit, size_t size);
size_t rd_exitblock_tally(const void *state, void *to, size_t room);
void rd_exitblock_merge(void *state, const void *tally, size_t size);

#endif
