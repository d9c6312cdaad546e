/*
 * visited.h - which prefixes of executions were covered, by happens-before class, the thread that goes on and the
 * preemptions so far. Alone a search has a map of its own. In a team (team.h) the map is in the hub: what one
 * worker has covered nobody else goes on from.
 *
 * An entry is a promise: whoever made it runs, or has in its part of the tree, everything that follows. It may be
 * relied on at once, by everybody, whatever they do at the same time: what follows a prefix is longer than it, so
 * promises never rest on each other in a circle; and nobody takes a level for finished while one who has promised
 * something of it is busy. A worker that dies takes its promises with it: the search begins again.
 *
 * A part of the map that is full takes no more: what is not in it is run, however often.
 */
#ifndef RD_SEARCH_VISITED_H
#define RD_SEARCH_VISITED_H

#include "base/map.h"
#include "search/team/team.h"

enum { RD_VISITED_PARTS = 64 };

/* A class is in one part, with all its threads. In the hub, each in a line of the cache of its own. */
struct rd_visited_part {
    uint32_t lock; /* as that of the hub */
    uint32_t pad;
    struct rd_map map; /* class and thread -> preemptions + 1 */
    struct rd_arena arena;
    uint64_t apart[5];
};
static_assert(sizeof(struct rd_visited_part) == 128, "shared");

struct rd_visited {
    struct rd_team *team; /* NULL: alone */
    struct rd_arena *arena;
    struct rd_map map; /* when alone */
};

/* Bytes of it in the hub; memory that is not touched costs nothing. */
uint64_t rd_visited_size(void);
/* The first worker makes what the others find. */
void rd_visited_open(struct rd_visited *v, struct rd_arena *a, struct rd_team *team);
/* In a team, when nobody uses it: nothing was covered. */
void rd_visited_forget(const struct rd_visited *v);
/*
 * Was a prefix of this class covered after which this thread went on, with no more preemptions? One after which
 * nobody could stay (RD_TID_NONE) stands for all threads: from there every switch was free.
 */
bool rd_visited_has(struct rd_visited *v, uint64_t class, rd_tid tid, uint32_t preemptions);
/* The same; what was not covered is from now on: the caller promises it. */
bool rd_visited_claim(struct rd_visited *v, uint64_t class, rd_tid tid, uint32_t preemptions);

#endif
