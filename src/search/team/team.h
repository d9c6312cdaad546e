/*
 * team.h - several workers on one search. Each worker has its own state of the search and its own tested process.
 * They share one piece of memory, the hub, through which they hand work over.
 *
 * RD_SHARE_UNITS: a worker without an execution to run adds itself to `hungry`, the only word that the other
 * workers read between executions. A worker that finds `hungry` above 0 removes a part of its search, a unit, and
 * writes it as bytes into the box of a waiting worker. A bounded search has levels: units of a later level wait
 * until no worker has one of the current level. The search is done when all workers wait, all boxes are empty, and
 * no worker has an execution left.
 *
 * RD_SHARE_TICKETS: executions that do not depend on each other are numbered by all workers together.
 *
 * RD_SHARE_TREE (por/shared_tree.h): the upper part of the search tree is in the hub, for searches in which an
 * execution of one worker shows that another worker's part of the tree needs another execution.
 *
 * RD_SHARE_PARTS: a composite search has a hub for each of its components within the hub. A worker takes a seat
 * there when it first takes part, in order, so that the first one begins. No worker has to wait in a component: it
 * works on another one meanwhile. The memory of the tree in the outer hub is divided into RD_TEAM_TREES pieces.
 * Component i has piece i % RD_TEAM_TREES, and at most one component of each piece has a tree there.
 *
 * A worker that dies may leave the hub in any state. No other worker goes on with such a hub: the driver ends all
 * of them and begins the search again. A worker that dies in an execution, or while it waits, leaves the hub whole
 * and is replaced (explore/resume.h).
 *
 * The hub has the same address in all workers, so it may contain pointers into itself.
 */
#ifndef RD_SEARCH_TEAM_TEAM_H
#define RD_SEARCH_TEAM_TEAM_H

#include "search/search.h"

/* Bump the version with any change of the layout of the hub. */
enum { RD_HUB_VERSION = 1 };
enum { RD_TEAM_MAX = 64, RD_TEAM_KEYS = 4096, RD_TEAM_PARTS = 11, RD_TEAM_TREES = 2 };
#define RD_LEVEL_NONE UINT64_MAX
/* Bytes that a composite search has in the hub beside its components. */
#define RD_TEAM_COMMON ((uint64_t)2 << 20)

enum rd_seat_state {
    RD_SEAT_EMPTY, /* no worker has taken it yet */
    RD_SEAT_BUSY,
    RD_SEAT_IDLE, /* waits for a unit, or for the level of the executions that it has left */
    RD_SEAT_LEFT,
};

struct rd_seat {
    uint32_t state; /* enum rd_seat_state */
    uint32_t pad;
    uint64_t executions; /* by this worker, including cut ones */
    /* of an idle worker: the lowest level of its executions; RD_LEVEL_NONE: it has none */
    uint64_t level;
    uint64_t size;               /* bytes in the box of this seat; 0: the box is empty */
    uint64_t idle_ns, idle_from; /* time that the worker has waited in all; the time when its present wait began */
    uint64_t units;              /* units that the worker was given */
    uint64_t apart;              /* puts the next seat into another cache line */
};
static_assert(sizeof(struct rd_seat) == 64, "shared");

/* Why the search of the team is over. */
enum rd_over {
    RD_OVER_NOT,
    RD_OVER_DONE,    /* every execution of the search was run */
    RD_OVER_SPENT,   /* the budget allows no further execution */
    RD_OVER_STOPPED, /* a worker ended for a reason of its own */
};

