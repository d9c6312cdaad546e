/*
 * visited.h - the set of covered prefixes of executions, by happens-before class, the thread that goes on, and the
 * number of preemptions. Alone, a search has a map of its own. In a team (team/team.h) the map lies in the hub: no
 * worker continues from a prefix that another one has covered.
 *
 * An entry is a promise: the worker that made the entry has run, or has in its own part of the search, all
 * executions that continue this prefix. Another worker may rely on an entry from the moment that it is made, for
 * two reasons. The executions that continue a prefix have longer prefixes, so promises never rest on each other in
 * a circle. And no level counts as finished while a worker that has promised a part of it is busy. If a worker
 * dies, its promises are broken, and the search begins again.
 *
 * A partition of the map that is full takes no more entries: a prefix that is not in the map is run again, which
 * costs time but loses no execution.
 */
#ifndef RD_SEARCH_VISITED_H
#define RD_SEARCH_VISITED_H

#include "base/map.h"
#include "search/team/team.h"

enum { RD_VISITED_PARTS = 64 };

/*
 * A partition of the map; all entries of one class are in the same partition. In the hub the lock of each
 * partition is in a cache line of its own.
 */
struct rd_visited_part {
    uint32_t lock; /* like the lock of the hub */
    uint32_t pad;
    struct rd_map map; /* class and thread -> preemptions + 1 */
    struct rd_arena arena;
    uint64_t apart[5];
};
static_assert(sizeof(struct rd_visited_part) == 128, "shared");

struct rd_visited {
    struct rd_team *team; /* NULL: alone, or the hub has no map */
    struct rd_arena *arena;
    struct rd_map map; /* used without a team */
};

/* Returns the size of the map in the hub, in bytes. The kernel provides only the pages that are touched. */
uint64_t rd_visited_size(void);
/* Opens the set; the first worker of a team initialises the map in the hub. */
void rd_visited_open(struct rd_visited *v, struct rd_arena *a, struct rd_team *team);
/* Empties the map of a team. pre: no other worker uses it. */
void rd_visited_forget(const struct rd_visited *v);
/*
 * Returns whether a prefix of this class was covered from which the same thread went on, with as many preemptions
 * or fewer. A prefix after which no thread could stay (RD_TID_NONE) stands for all threads: from there every switch
 * was free.
 */
bool rd_visited_has(struct rd_visited *v, uint64_t class, rd_tid tid, uint32_t preemptions);
/*
 * The same, and adds the prefix if it was not covered: the caller promises to run all executions that continue it.
 */
bool rd_visited_claim(struct rd_visited *v, uint64_t class, rd_tid tid, uint32_t preemptions);

#endif
