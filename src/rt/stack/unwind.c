/*
 * stack.c - return addresses of the calling thread, by the unwind tables. Used where a report needs them (detail
 * mode, crashes), not while exploring. Frames of this library are left out: the program's own are what counts.
 *
 * The program may have written over its frames. Where the unwinder dies of them, those above are what there is: an
 * execution must not end elsewhere because more is recorded of it.
 */
#include "rt/stack/unwind.h"

#include "rt/address/place_of_address.h"
#include "rt/state.h"
#include "rt/thread/ctx.h"
#include "trace/place.h"

#include <setjmp.h>

static jmp_buf given_up;
static bool walking;

struct walk {
    uint64_t *to;
    uint32_t count, max;
    uint64_t own_start, own_end;
    bool waiting; /* for the frame that a signal interrupted */
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg) {
    struct walk *w = arg;
    int before = 0;
    uint64_t ip = _Unwind_GetIPInfo(context, &before);
    if (ip == 0)
        return _URC_END_OF_STACK;
    w->waiting &= !before;
    if (w->waiting)
        return _URC_NO_REASON;
    bool own = ip >= w->own_start && ip < w->own_end;
    rd_place place = rd_place_of(ip);
    /* a return address that leads to no code was written over: what is read from there on is chance */
    if (!own && w->count && rd_place_module(place) < 0)
        return _URC_END_OF_STACK;
    /* a frame interrupted by a signal is at its instruction; every other one is after its call */
    if (!own)
        w->to[w->count++] = place + (rd_place)before;
    return w->count < w->max ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void walk(void *arg) { _Unwind_Backtrace(visit, arg); }

uint32_t rd_stack_capture(uint64_t *to, uint32_t max, bool interrupted) {
    static uint64_t own_start, own_end;
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
    struct walk w = {.to = to, .max = max, .own_start = own_start, .own_end = own_end, .waiting = interrupted};
    /* on a stack of its own: recording must not bring a stack overflow forward. A handler has one, and must not
     * leave it: the kernel would put the next one over it */
    static _Alignas(16) char scratch[64 << 10];
    if (_setjmp(given_up) == 0) {
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
        _longjmp(given_up, 1);
}

static _Unwind_Reason_Code stop_at_once(struct _Unwind_Context *context, void *arg) {
    (void)context;
    (void)arg;
    return _URC_END_OF_STACK;
}

/* The unwinder initialises itself at its first use, through pthread_once: before the program is watched. */
void rd_stack_init(void) { _Unwind_Backtrace(stop_at_once, NULL); }
