/*
 * preempted.h - the variable of a preemption, for searches that bound the number of such variables and for reports:
 * the object of the last operation of the preempted thread (Bindal, Bansal and Lal, "Variable and thread bounding
 * for systematic testing of multithreaded programs", ISSTA 2013). An operation without a place has a thread as its
 * variable: the thread that it creates or joins, else its own.
 */
#ifndef RD_TRACE_PREEMPTED_H
#define RD_TRACE_PREEMPTED_H

#include "trace/event.h"

struct rd_preempted_at {
    rd_place place; /* where the access begins, or the object; 0: the variable is `thread` */
    rd_tid thread;
};

/* Returns the variable of a preemption at this step. pre: step > 0, which every preemption fulfils */
static inline struct rd_preempted_at rd_preempted_at(const struct rd_step *steps, uint32_t step) {
    while (step > 1 && rd_step_is_way(&steps[step - 1]))
        step--;
    struct rd_event e = rd_event_of_step(&steps[step - 1]);
    if (e.place)
        return (struct rd_preempted_at){e.place, RD_TID_NONE};
    return (struct rd_preempted_at){0, e.target != RD_TID_NONE ? e.target : e.tid};
}

static inline bool rd_preempted_same(const struct rd_preempted_at *a, const struct rd_preempted_at *b) {
    return a->place == b->place && a->thread == b->thread;
}

#endif
