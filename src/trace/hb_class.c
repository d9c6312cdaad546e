/*
 * hb_class.c - see hb_class.h. Short accesses have cells, by granule; long ones have ranges, by page. Pages are
 * kept only from the first long access on, because most programs have none.
 */
#include "trace/hb_class.h"

#include <string.h>

enum { FEW = 8 }; /* threads that there is room for at first: a snapshot has to put back the memory in use */

void rd_hb_class_init(struct rd_hb_class *o, struct rd_arena *a) {
    *o = (struct rd_hb_class){.arena = a, .room = FEW};
    o->thread = rd_arena_alloc(a, FEW * sizeof *o->thread);
    rd_map_reserve(&o->objects, a, 1);
    rd_map_reserve(&o->memory, a, 1);
}

static void make_room(struct rd_hb_class *o, uint32_t count) {
    struct rd_hb_class_thread *old = o->thread;
    o->room = RD_MAX(count, 2 * o->room);
    o->thread = rd_arena_alloc(o->arena, o->room * sizeof *o->thread);
    memcpy(o->thread, old, o->count * sizeof *old);
}

/* Makes the table of threads at least so long. */
static inline void reach(struct rd_hb_class *o, uint32_t count) {
    if (RD_LIKELY(count <= o->count))
        return;
    if (RD_UNLIKELY(count > o->room))
        make_room(o, count);
    memset(&o->thread[o->count], 0, (count - o->count) * sizeof *o->thread);
    o->count = count;
}

static struct rd_hb_class_object *object(struct rd_hb_class *o, uint64_t addr) {
    uint64_t *slot = rd_map_get(&o->objects, addr);
    if (slot)
        return (struct rd_hb_class_object *)(uintptr_t)*slot;
    slot = rd_map_put(&o->objects, o->arena, addr);
    *slot = (uintptr_t)rd_arena_zero(o->arena, sizeof(struct rd_hb_class_object));
    return (struct rd_hb_class_object *)(uintptr_t)*slot;
}

enum { LONG = 64, GRANULE = 8, PAGE = 4096 }; /* longer accesses are ranges */

static inline void add(struct rd_hb_class_mark *to, const struct rd_hb_class_mark *m) {
    to->a += m->a;
    to->b += m->b;
}

static struct rd_hb_class_page *find_page(struct rd_hb_class *o, uint64_t number) {
    uint64_t *slot = rd_map_get(&o->pages, number);
    return slot ? (struct rd_hb_class_page *)(uintptr_t)*slot : NULL;
}

static struct rd_hb_class_page *make_page(struct rd_hb_class *o, uint64_t number) {
    uint64_t *slot = rd_map_put(&o->pages, o->arena, number);
    if (!*slot)
        *slot = (uintptr_t)rd_arena_zero(o->arena, sizeof(struct rd_hb_class_page));
    return (struct rd_hb_class_page *)(uintptr_t)*slot;
}

static struct rd_hb_class_cell *cell_in(uint64_t list) { return (struct rd_hb_class_cell *)(uintptr_t)list; }

