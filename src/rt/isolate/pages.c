/*
 * pages.c - saves and restores the writable private memory of the process. The kernel tells which pages were
 * written: all are registered with a userfaultfd in its asynchronous write-protect mode, in which a write fault
 * costs a microsecond and no thread is asked, and one PAGEMAP_SCAN over the whole address space lists the pages
 * that were written since they were protected. Pages that have been written once are *hot*: they stay writable and
 * are put back after every execution, so a usual execution has no fault at all.
 *
 * Invariants: every page that differs from its saved state is hot, after complete(); the hot pages are in order of
 * addresses, none twice; a page that was empty has no copy, and is cleared.
 *
 * No code here may use the runtime's variables, which are put back, too, or call a function that could.
 */
#include "rt/isolate/pages.h"

#include "base/text.h"
#include "rt/address/maps.h"
#include "rt/isolate/kept.h"
#include "rt/isolate/pagemap_scan.h"
#include "rt/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
    PAGE = 4096,
    HOT_FIRST = 1 << 10, /* room for hot pages at the start */
    REARM = 4096,        /* executions after which it is found out anew which pages are hot */
    MANY = 4096,         /* hot pages, beyond which empty ones are given back to the kernel … */
    RUN = 64,            /* … in runs of at least so many */
    RING = 2 * PAGE,     /* the kernel's count of page faults: a head, and the last few */
};
static const uint64_t SAVED_MAX = (uint64_t)1 << 30; /* bytes of copies */
static const uint64_t SPACE_END = 0x7ffffffff000;    /* of a process's address space */

static long scan(struct rd_kept *k, struct rd_scan *a) { return rd_raw(SYS_ioctl, k->pagemap, RD_SCAN, a); }

static inline void copy_page(uint64_t to, uint64_t from) {
#if defined __x86_64__
    uint64_t n = PAGE;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
#else
    for (uint64_t i = 0; i < PAGE; i += 8)
        *(volatile uint64_t *)(to + i) = *(const volatile uint64_t *)(from + i);
#endif
}

static inline void clear_page(uint64_t to) {
#if defined __x86_64__
    uint64_t n = PAGE;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
#else
    for (uint64_t i = 0; i < PAGE; i += 8)
        *(volatile uint64_t *)(to + i) = 0;
#endif
}

/* Saves the page as it is now. */
static void keep(struct rd_kept *k, uint64_t page) {
    RD_ASSERT(page % PAGE == 0);
    uint64_t *copy = rd_map_put(&k->saved, &k->arena, page);
    if (!*copy) {
        void *memory = rd_arena_alloc(&k->arena, PAGE);
        *copy = (uintptr_t)memory;
    }
    copy_page(*copy, page);
}

/* ---- saving ---- */

struct saving {
    struct rd_kept *kept;
    bool failed;
};

/* Returns whether it is the search's memory or the kept memory, which are not put back. */
static bool is_kept(const struct rd_mapping *m) { return m->start >= RD_SEARCH_AT && m->start < RD_HEAP_AT; }

/* Calls `each` for all pages that the scan lists. Returns false if the kernel cannot list them. */
static bool list(struct rd_kept *k, struct rd_scan *a, void (*each)(struct rd_kept *, uint64_t)) {
    struct rd_scan_region *region = k->region;
    a->size = sizeof *a;
    a->vec = (uintptr_t)region;
    a->vec_len = RD_KEPT_REGIONS;
    while (a->start < a->end) {
        long n = scan(k, a);
        if (n < 0)
            return false;
        for (long i = 0; i < n; i++)
            for (uint64_t p = region[i].start; p < region[i].end; p += PAGE)
                each(k, p);
        a->start = a->walk_end;
    }
    return true;
}

