/* rank_team.c - see rank_stages.h. */
#include "search/rank/rank_stages.h"

/*
 * Shared by the workers, in the hub. The course changes under the lock while no worker is busy; `shown` changes
 * under the lock.
 */
struct rank_common {
    struct rd_arena arena;
    struct rd_rank_course course;
    struct rd_rank_known shown; /* by all workers that have arrived so far */
    uint64_t units;             /* that were drawn in this phase */
    uint32_t phase;
    uint32_t news;             /* enum rd_rank_news, of this phase */
    uint32_t nondeterministic; /* an execution did not repeat its prefix */
};

static struct rank_common *common_of(const struct rd_rank *s) {
    return (struct rank_common *)((char *)s->team->hub + s->team->hub->tree_at);
}

void rd_rank_join(struct rd_rank *s) {
    struct rank_common *c = common_of(s);
    RD_CHECK(s->team->hub->tree_size >= sizeof *c);
    s->course = &c->course;
    s->phase = UINT32_MAX;
    rd_visited_open(&s->visited, s->arena, s->team);
    if (s->team->me)
        return;
    *c = (struct rank_common){.units = 0};
    rd_arena_init(&c->arena, c + 1, s->team->hub->tree_size - sizeof *c);
    c->shown.vars = c->course.known.vars = s->seen.vars;
    c->shown.vars.arena = c->course.known.vars.arena = &c->arena;
}

void rd_rank_follow(struct rd_rank *s) {
    const struct rank_common *c = common_of(s);
    if (__atomic_load_n(&c->phase, __ATOMIC_ACQUIRE) == s->phase)
        return;
    rd_team_lock(s->team);
    s->phase = c->phase;
    s->arrived = false;
    rd_rank_known_merge(&s->seen, &c->course.known);
    rd_rank_enter(s);
    rd_team_idle(s->team, false);
    rd_team_unlock(s->team);
}

/* A worker that has arrived must not draw: the next phase may have begun meanwhile. */
uint64_t rd_rank_draw(struct rd_rank *s) {
    return s->arrived ? UINT64_MAX : __atomic_fetch_add(&common_of(s)->units, 1, __ATOMIC_RELAXED);
}

void rd_rank_tell(const struct rd_rank *s, uint32_t news) {
    __atomic_or_fetch(&common_of(s)->news, news, __ATOMIC_RELEASE);
}

uint32_t rd_rank_told(const struct rd_rank *s) { return __atomic_load_n(&common_of(s)->news, __ATOMIC_ACQUIRE); }

void rd_rank_tell_nondeterministic(const struct rd_rank *s) {
    if (s->tree.nondeterministic)
        __atomic_store_n(&common_of(s)->nondeterministic, 1, __ATOMIC_RELAXED);
}

bool rd_rank_nondeterministic(const struct rd_rank *s) {
    return s->tree.nondeterministic || __atomic_load_n(&common_of(s)->nondeterministic, __ATOMIC_RELAXED);
}

static bool is_any_busy(const struct rd_hub *h) {
    for (uint32_t i = 0; i < RD_TEAM_MAX; i++)
        if (h->seat[i].state == RD_SEAT_BUSY)
            return true;
    return false;
}

enum rd_next rd_rank_arrive(struct rd_rank *s) {
    struct rank_common *c = common_of(s);
    struct rd_team *t = s->team;
    t->seen = __atomic_load_n(&t->hub->event, __ATOMIC_ACQUIRE);
    rd_team_lock(t);
    bool same = c->phase == s->phase;
    RD_CHECK(same || c->phase == s->phase + 1); /* no phase begins before this worker has arrived in it */
    if (same && !s->arrived) {
        rd_rank_known_merge(&c->shown, &s->seen);
        s->arrived = true;
        rd_team_idle(t, true);
    }
    if (same && !is_any_busy(t->hub)) {
        rd_rank_course_next(&c->course, &s->bounds, &c->shown, c->news, rd_team_count(t));
        rd_visited_forget(&s->visited);
        c->news = 0;
        c->units = 0;
        __atomic_store_n(&c->phase, c->phase + 1, __ATOMIC_RELEASE);
        rd_team_call(t);
    }
    bool over = c->course.stage == RD_RANK_OVER, waits = c->phase == s->phase;
    rd_team_unlock(t);
    if (over)
        rd_team_end(t, RD_OVER_DONE);
    return over ? RD_NEXT_DONE : waits ? RD_NEXT_WAIT : RD_NEXT_RUN;
}
