/*
 * dependences.c - which earlier events an event depends on (see hb_graph.h), found by what the two touch. Entries
 * about one thing are a list, the latest first; those of events that touch too much to be found so are a list of
 * their thread's. A thread is a thing, too: to create, join or cancel it is about it, and all that it does is.
 */
#include "search/por/hb_graph.h"

#include "base/sort.h"

enum { GRANULE = 8, KEYS_MAX = RD_HB_GRAPH_KEYS };

/* Is it about a thread, and nothing else? */
static bool about_thread(const struct rd_event *e) {
    return e->target != RD_TID_NONE && !e->wide && !e->access && !e->touch[0] && !e->touch[1] && !e->clock &&
           !e->more;
}

/* What it touches must be found by looking at everything. */
static bool is_broad(const struct rd_event *e) {
    return e->wide || e->more || (e->target != RD_TID_NONE && !about_thread(e)) ||
           (e->access && e->last / GRANULE - e->first / GRANULE >= KEYS_MAX - RD_EVENT_OBJECTS);
}

/* The memory and objects that it touches, as keys that are not 0. Two things may have one key. */
static uint32_t keys_of(const struct rd_event *e, uint64_t *keys) {
    uint32_t n = 0;
    for (uint64_t g = e->first / GRANULE; e->access && g <= e->last / GRANULE; g++)
        keys[n++] = g << 2 | 1;
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        if (e->touch[i])
            keys[n++] = e->object[i] << 2 | 2;
    return n;
}

/* The clock is two things: those who look at it are found by those who move it, and the other way round. */
static uint64_t clock_key(bool looks) { return looks ? 4 : 8; }

/* The number of a thing; the first ones are threads. */
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
    t->rivals.count = t->at[event].rivals;
    while (t->entries.count > t->at[event].entries) {
        const struct rd_hb_graph_entry *e = &t->entries.at[--t->entries.count];
        if (e->thing != RD_HB_GRAPH_NONE) {
            t->things.at[e->thing] = e->before;
            continue;
        }
        struct rd_hb_graph_thread *own = &t->thread[t->at[e->event].e.tid];
        own->broad = e->before;
        t->broad.count -= !own->broad; /* it was the last that came into the list */
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
    bool one = only_object(a) && only_object(b) && memory && !b->touch[1] && !b->clock;
    return one && ((a->touch[0] == RD_TOUCH_WRITE && a->object[0] == b->object[0]) ||
                   (a->touch[1] == RD_TOUCH_WRITE && a->object[1] == b->object[0]));
}

/* What depends on b because of the memory that it touches depends on a, too: a loop that polls is a long list of
 * such. What else they touch is looked for in other lists. */
static bool does_as_much(const struct rd_event *a, const struct rd_event *b) {
    return b->access && (a->access == b->access || a->access == RD_TOUCH_WRITE) && a->first <= b->first &&
           a->last >= b->last;
}

/* Whose rivals are looked for. */
struct asker {
    const struct rd_hb_graph_event *b;
    const uint32_t *known; /* what its thread knew of every other; NULL: nothing */
    uint32_t event;
};

static inline bool knows(const struct asker *q, const struct rd_hb_graph_event *a) {
    return a->e.tid == q->b->e.tid || (q->known && a->index <= q->known[a->e.tid]);
}

/* Need those that come before this rival not be looked at? A join comes after all that its thread did. */
static inline bool hides(const struct rd_hb_graph *t, const struct asker *q, uint32_t rival) {
    if (!t->nearest)
        return false;
    enum rd_swap swap = rd_hb_graph_swap(t, rival, q->event);
    bool joins = q->b->e.op == RD_OP_JOIN && q->b->e.target == t->at[rival].e.tid;
    return swap == RD_SWAP_SURE || (swap == RD_SWAP_NEVER && joins);
}

/* Does it write the object? Then all that came before it and touched that, it comes after. */
static bool writes(const struct rd_event *a, uint64_t object) {
    for (unsigned i = 0; object && i < RD_EVENT_OBJECTS; i++)
        if (a->touch[i] == RD_TOUCH_WRITE && a->object[i] == object)
            return true;
    return false;
}

/* Follows the entries about a thing back; the object, if it is one. */
static void follow(struct rd_hb_graph *t, uint32_t entry, uint64_t object, const struct asker *q) {
    const struct rd_event *b = &q->b->e;
    for (; entry; entry = t->entries.at[entry - 1].before) {
        uint32_t i = t->entries.at[entry - 1].event;
        struct rd_hb_graph_event *a = &t->at[i];
        bool known = knows(q, a);
        bool depends = !known && rd_event_dependent(&a->e, b);
        if (depends && a->marked != t->asked) {
            a->marked = t->asked;
            rd_vec_push(&t->scratch, &t->rivals, i);
        }
        /* what came before it, it comes after */
        if (known && (object ? writes(&a->e, object) : does_as_much(&a->e, b)))
            return;
        if (depends && stands_for_all(&a->e, b) && hides(t, q, i))
            return;
    }
}

/* Those who do to the clock what b does not. */
static void follow_clock(struct rd_hb_graph *t, const struct asker *q) {
    const uint64_t *number = rd_map_get(&t->number, clock_key(q->b->e.clock != RD_TOUCH_READ));
    uint32_t entry = number ? t->things.at[*number] : 0;
    for (; entry; entry = t->entries.at[entry - 1].before) {
        uint32_t i = t->entries.at[entry - 1].event;
        struct rd_hb_graph_event *a = &t->at[i];
        if (knows(q, a) || a->marked == t->asked)
            continue;
        a->marked = t->asked;
        rd_vec_push(&t->scratch, &t->rivals, i);
    }
}

/* One of those that come one after the other. True: those before it need not be looked at. */
static bool look_at(struct rd_hb_graph *t, uint32_t i, const struct asker *q) {
    struct rd_hb_graph_event *a = &t->at[i];
    if (knows(q, a))
        return true;
    if (!rd_event_dependent(&a->e, &q->b->e))
        return false;
    if (a->marked != t->asked) {
        a->marked = t->asked;
        rd_vec_push(&t->scratch, &t->rivals, i);
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

/* The order of rivals: by thread, and the latest event of a thread first. */
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
        bool last = i + 1 == n; /* objects come after memory, in their order */
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
    uint32_t from = t->rivals.count;
    q.known = x->prev == RD_HB_GRAPH_NONE ? NULL : rd_hb_graph_clock(t, x->prev);
    x->rivals = from;
    x->entries = t->entries.count;
    t->asked++;
    look(t, &q);
    rd_sort(t->rivals.at + from, t->rivals.count - from, a, b, comes_before(t, *a, *b));
}