static bool save_mapping(const struct rd_mapping *m, void *ctx) {
    struct saving *s = ctx;
    struct rd_kept *k = s->kept;
    if (!m->writable || !m->readable || m->shared || is_kept(m) || strcmp(m->path, "[vvar]") == 0)
        return true;
    struct uffdio_register r = {.range = {m->start, m->end - m->start}, .mode = UFFDIO_REGISTER_MODE_WP};
    RD_ASSERT(m->start % PAGE == 0 && m->end % PAGE == 0);
    if (rd_raw(SYS_ioctl, k->uffd, UFFDIO_REGISTER, &r) != 0) {
        s->failed = true;
        return false;
    }
    struct rd_scan a = {.start = m->start,
                        .end = m->end,
                        .category_anyof_mask = RD_PAGE_PRESENT | RD_PAGE_SWAPPED,
                        .return_mask = RD_PAGE_PRESENT};
    if (!m->file) {
        s->failed = !list(k, &a, keep);
    } else { /* a page of a file that was not touched yet is not present, but not empty either */
        for (uint64_t p = m->start; p < m->end && k->arena.used < SAVED_MAX; p += PAGE)
            keep(k, p);
    }
    return !s->failed && k->arena.used < SAVED_MAX;
}

static void ignore(struct rd_kept *k, uint64_t page) {
    (void)k;
    (void)page;
}

/*
 * Write-protects all pages, so that the kernel notes from now on which are written. Only pages that are present are
 * protected: the others would need page tables for it, and are noticed when they come. The call asks for a list of
 * the protected pages, which is not used: without a list it would protect all pages. Returns false if the kernel
 * cannot do it.
 */
static bool arm(struct rd_kept *k) {
    struct rd_scan a = {.flags = RD_SCAN_WP_MATCHING,
                        .start = 0,
                        .end = SPACE_END,
                        .category_mask = RD_PAGE_WPALLOWED | RD_PAGE_WRITTEN,
                        .category_anyof_mask = RD_PAGE_PRESENT | RD_PAGE_SWAPPED,
                        .return_mask = RD_PAGE_PRESENT};
    return list(k, &a, ignore);
}

/* Writes the reason why memory cannot be saved; returns false. */
static bool no(char *why, size_t room, const char *reason) {
    rd_text_copy(why, room, reason);
    return false;
}

static bool save_all(struct rd_kept *k, char *why, size_t room) {
    struct saving s = {.kept = k};
    RD_CHECK(!k->running); /* the memory of a running execution is not the start of another one */
    if (!rd_maps_each(save_mapping, &s) || s.failed)
        return no(why, room, "the kernel cannot watch all of the program's memory");
    if (k->arena.used >= SAVED_MAX)
        return no(why, room, "the program has more than 1 GiB of memory in use when the first thread is created");
    k->hot_count = 0;
    return arm(k) || no(why, room, "the kernel cannot list the pages that were written (Linux 6.7 or later can)");
}

/* Moves a descriptor to a number that is out of the program's way; -1: `fd` is an error, or there is no such
 * number. */
static int high(long fd) {
    if (fd < 0)
        return -1;
    long to = rd_raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 1000);
    rd_raw(SYS_close, fd);
    return (int)to;
}

/*
 * Asks the kernel to count page faults of this thread in memory that can be read without a call. Faults of the
 * kernel's own writes to this memory count, too, and not every user may see such faults. Returns the address of the
 * count; NULL: the kernel does not allow it.
 */
static const uint64_t *open_ring(void) {
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_SW_PAGE_FAULTS,
                                .sample_period = 1,
                                .sample_type = PERF_SAMPLE_ADDR};
    int fd = high(rd_raw(SYS_perf_event_open, &a, 0L, -1L, -1L, (long)PERF_FLAG_FD_CLOEXEC));
    if (fd < 0)
        return NULL;
    uint64_t at = RD_KEPT_AT + RD_KEPT_SIZE - RING;
    long got = rd_raw(SYS_mmap, at, (long)RING, (long)PROT_READ, (long)(MAP_SHARED | MAP_FIXED), (long)fd, 0L);
    if (got != (long)at) {
        rd_raw(SYS_close, fd);
        return NULL;
    }
    return (const uint64_t *)&((const struct perf_event_mmap_page *)at)->data_head;
}

