/* semlock.c - see semlock.h. */
#include "trace/semlock.h"

static bool takes(const struct rd_step *s) { return s->op == RD_OP_SEM_WAIT || s->op == RD_OP_SEM_TRYWAIT; }

/* Returns whether the step changed the semaphore. */
static bool counts(const struct rd_step *s) {
    return (takes(s) || s->op == RD_OP_SEM_POST) && s->result == 0 && !(s->flags & RD_STEP_SIGNALLED);
}

void rd_semlocks_init(struct rd_semlocks *l, struct rd_arena *a, const struct rd_step *steps, uint32_t count) {
    *l = (struct rd_semlocks){0};
    for (uint32_t i = 0; i < count; i++) {
        const struct rd_step *s = &steps[i];
        if (!counts(s))
            continue;
        uint64_t *owner = rd_map_put(&l->use, a, s->place);
        uint64_t before = takes(s) ? 0 : s->tid + 1u; /* the owner of a lock before this step */
        if (*owner != before || s->value != takes(s))
            *owner = UINT64_MAX;
        else
            *owner = takes(s) ? s->tid + 1u : 0;
    }
}

const struct rd_step *rd_semlocks_step(const struct rd_semlocks *l, const struct rd_step *s, struct rd_step *copy) {
    const uint64_t *use = takes(s) || s->op == RD_OP_SEM_POST ? rd_map_get(&l->use, s->place) : NULL;
    if (!use || *use == UINT64_MAX)
        return s;
    *copy = *s;
    copy->op = s->op == RD_OP_SEM_POST   ? RD_OP_MUTEX_UNLOCK
               : s->op == RD_OP_SEM_WAIT ? RD_OP_MUTEX_LOCK
                                         : RD_OP_MUTEX_TRYLOCK;
    return copy;
}
