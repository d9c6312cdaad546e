/*
 * dependences.c - finds the earlier events that race with an event (hb_graph.h), by the things that both touch.
 * The events that touch one thing (a granule of memory, an object, a thread) form a list, the latest first. An
 * event that touches too many things is "broad": it is in a list of its thread instead. A thread is a thing, too:
 * creating, joining and cancelling it touch it, and so do all of its events.
 */
#include "search/por/hb_graph.h"

#include "base/sort.h"

enum { GRANULE = 8, KEYS_MAX = RD_HB_GRAPH_KEYS };

/* Returns whether the only thing that the event touches is another thread. */
static bool about_thread(const struct rd_event *e) {
    return e->target != RD_TID_NONE && !e->wide && !e->access && !e->touch[0] && !e->touch[1] && !e->clock &&
           !e->more;
}

/* Returns whether the event touches too much to be listed by its things. */
static bool is_broad(const struct rd_event *e) {
    return e->wide || e->more || (e->target != RD_TID_NONE && !about_thread(e)) ||
           (e->access && e->last / GRANULE - e->first / GRANULE >= KEYS_MAX - RD_EVENT_OBJECTS);
}

/*
 * Writes the keys of the memory and the objects that the event touches, none of them 0, and returns their number.
 * Two things may have the same key.
 */
static uint32_t keys_of(const struct rd_event *e, uint64_t *keys) {
    uint32_t n = 0;
    for (uint64_t g = e->first / GRANULE; e->access && g <= e->last / GRANULE; g++)
        keys[n++] = g << 2 | 1;
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        if (e->touch[i])
            keys[n++] = e->object[i] << 2 | 2;
    RD_ASSERT(n <= KEYS_MAX);
    return n;
}

/*
 * The clock is two things: one is touched by the events that read it, one by the events that move it. So an event
 * finds exactly the events of the other sort.
 */
static uint64_t clock_key(bool looks) { return looks ? 4 : 8; }

/* Returns the number of the thing with this key; the first numbers are the threads. */
static uint32_t thing_of(struct rd_hb_graph *t, uint64_t key) {
    uint64_t *number = rd_map_put(&t->number, &t->scratch, key);
    if (!*number) {
        *number = t->things.count;
        rd_vec_push(&t->scratch, &t->things, 0);
    }
    return (uint32_t)*number;
}

static void note(struct rd_hb_graph *t, uint32_t thing, uint32_t *list) {
    rd_vec_push(&t->scratch, &t->entries, (struct rd_hb_graph_entry){thing, t->all - 1, *list});
    *list = t->entries.count;
}

void rd_hb_graph_note(struct rd_hb_graph *t) {
    const struct rd_event *e = &t->at[t->all - 1].e;
    uint64_t keys[KEYS_MAX];
    if (is_broad(e)) {
        struct rd_hb_graph_thread *own = &t->thread[e->tid];
        if (!own->broad)
            rd_vec_push(&t->scratch, &t->broad, e->tid);
        note(t, RD_HB_GRAPH_NONE, &own->broad);
        return;
    }
    if (e->target != RD_TID_NONE)
        note(t, e->target, &t->things.at[e->target]);
    uint32_t n = keys_of(e, keys);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t thing = t->met[i] ? t->met[i] : thing_of(t, keys[i]);
        note(t, thing, &t->things.at[thing]);
    }
    if (RD_UNLIKELY(e->clock)) {
        uint32_t thing = thing_of(t, clock_key(e->clock == RD_TOUCH_READ));
        note(t, thing, &t->things.at[thing]);
    }
}

void rd_hb_graph_part(struct rd_hb_graph *t, uint32_t event) {
    if (event >= t->all)
        return;
    t->racing.count = t->at[event].racing;
    while (t->entries.count > t->at[event].entries) {
        const struct rd_hb_graph_entry *e = &t->entries.at[--t->entries.count];
        if (e->thing != RD_HB_GRAPH_NONE) {
            RD_ASSERT(e->thing < t->things.count && e->before < t->entries.count + 1);
            t->things.at[e->thing] = e->before;
            continue;
        }
        struct rd_hb_graph_thread *own = &t->thread[t->at[e->event].e.tid];
        own->broad = e->before;
        t->broad.count -= !own->broad; /* the thread has no broad event left */
    }
}

