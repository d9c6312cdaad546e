/* track.c - see track.h. */
#include "trace/track.h"

const struct rd_track *rd_track_find(const struct rd_track *track, uint32_t count, rd_place place, uint32_t size) {
    rd_place last = place + RD_MAX(size, 1u) - 1;
    uint32_t low = 0, high = count; /* the first piece that does not end before it */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (track[middle].last < place)
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
