/*
 * step_edges.h - the arrows of a page: pairs of steps of different threads of which the first had to come before
 * the second, and why.
 */
#ifndef RD_REPORT_HTML_STEP_EDGES_H
#define RD_REPORT_HTML_STEP_EDGES_H

#include "report/report.h"

enum rd_step_edge_kind {
    RD_EDGE_ORDERS,   /* the second depends on the first (trace/event.h), and no other arrows imply the order */
    RD_EDGE_THREAD,   /* a thread is created and starts; a thread ends and is joined */
    RD_EDGE_WAKES,    /* a signal, a broadcast or a futex operation, and the waiter that it woke */
    RD_EDGE_UNBLOCKS, /* the thread of the second was blocked at it, and the first let it go on */
    RD_EDGE_KINDS
};

struct rd_step_edge {
    uint32_t from, to; /* steps, from 0 */
    uint8_t kind;      /* enum rd_step_edge_kind */
};

/* Sorted by `to`. */
struct rd_step_edges {
    struct rd_step_edge *at;
    uint32_t count, room;
};

void rd_step_edges_find(const struct rd_report *r, struct rd_step_edges *to);
void rd_step_edges_free(struct rd_step_edges *e);

#endif
