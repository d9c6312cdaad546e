/*
 * surw.c - selectively uniform random walk (Zhao, Wolff, Mathur and Roychoudhury, "Selectively uniform concurrency
 * testing", ASPLOS 2025): uniform over the orders of the operations on one variable, with random priorities for all
 * others. The thread that performs the next operation on the variable, the *intended* thread, is drawn in
 * proportion to the operations that each thread has yet to perform on it. Any other thread that comes to the
 * variable is parked until the intended one has been there. When all candidates are parked, all are freed and
 * another thread is drawn. A thread also stands for the threads that it has yet to create; when it creates one, the
 * intention passes to that one in proportion. An operation on the variable leaves the priority of its thread as it
 * is, and only other operations draw a new one: a thread that was let through tends to go on at once.
 *
 * The plan: what it tracks is the variable. `a` is the number of threads with a weight: their operations on the
 * variable in an execution. It must ask always: every operation counts.
 *
 * A point costs a few words for each candidate, however many are parked: whether a thread is at the variable
 * follows from its pending operation, which stays the same until it is performed, so that is kept as a bit. Among
 * many candidates the highest priority is the top of a heap: as long as the candidates stay the same, only the one
 * that was chosen has a new priority. The state of a thread is written when it is first seen.
 */
#include "base/bitset.h"
#include "base/rng.h"
#include "pick/pick.h"
#include "trace/track.h"

#include <string.h>

struct surw {
    struct rd_rng rng;
    uint32_t known; /* threads with a weight */
    bool begun;
    rd_tid intended; /* RD_TID_NONE: none */
    rd_tid chosen;   /* at the last call */
    uint32_t step;   /* of the last call */
    bool any_parked;
    struct rd_bits created;        /* threads that are created */
    struct rd_bits parked;         /* threads that are held back */
    struct rd_bits at;             /* threads about to operate on the variable, as far as `looked` has them */
    struct rd_bits looked;         /* threads for which `at` is known */
    uint64_t priority[RD_TID_MAX]; /* of the pending operation of threads that are there; 0: not drawn yet */
    /* operations on the variable that it has yet to perform, with those of the threads that it has yet to create */
    uint32_t left[RD_TID_MAX];
    bool heap_stands;          /* the heap contains all candidates that are not parked */
    uint32_t heaped;           /* length of the heap */
    uint16_t heap[RD_TID_MAX]; /* indices of candidates; none is above one with a higher priority */
};

static_assert(sizeof(struct surw) <= RD_PICKER_STATE, "fits");

/* So that the sum of all weights fits. */
enum { WEIGHT_MAX = 1 << 21 };
enum { MANY = 16 }; /* with more candidates the highest priority is looked for in a heap */

static void begin(void *state, const struct rd_plan *plan) {
    struct surw *p = state;
    RD_CHECK(plan->ask_always && plan->a <= RD_TID_MAX);
    memset(p, 0, offsetof(struct surw, priority));
    p->known = plan->a;
    p->intended = RD_TID_NONE;
    p->heap_stands = false;
    rd_rng_seed(&p->rng, plan->seed);
}

static rd_tid parent_of(const struct surw *p, const struct rd_point *point, rd_tid tid) {
    rd_tid up = tid < p->known ? point->weight[tid].parent : RD_TID_NONE;
    return up < tid ? up : RD_TID_NONE; /* parents have smaller numbers */
}

static void load_weights(struct surw *p, const struct rd_point *point) {
    for (uint32_t t = 0; t < p->known; t++)
        p->left[t] = RD_MIN(point->weight[t].steps, (uint32_t)WEIGHT_MAX);
    for (uint32_t t = p->known; t-- > 1;) {
        rd_tid up = parent_of(p, point, (rd_tid)t);
        if (up != RD_TID_NONE)
            p->left[up] += p->left[t];
    }
}

/* The thread is created: its operations no longer count for its parent. */
static void arrive(struct surw *p, const struct rd_point *point, rd_tid tid) {
    rd_tid up = parent_of(p, point, tid);
    rd_bits_add(&p->created, tid);
    p->priority[tid] = 0;
    p->left[tid] = tid < p->known ? p->left[tid] : 0;
    if (up == RD_TID_NONE)
        return;
    uint32_t part = RD_MIN(p->left[tid], p->left[up]);
    if (p->intended == up && p->left[up] > 0 && rd_rng_below(&p->rng, p->left[up]) < part)
        p->intended = tid;
    p->left[up] -= part;
}

static void update(struct surw *p, const struct rd_point *point) {
    bool next = p->begun && point->step == p->step + 1;
    if (!p->begun)
        load_weights(p, point);
    if (!next) /* other threads may have gone on */
        memset(&p->looked, 0, sizeof p->looked);
    else
        rd_bits_del(&p->looked, p->chosen);
    if (point->same && next)
        return;
    p->begun = true;
    p->heap_stands = false;
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        if (!rd_bits_has(&p->created, tid))
            arrive(p, point, tid);
    }
}

static uint64_t priority_of(struct surw *p, rd_tid tid) {
    if (RD_UNLIKELY(!p->priority[tid]))
        p->priority[tid] = rd_rng_next(&p->rng) | 1;
    return p->priority[tid];
}

