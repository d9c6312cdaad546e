/*
 * omp_share.c - see omp.h: work that is shared among the threads of a team: loops, sections, single, ordered, and
 * loops whose iterations wait for each other (doacross).
 *
 * A construct is identified by its number, which each thread counts for itself. A team has room for RD_OMP_SHARES
 * constructs at once, because a thread can be ahead of others after constructs with nowait; a program in which a
 * thread gets further ahead is refused.
 *
 * ordered: iterations have their turn one after the other. A thread that takes another chunk of the loop first
 * waits until all iterations before its last chunk are over, as in gcc's runtime.
 */
#include "rt/hook/omp/omp.h"

#include <string.h>

/* An RD_OP_TEAM without a condition, if the team has several threads. */
static void team_op(const struct rd_omp *o, const void *object, uint64_t pc) {
    if (o->me.team->size > 1)
        rd_omp_op(RD_OP_TEAM, object, pc);
}

/* rd_omp_enter; with RD_OMP_CHUNK the operation chooses the thread's first chunk, too (its way is in o->way). */
static struct rd_omp_share *enter(struct rd_omp *o, enum rd_omp_wait wait, bool *first, uint64_t pc) {
    struct rd_omp_team *t = o->me.team;
    uint64_t number = ++o->me.shares;
    struct rd_omp_share *s = &t->share[number % RD_OMP_SHARES];
    o->me.share = s;
    o->way = t->size > 1 ? rd_omp_wait(o, wait, s, NULL, pc) : 0;
    *first = s->number != number;
    if (*first) {
        if (s->number && (s->entered < t->size || s->inside))
            rd_omp_refuse("work-sharing constructs with nowait, where a thread is 16 of them ahead of another,");
        *s = (struct rd_omp_share){.number = number};
    }
    s->entered++;
    s->inside++;
    RD_ASSERT(s->inside <= s->entered && s->entered <= t->size); /* each thread comes to a construct once */
    o->me.trip = 0;
    return s;
}

struct rd_omp_share *rd_omp_enter(struct rd_omp *o, bool *first, uint64_t pc) {
    return enter(o, RD_OMP_ANY, first, pc);
}

void rd_omp_enter_loop(struct rd_omp *o, const struct rd_omp_share *like, uint64_t pc) {
    bool first;
    struct rd_omp_share *s = enter(o, like->any_order ? RD_OMP_CHUNK : RD_OMP_ANY, &first, pc);
    if (!first)
        return;
    s->schedule = like->schedule;
    s->first = like->first;
    s->step = like->step;
    s->count = like->count;
    s->chunk = like->chunk;
    s->any_order = like->any_order;
    s->libomp_lengths = like->libomp_lengths;
}

void rd_omp_leave(struct rd_omp *o) {
    struct rd_omp_share *s = o->me.share;
    o->me.share = NULL;
    if (s)
        rd_omp_leave_share(o, s);
}

void rd_omp_leave_share(struct rd_omp *o, struct rd_omp_share *s) {
    RD_ASSERT(s->inside > 0);
    if (--s->inside || !s->posted || s->entered < o->me.team->size)
        return;
    rd_heap_free(s->posted, o->me.team->pc);
    s->posted = NULL;
}

bool rd_omp_single(uint64_t pc) {
    struct rd_omp *o = rd_omp_self();
    bool first;
    rd_omp_enter(o, &first, pc);
    rd_omp_leave(o);
    return first;
}

/* ---- loops ---- */

struct rd_omp_range rd_omp_static_block(uint64_t count, uint64_t threads, uint64_t num) {
    RD_CHECK(num < threads);
    uint64_t each = count / threads, more = count % threads;
    uint64_t from = num * each + RD_MIN(num, more);
    return (struct rd_omp_range){from, from + each + (num < more)};
}

static bool next_static(struct rd_omp *o, const struct rd_omp_share *s, struct rd_omp_range *r) {
    uint64_t threads = o->me.team->size, num = o->me.num;
    if (s->chunk) {
        uint64_t from = (o->me.trip++ * threads + num) * s->chunk;
        *r = (struct rd_omp_range){from, RD_MIN(from + s->chunk, s->count)};
        return from < s->count;
    }
    *r = rd_omp_static_block(s->count, threads, num);
    return o->me.trip++ == 0 && r->from < r->to;
}

/*
 * The length of the next guided chunk when `left` iterations are left: libgomp divides them by the number of
 * threads. libomp (`libomp_lengths`) divides them by twice the number of threads, and gives chunks of the least
 * size near the end.
 */
static uint64_t guided_length(const struct rd_omp_share *s, uint64_t left, uint64_t threads) {
    uint64_t least = s->chunk ? s->chunk : 1;
    if (!s->libomp_lengths)
        return RD_MAX((left + threads - 1) / threads, least);
    if ((2 * least + 1) * threads >= s->count || left < 2 * threads * (least + 1))
        return least;
    return left / (2 * threads);
}

static bool next_shared(const struct rd_omp *o, struct rd_omp_share *s, struct rd_omp_range *r) {
    RD_ASSERT(s->next <= s->count);
    uint64_t left = s->count - s->next, threads = o->me.team->size, length = s->chunk ? s->chunk : 1;
    if (s->schedule == RD_OMP_GUIDED)
        length = guided_length(s, left, threads);
    *r = (struct rd_omp_range){s->next, s->next + RD_MIN(length, left)};
    s->next = r->to;
    return left > 0;
}

