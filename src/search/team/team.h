/*
 * team.h - several workers on one search. Each has its own state of the search and its own tested process; between
 * them is one piece of memory, the hub, in which they hand work over.
 *
 * Units: a worker with nothing to run says so in `hungry`. That word is all that the others look at between
 * executions. Whoever sees it lays a part of what it has left, as bytes, into the box of one that waits. A search
 * that works in the order of a bound has levels: what is of a later level waits until nobody has anything of the
 * one that is being run. The search is done when everybody waits, no box is full, and nobody has anything left.
 *
 * Tickets: executions that do not depend on each other are numbered by all workers together.
 *
 * Grove (shared_tree.h): the upper part of the search tree is in the hub itself, for searches that find work for
 * each other.
 *
 * Parts: a search that is made of others has a hub for each of them within the hub. There a seat is taken by
 * whoever takes part, in the order of their coming, so that the first is the one that begins. Nobody has to wait in
 * a part: whoever is told to does something else meanwhile. Only the first parts have a grove, a piece of that of
 * the whole.
 *
 * A worker that dies may leave the hub in any state. Nobody is asked to go on with it: the driver ends the others
 * and has the search done again. One that dies in an execution, or while it waits, leaves it whole, and is replaced
 * (resume.h).
 *
 * The hub has the same address in all workers, so there can be pointers in it.
 */
#ifndef RD_SEARCH_TEAM_TEAM_H
#define RD_SEARCH_TEAM_TEAM_H

#include "search/search.h"

/* Bump the version with any change of the layout of the hub. */
enum { RD_HUB_VERSION = 1 };
enum { RD_TEAM_MAX = 64, RD_TEAM_KEYS = 4096, RD_TEAM_PARTS = 11, RD_TEAM_TREES = 2 };
#define RD_LEVEL_NONE UINT64_MAX
#define RD_TEAM_COMMON ((uint64_t)2 << 20) /* bytes that a search made of parts has in the hub beside those */

enum rd_seat_state {
    RD_SEAT_EMPTY, /* nobody has come yet */
    RD_SEAT_BUSY,
    RD_SEAT_IDLE, /* waits for a unit, or for the level of what it has */
    RD_SEAT_LEFT,
};

struct rd_seat {
    uint32_t state; /* enum rd_seat_state */
    uint32_t pad;
    uint64_t executions;         /* so far, those that were cut, too */
    uint64_t level;              /* of an idle one: of what it has left; RD_LEVEL_NONE: nothing */
    uint64_t size;               /* bytes in its box; 0: it is empty */
    uint64_t idle_ns, idle_from; /* how long it waited */
    uint64_t units;              /* that it was given */
    uint64_t apart;              /* the next one is in another line of the cache */
};
static_assert(sizeof(struct rd_seat) == 64, "shared");

/* Why nobody goes on. */
enum rd_over {
    RD_OVER_NOT,
    RD_OVER_DONE,    /* nothing is left */
    RD_OVER_SPENT,   /* nobody may run another execution */
    RD_OVER_STOPPED, /* one of them ended for a reason of its own */
};