struct rd_hub {
    uint64_t size;
    uint32_t version;  /* RD_HUB_VERSION */
    uint32_t lock;     /* 0: free, 1: taken, 2: taken, and another worker waits for it */
    uint32_t event;    /* changes whenever a waiting worker has to ask for its next plan again */
    uint32_t hungry;   /* idle seats with an empty box */
    uint32_t over;     /* enum rd_over */
    uint32_t wanted;   /* set by the driver: other workers shall join */
    uint32_t open;     /* set by the first worker: other workers may join, because the program can be searched */
    uint32_t cpu;      /* the processor that the first worker runs on */
    uint32_t wait_for; /* the first worker does not go on before this many workers have joined */
    uint64_t started_ns;
    /* hash of an execution that every worker must be able to reproduce (explore/loop_team.c) */
    uint64_t run;
    uint64_t tickets, tickets_max; /* tickets_max: 0 is no limit */
    uint64_t level;                /* units of this level or less may be run */
    uint64_t covered;              /* executions of the team when this level began */
    uint64_t keys[RD_TEAM_KEYS];   /* a hash set: see rd_team_first */
    uint64_t paths[RD_TID_MAX];    /* of threads: parent << 16 | ordinal; see rd_paths */
    struct rd_seat seat[RD_TEAM_MAX];
    /* box_at: the box of the first seat, in bytes from the start of the hub; the others follow */
    uint64_t box_at, box_size;
    uint64_t tree_at, tree_size;
    uint64_t visited_at; /* see visited.h */
    /* of a composite search: the hub of its first component, in bytes from the start, and the size of each hub */
    uint64_t parts_at, part_size;
    uint64_t part_header, part_box; /* in the hub of a component: bytes before its boxes, and the size of a box */
    /* of a composite search: memory that its workers share beside its components */
    uint64_t common_at;
    uint32_t joined; /* of a component: the number of seats that are taken */
    /* a worker has given up executions because of its memory limit: claims of later levels are void */
    uint32_t lost;
    uint64_t beyond; /* idfs: the last level in which an execution was cut, + 1 */
};

struct rd_team {
    struct rd_hub *hub;
    uint32_t me;     /* the index of its seat; the worker with seat 0 begins the search and gives its result */
    uint32_t seen;   /* the value of `event` before this worker found that it has to wait */
    uint64_t ticket; /* the number of the execution that is planned next, or was planned last */
    bool held;       /* the ticket is not used yet: `next` returned RD_NEXT_WAIT */
    const struct rd_search *search;
    void *state;
    /* Returns when the word is not `value` any more; may return earlier. */
    void (*wait)(uint32_t *word, uint32_t value);
    void (*wake)(uint32_t *word);
    uint64_t (*now_ns)(void *ctx);
};

/*
 * Computes the layout of a hub for so many workers, and for executions of so many steps. Sets the offsets and
 * sizes in the hub, and returns its size in bytes.
 */
uint64_t rd_hub_layout(struct rd_hub *h, uint32_t workers, uint64_t steps);
/* Takes the seat of this worker. Returns false if the search is over already. */
bool rd_team_join(struct rd_team *t);
/* Asks the search for its next plan, like `next`. On RD_NEXT_WAIT the caller calls rd_team_wait and asks again. */
enum rd_next rd_team_next(struct rd_team *t, struct rd_draft *d);
void rd_team_wait(struct rd_team *t);
/* Counts an execution of this worker. */
void rd_team_ran(struct rd_team *t);
/* Returns the executions of all workers. */
uint64_t rd_team_count(const struct rd_team *t);
/*
 * Leaves the search, finished or not. The first worker waits until all others have left, and merges their tallies.
 */
void rd_team_leave(struct rd_team *t);
/* Adds the key to a set of the team, and returns whether it is new there; true if the set is full. */
bool rd_team_first(struct rd_team *t, uint64_t key);

static inline bool rd_team_done(const struct rd_team *t) {
    return __atomic_load_n(&t->hub->over, __ATOMIC_ACQUIRE) == RD_OVER_DONE;
}
static inline void *rd_team_box(const struct rd_team *t, uint32_t seat) {
    return (char *)t->hub + t->hub->box_at + seat * t->hub->box_size;
}
/* Locks for parts of the hub: words like `lock`. */
void rd_team_take(struct rd_team *t, uint32_t *word);
void rd_team_release(struct rd_team *t, uint32_t *word);
/* Makes the hubs of the components. pre: the caller is the first worker, and alone. */
void rd_team_open_parts(const struct rd_team *t);
struct rd_team rd_team_part(const struct rd_team *t, uint32_t part, const struct rd_search *search);
/* Takes a seat in a component. Returns false if the component is for one worker, and another one has it. */
bool rd_team_enter(struct rd_team *t);
/* Returns whether this worker has an execution left in the component, as far as the hub shows. */
bool rd_team_has(const struct rd_team *t);
/* Returns the number of workers that are in the team now, and in *before_me how many have a lower seat. */
uint32_t rd_team_present(const struct rd_team *t, uint32_t *before_me);
/* For searches with a shared tree, which divide their work by themselves. */
void rd_team_lock(struct rd_team *t);
void rd_team_unlock(struct rd_team *t);
void rd_team_end(struct rd_team *t, enum rd_over why);
/* Wakes the workers that wait: there may be work for them. pre: the lock. */
void rd_team_call(struct rd_team *t);
/* Notes that this worker waits, or waits no longer. pre: the lock. */
void rd_team_idle(struct rd_team *t, bool idle);

#endif