/* Restores the heap: what is at `at` goes down to where it belongs. */
static void sift(struct surw *p, const struct rd_point *point, uint32_t at) {
    RD_ASSERT(at < p->heaped);
    uint16_t mine = p->heap[at];
    uint64_t priority = p->priority[point->cand[mine].tid];
    for (uint32_t down; (down = 2 * at + 1) < p->heaped; at = down) {
        uint64_t left = p->priority[point->cand[p->heap[down]].tid];
        uint64_t right = down + 1 < p->heaped ? p->priority[point->cand[p->heap[down + 1]].tid] : 0;
        down += right > left;
        if (RD_MAX(left, right) <= priority)
            break;
        p->heap[at] = p->heap[down];
    }
    p->heap[at] = mine;
}

static void make_heap(struct surw *p, const struct rd_point *point) {
    p->heap_stands = true;
    p->heaped = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        if (p->any_parked && rd_bits_has(&p->parked, tid))
            continue;
        priority_of(p, tid);
        p->heap[p->heaped++] = (uint16_t)i;
    }
    for (uint32_t i = p->heaped / 2; i-- > 0;)
        sift(p, point, i);
}

static uint32_t heap_top(struct surw *p, const struct rd_point *point) {
    if (!p->heap_stands)
        make_heap(p, point);
    if (p->heaped && !p->priority[point->cand[p->heap[0]].tid]) { /* it was chosen, and has no priority yet */
        priority_of(p, point->cand[p->heap[0]].tid);
        sift(p, point, 0);
    }
    return p->heaped ? p->heap[0] : point->count;
}

/* Returns the candidate with the highest priority that is not parked; `count`: all are parked. */
static uint32_t highest(struct surw *p, const struct rd_point *point) {
    uint32_t best = point->count;
    uint64_t most = 0;
    if (point->count > MANY)
        return heap_top(p, point);
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        if (p->any_parked && rd_bits_has(&p->parked, tid))
            continue;
        uint64_t mine = priority_of(p, tid);
        if (RD_UNLIKELY(mine > most)) {
            best = i;
            most = mine;
        }
    }
    return best;
}

/* Returns whether the candidate is about to operate on the variable. */
static bool is_at(struct surw *p, const struct rd_point *point, uint32_t i) {
    rd_tid tid = point->cand[i].tid;
    if (!rd_bits_has(&p->looked, tid)) {
        rd_bits_add(&p->looked, tid);
        rd_bits_del(&p->at, tid);
        if (rd_track_of_op(point->track, point->track_count, point->cand[i].op))
            rd_bits_add(&p->at, tid);
    }
    return rd_bits_has(&p->at, tid);
}

/*
 * Parks all threads at the variable, except the intended one, that have a higher priority than all other
 * candidates. That is the outcome of choosing the highest priority again and again and parking each thread at the
 * variable. Returns the candidate to be chosen then; `count`: all are parked.
 */
static uint32_t park(struct surw *p, const struct rd_point *point) {
    uint32_t best = point->count;
    uint64_t most = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        bool free = !rd_bits_has(&p->parked, tid) && (tid == p->intended || !is_at(p, point, i));
        if (free && p->priority[tid] > most) {
            best = i;
            most = p->priority[tid];
        }
    }
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        if (tid != p->intended && p->priority[tid] > most && !rd_bits_has(&p->parked, tid)) {
            rd_bits_add(&p->parked, tid);
            p->any_parked = true;
            p->heap_stands = false;
            p->left[tid] = RD_MAX(p->left[tid], 1u);
        }
    }
    return best;
}

/* Draws the thread that shall come to the variable next, among the candidates that are not parked. */
static rd_tid intend(struct surw *p, const struct rd_point *point, rd_tid otherwise) {
    uint32_t sum = 0, i = 0;
    for (uint32_t k = 0; k < point->count; k++)
        sum += rd_bits_has(&p->parked, point->cand[k].tid) ? 0 : p->left[point->cand[k].tid];
    if (sum == 0)
        return otherwise;
    for (uint32_t at = rd_rng_below(&p->rng, sum);; i++) {
        uint32_t mine = rd_bits_has(&p->parked, point->cand[i].tid) ? 0 : p->left[point->cand[i].tid];
        if (at < mine)
            return point->cand[i].tid;
        at -= mine;
    }
}

static void unpark_all(struct surw *p) {
    if (p->any_parked) {
        memset(&p->parked, 0, sizeof p->parked);
        p->heap_stands = false;
    }
    p->any_parked = false;
    p->intended = RD_TID_NONE;
}

static uint32_t pick(void *state, const struct rd_point *point) {
    struct surw *p = state;
    if (!point->cand) {
        p->step = point->step;
        return rd_rng_below(&p->rng, point->count);
    }
    update(p, point);
    uint32_t best = highest(p, point);
    while (best == point->count || is_at(p, point, best)) {
        if (best == point->count) {
            unpark_all(p);
            best = highest(p, point);
            continue;
        }
        rd_tid tid = point->cand[best].tid;
        p->left[tid] = RD_MAX(p->left[tid], 1u);
        if (p->intended == RD_TID_NONE)
            p->intended = intend(p, point, tid);
        if (p->intended == tid) {
            p->left[tid]--;
            unpark_all(p);
            break;
        }
        best = park(p, point);
    }
    RD_CHECK(best < point->count);
    p->chosen = point->cand[best].tid;
    if (p->heap_stands && (!p->heaped || p->heap[0] != best))
        p->heap_stands = false;
    if (!is_at(p, point, best))
        p->priority[p->chosen] = 0;
    p->step = point->step;
    return best;
}

const struct rd_picker rd_pick_surw = {"surw", "uniform over the orders of the operations on one variable", begin,
                                       pick, false};