struct rd_hub {
    uint64_t size;
    uint32_t version;  /* RD_HUB_VERSION */
    uint32_t lock;     /* 0: free, 1: taken, 2: taken, and somebody waits */
    uint32_t event;    /* changes with everything that one who waits may wait for */
    uint32_t hungry;   /* seats that are idle and whose box is empty */
    uint32_t over;     /* enum rd_over */
    uint32_t wanted;   /* the driver would have others come */
    uint32_t open;     /* they may: the program is one that can be searched */
    uint32_t cpu;      /* that the first worker is on */
    uint32_t wait_for; /* it does not go on before so many are there */
    uint64_t started_ns;
    uint64_t run;                  /* the hash of an execution that everybody must be able to run (loop_team.c) */
    uint64_t tickets, tickets_max; /* max 0: no limit */
    uint64_t level;                /* of what may be run */
    uint64_t covered;              /* executions when that began */
    uint64_t keys[RD_TEAM_KEYS];   /* a hash set: see rd_team_first */
    uint64_t paths[RD_TID_MAX];    /* of threads: parent << 16 | ordinal; see rd_paths */
    struct rd_seat seat[RD_TEAM_MAX];
    uint64_t box_at, box_size; /* of the first seat, from the start of the hub; the others follow */
    uint64_t tree_at, tree_size;
    uint64_t visited_at;            /* see visited.h */
    uint64_t parts_at, part_size;   /* of a search made of parts: the first of their hubs, and of each … */
    uint64_t part_header, part_box; /* … what comes before its boxes, and one of these */
    uint64_t common_at;             /* … and what such a search has in common beside them */
    uint32_t joined;                /* of a part: seats that were taken */
    uint32_t lost;                  /* somebody has given up something that was due */
    uint64_t beyond;                /* of idfs: the last level, + 1, in which an execution was cut */
};

struct rd_team {
    struct rd_hub *hub;
    uint32_t me; /* seat; 0 is the one that begins, and that tells the result */
    uint32_t seen;
    uint64_t ticket;
    bool held; /* the ticket is for the execution that comes next */
    const struct rd_search *search;
    void *state;
    /* Returns when the word is not `value` any more, or has been for some time, or for no reason. */
    void (*wait)(uint32_t *word, uint32_t value);
    void (*wake)(uint32_t *word);
    uint64_t (*now_ns)(void *ctx);
};

/* Bytes of a hub for executions of so many steps; fills in what is always the same. */
uint64_t rd_hub_layout(struct rd_hub *h, uint32_t workers, uint64_t steps);
/* Takes a seat. False: it is all over already. */
bool rd_team_join(struct rd_team *t);
/* As next() of the search; RD_NEXT_WAIT: call rd_team_wait, and ask again. */
enum rd_next rd_team_next(struct rd_team *t, struct rd_draft *d);
void rd_team_wait(struct rd_team *t);
/* An execution was run. */
void rd_team_ran(struct rd_team *t);
/* How many were, by all. */
uint64_t rd_team_count(const struct rd_team *t);
/* The search is left, done or not. The first worker waits for the others, and has their part of the claim then. */
void rd_team_leave(struct rd_team *t);
/* Is it the first time that anyone asks about this key? A full set says yes. */
bool rd_team_first(struct rd_team *t, uint64_t key);

static inline bool rd_team_done(const struct rd_team *t) {
    return __atomic_load_n(&t->hub->over, __ATOMIC_ACQUIRE) == RD_OVER_DONE;
}
static inline void *rd_team_box(const struct rd_team *t, uint32_t seat) {
    return (char *)t->hub + t->hub->box_at + seat * t->hub->box_size;
}
/* A lock of its own, for a part of the hub: a word like `lock`. */
void rd_team_take(struct rd_team *t, uint32_t *word);
void rd_team_release(struct rd_team *t, uint32_t *word);
/* Parts: the first worker makes their hubs, before anybody else is there. */
void rd_team_open_parts(const struct rd_team *t);
struct rd_team rd_team_part(const struct rd_team *t, uint32_t part, const struct rd_search *search);
/* Takes a seat in a part. False: it is for one worker, and another has it. */
bool rd_team_enter(struct rd_team *t);
/* Has this one anything to do there, as far as is known? */
bool rd_team_has(const struct rd_team *t);
/* How many workers there are now, and how many of them have a lower seat. */
uint32_t rd_team_present(const struct rd_team *t, uint32_t *before_me);
/* For searches with a grove, which decide themselves who has work. */
void rd_team_lock(struct rd_team *t);
void rd_team_unlock(struct rd_team *t);
void rd_team_end(struct rd_team *t, enum rd_over why);
/* With the lock: something is there for those that wait. */
void rd_team_call(struct rd_team *t);
/* With the lock: this one waits, or does not any more. */
void rd_team_idle(struct rd_team *t, bool idle);

#endif
