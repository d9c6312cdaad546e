/* order.c - see order.h. */
#include "trace/order.h"

#include <string.h>

void rd_order_init(struct rd_order *o, struct rd_arena *a) {
    *o = (struct rd_order){.arena = a};
    o->thread = rd_arena_alloc(a, RD_TID_MAX * sizeof *o->thread);
}

/* There are threads up to this number. */
static inline void reach(struct rd_order *o, uint32_t count) {
    if (RD_LIKELY(count <= o->count))
        return;
    memset(&o->thread[o->count], 0, (count - o->count) * sizeof *o->thread);
    o->count = count;
}

static struct rd_order_object *object(struct rd_order *o, uint64_t addr) {
    uint64_t *slot = rd_map_get(&o->objects, addr);
    if (slot)
        return (struct rd_order_object *)(uintptr_t)*slot;
    slot = rd_map_put(&o->objects, o->arena, addr);
    *slot = (uintptr_t)rd_arena_zero(o->arena, sizeof(struct rd_order_object));
    return (struct rd_order_object *)(uintptr_t)*slot;
}

enum { LONG = 64, GRANULE = 8, PAGE = 4096 }; /* longer accesses are ranges */

void rd_order_keep(struct rd_order *o) { o->log = rd_arena_zero(o->arena, sizeof *o->log); }

static void log_clock(struct rd_order *o, struct rd_vclock *c, struct rd_order_last *last) {
    struct rd_order_log *g = o->log;
    struct rd_order_saved s = {.clock = c, .last = last, .count = c->count, .at = g->values.count};
    if (last) {
        s.index = last->index;
        s.tid = last->tid;
    }
    for (uint32_t i = 0; i < c->count; i++)
        rd_vec_push(o->arena, &g->values, c->at[i]);
    rd_vec_push(o->arena, &g->saved, s);
}

static inline void save(struct rd_order *o, struct rd_vclock *c, struct rd_order_last *last) {
    if (RD_UNLIKELY(o->log != NULL))
        log_clock(o, c, last);
}

static void log_event(struct rd_order *o, rd_tid tid) {
    struct rd_order_log *g = o->log;
    rd_vec_push(o->arena, &g->done,
                (struct rd_order_done){{o->hash[0], o->hash[1]}, g->saved.count, g->values.count, tid});
    save(o, &o->thread[tid].clock, NULL);
}

void rd_order_back(struct rd_order *o, uint32_t count) {
    struct rd_order_log *g = o->log;
    while (g->done.count > count) {
        const struct rd_order_done *d = &g->done.at[--g->done.count];
        while (g->saved.count > d->saved) {
            const struct rd_order_saved *s = &g->saved.at[--g->saved.count];
            s->clock->count = s->count; /* its room never gets less */
            for (uint32_t i = 0; i < s->count; i++)
                s->clock->at[i] = g->values.at[s->at + i];
            if (s->last) {
                s->last->index = s->index;
                s->last->tid = s->tid;
            }
        }
        g->values.count = d->values;
        o->hash[0] = d->hash[0];
        o->hash[1] = d->hash[1];
        o->thread[d->tid].index--;
        o->thread[d->tid].told = true; /* or not: then it learns nothing new */
    }
}

static inline void join_last(struct rd_order *o, struct rd_vclock *mine, const struct rd_order_last *last) {
    if (last->index && rd_vclock_get(mine, last->tid) < last->index)
        rd_vclock_join(mine, o->arena, &last->clock);
}

static inline void set_last(struct rd_order *o, rd_tid tid, struct rd_order_last *last) {
    save(o, &last->clock, last);
    rd_vclock_copy(&last->clock, o->arena, &o->thread[tid].clock);
    last->tid = tid;
    last->index = o->thread[tid].index;
}

static struct rd_order_page *find_page(struct rd_order *o, uint64_t number) {
    uint64_t *slot = rd_map_get(&o->pages, number);
    return slot ? (struct rd_order_page *)(uintptr_t)*slot : NULL;
}

