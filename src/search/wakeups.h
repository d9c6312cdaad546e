/*
 * wakeups.h - where the nodes of wakeup trees are (wakeup.c). There may be millions, and every execution walks over
 * a hundred: what counts is how few bytes they are. So they name each other by where they are, in eights of
 * bytes from the first one, 0 being none; and their events, of which there are few that differ, are kept once.
 */
#ifndef RD_WAKEUPS_H
#define RD_WAKEUPS_H

#include "base/map.h"
#include "trace/event.h"

struct rd_wakeup {
    uint32_t child, next;
    uint32_t ways;  /* the same event in other ways */
    uint32_t event; /* in `events` */
    int32_t way;    /* of several; -1: not known yet, or there is one only */
    rd_tid tid;     /* of the event */
};

struct rd_wakeup_event {
    struct rd_event e;
    struct rd_event_sign sign;
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
    return name ? (struct rd_wakeup *)(p->base + (size_t)name * 8) : NULL;
}
static inline uint32_t rd_wakeup_name(const struct rd_wakeups *p, const struct rd_wakeup *w) {
    return w ? (uint32_t)((size_t)((const char *)w - p->base) / 8) : 0;
}
static inline const struct rd_wakeup_event *rd_wakeup_event(const struct rd_wakeups *p, const struct rd_wakeup *w) {
    return &p->events.at[w->event];
}

#endif