/*
 * Loops with `any_order`: clang's runtime gives each thread a block of chunks, and a thread that is done takes
 * chunks from the end of another thread's block. Here the next chunk of a thread is a choice among all chunks that
 * are left, or the first RD_OMP_CHOICES of them.
 */
enum { BITS = 64 }; /* of a word of rd_omp_share.taken */

static uint64_t chunk_count(const struct rd_omp_share *s) { return (s->count + s->chunk - 1) / s->chunk; }

uint32_t rd_omp_chunks_left(const struct rd_omp *o) {
    const struct rd_omp_share *s = o->me.share->number == o->me.shares
                                       ? o->me.share
                                       : &o->announced; /* the thread is the first to come here */
    uint64_t left = chunk_count(s) - s->next;
    return s->any_order ? (uint32_t)RD_MAX(RD_MIN(left, (uint64_t)RD_OMP_CHOICES), (uint64_t)1) : 1;
}

/* The number of bits that are 0. */
static uint64_t free_in(uint64_t taken) { return (uint64_t)__builtin_popcountll(~taken); }

/* Takes the free chunk with index `which` among the free ones. */
static bool next_any(struct rd_omp_share *s, uint64_t which, struct rd_omp_range *r) {
    uint64_t chunks = chunk_count(s), i = 0;
    if (s->next == chunks)
        return false;
    RD_CHECK(which < chunks - s->next); /* rd_omp_chunks_left has given the number of ways */
    if (!s->taken) {
        s->taken = rd_omp_zeroed((chunks + BITS - 1) / BITS * sizeof *s->taken);
        s->full = 0;
    }
    while (s->taken[s->full] == UINT64_MAX)
        s->full++;
    i = s->full;
    while (which >= free_in(s->taken[i]))
        which -= free_in(s->taken[i++]);
    uint64_t free = ~s->taken[i];
    for (; which; which--)
        free &= free - 1;
    s->taken[i] |= free & -free;
    i = i * BITS + (uint64_t)__builtin_ctzll(free);
    RD_CHECK(i < chunks);
    s->next++;
    *r = (struct rd_omp_range){i * s->chunk, RD_MIN((i + 1) * s->chunk, s->count)};
    return true;
}

bool rd_omp_next(struct rd_omp *o, bool begins, bool ordered, struct rd_omp_range *r, uint64_t pc) {
    struct rd_omp_share *s = o->me.share;
    bool is_static = s->schedule == RD_OMP_STATIC || s->schedule == RD_OMP_AUTO;
    uint64_t which = o->way;
    if (ordered && !begins)
        rd_omp_pass_turn(o, o->me.length - o->me.passed_on, pc);
    if (s->any_order && !begins && o->me.team->size > 1)
        which = rd_omp_wait(o, RD_OMP_CHUNK, s, NULL, pc);
    else if (!begins && !is_static)
        team_op(o, s, pc);
    bool any = is_static ? next_static(o, s, r) : s->any_order ? next_any(s, which, r) : next_shared(o, s, r);
    o->me.turn = r->from;
    o->me.length = any ? r->to - r->from : 0;
    o->me.passed_on = 0;
    return any;
}

/* ---- ordered ---- */

void rd_omp_await_turn(struct rd_omp *o, uint64_t pc) {
    if (o->me.team->size > 1)
        rd_omp_wait(o, RD_OMP_TURN, &o->me.share->turns, NULL, pc);
    RD_ASSERT(o->me.team->size == 1 || o->me.share->turns >= o->me.turn);
}

void rd_omp_pass_turn(struct rd_omp *o, uint64_t iterations, uint64_t pc) {
    struct rd_omp_share *s = o->me.share;
    rd_omp_await_turn(o, pc);
    s->turns += iterations;
    o->me.passed_on += iterations;
}

/* ---- doacross ---- */

void rd_omp_doacross(struct rd_omp_share *s, const uint64_t *counts, uint32_t dimensions, uint64_t pc) {
    uint64_t total = 1;
    if (dimensions > RD_COUNT(s->extent))
        rd_omp_refuse("ordered loops of more than 8 dimensions");
    bool fits = true;
    for (uint32_t i = 0; i < dimensions; i++)
        fits &= !__builtin_mul_overflow(total, s->extent[i] = counts[i], &total);
    s->dimensions = dimensions;
    s->posted = total && fits ? rd_heap_alloc(total, 16, pc) : NULL;
    if (!fits || (total && !s->posted))
        rd_omp_refuse("an ordered loop with too many iterations");
    if (total) {
        rd_rt_enter();
        memset(s->posted, 0, total);
        rd_rt_leave();
    }
}

/* Each iteration is an object of its own: one object for all would order posts and waits that are not ordered. */
void rd_omp_post(struct rd_omp *o, struct rd_omp_share *s, uint64_t iteration, uint64_t pc) {
    if (o->me.team->size > 1)
        rd_omp_op(RD_OP_RELEASE, &s->posted[iteration], pc);
    s->posted[iteration] = 1;
}

void rd_omp_await_post(struct rd_omp *o, const struct rd_omp_share *s, uint64_t iteration, uint64_t pc) {
    o->posted = &s->posted[iteration];
    if (o->me.team->size > 1)
        rd_omp_wait(o, RD_OMP_POSTED, o->posted, NULL, pc);
}
