/*
 * wakeup_nodes.h - where the nodes of wakeup trees are (wakeup_tree.c). There may be millions, and every execution
 * walks over a hundred: what counts is how few bytes they are. So they name each other by where they are, in 16s of
 * bytes from the first one, 0 being none; and their events, of which there are few that differ, are kept once.
 */
#ifndef RD_SEARCH_POR_WAKEUP_NODES_H
#define RD_SEARCH_POR_WAKEUP_NODES_H

#include "base/map.h"
#include "trace/event.h"

struct rd_wakeup {
    uint32_t child, next;
    uint32_t ways; /* the same event in other ways */
    uint32_t what; /* which of `events`, whether it has a way, and its thread */
};
enum { RD_WAKEUP_TID_BITS = 10, RD_WAKEUP_HAS_WAY = 1 << RD_WAKEUP_TID_BITS, RD_WAKEUP_EVENT_BIT = 11 };
static_assert(RD_TID_MAX <= 1 << RD_WAKEUP_TID_BITS, "a thread's number is part of a word");

struct rd_wakeup_event {
    struct rd_event e;
    struct rd_event_sign sign;
    int32_t way; /* of several; -1: not known yet, or there is one only */
};

enum { RD_WAKEUP_LATEST = 256 };

struct rd_wakeups {
    struct rd_arena *arena;
    bool full;  /* there was no room, and something is missing */
    char *base; /* what names count from */
    struct rd_wakeup *unused, *fresh;
    uint32_t fresh_count;
    struct {
        RD_VEC(struct rd_wakeup_event);
    } events;
    struct rd_map number;              /* of an event, + 1, by what it touches */
    uint32_t latest[RD_WAKEUP_LATEST]; /* the last number, + 1, of those that are alike at first sight */
};

/* NULL: there is no room. */
struct rd_wakeup *rd_wakeup_new(struct rd_wakeups *p, const struct rd_event *e, int32_t way);
void rd_wakeup_drop(struct rd_wakeups *p, struct rd_wakeup *w);

static inline struct rd_wakeup *rd_wakeup_at(const struct rd_wakeups *p, uint32_t name) {
    return name ? (struct rd_wakeup *)(p->base + (size_t)name * sizeof(struct rd_wakeup)) : NULL;
}
static inline uint32_t rd_wakeup_name(const struct rd_wakeups *p, const struct rd_wakeup *w) {
    return w ? (uint32_t)((size_t)((const char *)w - p->base) / sizeof *w) : 0;
}
static inline const struct rd_wakeup_event *rd_wakeup_event(const struct rd_wakeups *p, const struct rd_wakeup *w) {
    return &p->events.at[w->what >> RD_WAKEUP_EVENT_BIT];
}
static inline rd_tid rd_wakeup_tid(const struct rd_wakeup *w) {
    return (rd_tid)(w->what & (RD_WAKEUP_HAS_WAY - 1));
}
static inline int32_t rd_wakeup_way(const struct rd_wakeups *p, const struct rd_wakeup *w) {
    return w->what & RD_WAKEUP_HAS_WAY ? rd_wakeup_event(p, w)->way : -1;
}

#endif
