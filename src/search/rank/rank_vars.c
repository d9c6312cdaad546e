/* rank_vars.c - see rank_vars.h. */
#include "search/rank/rank_vars.h"

#include "trace/place.h"
#include "trace/profile.h"
#include "trace/track.h"

#include <string.h>

/* Shared data is watched along if it has at most so many accesses in an execution. */
enum { ALONG_MAX = 5000 };

static struct rd_rank_var *var_at(struct rd_rank_vars *s, rd_place key, uint64_t size, rd_tid tid) {
    uint64_t *at = rd_map_put(&s->index, s->arena, key);
    if (!*at) {
        rd_vec_push(s->arena, &s->all, (struct rd_rank_var){.key = key, .tid = tid});
        *at = s->all.count;
    }
    struct rd_rank_var *v = &s->all.at[*at - 1];
    RD_ASSERT(v->key == key || v->whole);
    if (v->key != key)
        return v; /* the variable that contains it */
    v->size = (uint32_t)RD_MAX(v->size, RD_MIN(size, UINT32_MAX));
    rd_place_span(key, v->size, &v->first, &v->last);
    return v;
}

static bool is_variable(rd_place place) {
    unsigned region = rd_place_region(place);
    return place && (region < RD_PLACE_IO || region >= RD_PLACE_OTHER);
}

static rd_place first_of(const struct rd_profile *p, rd_place place) {
    const struct rd_var *v = rd_profile_var(p, place);
    return v ? v->first : place;
}

/* Counts the accesses that both read and write: a profile counts each of them twice. */
static void count_twice(struct rd_rank_vars *s, const struct rd_record *r) {
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *p = &r->steps[i];
        unsigned flags = rd_op_flags(p->op);
        if (flags & RD_F_READS && flags & RD_F_WRITES && is_variable(p->place))
            ++*rd_map_put(&s->twice, s->arena, first_of(r->profile, p->place));
    }
}

/*
 * Marks as shared a variable that one thread has used in some executions, and another thread in other executions,
 * of this worker or of another one.
 */
static void note_parted(struct rd_rank_var *v) {
    v->many = v->shared = true;
    v->written |= v->changed;
    v->data |= v->plain && v->changed;
}

static void import(struct rd_rank_vars *s, const struct rd_profile *p, const struct rd_var *from) {
    struct rd_rank_var *v = var_at(s, from->first, from->size, from->owner);
    const uint64_t *twice = rd_map_get(&s->twice, from->first);
    uint64_t all = from->reads + from->writes, both = twice ? RD_MIN(*twice, all) : 0;
    bool part = v->key != from->first; /* part of an array, as another worker knows */
    if (part && from->flags & RD_VAR_GONE)
        return;
    v->accesses = (uint32_t)RD_MIN((all - both + p->executions - 1) / p->executions, UINT32_MAX);
    v->ordinal = from->block ? p->blocks[from->block - 1].ordinal : 0;
    v->gone = part ? v->gone : (from->flags & RD_VAR_GONE) != 0;
    v->shared |= rd_var_contended(from);
    v->written |= (from->flags & RD_VAR_WRITTEN) != 0;
    bool data = rd_var_contended(from) && v->written && from->flags & RD_VAR_PLAIN;
    v->data |= data;
    v->suspect = data && from->lock_count == 0;
    v->profiled = true;
    v->whole |= (from->flags & RD_VAR_WHOLE) != 0;
    v->plain |= (from->flags & RD_VAR_PLAIN) != 0;
    v->many |= (from->flags & RD_VAR_SHARED) != 0;
    v->changed |= from->writes > 0;
    if (v->tid != from->owner)
        note_parted(v);
}

static void count_data(struct rd_rank_vars *s) {
    s->data = 0;
    for (uint32_t i = 0; i < s->all.count; i++)
        s->data += s->all.at[i].data && !s->all.at[i].gone;
}

void rd_rank_vars_profile(struct rd_rank_vars *s, const struct rd_record *r) {
    const struct rd_profile *p = r->profile;
    s->lost |= (p->lost & RD_LOST_VARS) != 0;
    count_twice(s, r);
    for (uint32_t i = 0; i < p->var_count && p->executions; i++)
        import(s, p, &p->vars[i]);
    count_data(s);
}