bool rd_pages_save(char *why, size_t room) {
    struct rd_kept *k = rd_kept();
    k->uffd = high(rd_raw(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | RD_UFFD_USER_MODE_ONLY));
    k->pagemap = high(rd_raw(SYS_openat, (long)AT_FDCWD, "/proc/self/pagemap", (long)(O_RDONLY | O_CLOEXEC), 0L));
    if (k->uffd == -EINVAL)
        return no(why, room, "the program limits its open files to fewer than raddle needs (setrlimit)");
    struct uffdio_api api = {.api = UFFD_API, .features = RD_UFFD_WP_ASYNC | RD_UFFD_WP_UNPOPULATED};
    if (k->uffd < 0 || rd_raw(SYS_ioctl, k->uffd, UFFDIO_API, &api) != 0)
        return no(why, room,
                  "the kernel has no userfaultfd that write-protects asynchronously (Linux 6.7 or later)");
    if (k->pagemap < 0)
        return no(why, room, "/proc/self/pagemap cannot be opened");
    k->ring = open_ring();
    k->hot_room = HOT_FIRST;
    k->hot = rd_arena_alloc(&k->arena, HOT_FIRST * sizeof *k->hot);
    return save_all(k, why, room);
}

bool rd_pages_save_again(char *why, size_t room) { return save_all(rd_kept(), why, room); }

/* ---- putting back ---- */

/* Returns the index of the first hot page at this address or above. */
static uint32_t place_of(const struct rd_kept *k, uint64_t page) {
    uint32_t low = 0, high = k->hot_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (k->hot[middle].at < page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns whether the pages are in order of addresses, none twice. */
static bool in_order(const struct rd_hot *h, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        if (h[i - 1].at >= h[i].at)
            return false;
    return true;
}

/* Makes the page a hot one, as number `at`. */
static void add_hot(struct rd_kept *k, uint32_t at, uint64_t page) {
    RD_ASSERT(at <= k->hot_count && (at == 0 || k->hot[at - 1].at < page));
    RD_ASSERT(at == k->hot_count || k->hot[at].at > page);
    if (k->hot_count == k->hot_room) {
        struct rd_hot *more = rd_arena_alloc(&k->arena, 2 * (size_t)k->hot_room * sizeof *more);
        for (uint32_t i = 0; i < k->hot_count; i++)
            more[i] = k->hot[i];
        k->hot = more;
        k->hot_room *= 2;
    }
    for (uint32_t i = k->hot_count++; i > at; i--)
        k->hot[i] = k->hot[i - 1];
    uint64_t *copy = rd_map_get(&k->saved, page);
    k->hot[at] = (struct rd_hot){page, copy ? *copy : 0};
}

/* Makes all pages hot that were written for the first time. */
static void find_new(struct rd_kept *k) {
    struct rd_scan_region *region = k->region;
    struct rd_scan a = {.size = sizeof a,
                        .start = 0,
                        .end = SPACE_END,
                        .vec = (uintptr_t)region,
                        .vec_len = RD_KEPT_REGIONS,
                        .category_mask = RD_PAGE_WPALLOWED | RD_PAGE_WRITTEN | RD_PAGE_ZERO,
                        .category_inverted = RD_PAGE_ZERO, /* the kernel's page of zeros: the page was only read */
                        .category_anyof_mask = RD_PAGE_PRESENT | RD_PAGE_SWAPPED,
                        .return_mask = RD_PAGE_WRITTEN};
    while (a.start < a.end) {
        long n = scan(k, &a);
        RD_CHECK(n >= 0);
        for (long i = 0; i < n; i++) {
            uint32_t at = place_of(k, region[i].start);
            for (uint64_t p = region[i].start; p < region[i].end; p += PAGE, at++)
                if (at == k->hot_count || k->hot[at].at != p)
                    add_hot(k, at, p);
        }
        a.start = a.walk_end;
    }
}

/* Returns the page faults of this thread so far: without a new one, no page was written for the first time. */
static uint64_t faults(const struct rd_kept *k) {
    struct rusage u = {.ru_minflt = 0};
    if (k->ring)
        return __atomic_load_n(k->ring, __ATOMIC_ACQUIRE);
    rd_raw(SYS_getrusage, RUSAGE_THREAD, &u);
    return (uint64_t)u.ru_minflt + (uint64_t)u.ru_majflt;
}

/* Establishes the invariant: all pages that are not as they were saved are hot. */
static void complete(struct rd_kept *k) {
    uint64_t now = faults(k);
    if (now != k->faults || k->called) { /* the kernel's own writes are not always counted */
        find_new(k);
        now = faults(k);
    }
    k->faults = now;
    k->called = 0;
    RD_ASSERT(in_order(k->hot, k->hot_count));
}

/*
 * Gives a long run of pages that were empty back to the kernel, if hot page number `from` begins one. Their next
 * write is noticed like a first one. Returns the number of pages; 0: there is no such run.
 */
static uint32_t drop_run(struct rd_kept *k, uint32_t from) {
    uint32_t to = from;
    while (to < k->hot_count && !k->hot[to].copy && k->hot[to].at == k->hot[from].at + (uint64_t)(to - from) * PAGE)
        to++;
    if (to - from < RUN ||
        rd_raw(SYS_madvise, k->hot[from].at, (uint64_t)(to - from) * PAGE, (long)MADV_DONTNEED) != 0)
        return 0;
    return to - from;
}

/* Gives all long runs of pages that were empty back to the kernel: they are not hot any more. */
static void drop_runs(struct rd_kept *k) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < k->hot_count;) {
        uint32_t gone = drop_run(k, i);
        if (gone) {
            i += gone;
        } else {
            k->hot[kept++] = k->hot[i++];
        }
    }
    k->hot_count = kept;
}