static struct rd_order_page *make_page(struct rd_order *o, uint64_t number) {
    uint64_t *slot = rd_map_put(&o->pages, o->arena, number);
    if (!*slot)
        *slot = (uintptr_t)rd_arena_zero(o->arena, sizeof(struct rd_order_page));
    return (struct rd_order_page *)(uintptr_t)*slot;
}

static struct rd_order_cell *cell_in(uint64_t list) { return (struct rd_order_cell *)(uintptr_t)list; }

static struct rd_order_cell *exact_cell(struct rd_order *o, uint64_t granule, uint8_t mask) {
    uint64_t *slot = rd_map_put(&o->memory, o->arena, granule);
    struct rd_order_cell *c = cell_in(*slot);
    for (; c; c = c->next)
        if (c->mask == mask)
            return c;
    c = rd_arena_zero(o->arena, sizeof *c);
    c->mask = mask;
    c->next = cell_in(*slot);
    *slot = (uintptr_t)c;
    if (o->paged)
        make_page(o, granule * GRANULE / PAGE)->cells++;
    return c;
}

/* The first long access: from here on it is known which pages have cells. */
static void begin_pages(struct rd_order *o) {
    const struct rd_map *m = &o->memory;
    o->paged = true;
    for (uint32_t i = 0; i < m->room; i++)
        if (m->slots[i].key && m->slots[i].value)
            make_page(o, m->slots[i].key * GRANULE / PAGE)->cells++;
    if (m->has_zero && m->zero_value)
        make_page(o, 0)->cells++;
}

static struct rd_order_range *exact_range(struct rd_order *o, uint64_t first, uint64_t last) {
    for (struct rd_order_link *l = make_page(o, first / PAGE)->ranges; l; l = l->next)
        if (l->range->first == first && l->range->last == last)
            return l->range;
    struct rd_order_range *r = rd_arena_zero(o->arena, sizeof *r);
    r->first = first;
    r->last = last;
    for (uint64_t n = first / PAGE; n <= last / PAGE; n++) {
        struct rd_order_page *p = make_page(o, n);
        struct rd_order_link *l = rd_arena_alloc(o->arena, sizeof *l);
        *l = (struct rd_order_link){r, p->ranges};
        p->ranges = l;
    }
    return r;
}

static uint8_t bytes_in(uint64_t granule, uint64_t first, uint64_t last) {
    uint64_t from = RD_MAX(first, granule * GRANULE) - granule * GRANULE;
    uint64_t to = RD_MIN(last, granule * GRANULE + 7) - granule * GRANULE;
    return (uint8_t)((0xff << from) & (0xff >> (7 - to)));
}

/* The access comes after what was left there: writes, and for a write the reads since, too. */
static inline void come_after(struct rd_order *o, rd_tid tid, const struct rd_order_last *wrote,
                              const struct rd_vclock *read, bool writes) {
    join_last(o, &o->thread[tid].clock, wrote);
    if (writes && read->count)
        rd_vclock_join(&o->thread[tid].clock, o->arena, read);
}

/* Returns the cell of exactly these bytes, if there is one and all of them are in one granule. */
static struct rd_order_cell *after_cells(struct rd_order *o, rd_tid tid, uint64_t first, uint64_t last,
                                         bool writes) {
    struct rd_order_cell *exact = NULL;
    for (uint64_t g = first / GRANULE; g <= last / GRANULE; g++) {
        const uint64_t *slot = rd_map_get(&o->memory, g);
        uint8_t mask = bytes_in(g, first, last);
        exact = NULL;
        for (struct rd_order_cell *c = slot ? cell_in(*slot) : NULL; c; c = c->next) {
            if (c->mask & mask)
                come_after(o, tid, &c->wrote, &c->read, writes);
            exact = c->mask == mask ? c : exact;
        }
    }
    return first / GRANULE == last / GRANULE ? exact : NULL;
}

