/* track.c - see track.h. */
#include "trace/track.h"

#include "base/sort.h"
#include "trace/place.h"
#include "trace/profile.h"

struct rd_track rd_track_of_var(const struct rd_var *v, uint32_t var) {
    struct rd_track t = {.var = var};
    rd_place_span(v->first, v->size, &t.first, &t.last);
    return t;
}

uint32_t rd_track_sort(struct rd_track *t, uint32_t count) {
    uint32_t kept = 0;
    rd_sort(t, count, a, b, a->first != b->first ? a->first < b->first : a->var < b->var);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && t[i].first <= t[kept - 1].last)
            t[kept - 1].last = RD_MAX(t[kept - 1].last, t[i].last);
        else
            t[kept++] = t[i];
    }
    return kept;
}

const struct rd_track *rd_track_find(const struct rd_track *track, uint32_t count, rd_place place, uint32_t size) {
    uint32_t low = 0, high = count; /* the first piece that does not end before these bytes is in [low, high] */
    rd_place first, last;
    rd_place_span(place, size, &first, &last);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (track[middle].last < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && place && track[low].first <= last ? &track[low] : NULL;
}

const struct rd_track *rd_track_of_op(const struct rd_track *track, uint32_t count, const struct rd_op *op) {
    const struct rd_track *t = rd_track_find(track, count, op->place, op->size);
    return t ? t : rd_track_find(track, count, op->place2, 0);
}

const struct rd_track *rd_track_of_step(const struct rd_track *track, uint32_t count, const struct rd_step *s) {
    const struct rd_track *t = rd_track_find(track, count, s->place, s->size);
    return t || !(s->flags & RD_STEP_VALUE2) ? t : rd_track_find(track, count, s->value, 0);
}
