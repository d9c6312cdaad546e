/*
 * wakeup_nodes.h - memory for the nodes of wakeup trees (wakeup_tree.c). There may be millions of nodes, and every
 * execution visits about a hundred, so a node is 16 bytes: nodes refer to each other by their position in units of
 * 16 bytes ("name", 0 is none), and equal events are stored once.
 */
#ifndef RD_SEARCH_POR_WAKEUP_NODES_H
#define RD_SEARCH_POR_WAKEUP_NODES_H

#include "base/map.h"
#include "trace/event.h"

struct rd_wakeup_node {
    uint32_t child, next;
    uint32_t ways; /* the same event in other ways: a list like that of `next` */
    /* index into `events` << RD_WAKEUP_EVENT_BIT, RD_WAKEUP_HAS_WAY if the event has a way, and its thread */
    uint32_t packed;
};
enum { RD_WAKEUP_TID_BITS = 10, RD_WAKEUP_HAS_WAY = 1 << RD_WAKEUP_TID_BITS, RD_WAKEUP_EVENT_BIT = 11 };
static_assert(RD_TID_MAX <= 1 << RD_WAKEUP_TID_BITS, "a thread's number is part of a word");

struct rd_wakeup_event {
    struct rd_event e;
    struct rd_event_sign sign;
    int32_t way; /* the way that the operation takes; -1: not known yet, or there is one only */
};

enum { RD_WAKEUP_LATEST = 256 };

struct rd_wakeup_pool {
    struct rd_arena *arena;
    bool full;  /* memory has run out, and an insertion has failed */
    char *base; /* the address of name 0 */
    struct rd_wakeup_node *unused, *fresh;
    uint32_t fresh_count;
    struct {
        RD_VEC(struct rd_wakeup_event);
    } events;
    struct rd_map number;              /* from a hash of the event to its index in `events` + 1 */
    uint32_t latest[RD_WAKEUP_LATEST]; /* by a cheap hash: the index last used, + 1 */
};

/* Returns a new node for the event; NULL: there is no memory left. */
struct rd_wakeup_node *rd_wakeup_new(struct rd_wakeup_pool *p, const struct rd_event *e, int32_t way);
void rd_wakeup_drop(struct rd_wakeup_pool *p, struct rd_wakeup_node *w);

static inline struct rd_wakeup_node *rd_wakeup_at(const struct rd_wakeup_pool *p, uint32_t name) {
    return name ? (struct rd_wakeup_node *)(p->base + (size_t)name * sizeof(struct rd_wakeup_node)) : NULL;
}
static inline uint32_t rd_wakeup_name(const struct rd_wakeup_pool *p, const struct rd_wakeup_node *w) {
    return w ? (uint32_t)((size_t)((const char *)w - p->base) / sizeof *w) : 0;
}
static inline const struct rd_wakeup_event *rd_wakeup_event(const struct rd_wakeup_pool *p,
                                                            const struct rd_wakeup_node *w) {
    return &p->events.at[w->packed >> RD_WAKEUP_EVENT_BIT];
}
static inline rd_tid rd_wakeup_tid(const struct rd_wakeup_node *w) {
    return (rd_tid)(w->packed & (RD_WAKEUP_HAS_WAY - 1));
}
static inline int32_t rd_wakeup_way(const struct rd_wakeup_pool *p, const struct rd_wakeup_node *w) {
    return w->packed & RD_WAKEUP_HAS_WAY ? rd_wakeup_event(p, w)->way : -1;
}

#endif
