/* wakeup_nodes.c - see wakeup_nodes.h. */
#include "search/por/wakeup_nodes.h"

enum { MANY = 64 }; /* nodes that are taken out of the arena at once */
static const size_t FAR = (size_t)UINT32_MAX * sizeof(struct rd_wakeup_node);
static const uint32_t EVENTS_MAX = UINT32_MAX >> RD_WAKEUP_EVENT_BIT;

static uint64_t key_of(const struct rd_event *e, int32_t way) {
    uint64_t h = rd_hash2(rd_hash2((uint32_t)way, e->first), e->last);
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        h = rd_hash2(h, e->object[i] << 2 | e->touch[i]);
    uint64_t more = (uint64_t)e->clock << 3 | (uint64_t)e->access << 1 | e->wide;
    h += (uintptr_t)e->more;
    return rd_hash2(h, (uint64_t)e->tid << 32 | (uint64_t)e->target << 16 | more);
}

static bool is(const struct rd_wakeup_event *x, const struct rd_event *e, int32_t way) {
    return x->way == way && rd_event_touches_same(&x->e, e);
}

static uint32_t *latest_of(struct rd_wakeup_pool *p, const struct rd_event *e) {
    return &p->latest[(e->place / 4 + e->tid * 37u + e->op * 11u) % RD_WAKEUP_LATEST];
}

static uint32_t find_number(struct rd_wakeup_pool *p, const struct rd_event *e, int32_t way) {
    for (uint64_t key = key_of(e, way);; key++) {
        uint64_t *number = rd_map_put(&p->number, p->arena, key);
        if (*number && is(&p->events.at[*number - 1], e, way))
            return (uint32_t)*number - 1;
        if (*number)
            continue;
        rd_vec_push(p->arena, &p->events, (struct rd_wakeup_event){*e, rd_event_sign(e), way});
        *number = p->events.count;
        return p->events.count - 1;
    }
}

static uint32_t number_of(struct rd_wakeup_pool *p, const struct rd_event *e, int32_t way) {
    RD_CHECK(p->events.count < EVENTS_MAX);
    uint32_t *latest = latest_of(p, e);
    if (!*latest || !is(&p->events.at[*latest - 1], e, way))
        *latest = find_number(p, e, way) + 1;
    return *latest - 1;
}

/* Returns whether there is memory for all that one more node may need. */
static bool has_room(const struct rd_wakeup_pool *p) {
    size_t need = MANY * sizeof(struct rd_wakeup_node) + 4 * (size_t)p->events.room * sizeof *p->events.at +
                  4 * (size_t)p->number.room * sizeof *p->number.slots + 8192;
    size_t reach = p->base ? (size_t)(p->arena->base + p->arena->used - p->base) : 0;
    return p->arena->used + need < p->arena->size && reach + need < FAR && p->events.count < EVENTS_MAX;
}

struct rd_wakeup_node *rd_wakeup_new(struct rd_wakeup_pool *p, const struct rd_event *e, int32_t way) {
    p->full |= !has_room(p);
    if (p->full)
        return NULL;
    struct rd_wakeup_node *w = p->unused;
    if (w) {
        p->unused = rd_wakeup_at(p, w->next);
    } else {
        if (!p->fresh_count) {
            p->fresh = rd_arena_alloc(p->arena, MANY * sizeof *p->fresh);
            p->fresh_count = MANY;
            p->base = p->base ? p->base : (char *)p->fresh - sizeof *p->fresh;
        }
        w = p->fresh++;
        p->fresh_count--;
    }
    uint32_t packed = number_of(p, e, way) << RD_WAKEUP_EVENT_BIT | (way >= 0 ? RD_WAKEUP_HAS_WAY : 0u) | e->tid;
    *w = (struct rd_wakeup_node){.packed = packed};
    RD_ASSERT(rd_wakeup_at(p, rd_wakeup_name(p, w)) == w && rd_wakeup_tid(w) == e->tid &&
              rd_wakeup_way(p, w) == way);
    return w;
}

void rd_wakeup_drop(struct rd_wakeup_pool *p, struct rd_wakeup_node *w) {
    w->next = rd_wakeup_name(p, p->unused);
    p->unused = w;
}