void rd_pages_begin(void) {
    struct rd_kept *k = rd_kept();
    if (!k->ring && k->search->used == k->search_used)
        return;
    k->search_used = k->search->used; /* the search's memory has grown: its faults are not the execution's */
    k->faults = faults(k);
}

void rd_pages_restore(const struct rd_page_set *to) {
    struct rd_kept *k = rd_kept();
    const struct rd_hot *own = to ? to->at : NULL;
    uint32_t left = to ? to->count : 0;
    RD_ASSERT(!to || in_order(to->at, to->count));
    RD_ASSERT(!k->running);
    complete(k);
    if (!to && k->hot_count > MANY)
        drop_runs(k);
    for (uint32_t i = 0; i < k->hot_count; i++) {
        const struct rd_hot *h = &k->hot[i];
        for (; left && own->at < h->at; left--)
            own++;
        uint64_t copy = left && own->at == h->at ? own->copy : h->copy;
        /* the next page's address translation takes the processor a tenth of the time of a copy: begin it now */
        if (i + 1 < k->hot_count)
            __builtin_prefetch((void *)h[1].at, 1);
        if (left > 1)
            __builtin_prefetch((void *)own[1].copy);
        if (copy)
            copy_page(h->at, copy);
        else
            clear_page(h->at);
    }
    if (++k->restores % REARM == 0 && !to) { /* some pages may not have been written for long */
        k->hot_count = 0;
        RD_CHECK(arm(k));
    }
}

bool rd_pages_stale(void) { return (rd_kept()->restores + 1) % REARM == 0; }

void rd_pages_keep(struct rd_page_set *s) {
    struct rd_kept *k = rd_kept();
    RD_ASSERT(s->count == 0); /* its pages would be lost */
    complete(k);
    if (s->room < k->hot_count) {
        s->room = k->hot_count + k->hot_count / 2;
        s->at = rd_arena_alloc(&k->arena, s->room * sizeof *s->at);
    }
    for (uint32_t i = 0; i < k->hot_count; i++) {
        uint64_t copy = k->unused;
        if (copy)
            k->unused = *(const uint64_t *)copy;
        else
            copy = (uintptr_t)rd_arena_alloc(&k->arena, PAGE);
        s->at[i] = (struct rd_hot){k->hot[i].at, copy};
        copy_page(copy, k->hot[i].at);
    }
    s->count = k->hot_count;
}

void rd_pages_forget(struct rd_page_set *s) {
    struct rd_kept *k = rd_kept();
    for (; s->count; s->count--) {
        uint64_t copy = s->at[s->count - 1].copy;
        *(uint64_t *)copy = k->unused;
        k->unused = copy;
    }
}
