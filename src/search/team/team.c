/* team.c - see team.h. */
#include "search/team/team.h"

#include "search/visited.h"

#include <string.h>

/*
 * The size of a box: bytes for a unit or the tally of a sampler. The kernel provides only the pages that are
 * touched.
 */
enum { BOX_LEAST = 32 << 20 };
static const uint64_t TREE_SIZE = (uint64_t)1 << 30;

static uint64_t whole_pages(uint64_t bytes) { return (bytes + 4095) & ~(uint64_t)4095; }

uint64_t rd_hub_layout(struct rd_hub *h, uint32_t workers, uint64_t steps) {
    RD_CHECK(workers > 0 && workers <= RD_TEAM_MAX);
    h->version = RD_HUB_VERSION;
    h->box_at = whole_pages(sizeof *h);
    h->box_size = whole_pages(RD_MAX(steps * 64, (uint64_t)BOX_LEAST));
    h->part_box = BOX_LEAST; /* a unit that is larger is not handed over */
    h->part_header = whole_pages(sizeof *h);
    h->parts_at = h->box_at + workers * h->box_size;
    h->part_size = h->part_header + workers * h->part_box;
    h->common_at = h->parts_at + RD_TEAM_PARTS * h->part_size;
    h->tree_at = h->common_at + RD_TEAM_COMMON;
    h->tree_size = TREE_SIZE;
    h->visited_at = h->tree_at + h->tree_size;
    h->size = h->visited_at + rd_visited_size();
    return h->size;
}

/* ---- the lock ---- */

void rd_team_take(struct rd_team *t, uint32_t *word) {
    uint32_t is = 0;
    if (__atomic_compare_exchange_n(word, &is, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0)
        t->wait(word, 2);
}

void rd_team_release(struct rd_team *t, uint32_t *word) {
    uint32_t was = __atomic_exchange_n(word, 0, __ATOMIC_RELEASE);
    RD_CHECK(was == 1 || was == 2); /* this worker held it */
    if (was == 2)
        t->wake(word);
}

void rd_team_lock(struct rd_team *t) { rd_team_take(t, &t->hub->lock); }
void rd_team_unlock(struct rd_team *t) { rd_team_release(t, &t->hub->lock); }

void rd_team_call(struct rd_team *t) {
    __atomic_add_fetch(&t->hub->event, 1, __ATOMIC_RELEASE);
    t->wake(&t->hub->event);
}

void rd_team_wait(struct rd_team *t) { t->wait(&t->hub->event, t->seen); }

static void end(struct rd_team *t, enum rd_over why) {
    if (t->hub->over == RD_OVER_NOT)
        __atomic_store_n(&t->hub->over, (uint32_t)why, __ATOMIC_RELEASE);
    rd_team_call(t);
}

void rd_team_end(struct rd_team *t, enum rd_over why) {
    rd_team_lock(t);
    end(t, why);
    rd_team_unlock(t);
}

/* ---- seats ---- */

static struct rd_seat *seat_of(const struct rd_team *t) {
    RD_CHECK(t->me < RD_TEAM_MAX);
    return &t->hub->seat[t->me];
}

bool rd_team_join(struct rd_team *t) {
    rd_team_lock(t);
    bool fine = t->hub->over == RD_OVER_NOT;
    if (fine)
        seat_of(t)->state = RD_SEAT_BUSY;
    rd_team_call(t);
    rd_team_unlock(t);
    return fine;
}

void rd_team_idle(struct rd_team *t, bool idle) {
    struct rd_seat *s = seat_of(t);
    if (idle == (s->state == RD_SEAT_IDLE))
        return;
    s->state = idle ? RD_SEAT_IDLE : RD_SEAT_BUSY;
    if (idle)
        s->idle_from = t->now_ns(NULL);
    else
        s->idle_ns += t->now_ns(NULL) - s->idle_from;
    __atomic_add_fetch(&t->hub->hungry, idle ? 1u : UINT32_MAX, __ATOMIC_RELAXED);
}

void rd_team_ran(struct rd_team *t) {
    struct rd_seat *s = seat_of(t);
    __atomic_store_n(&s->executions, s->executions + 1, __ATOMIC_RELAXED);
}

uint64_t rd_team_count(const struct rd_team *t) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < RD_TEAM_MAX; i++)
        n += __atomic_load_n(&t->hub->seat[i].executions, __ATOMIC_RELAXED);
    return n;
}

