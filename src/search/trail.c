/* trail.c - see trail.h. */
#include "search/trail.h"

#include <string.h>

void rd_trail_open(struct rd_trail *t, struct rd_arena *a) {
    size_t size = (a->size - a->used) / 4 & ~(size_t)4095;
    rd_arena_init(&t->scratch, rd_arena_alloc(a, size), size);
    a->lent += size;
}

static uint32_t alive_at_end(const struct rd_record *r) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->out->threads; i++)
        n += r->threads[i].state == RD_T_READY;
    return n;
}

/* The clock of the thread, as an array over all threads. */
static const uint32_t *flat(struct rd_trail *t, const struct rd_vclock *c) {
    uint32_t *to = rd_arena_alloc(&t->scratch, t->threads * sizeof *to);
    memset(to, 0, t->threads * sizeof *to);
    memcpy(to, c->at, RD_MIN(c->count, t->threads) * sizeof *to);
    return to;
}

static void add_events(struct rd_trail *t, const struct rd_record *r) {
    uint32_t *last = rd_arena_alloc(&t->scratch, t->threads * sizeof *last); /* event of each thread so far */
    uint32_t *index = rd_arena_zero(&t->scratch, t->threads * sizeof *index);
    struct rd_order o;
    rd_order_init(&o, &t->scratch);
    for (uint32_t i = 0; i < t->threads; i++)
        last[i] = RD_TRAIL_NONE;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_step_is_way(s)) {
            t->at[t->count - 1].way = (int32_t)s->value;
            t->of_step[i] = t->count - 1;
            continue;
        }
        struct rd_trail_event *x = &t->at[t->count];
        *x = (struct rd_trail_event){.e = rd_event_of_step(s), .step = i, .way = -1, .timed = s->timed};
        x->prev = last[s->tid];
        x->index = ++index[s->tid];
        t->undirected |= s->op == RD_OP_SIGNAL_SEND && x->e.target == RD_TID_NONE;
        rd_order_event(&o, &x->e);
        x->clock = flat(t, rd_order_clock(&o, s->tid));
        last[s->tid] = t->of_step[i] = t->count;
        if (s->op == RD_OP_CREATE && x->e.target != RD_TID_NONE)
            last[x->e.target] = t->count;
        t->count++;
    }
    t->all = t->count;
    for (uint32_t i = 0; i < r->out->threads; i++) {
        const struct rd_thread_info *info = &r->threads[i];
        if (info->state != RD_T_READY || info->pending.kind == RD_OP_NONE)
            continue;
        struct rd_trail_event *x = &t->at[t->all++];
        *x = (struct rd_trail_event){.e = rd_event_of_pending((rd_tid)i, &info->pending), .way = -1};
        x->timed = info->pending.deadline != 0;
        x->step = r->out->steps;
        x->prev = last[i];
        x->index = index[i] + 1;
    }
}

static void sort_by_thread(struct rd_trail *t) {
    t->start = rd_arena_zero(&t->scratch, (t->threads + 2) * sizeof *t->start);
    t->list = rd_arena_alloc(&t->scratch, (t->all + 1) * sizeof *t->list);
    for (uint32_t i = 0; i < t->all; i++)
        t->start[t->at[i].e.tid + 2]++;
    for (uint32_t i = 2; i < t->threads + 2; i++)
        t->start[i] += t->start[i - 1];
    for (uint32_t i = 0; i < t->all; i++)
        t->list[t->start[t->at[i].e.tid + 1]++] = i;
}

void rd_trail_build(struct rd_trail *t, const struct rd_record *r) {
    rd_arena_reset(&t->scratch);
    t->record = r;
    t->count = 0;
    t->threads = RD_MAX(r->out->threads, 1u);
    for (uint32_t i = 0; i < r->out->steps; i++)
        t->threads = RD_MAX(t->threads, (uint32_t)r->steps[i].tid + 1);
    t->at = rd_arena_alloc(&t->scratch, (r->out->steps + alive_at_end(r) + 1) * sizeof *t->at);
    t->of_step = rd_arena_alloc(&t->scratch, (r->out->steps + 1) * sizeof *t->of_step);
    add_events(t, r);
    sort_by_thread(t);
    t->latest = (struct rd_map){0};
    t->entries.at = NULL;
    t->entries.count = t->entries.room = t->broad = 0;
    t->rivals.at = NULL;
    t->rivals.count = t->rivals.room = 0;
    t->marked = rd_arena_zero(&t->scratch, (t->all + 1) * sizeof *t->marked);
}

