/* sharing.c - see sharing.h. Processes change the table concurrently: every change is one atomic operation. */
#include "trace/sharing.h"

#include "base/sort.h"
#include "trace/place.h"

void rd_sharing_open(struct rd_sharing *s) {
    s->version = s->newest = 1;
    s->patience = RD_SHARING_PATIENCE;
}

static struct rd_sharing_use use_of(const struct rd_sharing *s, uint32_t version) {
    bool all = s->all_from && version >= s->all_from;
    return (struct rd_sharing_use){.version = all ? 0 : version, .patience = all ? 0 : s->patience};
}

struct rd_sharing_use rd_sharing_use(const struct rd_sharing *s) {
    return use_of(s, __atomic_load_n(&s->version, __ATOMIC_ACQUIRE));
}

void rd_sharing_advance(struct rd_sharing *s) {
    uint32_t newest = __atomic_load_n(&s->newest, __ATOMIC_ACQUIRE);
    RD_CHECK(newest >= __atomic_load_n(&s->version, __ATOMIC_ACQUIRE));
    __atomic_store_n(&s->version, newest, __ATOMIC_RELEASE);
}

/* Returns the version of granules that become shared now: one that no execution has yet. */
static uint32_t next_version(struct rd_sharing *s) {
    uint32_t version = __atomic_load_n(&s->version, __ATOMIC_ACQUIRE);
    uint32_t frozen = __atomic_load_n(&s->frozen, __ATOMIC_ACQUIRE);
    uint32_t newest = __atomic_load_n(&s->newest, __ATOMIC_ACQUIRE), used = RD_MAX(version, frozen);
    if (newest > used)
        return newest;
    /* the first process makes the new version; rd_sharing_advance() cannot intervene, as it sees the new one, too
     */
    __atomic_compare_exchange_n(&s->newest, &newest, used + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return used + 1;
}

struct rd_sharing_use rd_sharing_freeze(struct rd_sharing *s) {
    uint32_t newest = __atomic_load_n(&s->newest, __ATOMIC_ACQUIRE);
    uint32_t frozen = __atomic_load_n(&s->frozen, __ATOMIC_ACQUIRE);
    while (frozen < newest)
        if (__atomic_compare_exchange_n(&s->frozen, &frozen, newest, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            break;
    return use_of(s, RD_MAX(frozen, newest));
}

void rd_sharing_everything(struct rd_sharing *s) {
    uint32_t none = 0, next = next_version(s);
    if (__atomic_compare_exchange_n(&s->all_from, &none, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        __atomic_add_fetch(&s->changes, 1, __ATOMIC_ACQ_REL);
}

void rd_sharing_impatient(struct rd_sharing *s, uint64_t patience) {
    uint64_t now = __atomic_load_n(&s->patience, __ATOMIC_ACQUIRE);
    while (now < patience)
        if (__atomic_compare_exchange_n(&s->patience, &now, patience, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            __atomic_add_fetch(&s->changes, 1, __ATOMIC_ACQ_REL);
            return;
        }
}

rd_tid rd_sharing_owner(unsigned cell) {
    unsigned tid = cell >= RD_SHARING_HANDED  ? cell - RD_SHARING_HANDED
                   : cell >= RD_SHARING_WRITE ? cell - RD_SHARING_WRITE
                                              : cell - RD_SHARING_READ;
    return cell >= RD_SHARING_READ && cell < RD_SHARING_CHECKED ? (rd_tid)tid : RD_TID_NONE;
}

/*
 * Returns the cell of a granule of `owner` after an access of a thread that may hand it over: the child of the
 * owner, or its creator at a permitted time. Returns 0 if the granule becomes shared instead.
 */
static unsigned hand_over(rd_tid owner, const struct rd_sharing_by *by) {
    rd_tid heir = owner == by->creator ? by->tid : owner == by->apart ? owner : RD_TID_NONE;
    return heir < RD_SHARING_HEIRS ? (unsigned)RD_SHARING_HANDED + heir : 0;
}

/*
 * Returns the cell of a granule that is not shared after this access, or 0 if the granule becomes shared.
 * pre: the thread can be an owner
 */
static unsigned after(unsigned cell, const struct rd_sharing_by *by, bool writes) {
    unsigned read = (unsigned)RD_SHARING_READ + by->tid, write = (unsigned)RD_SHARING_WRITE + by->tid;
    rd_tid owner = rd_sharing_owner(cell);
    bool only_read = cell < RD_SHARING_WRITE && !writes;
    if (cell == RD_SHARING_UNUSED)
        return writes ? write : read;
    if (cell >= RD_SHARING_HANDED)
        return owner == by->tid || owner == by->apart ? cell : 0;
    if (owner == by->tid)
        return writes ? write : cell;
    if (only_read)
        return RD_SHARING_READ_ALL;
    return owner == RD_TID_NONE ? 0 : hand_over(owner, by);
}

static bool can_hand(const struct rd_sharing *s) {
    return __atomic_load_n(&s->newest, __ATOMIC_ACQUIRE) <= RD_SHARING_HANDING;
}

enum rd_sharing_touch rd_sharing_touch(const struct rd_sharing *s, uint8_t *cell, const struct rd_sharing_by *by,
                                       bool writes, uint32_t version) {
    uint8_t now = __atomic_load_n(cell, __ATOMIC_RELAXED);
    for (;;) {
        if (now && now <= RD_SHARING_VERSIONS)
            return now <= version ? RD_SHARING_POINT : RD_SHARING_PRIVATE;
        if (now == RD_SHARING_CHECKED)
            return RD_SHARING_CHECK;
        unsigned next = by->tid >= RD_SHARING_OWNERS ? 0 : after(now, by, writes);
        bool hands = next != now && next >= RD_SHARING_HANDED;
        if (!next || (hands && !can_hand(s)))
            return RD_SHARING_NEWS;
        if (next == now ||
            __atomic_compare_exchange_n(cell, &now, (uint8_t)next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return hands ? RD_SHARING_HANDS : RD_SHARING_PRIVATE;
    }
}

void rd_sharing_handed(struct rd_sharing *s) {
    next_version(s);
    __atomic_add_fetch(&s->changes, 1, __ATOMIC_ACQ_REL);
}

uint64_t rd_sharing_grain(const struct rd_sharing *s) {
    static const struct {
        uint32_t version;
        uint64_t bytes;
    } grains[] = {{8, RD_SHARING_GRANULE}, {16, 64}, {24, 4096}, {UINT32_MAX, 65536}};
    unsigned i = 0;
    while (s->newest >= grains[i].version)
        i++;
    return grains[i].bytes;
}

/* Adds a piece to the log. A piece right behind the last entry extends that entry, which saves most of the room. */
static void add_to_log(struct rd_sharing *s, rd_place first, rd_place last, uint32_t version) {
    uint32_t n = __atomic_load_n(&s->count, __ATOMIC_ACQUIRE);
    struct rd_shared *before = &s->log[n ? n - 1 : 0];
    bool joins = n && n <= RD_SHARING_LOG && before->version == version;
    if (joins && before->last + 1 == first && first <= last) {
        rd_place expected = first - 1;
        if (__atomic_compare_exchange_n(&before->last, &expected, last, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return;
    }
    n = __atomic_fetch_add(&s->count, 1, __ATOMIC_ACQ_REL);
    if (n >= RD_SHARING_LOG) {
        rd_sharing_everything(s);
        return;
    }
    s->log[n].first = first;
    s->log[n].last = last;
    __atomic_store_n(&s->log[n].version, version, __ATOMIC_RELEASE);
}

bool rd_sharing_mark(struct rd_sharing *s, uint8_t *cells, uint64_t count, rd_place first, rd_place last) {
    uint32_t version = next_version(s);
    bool fresh = false;
    if (version > RD_SHARING_VERSIONS) {
        rd_sharing_everything(s);
        return true;
    }
    add_to_log(s, first, last,
               version); /* before the cells: a process that sees a shared cell finds it in the log */
    for (uint64_t i = 0; i < count; i++) {
        uint8_t now = __atomic_load_n(&cells[i], __ATOMIC_RELAXED);
        while (now == 0 || now > RD_SHARING_VERSIONS)
            if (__atomic_compare_exchange_n(&cells[i], &now, (uint8_t)version, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED)) {
                fresh = true;
                break;
            }
    }
    if (fresh)
        __atomic_add_fetch(&s->changes, 1, __ATOMIC_ACQ_REL);
    return fresh;
}

bool rd_sharing_check(struct rd_sharing *s, uint8_t *cells, uint64_t count) {
    bool fresh = false;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t now = __atomic_load_n(&cells[i], __ATOMIC_RELAXED);
        while ((now == 0 || now > RD_SHARING_VERSIONS) && now != RD_SHARING_CHECKED)
            if (__atomic_compare_exchange_n(&cells[i], &now, RD_SHARING_CHECKED, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED)) {
                fresh = true;
                break;
            }
    }
    if (fresh && next_version(s) > RD_SHARING_VERSIONS)
        rd_sharing_everything(s);
    if (fresh)
        __atomic_add_fetch(&s->changes, 1, __ATOMIC_ACQ_REL);
    return fresh;
}

void rd_sharing_raced(struct rd_sharing *s) { __atomic_add_fetch(&s->races, 1, __ATOMIC_ACQ_REL); }

/* Places in a stack count from its top down: there the first byte has the higher place. Swaps the ends of such a
 * piece. */
static void sort_ends(struct rd_shared *e) {
    if (e->first > e->last) {
        rd_place first = e->first;
        e->first = e->last;
        e->last = first;
    }
}

uint32_t rd_sharing_list(const struct rd_sharing *s, uint32_t version, struct rd_shared *to) {
    uint32_t n = 0, out = 0;
    if (s->all_from && version >= s->all_from)
        return UINT32_MAX;
    for (uint32_t i = 0; i < RD_MIN(s->count, (uint32_t)RD_SHARING_LOG); i++) {
        to[n] = s->log[i];
        n += to[n].version && to[n].version <= version;
    }
    for (uint32_t i = 0; i < n; i++)
        sort_ends(&to[i]);
    rd_sort(to, n, a, b, a->first < b->first);
    for (uint32_t i = 0; i < n; i++) {
        if (out && to[i].first <= to[out - 1].last + 1)
            to[out - 1].last = RD_MAX(to[out - 1].last, to[i].last);
        else
            to[out++] = to[i];
    }
    return out;
}
