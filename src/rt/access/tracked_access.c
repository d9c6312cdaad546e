/*
 * tracked_access.c - the quick test of executions in which only accesses to the variables that their plan tracks
 * are points. It compares addresses, which are computed once per execution, instead of places. It also records for
 * the profile which sites, the calls of hooks in the code, were reached.
 */
#include "base/sort.h"
#include "engine/profile_record.h"
#include "rt/hook/hook.h"
#include "rt/access/patch.h"
#include "trace/place.h"

enum { REACHED = 4096 };

/* The memory of a tracked variable. */
struct tracked_range {
    uint64_t low, high; /* first byte, and the one after the last */
};

static struct {
    struct tracked_range range[RD_TRACKS_MAX]; /* sorted by `low` */
    uint32_t count;
    uint64_t low, high;        /* the smallest range that holds all of them */
    bool everywhere;           /* the address of a variable is not known: every access may touch it */
    uint64_t reached[REACHED]; /* pcs that the profile has recorded already; by hash, the last one stays */
} here;

/* The ranges are sorted, and within the one that holds all of them. */
static bool is_sorted(void) {
    bool right = true;
    for (uint32_t i = 0; i < here.count; i++) {
        const struct tracked_range *r = &here.range[i];
        right &= r->low < r->high && r->low >= here.low && r->high <= here.high;
        right &= i == 0 || here.range[i - 1].low <= r->low;
    }
    return right;
}

void rd_track_begin(void) {
    const struct rd_engine *e = &rd_rt.engine;
    if (!e->plan.track_count && !here.count)
        return; /* not written: a page that is written would have to be put back */
    RD_CHECK(e->plan.track_count <= RD_TRACKS_MAX);
    here.count = 0;
    here.everywhere = false;
    here.low = UINT64_MAX;
    here.high = 0;
    for (uint32_t i = 0; i < e->plan.track_count; i++) {
        uint64_t first = rd_place_address(e->rec.track[i].first), last = rd_place_address(e->rec.track[i].last);
        here.everywhere |= !first || !last;
        struct tracked_range p = {RD_MIN(first, last),
                                  RD_MAX(first, last) + 1}; /* stacks are named from their top down */
        here.range[here.count++] = p;
        here.low = RD_MIN(here.low, p.low);
        here.high = RD_MAX(here.high, p.high);
    }
    rd_sort(here.range, here.count, a, b, a->low < b->low);
    RD_CHECK(here.everywhere || is_sorted());
}

/* The access may extend to both sides of addr: places of a stack count down, and name the first byte. */
bool rd_track_near(uint64_t addr, uint32_t size) {
    uint64_t from = addr - RD_MIN(addr, (uint64_t)size), to = addr + size;
    if (RD_UNLIKELY(here.everywhere))
        return true;
    if (to <= here.low || from >= here.high)
        return false;
    uint32_t low = 0, high = here.count; /* binary search for the first range that does not end before the access */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (here.range[middle].high <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < here.count && here.range[low].low < to;
}

/* The profile's entry of the site; NULL: the profile has no room for it. */
static struct rd_site *site_of(uint64_t pc) {
    rd_rt_enter();
    struct rd_site *s = rd_profiler_site(rd_rt.engine.rec.profile, rd_place_code(pc));
    rd_rt_leave();
    RD_ASSERT(!s || s->pc == rd_place_code(pc));
    return s;
}

void rd_track_passed(uint64_t pc) {
    uint64_t *slot = &here.reached[(pc ^ pc >> 12) % REACHED];
    if (RD_LIKELY(*slot == pc))
        return;
    *slot = pc;
    struct rd_site *s = site_of(pc);
    if (s)
        s->seen = 1;
}

bool rd_track_touched(uint64_t pc) {
    struct rd_site *s = site_of(pc);
    if (s)
        s->touched = 1;
    return s && s->off;
}