uint32_t rd_trail_next(const struct rd_trail *t, rd_tid tid, uint32_t step) {
    if (tid >= t->threads)
        return RD_TRAIL_NONE;
    uint32_t low = t->start[tid], end = t->start[tid + 1], high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->at[t->list[middle]].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end ? t->list[low] : RD_TRAIL_NONE;
}

bool rd_trail_enabled(const struct rd_trail *t, rd_tid tid, uint32_t step) {
    const struct rd_step *s = &t->record->steps[step];
    for (uint32_t i = 0; i < s->ncand; i++)
        if (t->record->cands[s->cand + i] == tid)
            return true;
    return false;
}

static bool releases(unsigned op) {
    return op == RD_OP_MUTEX_UNLOCK || op == RD_OP_SPIN_UNLOCK || op == RD_OP_COND_WAIT;
}

/* It waits for what the other one does, whatever else happens. */
static bool needs(const struct rd_event *b, const struct rd_event *a) {
    switch (b->op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_COND_WAKE:
        return releases(a->op);
    case RD_OP_RWLOCK_RDLOCK:
        return a->op == RD_OP_RWLOCK_UNLOCK && a->touch[0] == RD_TOUCH_WRITE;
    case RD_OP_RWLOCK_WRLOCK:
        return a->op == RD_OP_RWLOCK_UNLOCK;
    case RD_OP_ONCE_BEGIN:
        return a->op == RD_OP_ONCE_END;
    default:
        return false;
    }
}

/* It has taken what the other one takes, too: just before, that was free. */
static bool took_the_same(const struct rd_event *a, const struct rd_event *b) {
    if (a->object[0] != b->object[0])
        return false;
    switch (b->op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_SPIN_LOCK:
        return a->op == RD_OP_MUTEX_LOCK || a->op == RD_OP_MUTEX_TRYLOCK || a->op == RD_OP_SPIN_LOCK ||
               a->op == RD_OP_SPIN_TRYLOCK;
    case RD_OP_SEM_WAIT:
        return a->op == RD_OP_SEM_WAIT || a->op == RD_OP_SEM_TRYWAIT;
    case RD_OP_RWLOCK_WRLOCK:
        return a->op == RD_OP_RWLOCK_WRLOCK || a->op == RD_OP_RWLOCK_TRYWRLOCK;
    default:
        return false;
    }
}

static bool on_semaphore(const struct rd_event *e, uint64_t object) {
    return e->object[0] == object && (e->op == RD_OP_SEM_WAIT || e->op == RD_OP_SEM_TRYWAIT ||
                                      e->op == RD_OP_SEM_POST || e->op == RD_OP_SEM_VALUE);
}

/* What the event has added to the semaphore. */
static int64_t added(const struct rd_trail *t, uint32_t i) {
    const struct rd_step *s = &t->record->steps[t->at[i].step];
    if (s->result || s->op == RD_OP_SEM_VALUE)
        return 0;
    return s->op == RD_OP_SEM_POST ? 1 : -1;
}

/*
 * Would the semaphore let b through, if a and what comes after a had not happened? Its value when b came, less what
 * those have added.
 */
static bool enough_without(const struct rd_trail *t, uint32_t a, uint32_t b) {
    uint64_t object = t->at[b].e.object[0];
    int64_t value = 0, of_others = 0;
    for (uint32_t i = 0; i < RD_MIN(b, t->count); i++) {
        const struct rd_step *s = &t->record->steps[t->at[i].step];
        if (!on_semaphore(&t->at[i].e, object) || s->flags & (RD_STEP_LATE | RD_STEP_SIGNALLED))
            continue;
        value = (int64_t)s->value + added(t, i);
        if (i == a || (i > a && rd_trail_before(t, a, i)))
            of_others += added(t, i);
    }
    if (b < t->count)
        value = (int64_t)t->record->steps[t->at[b].step].value;
    return value - of_others > 0;
}

