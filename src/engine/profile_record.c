/*
 * profile.c - see profile.h. Which locks a thread holds is asked of the model when it matters; here is only where
 * it may hold one.
 */
#include "engine/profile_record.h"

#include "trace/place.h"

#include <string.h>

enum { HELD_MAX = 16 };

struct held {
    uint64_t addr;
    rd_place place;
    uint32_t kind; /* enum rd_object_kind */
};

struct rd_profiler {
    struct rd_world *world;
    struct rd_profile *table;
    struct held *held[RD_TID_MAX];
};

struct rd_profiler *rd_profiler_open(struct rd_world *w, struct rd_profile *p) {
    struct rd_profiler *r = rd_arena_zero(w->arena, sizeof *r);
    r->world = w;
    r->table = p;
    p->executions++;
    return r;
}

static bool holds(const struct rd_profiler *p, rd_tid tid, uint64_t addr, unsigned kind) {
    const struct rd_object *o = rd_world_find(p->world, addr, kind);
    if (!o)
        return false;
    if (kind == RD_OBJ_MUTEX)
        return o->mutex.owner == tid;
    if (o->rwlock.writer.owner == tid)
        return true;
    for (const struct rd_reader *r = o->rwlock.who; r; r = r->next)
        if (r->tid == tid)
            return r->locks > 0;
    return false;
}

/* After any operation on an object that is a lock: the thread may hold it now. */
static void note_lock(struct rd_profiler *p, rd_tid tid, uint64_t addr, rd_place place) {
    unsigned kind = RD_OBJ_MUTEX;
    if (!holds(p, tid, addr, kind))
        kind = RD_OBJ_RWLOCK;
    if (!holds(p, tid, addr, kind))
        return;
    if (!p->held[tid])
        p->held[tid] = rd_arena_zero(p->world->arena, HELD_MAX * sizeof *p->held[tid]);
    struct held *h = p->held[tid], *to = NULL;
    for (uint32_t i = 0; i < HELD_MAX; i++) {
        if (h[i].addr == addr)
            return;
        if (!to && (!h[i].addr || !holds(p, tid, h[i].addr, h[i].kind)))
            to = &h[i];
    }
    if (to)
        *to = (struct held){addr, place, kind};
}

/* The place of a lock that it holds, by number; 0: there are no more. */
static rd_place next_lock(const struct rd_profiler *p, rd_tid tid, uint32_t *at) {
    const struct held *h = p->held[tid];
    for (; h && *at < HELD_MAX; ++*at)
        if (h[*at].addr && holds(p, tid, h[*at].addr, h[*at].kind))
            return h[(*at)++].place;
    return 0;
}

static void first_locks(const struct rd_profiler *p, struct rd_var *v, rd_tid tid) {
    uint32_t at = 0;
    v->lock_count = 0;
    for (rd_place lock; v->lock_count < RD_VAR_LOCKS && (lock = next_lock(p, tid, &at)) != 0;)
        v->locks[v->lock_count++] = lock;
}

static void fewer_locks(const struct rd_profiler *p, struct rd_var *v, rd_tid tid) {
    uint16_t kept = 0;
    for (uint32_t i = 0; i < v->lock_count; i++) {
        uint32_t at = 0;
        rd_place lock;
        while ((lock = next_lock(p, tid, &at)) != 0 && lock != v->locks[i]) {
        }
        if (lock)
            v->locks[kept++] = lock;
    }
    v->lock_count = kept;
}

static uint32_t *slot(uint32_t *index, uint32_t size, rd_place key, const struct rd_profile *t, bool site) {
    uint32_t at = (uint32_t)rd_mix(key) & (size - 1);
    while (index[at] && (site ? t->sites[index[at] - 1].pc : t->vars[index[at] - 1].first) != key)
        at = (at + 1) & (size - 1);
    return &index[at];
}

static struct rd_var *var_at(struct rd_profile *t, rd_place first, uint64_t size) {
    uint32_t *to = slot(t->var_index, RD_COUNT(t->var_index), first, t, false);
    if (!*to) {
        if (t->var_count == RD_VARS_MAX) {
            t->lost |= RD_LOST_VARS;
            return NULL;
        }
        t->vars[t->var_count] = (struct rd_var){.first = first, .size = size, .owner = RD_TID_NONE};
        *to = ++t->var_count;
    }
    struct rd_var *v = &t->vars[*to - 1];
    v->size = RD_MAX(v->size, size);
    return v;
}