bool rd_team_first(struct rd_team *t, uint64_t key) {
    key = key ? key : 1;
    for (uint32_t i = 0; i < RD_TEAM_KEYS; i++) {
        uint64_t *at = &t->hub->keys[(rd_mix(key) + i) % RD_TEAM_KEYS], is = 0;
        if (__atomic_compare_exchange_n(at, &is, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
        if (is == key)
            return false;
    }
    return true;
}

/* ---- units ---- */

/* Gives units to workers that wait. pre: the lock. */
static void give(struct rd_team *t) {
    struct rd_hub *h = t->hub;
    for (uint32_t i = 0; i < RD_TEAM_MAX; i++) {
        struct rd_seat *s = &h->seat[i];
        if (s->state != RD_SEAT_IDLE || s->size)
            continue;
        s->size = t->search->team->give(t->state, h->level, rd_team_box(t, i), h->box_size);
        RD_CHECK(s->size <= h->box_size);
        if (!s->size)
            return;
        __atomic_sub_fetch(&h->hungry, 1, __ATOMIC_RELAXED);
        rd_team_call(t);
    }
}

/*
 * Returns whether no worker is busy and no box has a unit; then *level is the lowest level of the executions that
 * idle workers have left. pre: the lock.
 */
static bool all_wait(const struct rd_hub *h, uint64_t *level) {
    *level = RD_LEVEL_NONE;
    for (uint32_t i = 0; i < RD_TEAM_MAX; i++) {
        const struct rd_seat *s = &h->seat[i];
        if (s->state == RD_SEAT_BUSY || s->size)
            return false;
        if (s->state == RD_SEAT_IDLE)
            *level = RD_MIN(*level, s->level);
    }
    return true;
}

/*
 * For a worker without an execution of the current level: takes the unit in its box, ends the search, or begins
 * the next level. Returns true if the worker may go on at once. pre: the lock.
 */
static bool find_work(struct rd_team *t, uint64_t level) {
    struct rd_hub *h = t->hub;
    struct rd_seat *s = seat_of(t);
    if (s->size) {
        RD_CHECK(s->size <= h->box_size);
        /* `give` has taken this seat off `hungry`, and rd_team_idle does so, too, or has done so */
        __atomic_add_fetch(&h->hungry, 1, __ATOMIC_RELAXED);
        rd_team_idle(t, false);
        t->search->team->take(t->state, rd_team_box(t, t->me), s->size);
        s->size = 0;
        s->units++;
        return true;
    }
    s->level = level;
    rd_team_idle(t, true);
    uint64_t lowest;
    if (!all_wait(h, &lowest))
        return false;
    if (lowest == RD_LEVEL_NONE) {
        end(t, RD_OVER_DONE);
        return true;
    }
    if (lowest <= h->level)
        return false; /* an idle worker has executions of the current level, and has not asked again yet */
    h->covered = rd_team_count(t);
    __atomic_store_n(&h->level, lowest, __ATOMIC_RELEASE);
    rd_team_call(t);
    return level <= lowest;
}

static enum rd_next next_unit(struct rd_team *t, struct rd_draft *d) {
    struct rd_hub *h = t->hub;
    if (__atomic_load_n(&h->hungry, __ATOMIC_RELAXED)) {
        rd_team_lock(t);
        give(t);
        rd_team_unlock(t);
    }
    while (!__atomic_load_n(&h->over, __ATOMIC_ACQUIRE)) {
        uint64_t level = t->search->team->level(t->state);
        if (level <= __atomic_load_n(&h->level, __ATOMIC_ACQUIRE)) {
            if (seat_of(t)->state == RD_SEAT_IDLE) {
                rd_team_lock(t);
                rd_team_idle(t, false);
                rd_team_unlock(t);
            }
            enum rd_next next = t->search->next(t->state, d);
            RD_CHECK(next == RD_NEXT_RUN);
            return next;
        }
        t->seen = __atomic_load_n(&h->event, __ATOMIC_ACQUIRE);
        rd_team_lock(t);
        bool again = find_work(t, level);
        rd_team_unlock(t);
        if (!again)
            return RD_NEXT_WAIT;
    }
    return RD_NEXT_DONE;
}

/* Draws the number of the next execution. Returns false if the budget allows none. */
static bool draw(struct rd_team *t) {
    t->ticket = __atomic_fetch_add(&t->hub->tickets, 1, __ATOMIC_RELAXED);
    if (!t->hub->tickets_max || t->ticket < t->hub->tickets_max)
        return true;
    rd_team_end(t, RD_OVER_SPENT);
    return false;
}

enum rd_next rd_team_next(struct rd_team *t, struct rd_draft *d) {
    enum rd_share share = rd_search_share(t->search);
    RD_CHECK(share != RD_SHARE_NOT);
    if (__atomic_load_n(&t->hub->over, __ATOMIC_ACQUIRE))
        return RD_NEXT_DONE;
    if (share == RD_SHARE_TICKETS) {
        if (!t->held && !draw(t))
            return RD_NEXT_DONE;
        enum rd_next next = t->search->next(t->state, d);
        t->held = next == RD_NEXT_WAIT; /* the ticket is kept until the worker may run */
        return next;
    }
    enum rd_next next = share == RD_SHARE_UNITS ? next_unit(t, d) : t->search->next(t->state, d);
    return next == RD_NEXT_RUN && t->hub->tickets_max && !draw(t) ? RD_NEXT_DONE : next;
}

/* ---- the end ---- */

/* Returns whether another worker is yet to leave. pre: the lock. */
static bool others_present(const struct rd_team *t) {
    for (uint32_t i = 1; i < RD_TEAM_MAX; i++)
        if (t->hub->seat[i].state == RD_SEAT_BUSY || t->hub->seat[i].state == RD_SEAT_IDLE)
            return true;
    return false;
}

static void merge_tallies(struct rd_team *t) {
    for (uint32_t i = 1; i < RD_TEAM_MAX; i++) {
        const struct rd_seat *s = &t->hub->seat[i];
        RD_CHECK(s->state != RD_SEAT_LEFT || s->size <= t->hub->box_size);
        if (s->state == RD_SEAT_LEFT && s->size)
            t->search->team->merge(t->state, rd_team_box(t, i), s->size);
    }
}

void rd_team_leave(struct rd_team *t) {
    rd_team_lock(t);
    end(t, RD_OVER_STOPPED);
    rd_team_idle(t, false);
    if (t->me) {
        /*
         * A unit in the box that was not begun is lost: the search has not ended with RD_OVER_DONE then, so it
         * claims no completeness.
         */
        seat_of(t)->size = t->search->team->tally(t->state, rd_team_box(t, t->me), t->hub->box_size);
        RD_CHECK(seat_of(t)->size <= t->hub->box_size);
        seat_of(t)->state = RD_SEAT_LEFT;
        rd_team_call(t);
        rd_team_unlock(t);
        return;
    }
    while (others_present(t)) {
        t->seen = t->hub->event;
        rd_team_unlock(t);
        rd_team_wait(t);
        rd_team_lock(t);
    }
    rd_team_unlock(t);
    merge_tallies(t);
}