/* Did the operation do what it is there for? Not when a signal came first, or its thread was cancelled there. */
static bool did(const struct rd_trail *t, uint32_t i) {
    const struct rd_step *s = i < t->count ? &t->record->steps[t->at[i].step] : NULL;
    return !s || (!s->result && !(s->flags & RD_STEP_SIGNALLED));
}

/* A writer that has queued keeps readers out until it has had the lock. */
static bool kept_out(const struct rd_trail *t, uint32_t a, uint32_t b) {
    const struct rd_trail_event *x = &t->at[a];
    return t->at[b].e.op == RD_OP_RWLOCK_RDLOCK && x->e.op == RD_OP_RWLOCK_WRLOCK && x->prev != RD_TRAIL_NONE &&
           t->at[x->prev].e.op == RD_OP_RWLOCK_QUEUE && t->at[x->prev].e.object[0] == x->e.object[0];
}

enum rd_swap rd_trail_swap(const struct rd_trail *t, uint32_t a, uint32_t b) {
    const struct rd_trail_event *x = &t->at[a], *y = &t->at[b];
    if (!rd_event_blocks(y->e.op))
        return RD_SWAP_SURE;
    if (y->e.op == RD_OP_JOIN && y->e.target == x->e.tid && !y->e.wide && did(t, b))
        return RD_SWAP_NEVER;
    bool plain = !x->e.wide && !y->e.wide && did(t, a) && did(t, b);
    /* the mutex was held when it was tried in vain, and who held it has nothing to do with this order */
    bool tried = x->e.op == RD_OP_MUTEX_TRYLOCK || x->e.op == RD_OP_SPIN_TRYLOCK;
    bool locks = y->e.op == RD_OP_MUTEX_LOCK || y->e.op == RD_OP_SPIN_LOCK;
    if (tried && locks && t->record->steps[x->step].result && !x->e.wide && !y->e.wide && did(t, b))
        return RD_SWAP_NEVER;
    if (plain && (needs(&y->e, &x->e) || kept_out(t, a, b)))
        return RD_SWAP_NEVER;
    bool counted = !x->e.wide && !y->e.wide && did(t, b) && !(t->record->steps[x->step].flags & RD_STEP_SIGNALLED);
    if (counted && y->e.op == RD_OP_SEM_WAIT && on_semaphore(&x->e, y->e.object[0]))
        return enough_without(t, a, b) ? RD_SWAP_SURE : RD_SWAP_NEVER;
    bool there = y->prev == RD_TRAIL_NONE || t->at[y->prev].step < x->step; /* b was pending at that step */
    if (there)
        return rd_trail_enabled(t, y->e.tid, x->step) ? RD_SWAP_SURE : RD_SWAP_MAYBE;
    return plain && took_the_same(&x->e, &y->e) ? RD_SWAP_SURE : RD_SWAP_MAYBE;
}

/* ---- what an event may depend on, by what it touches ---- */

enum { GRANULE = 8, KEYS_MAX = 16 };

/* The things it touches, as keys; 0: too much, or everything. */
static uint32_t keys_of(const struct rd_event *e, uint64_t *keys) {
    uint32_t n = 0;
    if (e->wide || e->target != RD_TID_NONE)
        return 0;
    if (e->access) {
        uint64_t first = e->first / GRANULE, last = e->last / GRANULE;
        if (last - first >= KEYS_MAX - RD_EVENT_OBJECTS)
            return 0;
        for (uint64_t g = first; g <= last; g++)
            keys[n++] = rd_hash2(g, 1);
    }
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        if (e->touch[i])
            keys[n++] = rd_hash2(e->object[i], 2);
    return n;
}

static void add_entry(struct rd_trail *t, uint32_t event, uint64_t *last) {
    struct rd_trail_entry entry = {event, (uint32_t)*last};
    *last = t->entries.count + 1;
    rd_vec_push(&t->scratch, &t->entries, entry);
}

static bool touches_nothing(const struct rd_event *e) {
    return !e->wide && e->target == RD_TID_NONE && !e->access && !e->touch[0] && !e->touch[1];
}

