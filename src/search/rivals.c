/*
 * rivals.c - which earlier events an event may depend on (see trail.h), found by what the two touch. Entries about
 * one thing are a list, the latest first; those that touch too much to be found so are in a list of their own.
 */
#include "search/trail.h"

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

/* Returns its number, + 1. */
static uint32_t add_entry(struct rd_trail *t, uint64_t key, uint32_t event, uint32_t before) {
    rd_vec_push(&t->scratch, &t->entries, (struct rd_trail_entry){key, event, before});
    return t->entries.count;
}

static bool touches_nothing(const struct rd_event *e) {
    return !e->wide && e->target == RD_TID_NONE && !e->access && !e->touch[0] && !e->touch[1];
}

void rd_trail_note(struct rd_trail *t, uint32_t event) {
    uint64_t keys[KEYS_MAX];
    RD_CHECK(event == t->noted);
    uint32_t n = keys_of(&t->at[event].e, keys);
    t->noted++;
    t->at[event].entries = t->entries.count;
    if (n == 0 && !touches_nothing(&t->at[event].e))
        t->broad = add_entry(t, 0, event, t->broad);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *last = rd_map_put(&t->latest, &t->scratch, keys[i]);
        *last = add_entry(t, keys[i], event, (uint32_t)*last);
    }
}

void rd_trail_unnote(struct rd_trail *t, uint32_t event) {
    if (event >= t->noted)
        return;
    uint32_t left = t->at[event].entries;
    while (t->entries.count > left) {
        const struct rd_trail_entry *e = &t->entries.at[--t->entries.count];
        if (e->key)
            *rd_map_get(&t->latest, e->key) = e->before;
        else
            t->broad = e->before;
    }
    t->noted = event;
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
        if (depends && t->at[i].marked != t->asked) {
            t->at[i].marked = t->asked;
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
        const struct rd_trail_thread *own = &t->thread[tid];
        for (uint32_t k = own->count; tid != b->e.tid && k-- > 0;) {
            uint32_t a = own->at[k];
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
    t->asked++;
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
