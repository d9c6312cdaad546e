/* visited.c - see visited.h. */
#include "search/visited.h"

#include "search/por/prefix_classes.h"

static const uint64_t PART_SIZE = (uint64_t)256 << 20;

uint64_t rd_visited_size(void) { return RD_VISITED_PARTS * (sizeof(struct rd_visited_part) + PART_SIZE); }

static struct rd_visited_part *parts_of(const struct rd_team *t) {
    RD_CHECK(t->hub->visited_at && t->hub->visited_at + rd_visited_size() <= t->hub->size);
    return (struct rd_visited_part *)((char *)t->hub + t->hub->visited_at);
}

void rd_visited_open(struct rd_visited *v, struct rd_arena *a, struct rd_team *team) {
    bool common = team && team->hub->visited_at; /* a component of a composite search has no map in its hub */
    *v = (struct rd_visited){.team = common ? team : NULL, .arena = a};
    if (common && team->me == 0)
        rd_visited_forget(v);
}

void rd_visited_forget(const struct rd_visited *v) {
    struct rd_visited_part *parts = parts_of(v->team);
    char *memory = (char *)(parts + RD_VISITED_PARTS);
    for (uint32_t i = 0; i < RD_VISITED_PARTS; i++) {
        parts[i] = (struct rd_visited_part){.lock = 0};
        rd_arena_init(&parts[i].arena, memory + i * PART_SIZE, PART_SIZE);
    }
}

static bool is_covered(const struct rd_map *m, uint64_t class, rd_tid tid, uint32_t preemptions) {
    const uint64_t *same = rd_map_get(m, rd_hash2(class, tid)), *any = rd_map_get(m, rd_hash2(class, RD_TID_NONE));
    return (same && *same - 1 <= preemptions) || (any && *any - 1 <= preemptions);
}

/* Returns whether the map can grow if it has to. */
static bool has_room(const struct rd_map *m, const struct rd_arena *a) {
    return m->count * 2 < m->room || rd_arena_rest(a).size >= 2 * (uint64_t)m->room * sizeof *m->slots;
}

static bool cover(struct rd_map *m, struct rd_arena *a, uint64_t class, rd_tid tid, uint32_t preemptions) {
    if (is_covered(m, class, tid, preemptions))
        return true;
    if (has_room(m, a))
        *rd_map_put(m, a, rd_hash2(class, tid)) = (uint64_t)preemptions + 1;
    RD_ASSERT(!has_room(m, a) || is_covered(m, class, tid, preemptions));
    return false;
}

bool rd_visited_has(struct rd_visited *v, uint64_t class, rd_tid tid, uint32_t preemptions) {
    if (!v->team)
        return is_covered(&v->map, class, tid, preemptions);
    struct rd_visited_part *p = &parts_of(v->team)[rd_mix(class) % RD_VISITED_PARTS];
    rd_team_take(v->team, &p->lock);
    bool is = is_covered(&p->map, class, tid, preemptions);
    rd_team_release(v->team, &p->lock);
    return is;
}

bool rd_visited_claim(struct rd_visited *v, uint64_t class, rd_tid tid, uint32_t preemptions) {
    if (!v->team)
        return cover(&v->map, v->arena, class, tid, preemptions);
    struct rd_visited_part *p = &parts_of(v->team)[rd_mix(class) % RD_VISITED_PARTS];
    rd_team_take(v->team, &p->lock);
    bool is = cover(&p->map, &p->arena, class, tid, preemptions);
    rd_team_release(v->team, &p->lock);
    return is;
}
