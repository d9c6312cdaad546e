/* private_locks.c - see private_locks.h. */
#include "search/exitblock/private_locks.h"

#include "detect/detect.h"
#include "trace/held.h"

/* A user of a lock is the number of its thread, + 1. SEVERAL_USERS: two threads or more. */
enum { SEVERAL_USERS = 0xffff, USER_BITS = 16 };
static_assert(RD_TID_MAX + 1 < SEVERAL_USERS, "fits");

/* An entry of the map: a user, and the number of the execution that showed the lock for the first time. */
static uint64_t entry(uint64_t user, uint64_t first) { return user | first << USER_BITS; }
static uint64_t user_of(uint64_t entry) { return entry & SEVERAL_USERS; }

bool rd_private_locks_has(const struct rd_private_locks *p, rd_place lock) {
    const uint64_t *known = p->none || !lock ? NULL : rd_map_get(&p->users, lock);
    return known && user_of(*known) != SEVERAL_USERS;
}

/* Adds a user to the lock, which the execution with number `now` shows. 0: another worker knows the user. */
static void add_user(struct rd_private_locks *p, struct rd_arena *a, rd_place lock, uint64_t user, uint64_t now,
                     enum rd_private_news *news) {
    uint64_t *known = rd_map_put(&p->users, a, lock), was = user_of(*known), first = *known >> USER_BITS;
    if (was == user || was == SEVERAL_USERS)
        return;
    bool less = was != 0 && (first != now || now == 0) && !p->none;
    *known = was ? entry(SEVERAL_USERS, first) : entry(user, now);
    *news = RD_MAX(*news, less ? RD_PRIVATE_LESS : RD_PRIVATE_MORE);
}

/* Returns whether the operation takes a lock, tries to, or releases it; if so, writes the lock. */
static bool is_use(unsigned op, rd_place place, rd_place second, rd_place *lock) {
    *lock = place;
    switch (op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_MUTEX_CONSISTENT:
    case RD_OP_SPIN_LOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
    case RD_OP_RWLOCK_QUEUE:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
    case RD_OP_RWLOCK_UNLOCK:
        return place != 0;
    case RD_OP_COND_WAIT:
    case RD_OP_COND_WAKE:
        *lock = second;
        return second != 0;
    default:
        return false;
    }
}

static bool remakes(unsigned op) {
    return op == RD_OP_MUTEX_INIT || op == RD_OP_MUTEX_DESTROY || op == RD_OP_OBJECT_INIT ||
           op == RD_OP_OBJECT_DESTROY;
}

/* Returns whether step `at`, of another thread, comes before the thread's creation or after its join. */
static bool is_outside_life(const struct rd_record *r, uint32_t at, uint64_t tid) {
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        bool same = s->value == tid && s->result == 0 && s->tid == r->steps[at].tid;
        if (same && ((s->op == RD_OP_JOIN && i < at) || (s->op == RD_OP_CREATE && i > at)))
            return true;
    }
    return false;
}

static enum rd_private_news note_users(struct rd_private_locks *p, struct rd_arena *a, const struct rd_record *r) {
    enum rd_private_news news = RD_PRIVATE_SAME;
    rd_place lock;
    uint64_t now = ++p->executions;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (is_use(s->op, s->place, s->flags & RD_STEP_VALUE2 ? s->value : 0, &lock))
            add_user(p, a, lock, s->tid + 1u, now, &news);
    }
    for (uint32_t t = 0; t < r->out->threads; t++) {
        const struct rd_op *op = &r->threads[t].pending;
        if (r->threads[t].state == RD_T_READY && is_use(op->kind, op->place, op->place2, &lock))
            add_user(p, a, lock, t + 1u, now, &news);
    }
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        const uint64_t *known = s->place && remakes(s->op) ? rd_map_get(&p->users, s->place) : NULL;
        uint64_t user = known ? user_of(*known) : SEVERAL_USERS;
        if (user != SEVERAL_USERS && user != s->tid + 1u && !is_outside_life(r, i, user - 1))
            add_user(p, a, s->place, s->tid + 1u, now, &news);
    }
    return news;
}

/* Returns whether the lock keeps other threads out: the locks of the discipline without the private ones. */
static bool keeps_out(const void *ctx, rd_place lock) { return !rd_private_locks_has(ctx, lock); }

/* Returns whether the execution keeps the locking discipline only because private locks count, too. */
static bool hide_breach(const struct rd_private_locks *p, struct rd_arena *a, const struct rd_record *r) {
    rd_place lock;
    struct rd_finding f;
    bool any = false;
    for (uint32_t i = 0; i < r->out->steps && !any; i++)
        any = rd_lock_change(&r->steps[i], &lock) != RD_LOCK_SAME && rd_private_locks_has(p, lock);
    size_t mark = a->used;
    bool hides = any && rd_detect_lockset_of(a, r, keeps_out, p, &f);
    a->used = mark;
    hides = hides && !rd_detect_lockset(a, r, NULL, &f);
    a->used = mark;
    return hides;
}

enum rd_private_news rd_private_locks_learn(struct rd_private_locks *p, struct rd_arena *a,
                                            const struct rd_record *r) {
    enum rd_private_news news = note_users(p, a, r);
    if (!hide_breach(p, a, r))
        return news;
    p->none = true;
    return RD_PRIVATE_LESS;
}

enum rd_private_news rd_private_locks_merge(struct rd_private_locks *p, struct rd_arena *a,
                                            const struct rd_private_locks *from) {
    enum rd_private_news news = from->none && !p->none ? RD_PRIVATE_LESS : RD_PRIVATE_SAME;
    p->none |= from->none;
    for (uint32_t i = 0; i < from->users.room; i++)
        if (from->users.slots[i].key)
            add_user(p, a, from->users.slots[i].key, user_of(from->users.slots[i].value), 0, &news);
    return news;
}
