/* resume.c - see resume.h. */
#include "explore/resume.h"

struct rd_loop *rd_resume_open(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env) {
    RD_CHECK(a->used == 0);
    struct rd_loop *l = rd_arena_zero(a, sizeof *l);
    l->channel = c;
    l->arena = a;
    l->env = *env;
    l->cover.arena = a;
    return l;
}

struct rd_loop *rd_resume_find(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env) {
    struct rd_loop *l = (struct rd_loop *)(void *)a->base;
    struct rd_team *t = env->team;
    bool marked = c->live.phase == RD_PHASE_RUN || c->live.phase == RD_PHASE_WAIT;
    /* it is full of pointers: to these, and to code */
    if (!marked || l->channel != c || l->arena != a || l->env.team != t || l->env.run != env->run)
        return NULL;
    a->used = l->kept.used;
    a->lent = l->kept.lent;
    if (t) {
        t->search = l->search;
        t->state = l->state;
    }
    return l;
}

void rd_resume_mark(struct rd_loop *l, enum rd_phase phase) {
    if (!l->env.outlives)
        return;
    if (phase == RD_PHASE_RUN)
        l->channel->execution.outcome.steps = 0; /* what is there is of the execution before */
    if (phase != RD_PHASE_SEARCH) {
        l->kept.used = l->arena->used;
        l->kept.lent = l->arena->lent;
    }
    __atomic_store_n(&l->channel->live.phase, (uint32_t)phase, __ATOMIC_RELEASE);
}

bool rd_resume_same(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    if (c->live.redo_steps <= c->execution.outcome.steps && rd_channel_walk(c, c->live.redo_steps) == c->live.redo)
        return true;
    c->result.summary.end = RD_END_NONE;
    return false;
}