void rd_trail_note(struct rd_trail *t, uint32_t event) {
    uint64_t keys[KEYS_MAX];
    uint32_t n = keys_of(&t->at[event].e, keys);
    if (n == 0 && !touches_nothing(&t->at[event].e)) {
        uint64_t last = t->broad;
        add_entry(t, event, &last);
        t->broad = (uint32_t)last;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t last = *rd_map_put(&t->latest, &t->scratch, keys[i]);
        add_entry(t, event, &last);
        *rd_map_put(&t->latest, &t->scratch, keys[i]) = last;
    }
}

/* The memory that it touches, if any, is where its object is. */
static bool only_object(const struct rd_event *e) {
    return !e->access || !(rd_op_flags(e->op) & (RD_F_READS | RD_F_WRITES));
}

/* Everything that has to do with what b touches has to do with a, too. */
static bool stands_for_all(const struct rd_event *a, const struct rd_event *b) {
    if (a->access == RD_TOUCH_WRITE && b->access)
        return a->first <= b->first && a->last >= b->last && !b->touch[0] && !b->touch[1];
    bool memory = !b->access || (a->access && a->first <= b->first && a->last >= b->last);
    bool one = only_object(a) && only_object(b) && memory && !b->touch[1];
    return one && ((a->touch[0] == RD_TOUCH_WRITE && a->object[0] == b->object[0]) ||
                   (a->touch[1] == RD_TOUCH_WRITE && a->object[1] == b->object[0]));
}

/* Follows the entries back from this one. */
static void follow(struct rd_trail *t, uint32_t entry, uint32_t event, bool nearest) {
    const struct rd_trail_event *b = &t->at[event];
    for (; entry; entry = t->entries.at[entry - 1].before) {
        uint32_t i = t->entries.at[entry - 1].event;
        const struct rd_trail_event *a = &t->at[i];
        bool known = a->e.tid == b->e.tid || a->index <= rd_trail_known(t, event, a->e.tid);
        bool depends = !known && rd_event_dependent(&a->e, &b->e);
        if (depends && t->marked[i] != event + 1) {
            t->marked[i] = event + 1;
            rd_vec_push(&t->scratch, &t->rivals, i);
        }
        /* what came before it, it comes after */
        if ((known || (depends && nearest)) && stands_for_all(&a->e, &b->e))
            return;
    }
}

static void sort_rivals(struct rd_trail *t) {
    for (uint32_t i = 1; i < t->rivals.count; i++) {
        uint32_t x = t->rivals.at[i], k = i;
        for (; k > 0; k--) {
            uint32_t y = t->rivals.at[k - 1];
            bool right = t->at[y].e.tid < t->at[x].e.tid || (t->at[y].e.tid == t->at[x].e.tid && y > x);
            if (right)
                break;
            t->rivals.at[k] = y;
        }
        t->rivals.at[k] = x;
    }
}

/* An event that touches too much is compared with everything its thread did not know of. */
static void look_at_all(struct rd_trail *t, uint32_t event, bool nearest) {
    const struct rd_trail_event *b = &t->at[event];
    for (uint32_t tid = 0; tid < t->threads; tid++) {
        uint32_t known = rd_trail_known(t, event, (rd_tid)tid);
        for (uint32_t k = t->start[tid + 1]; tid != b->e.tid && k-- > t->start[tid];) {
            uint32_t a = t->list[k];
            if (a >= event || a >= t->count)
                continue;
            if (t->at[a].index <= known)
                break;
            if (!rd_event_dependent(&t->at[a].e, &b->e))
                continue;
            rd_vec_push(&t->scratch, &t->rivals, a);
            if (nearest)
                break;
        }
    }
}

void rd_trail_rivals(struct rd_trail *t, uint32_t event, bool nearest) {
    uint64_t keys[KEYS_MAX];
    uint32_t n = keys_of(&t->at[event].e, keys);
    t->rivals.count = 0;
    if (touches_nothing(&t->at[event].e) && !t->broad)
        return;
    if (n == 0 && !touches_nothing(&t->at[event].e)) {
        look_at_all(t, event, nearest);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *last = rd_map_get(&t->latest, keys[i]);
        follow(t, last ? (uint32_t)*last : 0, event, nearest);
    }
    follow(t, t->broad, event, false);
    sort_rivals(t);
}