/* Returns whether the event touches memory only where its object is. */
static bool only_object(const struct rd_event *e) {
    return !e->access || !(rd_op_flags(e->op) & (RD_F_READS | RD_F_WRITES));
}

/* Returns whether every event that depends on b, by any thing that b touches, depends on a, too. */
static bool stands_for_all(const struct rd_event *a, const struct rd_event *b) {
    if (a->access == RD_TOUCH_WRITE && b->access)
        return a->first <= b->first && a->last >= b->last && !b->touch[0] && !b->touch[1];
    bool memory = !b->access || (a->access && a->first <= b->first && a->last >= b->last);
    bool one = only_object(a) && only_object(b) && memory && !b->touch[1] && !b->clock;
    return one && ((a->touch[0] == RD_TOUCH_WRITE && a->object[0] == b->object[0]) ||
                   (a->touch[1] == RD_TOUCH_WRITE && a->object[1] == b->object[0]));
}

/*
 * Returns whether every event that depends on b because of the memory that b touches depends on a, too. So the
 * many reads of a loop that polls are not scanned again for each later read. Objects have lists of their own.
 */
static bool does_as_much(const struct rd_event *a, const struct rd_event *b) {
    return b->access && (a->access == b->access || a->access == RD_TOUCH_WRITE) && a->first <= b->first &&
           a->last >= b->last;
}

/* A search for the events that race with event b. */
struct asker {
    const struct rd_hb_graph_event *b;
    const uint32_t *known; /* the clock of its thread's previous event; NULL: none */
    uint32_t event;
};

static inline bool knows(const struct asker *q, const struct rd_hb_graph_event *a) {
    return a->e.tid == q->b->e.tid || (q->known && a->index <= q->known[a->e.tid]);
}

/*
 * Returns whether events that happened before the racing event `rival` need not be found (`nearest`). A join
 * happens after every event of the joined thread.
 */
static inline bool hides(const struct rd_hb_graph *t, const struct asker *q, uint32_t rival) {
    if (!t->nearest)
        return false;
    enum rd_swap swap = rd_hb_graph_swap(t, rival, q->event);
    bool joins = q->b->e.op == RD_OP_JOIN && q->b->e.target == t->at[rival].e.tid;
    return swap == RD_SWAP_SURE || (swap == RD_SWAP_NEVER && joins);
}

/* Returns whether a writes the object: then every earlier event that touched the object happened before a. */
static bool writes(const struct rd_event *a, uint64_t object) {
    for (unsigned i = 0; object && i < RD_EVENT_OBJECTS; i++)
        if (a->touch[i] == RD_TOUCH_WRITE && a->object[i] == object)
            return true;
    return false;
}

/* Searches the list of a thing back from `entry`; `object` is the thing if it is an object, else 0. */
static void follow(struct rd_hb_graph *t, uint32_t entry, uint64_t object, const struct asker *q) {
    const struct rd_event *b = &q->b->e;
    for (; entry; entry = t->entries.at[entry - 1].before) {
        uint32_t i = t->entries.at[entry - 1].event;
        struct rd_hb_graph_event *a = &t->at[i];
        bool known = knows(q, a);
        bool depends = !known && rd_event_dependent(&a->e, b);
        if (depends && a->marked != t->asked) {
            a->marked = t->asked;
            rd_vec_push(&t->scratch, &t->racing, i);
        }
        /* every earlier event that touches the thing happened before `a` */
        if (known && (object ? writes(&a->e, object) : does_as_much(&a->e, b)))
            return;
        if (depends && stands_for_all(&a->e, b) && hides(t, q, i))
            return;
    }
}