static struct rd_hb_class_cell *exact_cell(struct rd_hb_class *o, uint64_t granule, uint8_t mask) {
    uint64_t *slot = rd_map_put(&o->memory, o->arena, granule);
    struct rd_hb_class_cell *c = cell_in(*slot);
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

/* Begins the table of pages, at the first long access: counts the cells of every page. */
static void begin_pages(struct rd_hb_class *o) {
    const struct rd_map *m = &o->memory;
    o->paged = true;
    for (uint32_t i = 0; i < m->room; i++)
        if (m->slots[i].key && m->slots[i].value)
            make_page(o, m->slots[i].key * GRANULE / PAGE)->cells++;
    if (m->has_zero && m->zero_value)
        make_page(o, 0)->cells++;
}

static struct rd_hb_class_range *exact_range(struct rd_hb_class *o, uint64_t first, uint64_t last) {
    for (struct rd_hb_class_link *l = make_page(o, first / PAGE)->ranges; l; l = l->next)
        if (l->range->first == first && l->range->last == last)
            return l->range;
    struct rd_hb_class_range *r = rd_arena_zero(o->arena, sizeof *r);
    r->first = first;
    r->last = last;
    for (uint64_t n = first / PAGE; n <= last / PAGE; n++) {
        struct rd_hb_class_page *p = make_page(o, n);
        struct rd_hb_class_link *l = rd_arena_alloc(o->arena, sizeof *l);
        *l = (struct rd_hb_class_link){r, p->ranges};
        p->ranges = l;
    }
    return r;
}

static uint8_t bytes_in(uint64_t granule, uint64_t first, uint64_t last) {
    uint64_t from = RD_MAX(first, granule * GRANULE) - granule * GRANULE;
    uint64_t to = RD_MIN(last, granule * GRANULE + 7) - granule * GRANULE;
    return (uint8_t)((0xff << from) & (0xff >> (7 - to)));
}

/* Adds the predecessors of an access to one cell or range: its last write and, if the access writes, the reads
 * since. */
static inline void come_after(struct rd_hb_class_mark *past, const struct rd_hb_class_mark *wrote,
                              const struct rd_hb_class_mark *read, bool writes) {
    add(past, wrote);
    if (writes)
        add(past, read);
}

/*
 * Adds the predecessors of an access in all cells that overlap it. Returns the cell of exactly these bytes, or NULL
 * if there is none or the bytes are in more than one granule.
 */
static struct rd_hb_class_cell *after_cells(const struct rd_hb_class *o, struct rd_hb_class_mark *past,
                                            uint64_t first, uint64_t last, bool writes) {
    struct rd_hb_class_cell *exact = NULL;
    for (uint64_t g = first / GRANULE; g <= last / GRANULE; g++) {
        const uint64_t *slot = rd_map_get(&o->memory, g);
        uint8_t mask = bytes_in(g, first, last);
        exact = NULL;
        for (struct rd_hb_class_cell *c = slot ? cell_in(*slot) : NULL; c; c = c->next) {
            if (c->mask & mask)
                come_after(past, &c->wrote, &c->read, writes);
            exact = c->mask == mask ? c : exact;
        }
    }
    return first / GRANULE == last / GRANULE ? exact : NULL;
}

/* Adds the predecessors of an access in all ranges, and cells, that overlap it. Skips pages that have neither. */
static void after_pages(struct rd_hb_class *o, struct rd_hb_class_mark *past, uint64_t first, uint64_t last,
                        bool writes, bool cells) {
    o->event++;
    for (uint64_t n = first / PAGE; n <= last / PAGE; n++) {
        const struct rd_hb_class_page *p = find_page(o, n);
        if (!p)
            continue;
        for (struct rd_hb_class_link *l = p->ranges; l; l = l->next) {
            struct rd_hb_class_range *r = l->range;
            if (r->seen == o->event || r->first > last || r->last < first)
                continue;
            r->seen = o->event;
            come_after(past, &r->wrote, &r->read, writes);
        }
        if (cells && p->cells)
            after_cells(o, past, RD_MAX(first, n * PAGE), RD_MIN(last, n * PAGE + PAGE - 1), writes);
    }
}

/* Adds the predecessors of an access. Returns the same as after_cells(). */
static struct rd_hb_class_cell *after_memory(struct rd_hb_class *o, struct rd_hb_class_mark *past, uint64_t first,
                                             uint64_t last, bool writes) {
    bool is_long = last - first >= LONG;
    if (is_long && !o->paged)
        begin_pages(o);
    if (o->paged)
        after_pages(o, past, first, last, writes, is_long);
    return is_long ? NULL : after_cells(o, past, first, last, writes);
}

/* Puts the mark of an access into the cell or range of its bytes. */
static inline void leave(const struct rd_hb_class_mark *m, struct rd_hb_class_mark *wrote,
                         struct rd_hb_class_mark *read, bool writes) {
    if (writes) {
        *wrote = *m;
        *read = (struct rd_hb_class_mark){0, 0}; /* the write comes after these reads */
    } else {
        add(read, m);
    }
}

static void mark_memory(struct rd_hb_class *o, const struct rd_hb_class_mark *m, uint64_t first, uint64_t last,
                        bool writes) {
    if (last - first >= LONG) {
        struct rd_hb_class_range *r = exact_range(o, first, last);
        leave(m, &r->wrote, &r->read, writes);
        return;
    }
    for (uint64_t g = first / GRANULE; g <= last / GRANULE; g++) {
        struct rd_hb_class_cell *c = exact_cell(o, g, bytes_in(g, first, last));
        leave(m, &c->wrote, &c->read, writes);
    }
}

/* Returns the mark of an event. Each half of the mark depends on the same half of the past only. */
static inline struct rd_hb_class_mark mark_of(const struct rd_hb_class *o, const struct rd_event *e, uint32_t index,
                                              const struct rd_hb_class_mark *past) {
    const struct rd_hb_class_mark *last = &o->thread[e->tid].last;
    uint64_t h = rd_hash2((uint64_t)e->tid << 40 | (uint64_t)e->op << 32 | index, e->place);
    return (struct rd_hb_class_mark){rd_mix((last->a * 0x9e3779b97f4a7c15u + past->a) ^ h),
                                     rd_mix((last->b * 0xd1342543de82ef95u + past->b) ^ (h + 0x5851f42d4c957f2du))};
}

static inline void after_object(struct rd_hb_class_mark *past, const struct rd_hb_class_object *at,
                                unsigned touch) {
    add(past, &at->wrote);
    if (touch != RD_TOUCH_READ)
        add(past, &at->read);
    if (touch != RD_TOUCH_ADD)
        add(past, &at->added);
}

static inline void mark_object(const struct rd_hb_class_mark *m, struct rd_hb_class_object *at, unsigned touch) {
    if (touch == RD_TOUCH_WRITE)
        *at = (struct rd_hb_class_object){.wrote = *m};
    else
        add(touch == RD_TOUCH_READ ? &at->read : &at->added, m);
}

static void after_extent(struct rd_hb_class *o, struct rd_hb_class_mark *past, const struct rd_extent *x) {
    if (x->object)
        after_object(past, object(o, x->first), x->touch);
    else
        after_memory(o, past, x->first, x->last, x->touch == RD_TOUCH_WRITE);
}

/* pre: after_extent() was called for every extent of the event */
static void mark_extent(struct rd_hb_class *o, const struct rd_hb_class_mark *m, const struct rd_extent *x) {
    if (x->object)
        mark_object(m, object(o, x->first), x->touch);
    else
        mark_memory(o, m, x->first, x->last, x->touch == RD_TOUCH_WRITE);
}

/* The cell and the objects of an event, as before_event() found them. */
struct spots {
    struct rd_hb_class_cell *cell;
    struct rd_hb_class_object *object[RD_EVENT_OBJECTS];
};

/* Returns the sum of the marks of the event's direct predecessors in other threads, and fills in `at`. */
static inline struct rd_hb_class_mark before_event(struct rd_hb_class *o, const struct rd_event *e,
                                                   struct spots *at) {
    struct rd_hb_class_mark past = o->wide;
    add(&past, &o->thread[e->tid].told);
    for (uint32_t t = 0; e->wide && t < o->count; t++)
        add(&past, &o->thread[t].last);
    at->cell = NULL;
    if (e->access)
        at->cell = after_memory(o, &past, e->first, e->last, e->access == RD_TOUCH_WRITE);
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++) {
        if (e->touch[i]) {
            at->object[i] = object(o, e->object[i]);
            after_object(&past, at->object[i], e->touch[i]);
        }
    }
    for (uint32_t i = 0; RD_UNLIKELY(e->more != NULL) && i < e->more->count; i++)
        after_extent(o, &past, &e->more->at[i]);
    if (RD_UNLIKELY(e->clock))
        after_object(&past, &o->clock, e->clock);
    if (e->target != RD_TID_NONE && e->op != RD_OP_CREATE)
        add(&past, &o->thread[e->target].last);
    /* events with the same target depend on each other */
    if (e->target != RD_TID_NONE)
        add(&past, &o->thread[e->target].told);
    return past;
}

