/*
 * urw.c - uniform random walk: uniform over schedules, not over choices. A thread is drawn in proportion to the
 * steps that it has yet to make (Zhao, Wolff, Mathur and Roychoudhury, "Selectively uniform concurrency testing",
 * ASPLOS 2025), and also stands for the threads that it has yet to create. Exact when the weights are and no thread
 * blocks.
 *
 * The plan: `a` is the number of threads with a weight; all others weigh 1. It must ask always: every step counts.
 */
#include "base/bitset.h"
#include "base/rng.h"
#include "pick/pick.h"

#include <string.h>

struct urw {
    struct rd_rng rng;
    uint32_t known; /* threads with a weight */
    struct rd_bits there;
    uint32_t done[RD_TID_MAX], weight[RD_TID_MAX];
};

static_assert(sizeof(struct urw) <= RD_PICKER_STATE, "fits");

/* So that the sum of all weights fits. */
enum { STEPS_MAX = 1 << 21 };

static void begin(void *state, const struct rd_plan *plan) {
    struct urw *p = state;
    RD_CHECK(plan->ask_always && plan->a <= RD_TID_MAX);
    memset(p, 0, sizeof *p);
    p->known = plan->a;
    rd_rng_seed(&p->rng, plan->seed);
}

static uint32_t steps_of(const struct rd_point *point, rd_tid tid) {
    return RD_MIN(point->weight[tid].steps, (uint32_t)STEPS_MAX);
}

/*
 * Computes the steps that each candidate has yet to make. A thread that is not created yet counts for its nearest
 * ancestor that is.
 */
static void weigh(struct urw *p, const struct rd_point *point) {
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        uint32_t all = tid < p->known ? steps_of(point, tid) : 0;
        p->weight[tid] = all > p->done[tid] ? all - p->done[tid] : 1;
        rd_bits_add(&p->there, tid);
    }
    for (uint32_t t = 1; t < p->known; t++) {
        rd_tid up = (rd_tid)t;
        while (!rd_bits_has(&p->there, up) && point->weight[up].parent < up) /* parents have smaller numbers */
            up = point->weight[up].parent;
        if (up != t && rd_bits_has(&p->there, up))
            p->weight[up] += steps_of(point, (rd_tid)t);
    }
}

static uint32_t pick(void *state, const struct rd_point *point) {
    struct urw *p = state;
    if (!point->cand)
        return rd_rng_below(&p->rng, point->count);
    weigh(p, point);
    uint32_t sum = 0, i = 0;
    for (uint32_t k = 0; k < point->count; k++)
        sum += p->weight[point->cand[k].tid];
    RD_CHECK(sum >= point->count); /* each weighs at least 1 */
    for (uint32_t at = rd_rng_below(&p->rng, sum); at >= p->weight[point->cand[i].tid]; i++)
        at -= p->weight[point->cand[i].tid];
    p->done[point->cand[i].tid]++;
    return i;
}

const struct rd_picker rd_pick_urw = {"urw", "in proportion to the steps that a thread has yet to make", begin,
                                      pick, true};
