/*
 * memory_guard.c - see memory_guard.h. The guarded memory is registered with the kernel only while a guarded
 * execution runs: so pages.c lists the program's pages only, and the search writes to its memory without page
 * faults.
 */
#include "rt/isolate/memory_guard.h"

#include "rt/isolate/kept.h"
#include "rt/isolate/pagemap_scan.h"
#include "rt/raw.h"

#include <fcntl.h>
#include <sys/mman.h>

enum {
    PAGE = 4096,
    TAIL = 64 << 10,   /* the end of the memory, which the fence leaves accessible */
    REGIONS = 8,       /* runs of pages that one call lists */
    SHARE = 100,       /* guards may take one part in so many of the time */
    LEFT_MAX = 1 << 20 /* executions from one guard to the next */
};
static const uint64_t AT_FIRST_NS = 2000000; /* until guards have taken so long, all executions have one */
static const uint64_t SLACK = (uint64_t)1
                              << 30; /* accessible bytes beyond the used part; rd_arena_rest needs less */

/* The two memories: the search's, and the copies of the program's pages. */
static struct rd_arena *arena(unsigned i) { return i ? &rd_kept()->arena : rd_kept()->search; }

/* ---- the fence ---- */

/* Returns where the fence ends: the kernel's count of page faults is in the last pages (pages.c). */
static size_t end_of(const struct rd_arena *a) { return (a->size - TAIL) & ~(size_t)(PAGE - 1); }

/* Makes the arena accessible up to `to`, and SLACK more. */
static void reach(struct rd_arena *a, size_t to) {
    size_t ahead = SLACK + (a->used - a->lent);
    size_t end = end_of(a), open = ahead < end && to < end - ahead ? (to + ahead) & ~(size_t)(PAGE - 1) : end;
    RD_CHECK(to <= end);
    RD_CHECK(a->used <= to && open >= to);
    RD_CHECK(rd_raw(SYS_mprotect, a->base, open, PROT_READ | PROT_WRITE) == 0);
    a->open = open;
}

static void fence(struct rd_arena *a) {
    RD_CHECK(!a->reach); /* there is no fence yet */
    reach(a, a->used);
    if (a->open < end_of(a))
        rd_raw(SYS_mprotect, a->base + a->open, end_of(a) - a->open, PROT_NONE);
    a->reach = reach;
}

void rd_memory_guard_close(void) {
    for (unsigned i = 0; i < 2; i++) {
        struct rd_arena *a = arena(i);
        if (a->reach)
            RD_CHECK(rd_raw(SYS_mprotect, a->base, end_of(a), PROT_READ | PROT_WRITE) == 0);
        a->open = a->size;
        a->reach = NULL;
    }
    rd_kept()->guard.uffd = 0;
}

/* ---- the guard ---- */

void rd_memory_guard_open(void) {
    struct rd_memory_guard *g = &rd_kept()->guard;
    RD_CHECK(!g->armed);
    fence(arena(0));
    fence(arena(1));
    struct uffdio_api api = {.api = UFFD_API, .features = RD_UFFD_WP_ASYNC | RD_UFFD_WP_UNPOPULATED};
    long fd = rd_raw(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | RD_UFFD_USER_MODE_ONLY);
    if (fd < 0)
        return;
    long high = rd_raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 1000); /* out of the program's way */
    rd_raw(SYS_close, fd);
    if (high > 0 && rd_raw(SYS_ioctl, high, UFFDIO_API, &api) == 0)
        g->uffd = (int32_t)high;
}

/*
 * Lists the written pages of the arena's accessible part, and protects them if `flags` say so. Returns the number
 * of runs; -1: the kernel cannot do it.
 */
static long scan(const struct rd_kept *k, const struct rd_arena *area, uint64_t flags) {
    struct rd_scan_region found[REGIONS];
    struct rd_scan a = {.size = sizeof a,
                        .flags = flags,
                        .start = (uintptr_t)area->base,
                        .end = (uintptr_t)area->base + area->open,
                        .vec = (uintptr_t)found,
                        .vec_len = REGIONS,
                        .category_mask = RD_PAGE_WPALLOWED | RD_PAGE_WRITTEN | RD_PAGE_ZERO,
                        .category_inverted = RD_PAGE_ZERO,
                        .category_anyof_mask = RD_PAGE_PRESENT | RD_PAGE_SWAPPED,
                        .return_mask = RD_PAGE_WRITTEN};
    long all = 0;
    while (a.start < a.end) {
        long n = rd_raw(SYS_ioctl, k->pagemap, RD_SCAN, &a);
        if (n < 0)
            return -1;
        all += n;
        a.start = a.walk_end;
    }
    return all;
}

static bool protect(const struct rd_kept *k, const struct rd_arena *a) {
    struct uffdio_register own = {.range = {(uintptr_t)a->base, a->open}, .mode = UFFDIO_REGISTER_MODE_WP};
    return rd_raw(SYS_ioctl, k->guard.uffd, UFFDIO_REGISTER, &own) == 0 && scan(k, a, RD_SCAN_WP_MATCHING) >= 0;
}

static void unprotect(const struct rd_kept *k, const struct rd_arena *a) {
    struct uffdio_range own = {(uintptr_t)a->base, a->open};
    rd_raw(SYS_ioctl, k->guard.uffd, UFFDIO_UNREGISTER, &own);
    if (a != k->search)
        return;
    /* the kernel leaves pages of shared memory protected, and the next write to each would be a fault */
    rd_raw(SYS_mprotect, a->base, a->open, PROT_READ);
    RD_CHECK(rd_raw(SYS_mprotect, a->base, a->open, PROT_READ | PROT_WRITE) == 0);
}

void rd_memory_guard_begin(uint64_t (*now)(void *)) {
    struct rd_kept *k = rd_kept();
    struct rd_memory_guard *g = &k->guard;
    RD_ASSERT(!g->armed); /* the last guard has ended */
    g->hit = g->watched = 0;
    if (!g->uffd || g->since++ < g->left)
        return;
    uint64_t start = now(NULL), each = RD_MAX((start - g->begun_ns) / g->since, 1u);
    uint64_t usual = RD_MIN(g->cost_ns, g->last_ns);
    g->left = g->spent_ns < AT_FIRST_NS ? 0 : (uint32_t)RD_MIN(usual * SHARE / each, (uint64_t)LEFT_MAX);
    g->last_ns = g->cost_ns;
    g->since = 0;
    g->begun_ns = start;
    g->armed = g->watched = protect(k, arena(0)) && protect(k, arena(1));
    if (!g->armed) {
        unprotect(k, arena(0));
        unprotect(k, arena(1));
        g->uffd = 0;
    }
    g->cost_ns = now(NULL) - start;
}

bool rd_memory_guard_end(uint64_t (*now)(void *)) {
    struct rd_kept *k = rd_kept();
    struct rd_memory_guard *g = &k->guard;
    if (!g->armed)
        return g->hit;
    uint64_t start = now(NULL);
    for (unsigned i = 0; i < 2; i++) {
        g->hit |= scan(k, arena(i), 0) != 0;
        unprotect(k, arena(i));
    }
    g->armed = 0;
    g->cost_ns += now(NULL) - start;
    g->spent_ns += g->cost_ns;
    return g->hit;
}
