/* debugger.c - see debugger.h. */
#include "rt/debugger.h"

#include "rt/address/place_of_address.h"
#include "rt/thread/vthread.h"

#define SEEN_BY_DEBUGGERS __attribute__((visibility("default")))

SEEN_BY_DEBUGGERS struct rd_debugger rd_debugger = {.version = RD_DEBUGGER_VERSION};

SEEN_BY_DEBUGGERS __attribute__((noinline)) void rd_debugger_stop(void) { __asm__ volatile("" : : : "memory"); }

/* The debugger calls this function in the process; no other file does. */
SEEN_BY_DEBUGGERS uint64_t rd_debugger_place(uint64_t addr);
SEEN_BY_DEBUGGERS uint64_t rd_debugger_place(uint64_t addr) { return rd_place_near_object(addr); }

void rd_debugger_stop_for(enum rd_debugger_why why) {
    rd_debugger.why = why;
    rd_debugger_stop();
}

void rd_debugger_begin(void) {
    if (!rd_rt.channel->config.debugger)
        return;
    rd_rt.debugged = true;
    rd_debugger.steps = (uintptr_t)&rd_rt.engine.rec.out->steps;
    rd_debugger.message = (uintptr_t)rd_rt.engine.rec.out->message;
    rd_debugger_thread(rd_self);
    rd_debugger_stop_for(RD_DEBUGGER_BEGIN);
}

void rd_debugger_thread(const struct rd_vthread *v) {
    if (!rd_rt.debugged)
        return;
    struct rd_debugger_thread *t = &rd_debugger.threads[v->tid];
    t->inside = (uintptr_t)&v->inside;
    t->name = (uintptr_t)v->name;
    t->task = v->kernel_tid;
}

void rd_debugger_before_step(void) {
    if (!rd_debugger.wanted || rd_rt.engine.rec.out->steps < rd_debugger.wanted)
        return;
    rd_debugger.wanted = 0;
    rd_debugger_stop_for(RD_DEBUGGER_STEP);
}
