/*
 * wait_graph.c - which thread waits for which at the end of an execution, as far as the record tells: for the
 * holder of a lock, for the thread to join, for the thread that has the only unit of a semaphore. A condition, a
 * barrier or a pipe has no owner: a chain of waiting threads ends there.
 */
#include "report/report.h"

#include <string.h>

/*
 * The thread that holds a unit of a semaphore that is used as a lock: each post came from a thread that had a unit.
 * RD_TID_NONE: the semaphore is not used as a lock, or several threads hold units, or none does.
 */
static rd_tid unit_owner(const struct rd_schedule *s, rd_place sem) {
    uint32_t units[RD_TID_MAX] = {0};
    for (uint32_t i = 0; i < s->step_count; i++) {
        const struct rd_step *step = &s->steps[i];
        if (step->place != sem || step->result || step->flags & RD_STEP_SIGNALLED || step->tid >= RD_TID_MAX)
            continue;
        if (step->op == RD_OP_SEM_WAIT || step->op == RD_OP_SEM_TRYWAIT)
            units[step->tid]++;
        if (step->op == RD_OP_SEM_POST && units[step->tid]-- == 0)
            return RD_TID_NONE;
    }
    rd_tid owner = RD_TID_NONE;
    for (uint32_t t = 0; t < s->thread_count && t < RD_TID_MAX; t++) {
        if (units[t] && owner != RD_TID_NONE)
            return RD_TID_NONE;
        if (units[t])
            owner = (rd_tid)t;
    }
    return owner;
}

bool rd_facts_blocked(const struct rd_report *r, rd_tid tid) {
    const struct rd_schedule *s = r->schedule;
    return tid < s->thread_count && s->threads[tid].state == RD_T_READY && !s->threads[tid].enabled;
}

rd_tid rd_facts_waits_for(const struct rd_report *r, rd_tid tid) {
    const struct rd_schedule *s = r->schedule;
    if (!rd_facts_blocked(r, tid))
        return RD_TID_NONE;
    const struct rd_thread_info *t = &s->threads[tid];
    if (t->pending.kind == RD_OP_JOIN && t->pending.arg < s->thread_count)
        return (rd_tid)t->pending.arg;
    if (t->pending.kind == RD_OP_SEM_WAIT) {
        rd_tid owner = unit_owner(s, t->pending.place);
        return owner == tid ? RD_TID_NONE
                            : owner; /* a thread that waits for a second unit does not wait for itself to post */
    }
    return t->holder < s->thread_count ? t->holder : RD_TID_NONE;
}

uint32_t rd_facts_cycle(const struct rd_report *r, rd_tid cycle[RD_TID_MAX]) {
    uint32_t threads = RD_MIN(r->schedule->thread_count, (uint32_t)RD_TID_MAX);
    rd_tid next[RD_TID_MAX];
    for (uint32_t t = 0; t < threads; t++)
        next[t] = rd_facts_waits_for(r, (rd_tid)t);
    for (uint32_t first = 0; first < threads; first++) {
        rd_tid at = (rd_tid)first;
        uint32_t n = 0;
        do {
            cycle[n++] = at;
            at = next[at];
        } while (at != RD_TID_NONE && at != first && n < threads);
        if (at == first)
            return n;
    }
    return 0;
}

uint32_t rd_facts_chain(const struct rd_report *r, rd_tid chain[RD_TID_MAX]) {
    uint32_t threads = RD_MIN(r->schedule->thread_count, (uint32_t)RD_TID_MAX), best = 0;
    rd_tid path[RD_TID_MAX];
    for (uint32_t first = 0; first < threads; first++) {
        rd_tid at = (rd_tid)first;
        uint32_t n = 0;
        bool held = false; /* a thread holds what another one waits for; a chain of joins alone is of no interest */
        while (n < threads && rd_facts_blocked(r, at)) {
            path[n++] = at;
            at = rd_facts_waits_for(r, at);
            held |= at != RD_TID_NONE && r->schedule->threads[path[n - 1]].pending.kind != RD_OP_JOIN;
        }
        if (held && at == RD_TID_NONE && n > best) {
            best = n;
            memcpy(chain, path, n * sizeof *path);
        }
    }
    return best;
}
