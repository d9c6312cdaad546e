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
    bool allowed = c->live.phase == RD_PHASE_RUN || c->live.phase == RD_PHASE_WAIT;
    /* the arena holds pointers to these objects, and to code: they must have the same addresses in this process */
    if (!allowed || l->channel != c || l->arena != a || l->env.team != t || l->env.run != env->run)
        return NULL;
    RD_CHECK(l->resume_arena.used >= sizeof *l && l->resume_arena.used <= a->size);
    RD_CHECK(l->resume_arena.lent <= l->resume_arena.used);
    a->used = l->resume_arena.used;
    a->lent = l->resume_arena.lent;
    if (t) {
        t->search = l->search;
        t->state = l->state;
    }
    return l;
}

void rd_resume_mark(struct rd_loop *l, enum rd_phase phase) {
    if (!l->env.outlives)
        return;
    RD_CHECK(phase != RD_PHASE_TOLD);
    RD_CHECK(phase != RD_PHASE_RUN || l->turn == RD_TURN_PLANNED);
    if (phase == RD_PHASE_RUN)
        l->channel->execution.outcome.steps = 0; /* the steps of the execution before are not those of this one */
    if (phase != RD_PHASE_SEARCH) {
        l->resume_arena.used = l->arena->used;
        l->resume_arena.lent = l->arena->lent;
    }
    __atomic_store_n(&l->channel->live.phase, (uint32_t)phase, __ATOMIC_RELEASE);
}

bool rd_resume_check_repeat(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    if (c->live.redo_steps <= c->execution.outcome.steps &&
        rd_channel_hash_steps(c, c->live.redo_steps) == c->live.redo)
        return true;
    c->result.summary.end = RD_END_NONE;
    return false;
}
