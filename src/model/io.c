/*
 * io.c - input and output between threads: pipes, sockets, event descriptors. The kernel holds their state, so it
 * is asked: the runtime says whether the descriptors of a pending operation are ready (rd_world.io_ready), anew at
 * every decision. In the simulator there is nobody to ask, and they always are. Their transfers need no effect
 * here: the thread makes the real call in its turn.
 */
#include "model/model.h"

RD_MODEL_ENABLED(rd_io_enabled) {
    (void)op;
    return !w->io_ready || w->io_ready(w->io_ctx, tid);
}

bool rd_io_waits(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    return t->state == RD_T_READY && rd_models[t->pending.kind].enabled == rd_io_enabled;
}

bool rd_io_ask_outside(struct rd_world *w) {
    uint64_t first = UINT64_MAX;
    bool waits = w->signals_outside;
    for (uint32_t t = 0; t < w->count; t++) {
        if (rd_model_ready(w, (rd_tid)t))
            return false;
        waits |= rd_io_waits(w, (rd_tid)t);
        if (rd_model_may_time_out(w, (rd_tid)t))
            first = RD_MIN(first, w->threads[t].pending.deadline);
    }
    uint64_t left = first == UINT64_MAX ? first : first - RD_MIN(first, w->clock.now_ns);
    return waits && w->io_outside(w->io_ctx, left);
}