/* For an access by another thread than `tid` of the variable. Facts from profiles take precedence. */
static void note_shared(struct rd_rank_vars *s, struct rd_rank_var *v, unsigned flags) {
    v->shared = true;
    v->written |= (flags & (RD_F_READS | RD_F_WRITES)) != RD_F_READS;
    bool plain = !v->gone && !(flags & (RD_F_OBJECT | RD_F_ATOMIC));
    bool data = plain && (v->profiled ? v->changed && !v->many : v->written);
    s->data += data && !v->data;
    v->data |= data;
}

/* A place that no profile of this worker has shown may be part of an array in a profile of another worker. */
static void find_whole(struct rd_rank_vars *s, rd_place place) {
    for (uint32_t i = 0; i < s->all.count; i++) {
        const struct rd_rank_var *v = &s->all.at[i];
        if (v->whole && !v->gone && v->first <= place && place <= v->last) {
            *rd_map_put(&s->index, s->arena, place) = i + 1;
            return;
        }
    }
}

void rd_rank_vars_note(struct rd_rank_vars *s, const struct rd_record *r) {
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *p = &r->steps[i];
        if (rd_step_is_way(p) || !is_variable(p->place))
            continue;
        uint64_t *known = rd_map_get(&s->index, p->place);
        rd_place first = known ? p->place : first_of(r->profile, p->place);
        if (!known && first == p->place)
            find_whole(s, first);
        struct rd_rank_var *v = var_at(s, first, first == p->place ? p->size : 0, p->tid);
        if (v->tid != p->tid)
            note_shared(s, v, rd_op_flags(p->op));
    }
}

static void merge_var(struct rd_rank_vars *s, const struct rd_rank_var *from) {
    struct rd_rank_var *v = var_at(s, from->key, from->size, from->tid);
    bool parted = v->tid != from->tid; /* each worker knows another thread that uses it */
    bool same = v->key == from->key;
    if (!same && from->gone)
        return; /* it is counted in its array */
    v->ordinal = same ? RD_MAX(v->ordinal, from->ordinal) : v->ordinal;
    v->accesses = RD_MAX(v->accesses, from->accesses);
    v->gone |= same && from->gone;
    v->whole |= same && from->whole;
    v->profiled |= from->profiled;
    v->plain |= from->plain;
    v->changed |= from->changed;
    v->many |= from->many;
    v->written |= from->written;
    v->shared |= from->shared;
    v->data |= from->data;
    v->suspect |= from->suspect;
    if (parted)
        note_parted(v);
}

void rd_rank_vars_merge(struct rd_rank_vars *s, const struct rd_rank_vars *from) {
    for (uint32_t i = 0; i < from->all.count; i++)
        merge_var(s, &from->all.at[i]);
    s->lost |= from->lost;
    count_data(s);
}

enum { PASSES = 4 };

static bool fits(const struct rd_rank_vars *s, const struct rd_rank_var *v, unsigned pass) {
    bool order[PASSES] = {v->suspect, v->shared && v->written, v->shared, s->private_too};
    return !v->gone && !v->listed && v->ordinal <= s->ordinal_max && order[pass];
}

/*
 * Moves the last variable of the list in front of the variables of its pass that are used more often: its sets
 * have fewer executions.
 */
static void move_up(struct rd_rank_vars *s, uint32_t begin) {
    for (uint32_t i = s->list.count - 1; i > begin; i--) {
        uint32_t above = s->list.at[i - 1], it = s->list.at[i];
        if (s->all.at[above].accesses <= s->all.at[it].accesses)
            return;
        s->list.at[i - 1] = it;
        s->list.at[i] = above;
    }
}

void rd_rank_vars_list(struct rd_rank_vars *s) {
    s->left_out = 0;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        uint32_t begin = s->list.count;
        for (uint32_t i = 0; i < s->all.count; i++) {
            struct rd_rank_var *v = &s->all.at[i];
            s->left_out += pass == 0 && !v->gone && v->ordinal > s->ordinal_max && (v->shared || s->private_too);
            if (!fits(s, v, pass))
                continue;
            v->listed = true;
            RD_CHECK(s->list.count < s->all.count); /* each variable is listed once */
            rd_vec_push(s->arena, &s->list, i);
            move_up(s, begin);
        }
    }
}

