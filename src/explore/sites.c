/* sites.c - see sites.h. */
#include "explore/sites.h"

#include "trace/track.h"

/* A hash of a set of variables. */
static uint64_t hash_of(const struct rd_track *track, uint32_t count) {
    uint64_t h = count;
    for (uint32_t i = 0; i < count; i++)
        h = rd_hash2(rd_hash2(h, track[i].first), track[i].last);
    return h;
}

/* Can the site touch a tracked variable, as far as profiles have shown? */
static bool may_touch(const struct rd_profile *p, const struct rd_site *s, const struct rd_track *track,
                      uint32_t count) {
    if (s->many || !s->vars[0])
        return true;
    for (uint32_t i = 0; i < RD_SITE_VARS && s->vars[i]; i++) {
        RD_CHECK(s->vars[i] <= p->var_count);
        const struct rd_var *v = &p->vars[s->vars[i] - 1];
        if (rd_track_find(track, count, v->first, (uint32_t)RD_MIN(v->size, (uint64_t)UINT32_MAX)))
            return true;
    }
    return false;
}

/*
 * Begins a new set. `after`: the access after a tracked one is a point. No profile shows the sites of such
 * accesses, so all hooks are on at first.
 */
static void begin_set(struct rd_profile *p, const struct rd_track *track, uint32_t count, bool after) {
    RD_CHECK(p->site_count <= RD_SITES_MAX);
    for (uint32_t i = 0; i < p->site_count; i++) {
        struct rd_site *s = &p->sites[i];
        s->seen = s->touched = 0;
        s->off = !after && !s->fixed && !may_touch(p, s, track, count);
    }
}

void rd_sites_plan(struct rd_sites *s, struct rd_plan *plan, const struct rd_track *track, struct rd_profile *p,
                   bool goes_on) {
    if (plan->access_points != RD_ACCESSES_TRACKED && plan->access_points != RD_ACCESSES_AFTER)
        return;
    RD_CHECK(plan->track_count <= RD_TRACKS_MAX);
    bool after = plan->access_points == RD_ACCESSES_AFTER;
    uint64_t set = hash_of(track, plan->track_count);
    bool other = !s->has_set || set != s->set;
    if (other || (!goes_on && !s->selective)) {
        uint64_t known = p->executions ? p->accesses / p->executions : 0;
        s->has_set = true;
        s->set = set;
        s->runs = 0;
        s->selective = RD_MAX(known, s->passed) >= RD_SITES_ACCESSES_MIN && !s->given_up;
        if (s->selective)
            begin_set(p, track, plan->track_count, after);
    }
    if (s->selective)
        plan->access_points = after ? RD_ACCESSES_SELECTIVE_AFTER : RD_ACCESSES_SELECTIVE;
}

void rd_sites_note_accesses(struct rd_sites *s, const struct rd_plan *plan, uint64_t passed) {
    if (plan->access_points == RD_ACCESSES_TRACKED || plan->access_points == RD_ACCESSES_AFTER)
        s->passed = RD_MAX(s->passed, passed);
}

/* Is n a power of 2 up to RD_SITES_CHECK_EVERY, or a multiple of that? */
static bool is_checked(uint64_t n) {
    return n <= RD_SITES_CHECK_EVERY ? (n & (n - 1)) == 0 : n % RD_SITES_CHECK_EVERY == 0;
}

bool rd_sites_check_is_due(struct rd_sites *s) {
    uint64_t of_set = ++s->runs, of_all = ++s->all_runs;
    return is_checked(of_all) || (of_set > 1 && is_checked(of_set));
}

uint32_t rd_sites_learn(struct rd_profile *p) {
    uint32_t missed = 0;
    RD_CHECK(p->site_count <= RD_SITES_MAX);
    for (uint32_t i = 0; i < p->site_count; i++) {
        struct rd_site *s = &p->sites[i];
        if (s->off && s->touched) {
            missed++;
            s->fixed = 2; /* for good: otherwise the search might begin the set again for ever */
        }
        if (s->touched || s->fixed)
            s->off = 0;
        else if (s->seen)
            s->off = 1;
    }
    return missed;
}

void rd_sites_count(const struct rd_profile *p, uint32_t *off, uint32_t *fixed) {
    *off = *fixed = 0;
    for (uint32_t i = 0; i < p->site_count; i++) {
        *off += p->sites[i].off;
        *fixed += p->sites[i].fixed == 1;
    }
}
