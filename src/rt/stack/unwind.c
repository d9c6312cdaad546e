/*
 * unwind.c - return addresses of the calling thread, by the unwind tables. Used where a report needs them (detail
 * mode, crashes), not while exploring. Frames of this library are left out.
 *
 * The program may have overwritten its frames. If the unwinder crashes because of that, the frames that it has
 * found so far are the result: an execution must not end elsewhere because Raddle records more of it.
 */
#include "rt/stack/unwind.h"

#include "rt/address/place_of_address.h"
#include "rt/state.h"
#include "rt/thread/ctx.h"
#include "trace/place.h"

#include <setjmp.h>

static jmp_buf before_walk; /* the way out when the unwinder crashes */
static bool walking;        /* the unwinder runs */

struct walk {
    uint64_t *to;
    uint32_t count, max;
    uint64_t own_start, own_end;
    bool waiting; /* the frame that the signal interrupted has not come yet */
    struct rd_stack_extent *extents;
    bool open; /* the end of the last stored frame's extent is not known yet: it is where the next frame begins */
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg) {
    struct walk *w = arg;
    int before = 0;
    uint64_t ip = _Unwind_GetIPInfo(context, &before);
    if (w->open && w->extents)
        w->extents[w->count - 1].high = _Unwind_GetCFA(context);
    w->open = false;
    if (ip == 0)
        return _URC_END_OF_STACK;
    w->waiting &= !before;
    if (w->waiting)
        return _URC_NO_REASON;
    bool own = ip >= w->own_start && ip < w->own_end;
    rd_place place = rd_place_of(ip);
    /* a return address that is in no module was overwritten: the frames after it are chance */
    if (!own && w->count && rd_place_module(place) < 0)
        return _URC_END_OF_STACK;
    /* the address of an interrupted frame is its instruction; that of any other frame is the one after its call */
    RD_CHECK(w->count < w->max);
    if (own)
        return _URC_NO_REASON;
    if (w->extents)
        w->extents[w->count] = (struct rd_stack_extent){.low = _Unwind_GetCFA(context)};
    w->to[w->count++] = place + (rd_place)before;
    w->open = true;
    return w->count < w->max ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void walk(void *arg) { _Unwind_Backtrace(visit, arg); }

uint32_t rd_stack_capture(uint64_t *to, uint32_t max, bool interrupted, struct rd_stack_extent *extents) {
    static uint64_t own_start, own_end;
    RD_CHECK(max > 0);
    if (!own_start) {
        struct rd_channel *c = rd_rt.channel;
        for (uint32_t i = 0; i < c->execution.module_count; i++) {
            uint64_t me = (uintptr_t)&rd_stack_capture;
            if (me >= c->execution.modules[i].start && me < c->execution.modules[i].end) {
                own_start = c->execution.modules[i].start;
                own_end = c->execution.modules[i].end;
            }
        }
    }
    struct walk w = {.to = to,
                     .max = max,
                     .own_start = own_start,
                     .own_end = own_end,
                     .waiting = interrupted,
                     .extents = extents};
    /*
     * The walk runs on a stack of its own: recording must not make a stack overflow happen earlier. A signal
     * handler has a stack of its own already, and must not leave it: the kernel would put the frame of the next
     * handler over it.
     */
    static _Alignas(16) char scratch[64 << 10];
    if (_setjmp(before_walk) == 0) {
        walking = true;
        if (interrupted)
            walk(&w);
        else
            rd_ctx_call_on(scratch + sizeof scratch, walk, &w);
    }
    walking = false;
    return w.count;
}

void rd_stack_fault(void) {
    if (walking)
        _longjmp(before_walk, 1);
}

static _Unwind_Reason_Code stop_at_once(struct _Unwind_Context *context, void *arg) {
    (void)context;
    (void)arg;
    return _URC_END_OF_STACK;
}

/* The unwinder initialises itself at its first use, with pthread_once: here, before that call could be an
 * operation. */
void rd_stack_init(void) { _Unwind_Backtrace(stop_at_once, NULL); }