/* Everything that overlaps [first, last]; page by page, so that empty stretches cost nothing. */
static void after_pages(struct rd_order *o, rd_tid tid, uint64_t first, uint64_t last, bool writes, bool cells) {
    o->event++;
    for (uint64_t n = first / PAGE; n <= last / PAGE; n++) {
        const struct rd_order_page *p = find_page(o, n);
        if (!p)
            continue;
        for (struct rd_order_link *l = p->ranges; l; l = l->next) {
            struct rd_order_range *r = l->range;
            if (r->seen == o->event || r->first > last || r->last < first)
                continue;
            r->seen = o->event;
            come_after(o, tid, &r->wrote, &r->read, writes);
        }
        if (cells && p->cells)
            after_cells(o, tid, RD_MAX(first, n * PAGE), RD_MIN(last, n * PAGE + PAGE - 1), writes);
    }
}

/* Returns what after_cells does. */
static struct rd_order_cell *after_memory(struct rd_order *o, rd_tid tid, uint64_t first, uint64_t last,
                                          bool writes) {
    bool is_long = last - first >= LONG;
    if (is_long && !o->paged)
        begin_pages(o);
    if (o->paged)
        after_pages(o, tid, first, last, writes, is_long);
    return is_long ? NULL : after_cells(o, tid, first, last, writes);
}

/* One more of those that need not come after each other. */
static inline void join_others(struct rd_order *o, rd_tid tid, struct rd_vclock *others) {
    save(o, others, NULL);
    rd_vclock_join(others, o->arena, &o->thread[tid].clock);
}

static inline void forget(struct rd_order *o, struct rd_vclock *others) {
    if (!others->count)
        return;
    save(o, others, NULL);
    others->count = 0;
}

/* Leaves the access's own mark. */
static inline void mark(struct rd_order *o, rd_tid tid, struct rd_order_last *wrote, struct rd_vclock *read,
                        bool writes) {
    if (writes) {
        set_last(o, tid, wrote);
        forget(o, read); /* it comes after those */
    } else {
        join_others(o, tid, read);
    }
}

static void mark_memory(struct rd_order *o, rd_tid tid, uint64_t first, uint64_t last, bool writes) {
    if (last - first >= LONG) {
        struct rd_order_range *r = exact_range(o, first, last);
        mark(o, tid, &r->wrote, &r->read, writes);
        return;
    }
    for (uint64_t g = first / GRANULE; g <= last / GRANULE; g++) {
        struct rd_order_cell *c = exact_cell(o, g, bytes_in(g, first, last));
        mark(o, tid, &c->wrote, &c->read, writes);
    }
}

static inline void add_hash(const struct rd_order *o, const struct rd_event *e, uint32_t index, uint64_t hash[2]) {
    uint64_t h = rd_hash2((uint64_t)e->tid << 40 | (uint64_t)e->op << 32 | index, e->place);
    uint64_t a = rd_vclock_hash(&o->thread[e->tid].clock, h);
    uint64_t b = rd_mix(a ^ 0x5851f42d4c957f2du) + rd_mix(h);
    hash[0] += rd_mix(a);
    hash[1] += rd_mix(b);
}

static inline void after_object(struct rd_order *o, struct rd_vclock *mine, const struct rd_order_object *at,
                                unsigned touch) {
    join_last(o, mine, &at->wrote);
    if (touch != RD_TOUCH_READ && at->read.count)
        rd_vclock_join(mine, o->arena, &at->read);
    if (touch != RD_TOUCH_ADD && at->added.count)
        rd_vclock_join(mine, o->arena, &at->added);
}

static inline void mark_object(struct rd_order *o, rd_tid tid, struct rd_order_object *at, unsigned touch) {
    if (touch == RD_TOUCH_WRITE) {
        set_last(o, tid, &at->wrote);
        forget(o, &at->read);
        forget(o, &at->added);
    } else {
        join_others(o, tid, touch == RD_TOUCH_READ ? &at->read : &at->added);
    }
}

/* Where the event has been looked up already. */
struct spots {
    struct rd_order_cell *cell;
    struct rd_order_object *object[RD_EVENT_OBJECTS];
};

