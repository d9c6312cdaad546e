/* vclock.c - see vclock.h. */
#include "base/vclock.h"

#include <string.h>

void rd_vclock_grow(struct rd_vclock *c, struct rd_arena *a, uint32_t count) {
    RD_CHECK(count > c->count);
    if (count > c->room) {
        uint32_t room = RD_MAX(count, c->room * 2 + 4);
        uint32_t *fresh = rd_arena_alloc(a, room * sizeof *fresh);
        if (c->count)
            memcpy(fresh, c->at, c->count * sizeof *fresh);
        c->at = fresh;
        c->room = room;
    }
    memset(c->at + c->count, 0, (count - c->count) * sizeof *c->at);
    c->count = count;
}