static inline void after_event(struct rd_hb_class *o, const struct rd_event *e, const struct spots *at,
                               const struct rd_hb_class_mark *m) {
    if (at->cell)
        leave(m, &at->cell->wrote, &at->cell->read, e->access == RD_TOUCH_WRITE);
    else if (e->access)
        mark_memory(o, m, e->first, e->last, e->access == RD_TOUCH_WRITE);
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        if (e->touch[i])
            mark_object(m, at->object[i], e->touch[i]);
    for (uint32_t i = 0; RD_UNLIKELY(e->more != NULL) && i < e->more->count; i++)
        mark_extent(o, m, &e->more->at[i]);
    if (RD_UNLIKELY(e->clock))
        mark_object(m, &o->clock, e->clock);
    if (e->wide)
        o->wide = *m;
    if (e->target != RD_TID_NONE)
        o->thread[e->target].told = *m;
}

static inline void reach_threads(struct rd_hb_class *o, const struct rd_event *e) {
    reach(o, (uint32_t)e->tid + 1);
    if (e->target != RD_TID_NONE)
        reach(o, (uint32_t)e->target + 1);
}

void rd_hb_class_event(struct rd_hb_class *o, const struct rd_event *e) {
    reach_threads(o, e);
    struct spots at;
    struct rd_hb_class_mark past = before_event(o, e, &at);
    struct rd_hb_class_thread *t = &o->thread[e->tid];
    struct rd_hb_class_mark m = mark_of(o, e, ++t->index, &past);
    t->last = m;
    o->hash[0] += m.a;
    o->hash[1] += m.b;
    after_event(o, e, &at, &m);
}

void rd_hb_class_peek(struct rd_hb_class *o, const struct rd_event *e, uint64_t hash[2]) {
    reach_threads(o, e);
    struct spots at;
    struct rd_hb_class_mark past = before_event(o, e, &at);
    struct rd_hb_class_mark m = mark_of(o, e, o->thread[e->tid].index + 1, &past);
    hash[0] = o->hash[0] + m.a;
    hash[1] = o->hash[1] + m.b;
}

void rd_hb_class_way(struct rd_hb_class *o, rd_tid tid, uint32_t way) {
    uint64_t h = rd_hash2((uint64_t)tid << 32 | o->thread[tid].index, way);
    o->hash[0] += rd_mix(h);
    o->hash[1] += rd_mix(h ^ 0x5851f42d4c957f2du);
}

void rd_hb_class_also(struct rd_hb_class *o, rd_tid tid, uint64_t addr) {
    struct rd_hb_class_object *at = object(o, addr);
    struct rd_hb_class_mark past = {0, 0}, *last = &o->thread[tid].last;
    after_object(&past, at, RD_TOUCH_WRITE);
    last->a = rd_hash2(last->a, past.a); /* later events of the thread come after these */
    last->b = rd_hash2(last->b, past.b);
    mark_object(last, at, RD_TOUCH_WRITE);
}
