/* team_parts.c - the components of a composite search in a team: see team.h. */
#include "search/team/team.h"

#include <string.h>

static struct rd_hub *hub_of(const struct rd_team *t, uint32_t part) {
    RD_CHECK(part < RD_TEAM_PARTS);
    return (struct rd_hub *)((char *)t->hub + t->hub->parts_at + part * t->hub->part_size);
}

void rd_team_open_parts(const struct rd_team *t) {
    RD_CHECK(t->me == 0 && t->hub->parts_at + RD_TEAM_PARTS * t->hub->part_size <= t->hub->common_at);
    for (uint32_t i = 0; i < RD_TEAM_PARTS; i++) {
        struct rd_hub *h = hub_of(t, i);
        memset(h, 0, sizeof *h);
        h->version = t->hub->version;
        h->size = t->hub->part_size;
        h->box_at = t->hub->part_header;
        h->box_size = t->hub->part_box;
        h->tree_size = t->hub->tree_size / RD_TEAM_TREES;
        h->tree_at = (uint64_t)((char *)t->hub + t->hub->tree_at - (char *)h) + i % RD_TEAM_TREES * h->tree_size;
    }
}

struct rd_team rd_team_part(const struct rd_team *t, uint32_t part, const struct rd_search *search) {
    struct rd_team sub = *t;
    RD_CHECK(rd_search_share(t->search) == RD_SHARE_PARTS);
    sub.hub = hub_of(t, part);
    sub.me = RD_TEAM_MAX - 1;
    sub.search = search;
    sub.state = NULL;
    return sub;
}

bool rd_team_enter(struct rd_team *t) {
    rd_team_lock(t);
    bool may = rd_search_share(t->search) != RD_SHARE_NOT || t->hub->joined == 0;
    if (may) {
        RD_CHECK(t->hub->joined < RD_TEAM_MAX && t->hub->seat[t->hub->joined].state == RD_SEAT_EMPTY);
        t->me = t->hub->joined++;
        t->hub->seat[t->me].state = RD_SEAT_BUSY;
    }
    rd_team_unlock(t);
    return may;
}

bool rd_team_has(const struct rd_team *t) {
    const struct rd_seat *s = &t->hub->seat[t->me];
    if (__atomic_load_n(&s->state, __ATOMIC_RELAXED) != RD_SEAT_IDLE)
        return true;
    bool units = rd_search_share(t->search) == RD_SHARE_UNITS;
    return units && (__atomic_load_n(&s->size, __ATOMIC_RELAXED) || s->level != RD_LEVEL_NONE);
}

uint32_t rd_team_present(const struct rd_team *t, uint32_t *before_me) {
    uint32_t n = 0;
    *before_me = 0;
    for (uint32_t i = 0; i < RD_TEAM_MAX; i++) {
        uint32_t state = __atomic_load_n(&t->hub->seat[i].state, __ATOMIC_RELAXED);
        bool there = state == RD_SEAT_BUSY || state == RD_SEAT_IDLE;
        n += there;
        *before_me += there && i < t->me;
    }
    return n;
}