/* The event comes after everything that it depends on. */
static inline void before_event(struct rd_order *o, const struct rd_event *e, struct spots *at) {
    struct rd_vclock *mine = &o->thread[e->tid].clock;
    if (o->thread[e->tid].told)
        rd_vclock_join(mine, o->arena, &o->thread[e->tid].inbox);
    join_last(o, mine, &o->wide);
    for (uint32_t t = 0; e->wide && t < o->count; t++)
        rd_vclock_join(mine, o->arena, &o->thread[t].clock);
    at->cell = NULL;
    if (e->access)
        at->cell = after_memory(o, e->tid, e->first, e->last, e->access == RD_TOUCH_WRITE);
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++) {
        if (e->touch[i]) {
            at->object[i] = object(o, e->object[i]);
            after_object(o, mine, at->object[i], e->touch[i]);
        }
    }
    if (e->target != RD_TID_NONE && e->op != RD_OP_CREATE)
        rd_vclock_join(mine, o->arena, &o->thread[e->target].clock);
    /* two that are about the same thread depend on each other */
    if (e->target != RD_TID_NONE)
        rd_vclock_join(mine, o->arena, &o->thread[e->target].inbox);
}

static inline void after_event(struct rd_order *o, const struct rd_event *e, const struct spots *at) {
    if (at->cell)
        mark(o, e->tid, &at->cell->wrote, &at->cell->read, e->access == RD_TOUCH_WRITE);
    else if (e->access)
        mark_memory(o, e->tid, e->first, e->last, e->access == RD_TOUCH_WRITE);
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        if (e->touch[i])
            mark_object(o, e->tid, at->object[i], e->touch[i]);
    o->thread[e->tid].told = false;
    if (e->wide)
        set_last(o, e->tid, &o->wide);
    if (e->target != RD_TID_NONE) {
        join_others(o, e->tid, &o->thread[e->target].inbox);
        o->thread[e->target].told = true;
    }
}

static inline void reach_threads(struct rd_order *o, const struct rd_event *e) {
    reach(o, (uint32_t)e->tid + 1);
    if (e->target != RD_TID_NONE)
        reach(o, (uint32_t)e->target + 1);
}

void rd_order_event(struct rd_order *o, const struct rd_event *e) {
    reach_threads(o, e);
    if (RD_UNLIKELY(o->log != NULL))
        log_event(o, e->tid);
    struct spots at;
    before_event(o, e, &at);
    struct rd_order_thread *t = &o->thread[e->tid];
    rd_vclock_set(&t->clock, o->arena, e->tid, ++t->index);
    add_hash(o, e, t->index, o->hash);
    after_event(o, e, &at);
}

void rd_order_peek(struct rd_order *o, const struct rd_event *e, uint64_t hash[2]) {
    reach_threads(o, e);
    struct rd_order_thread *t = &o->thread[e->tid];
    rd_vclock_copy(&o->spare, o->arena, &t->clock);
    struct spots at;
    before_event(o, e, &at);
    rd_vclock_set(&t->clock, o->arena, e->tid, t->index + 1);
    hash[0] = o->hash[0];
    hash[1] = o->hash[1];
    add_hash(o, e, t->index + 1, hash);
    rd_vclock_copy(&t->clock, o->arena, &o->spare);
}

void rd_order_way(struct rd_order *o, rd_tid tid, uint32_t way) {
    uint64_t h = rd_hash2((uint64_t)tid << 32 | o->thread[tid].index, way);
    o->hash[0] += rd_mix(h);
    o->hash[1] += rd_mix(h ^ 0x5851f42d4c957f2du);
}

void rd_order_also(struct rd_order *o, rd_tid tid, uint64_t addr) {
    struct rd_order_object *at = object(o, addr);
    struct rd_vclock *mine = &o->thread[tid].clock;
    after_object(o, mine, at, RD_TOUCH_WRITE);
    mark_object(o, tid, at, RD_TOUCH_WRITE);
    at->wrote.index = UINT32_MAX;
}
