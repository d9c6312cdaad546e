/*
 * io.c - input and output between threads: pipes, sockets, event descriptors. The kernel holds their state, so the
 * model asks the runtime at every point whether the descriptors of a pending operation are ready
 * (rd_world.io_ready). In the simulator, which has no descriptors, they always are. The transfer itself has no
 * effect in the model: the thread makes the real system call in its step.
 */
#include "model/primitives.h"

RD_MODEL_ENABLED(rd_io_enabled) {
    (void)op;
    return !w->io_ready || w->io_ready(w->io_ctx, tid);
}

bool rd_io_waits(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    return t->state == RD_T_READY && rd_models[t->pending.kind].enabled == rd_io_enabled;
}

bool rd_io_ask_outside(struct rd_world *w) {
    uint64_t first_deadline = UINT64_MAX;
    bool waits = w->signals_outside;
    for (uint32_t t = 0; t < w->count; t++) {
        if (rd_model_ready(w, (rd_tid)t))
            return false;
        waits |= rd_io_waits(w, (rd_tid)t);
        if (rd_model_may_time_out(w, (rd_tid)t))
            first_deadline = RD_MIN(first_deadline, w->threads[t].pending.deadline);
    }
    uint64_t left = first_deadline;
    if (left != UINT64_MAX)
        left -= RD_MIN(left, w->clock.now_ns);
    return waits && w->io_outside(w->io_ctx, left);
}
