/*
 * exitblock_state.h - what a search over atomic blocks has, for its files: exitblock.c (the search),
 * exitblock_claim.c (what it shows and claims) and exitblock_team.c (several workers).
 */
#ifndef RD_SEARCH_EXITBLOCK_EXITBLOCK_STATE_H
#define RD_SEARCH_EXITBLOCK_EXITBLOCK_STATE_H

#include "search/exitblock/exitblock.h"
#include "search/exitblock/footprint.h"
#include "search/team/team.h"

/* What an execution is to do: repeat the path for `length` steps, then take `pick`. */
struct rd_exitblock_branch {
    uint32_t start; /* the block begins here */
    uint32_t length;
    uint32_t fresh;            /* choices inside the block are new from here on */
    uint32_t fp;               /* at step `length`; 0: not known */
    uint32_t delayed, blocked; /* lists of cells, at `start` */
    uint32_t cells, events;    /* how many of each are its own or older */
    rd_tid tid;                /* who runs the block; RD_TID_NONE at the very start */
    uint16_t pick;
    uint8_t op;    /* of a VALUE choice; else NONE */
    bool again;    /* the block was run before, with another choice inside: its delay is known */
    bool let_go;   /* everybody is stopped: see what comes of it */
    bool had_stop; /* on the way a block did not happen */
};

struct rd_exitblock_search {
    struct rd_arena *arena;
    struct rd_atomic_blocks blocks;
    bool rw, dd;
    bool started, planned, undisciplined;
    bool stuck; /* there was a deadlock, or one was predicted */
    bool ended; /* an execution, by a bug, where others could have gone on */
    struct rd_exitblock_branch now;
    struct {
        RD_VEC(struct rd_exitblock_branch);
    } stack;
    struct {
        RD_VEC(struct rd_choice);
    } path;
    struct rd_footprints prints;
    struct rd_map known; /* keys of predicted findings */
    struct rd_exitblock_count count;

    /* in a team */
    struct rd_team *team;
    uint32_t generation;
    uint64_t told; /* what is known of blocks: all up to this change is known to all */
};

/* From the first execution on, with what is known of blocks by now; and nothing is left to this worker. */
void rd_exitblock_begin(struct rd_exitblock_search *s);
void rd_exitblock_drop(struct rd_exitblock_search *s);

/* As those of a search. */
bool rd_exitblock_predict(void *state, const struct rd_record *r, struct rd_finding *f);
void rd_exitblock_claim(const void *state, struct rd_claim *c);

/* exitblock_team.c */
void rd_exitblock_join(struct rd_exitblock_search *s, const struct rd_params *params);
/* What was learned is known to all then. False: the search has begun again, and what was run is of no use. */
bool rd_exitblock_agree(struct rd_exitblock_search *s, bool news);
/* What all workers have counted, as far as it is known here. */
struct rd_exitblock_count rd_exitblock_counted(const struct rd_exitblock_search *s);
uint64_t rd_exitblock_level(void *state);
size_t rd_exitblock_give(void *state, uint64_t level, void *to, size_t room);
void rd_exitblock_take(void *state, const void *unit, size_t size);
size_t rd_exitblock_tally(const void *state, void *to, size_t room);
void rd_exitblock_merge(void *state, const void *tally, size_t size);

#endif
