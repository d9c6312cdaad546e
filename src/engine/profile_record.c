/*
 * profile_record.c - see profile_record.h. The model says whether a thread holds a lock. The profiler only keeps,
 * for each thread, some locks that the thread may hold, and asks the model about them.
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
    RD_CHECK(p->var_count <= RD_VARS_MAX && p->site_count <= RD_SITES_MAX);
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
    for (const struct rd_reader *r = o->rwlock.known_readers; r; r = r->next)
        if (r->tid == tid)
            return r->locks > 0;
    return false;
}

/* Remembers the object of an operation that the thread has performed, if that is a lock that it holds now. */
static void remember_lock(struct rd_profiler *p, rd_tid tid, uint64_t addr, rd_place place) {
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

/* Returns the place of the next lock that the thread holds, from number *at on; 0: there are no more. */
static rd_place next_lock(const struct rd_profiler *p, rd_tid tid, uint32_t *at) {
    const struct held *h = p->held[tid];
    for (; h && *at < HELD_MAX; ++*at)
        if (h[*at].addr && holds(p, tid, h[*at].addr, h[*at].kind))
            return h[(*at)++].place;
    return 0;
}

/* The variable became shared: its locks are those that the thread holds. */
static void copy_locks(const struct rd_profiler *p, struct rd_var *v, rd_tid tid) {
    uint32_t at = 0;
    v->lock_count = 0;
    for (rd_place lock; v->lock_count < RD_VAR_LOCKS && (lock = next_lock(p, tid, &at)) != 0;)
        v->locks[v->lock_count++] = lock;
}

/* Removes from the locks of the variable those that the thread does not hold. */
static void intersect_locks(const struct rd_profiler *p, struct rd_var *v, rd_tid tid) {
    uint16_t kept = 0;
    RD_CHECK(v->lock_count <= RD_VAR_LOCKS);
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

/* Returns the slot of the key in the hash index of the sites or the variables, or the empty one where it belongs.
 */
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
    RD_CHECK(*to <= t->var_count);
    struct rd_var *v = &t->vars[*to - 1];
    v->size = RD_MAX(v->size, size);
    return v;
}

/* An array with too many elements becomes one variable, which takes over the counts of its elements. */
static struct rd_var *merge(struct rd_profile *t, rd_place first, uint64_t size) {
    struct rd_var *array = var_at(t, first, size);
    if (!array)
        return NULL;
    array->size = size;
    array->flags |= RD_VAR_WHOLE;
    for (uint32_t i = 0; i < t->var_count; i++) {
        struct rd_var *v = &t->vars[i];
        if (v == array || v->first < first || v->first - first >= size)
            continue;
        if (array->owner == RD_TID_NONE)
            *array = (struct rd_var){.first = first, .size = size, .owner = v->owner, .flags = RD_VAR_WHOLE};
        bool was = array->flags & RD_VAR_SHARED;
        array->reads += v->reads;
        array->writes += v->writes;
        array->tids |= v->tids;
        array->threads = (uint16_t)__builtin_popcountll(array->tids);
        array->flags |= v->flags | (array->threads > 1 ? RD_VAR_SHARED : 0);
        if (v->flags & RD_VAR_SHARED && !was) {
            memcpy(array->locks, v->locks, sizeof v->locks);
            array->lock_count = v->lock_count;
        } else if (array->flags & RD_VAR_SHARED) {
            array->lock_count = 0; /* the two may have been accessed under different locks */
        }
        v->flags |= RD_VAR_GONE;
    }
    return array;
}

/* Returns the variable of an access: the bytes themselves, or the array that they are in; NULL: there is no room.
 */
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
    RD_CHECK(*to <= t->site_count);
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

static void count_use(struct rd_profiler *p, struct rd_var *v, rd_tid tid, unsigned flags) {
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
        intersect_locks(p, v, tid);
    } else if (v->owner != tid) {
        v->flags |= RD_VAR_SHARED;
        copy_locks(p, v, tid);
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
    RD_ASSERT(op->kind < RD_OP_KINDS && tid < p->world->count);
    struct rd_var *v = find(t, op->place, op->size);
    t->accesses++;
    if (v) {
        count_use(p, v, tid, flags & RD_F_STORES ? RD_F_WRITES : memory ? flags : RD_F_OBJECT | RD_F_WRITES);
        if (memory)
            note_site(t, op->pc, (uint32_t)(v - t->vars));
    }
    if (!memory) {
        remember_lock(p, tid, op->addr, op->place);
        if (op->place2)
            remember_lock(p, tid, op->addr2, op->place2);
    }
}