/* Searches the events that move the clock if b reads it, and the events that read it if b moves it. */
static void follow_clock(struct rd_hb_graph *t, const struct asker *q) {
    const uint64_t *number = rd_map_get(&t->number, clock_key(q->b->e.clock != RD_TOUCH_READ));
    uint32_t entry = number ? t->things.at[*number] : 0;
    for (; entry; entry = t->entries.at[entry - 1].before) {
        uint32_t i = t->entries.at[entry - 1].event;
        struct rd_hb_graph_event *a = &t->at[i];
        if (knows(q, a) || a->marked == t->asked)
            continue;
        a->marked = t->asked;
        rd_vec_push(&t->scratch, &t->racing, i);
    }
}

/*
 * Examines event i of a list whose events are ordered by happens-before. Returns true if the events before i need
 * not be examined.
 */
static bool look_at(struct rd_hb_graph *t, uint32_t i, const struct asker *q) {
    struct rd_hb_graph_event *a = &t->at[i];
    if (knows(q, a))
        return true;
    if (!rd_event_dependent(&a->e, &q->b->e))
        return false;
    if (a->marked != t->asked) {
        a->marked = t->asked;
        rd_vec_push(&t->scratch, &t->racing, i);
    }
    return hides(t, q, i);
}

static void follow_ordered(struct rd_hb_graph *t, uint32_t entry, const struct asker *q) {
    while (entry && !look_at(t, t->entries.at[entry - 1].event, q))
        entry = t->entries.at[entry - 1].before;
}

static void look_at_thread(struct rd_hb_graph *t, rd_tid tid, const struct asker *q) {
    const struct rd_hb_graph_thread *own = &t->thread[tid];
    for (uint32_t k = own->count; k-- > 0;)
        if (own->at[k] < t->count && look_at(t, own->at[k], q))
            return;
}

/* The order of racing events: by thread, and the latest event of a thread first. */
static bool comes_before(const struct rd_hb_graph *t, uint32_t x, uint32_t y) {
    return t->at[x].e.tid != t->at[y].e.tid ? t->at[x].e.tid < t->at[y].e.tid : x > y;
}

static void look(struct rd_hb_graph *t, const struct asker *q) {
    const struct rd_event *e = &q->b->e;
    uint64_t keys[KEYS_MAX];
    if (is_broad(e)) {
        for (uint32_t tid = 0; tid < t->threads; tid++)
            look_at_thread(t, (rd_tid)tid, q);
        return;
    }
    uint32_t n = keys_of(e, keys), objects = (e->touch[0] != 0) + (e->touch[1] != 0);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *number = rd_map_get(&t->number, keys[i]);
        t->met[i] = number ? (uint32_t)*number : 0;
        bool last = i + 1 == n; /* keys_of writes the keys of memory first, then the keys of objects 0 and 1 */
        uint64_t object = i + objects < n ? 0 : last && e->touch[1] ? e->object[1] : e->object[0];
        follow(t, number ? t->things.at[*number] : 0, object, q);
    }
    if (RD_UNLIKELY(e->clock))
        follow_clock(t, q);
    follow_ordered(t, t->things.at[e->tid], q);
    if (e->target != RD_TID_NONE) {
        follow_ordered(t, t->things.at[e->target], q);
        look_at_thread(t, e->target, q);
    }
    for (uint32_t i = 0; i < t->broad.count; i++)
        follow_ordered(t, t->thread[t->broad.at[i]].broad, q);
}

void rd_hb_graph_meet(struct rd_hb_graph *t) {
    struct rd_hb_graph_event *x = &t->at[t->all - 1];
    struct asker q = {.b = x, .event = t->all - 1};
    RD_ASSERT(t->all > 0 && x->index == t->thread[x->e.tid].count);
    uint32_t from = t->racing.count;
    q.known = x->prev == RD_HB_GRAPH_NONE ? NULL : rd_hb_graph_clock(t, x->prev);
    x->racing = from;
    x->entries = t->entries.count;
    t->asked++;
    look(t, &q);
    RD_ASSERT(t->racing.count - from < t->all); /* no event is found twice */
    rd_sort(t->racing.at + from, t->racing.count - from, a, b, comes_before(t, *a, *b));
}