/* An array whose elements are too many becomes one variable; what is known of them is known of it. */
static struct rd_var *merge(struct rd_profile *t, rd_place first, uint64_t size) {
    struct rd_var *whole = var_at(t, first, size);
    if (!whole)
        return NULL;
    whole->size = size;
    whole->flags |= RD_VAR_WHOLE;
    for (uint32_t i = 0; i < t->var_count; i++) {
        struct rd_var *v = &t->vars[i];
        if (v == whole || v->first < first || v->first - first >= size)
            continue;
        if (whole->owner == RD_TID_NONE)
            *whole = (struct rd_var){.first = first, .size = size, .owner = v->owner, .flags = RD_VAR_WHOLE};
        bool was = whole->flags & RD_VAR_SHARED;
        whole->reads += v->reads;
        whole->writes += v->writes;
        whole->tids |= v->tids;
        whole->threads = (uint16_t)__builtin_popcountll(whole->tids);
        whole->flags |= v->flags | (whole->threads > 1 ? RD_VAR_SHARED : 0);
        if (v->flags & RD_VAR_SHARED && !was) {
            memcpy(whole->locks, v->locks, sizeof v->locks);
            whole->lock_count = v->lock_count;
        } else if (whole->flags & RD_VAR_SHARED) {
            whole->lock_count = 0; /* nothing is known of both */
        }
        v->flags |= RD_VAR_GONE;
    }
    return whole;
}

static struct rd_var *find(struct rd_profile *t, rd_place place, uint32_t size) {
    struct rd_block *b = (struct rd_block *)rd_profile_block(t, place);
    struct rd_global *g = b ? NULL : (struct rd_global *)rd_profile_global(t, place);
    uint32_t before = t->var_count;
    struct rd_var *v;
    if (b && b->whole)
        v = var_at(t, b->first, b->size);
    else if (g && g->whole)
        v = var_at(t, g->first, g->size);
    else
        v = var_at(t, place, size);
    if (!v || t->var_count == before)
        return v;
    if (b && !b->whole && ++b->elements > RD_ELEMENTS_MAX) {
        b->whole = 1;
        v = merge(t, b->first, b->size);
    } else if (g && !g->whole && ++g->elements > RD_ELEMENTS_MAX) {
        g->whole = 1;
        v = merge(t, g->first, g->size);
    }
    if (v) {
        v->block = b ? (uint32_t)(b - t->blocks) + 1 : 0;
        v->global = g ? (uint32_t)(g - t->globals) + 1 : 0;
    }
    return v;
}

struct rd_site *rd_profiler_site(struct rd_profile *t, rd_place pc) {
    uint32_t *to = slot(t->site_index, RD_COUNT(t->site_index), pc, t, true);
    if (!*to) {
        if (t->site_count == RD_SITES_MAX) {
            t->lost |= RD_LOST_SITES;
            return NULL;
        }
        t->sites[t->site_count] = (struct rd_site){.pc = pc};
        *to = ++t->site_count;
    }
    return &t->sites[*to - 1];
}

static void note_site(struct rd_profile *t, rd_place pc, uint32_t var) {
    struct rd_site *s = rd_profiler_site(t, pc);
    if (!s)
        return;
    s->count++;
    for (uint32_t i = 0; i < RD_SITE_VARS; i++) {
        if (s->vars[i] == var + 1)
            return;
        if (!s->vars[i]) {
            s->vars[i] = var + 1;
            return;
        }
    }
    s->many = 1;
}

static void use(struct rd_profiler *p, struct rd_var *v, rd_tid tid, unsigned flags) {
    if (flags & RD_F_READS)
        v->reads++;
    if (flags & RD_F_WRITES)
        v->writes++;
    v->flags |= flags & RD_F_OBJECT ? RD_VAR_OBJECT : flags & RD_F_ATOMIC ? RD_VAR_ATOMIC : RD_VAR_PLAIN;
    v->tids |= (uint64_t)1 << (tid & 63);
    v->threads = (uint16_t)__builtin_popcountll(v->tids);
    if (v->owner == RD_TID_NONE)
        v->owner = tid;
    if (v->flags & RD_VAR_SHARED) {
        fewer_locks(p, v, tid);
    } else if (v->owner != tid) {
        v->flags |= RD_VAR_SHARED;
        first_locks(p, v, tid);
    }
    if ((v->flags & RD_VAR_SHARED) && (flags & RD_F_WRITES))
        v->flags |= RD_VAR_WRITTEN;
}

void rd_profiler_add(struct rd_profiler *p, rd_tid tid, const struct rd_op *op) {
    struct rd_profile *t = p->table;
    unsigned flags = rd_op_flags(op->kind);
    bool memory = flags & (RD_F_READS | RD_F_WRITES | RD_F_STORES);
    unsigned region = rd_place_region(op->place);
    if (region >= RD_PLACE_OTHER)
        t->lost |= RD_LOST_OTHER;
    if (!op->place || region >= RD_PLACE_IO)
        return;
    struct rd_var *v = find(t, op->place, op->size);
    t->accesses++;
    if (v) {
        use(p, v, tid, flags & RD_F_STORES ? RD_F_WRITES : memory ? flags : RD_F_OBJECT | RD_F_WRITES);
        if (memory)
            note_site(t, op->pc, (uint32_t)(v - t->vars));
    }
    if (!memory) {
        note_lock(p, tid, op->addr, op->place);
        if (op->place2)
            note_lock(p, tid, op->addr2, op->place2);
    }
}