static const struct rd_rank_var *listed(const struct rd_rank_vars *s, uint32_t i) {
    RD_CHECK(i < s->list.count);
    return &s->all.at[s->list.at[i]];
}

struct rd_rank_sets rd_rank_sets_begin(uint32_t size_max, uint32_t fresh, bool whole) {
    return (struct rd_rank_sets){
        .size_max = RD_MIN(size_max, (uint32_t)RD_RANK_VARS_MAX), .fresh = fresh, .size = 1, .whole = whole};
}

/* Goes on to the next set of this size in lexical order. */
static bool advance(struct rd_rank_sets *e, uint32_t count) {
    if (!e->begun) {
        for (uint32_t i = 0; i < e->size; i++)
            e->at[i] = i;
        e->begun = true;
        return e->size <= count;
    }
    uint32_t i = e->size;
    RD_CHECK(e->size <= count && e->at[e->size - 1] < count);
    while (i > 0 && e->at[i - 1] == count - e->size + i - 1)
        i--;
    if (i == 0)
        return false;
    e->at[i - 1]++;
    for (; i < e->size; i++)
        e->at[i] = e->at[i - 1] + 1;
    return true;
}

static bool wanted(const struct rd_rank_sets *e, const struct rd_rank_vars *s) {
    uint32_t ordinal = 0;
    for (uint32_t i = 0; i < e->size; i++) {
        const struct rd_rank_var *v = listed(s, e->at[i]);
        if (v->gone)
            return false;
        ordinal = RD_MAX(ordinal, v->ordinal);
    }
    return ordinal == e->ordinal && e->at[e->size - 1] >= e->fresh;
}

bool rd_rank_sets_next(struct rd_rank_sets *e, const struct rd_rank_vars *s) {
    if (e->whole) {
        bool first = !e->begun;
        e->begun = true;
        return first && e->fresh < s->list.count && e->size_max > 0;
    }
    while (e->size <= e->size_max) {
        while (advance(e, s->list.count))
            if (wanted(e, s))
                return true;
        e->begun = false;
        if (e->ordinal++ == s->ordinal_max || e->size > s->list.count) {
            e->ordinal = 0;
            e->size++;
        }
    }
    return false;
}

void rd_rank_pieces_of(const struct rd_rank_sets *e, const struct rd_rank_vars *s, struct rd_rank_pieces *to) {
    to->count = 0;
    to->too_many = false;
    for (uint32_t i = 0; i < (e->whole ? s->list.count : e->size); i++) {
        const struct rd_rank_var *v = listed(s, e->whole ? i : e->at[i]);
        to->too_many |= to->count == RD_TRACKS_MAX;
        if (!v->gone && !to->too_many)
            to->at[to->count++] = (struct rd_track){.first = v->first, .last = v->last, .var = i};
    }
    to->count = rd_track_sort(to->at, to->count);
}

bool rd_rank_pieces_along(const struct rd_rank_pieces *from, const struct rd_rank_vars *s,
                          struct rd_rank_pieces *to) {
    uint64_t accesses = 0;
    to->count = from->count;
    to->too_many = from->too_many;
    memcpy(to->at, from->at, from->count * sizeof *to->at);
    for (uint32_t i = 0; i < s->all.count && accesses <= ALONG_MAX && !to->too_many; i++) {
        const struct rd_rank_var *v = &s->all.at[i];
        if (!v->data || v->gone || rd_track_find(from->at, from->count, v->key, v->size))
            continue;
        accesses += v->accesses;
        to->too_many = to->count == RD_TRACKS_MAX;
        if (!to->too_many)
            to->at[to->count++] = (struct rd_track){.first = v->first, .last = v->last, .var = UINT32_MAX};
    }
    to->count = rd_track_sort(to->at, to->count);
    return accesses <= ALONG_MAX && !to->too_many;
}
