/*
 * pagemap_scan.h - PAGEMAP_SCAN, an ioctl on /proc/self/pagemap that lists pages by their state in the kernel
 * (Linux 6.7), and the parts of userfaultfd that go with it. Copied from <linux/fs.h> and <linux/userfaultfd.h>,
 * which may be older than the kernel.
 */
#ifndef RD_RT_ISOLATE_PAGEMAP_SCAN_H
#define RD_RT_ISOLATE_PAGEMAP_SCAN_H

#include <assert.h>
#include <linux/ioctl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>

/* struct pm_scan_arg */
struct rd_scan {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
static_assert(sizeof(struct rd_scan) == 12 * 8, "as the kernel has it");

/* Categories of pages: PAGE_IS_… */
enum {
    RD_PAGE_WPALLOWED = 1,
    RD_PAGE_WRITTEN = 2,
    RD_PAGE_PRESENT = 8,
    RD_PAGE_SWAPPED = 16,
    RD_PAGE_ZERO = 32,
};
enum { RD_SCAN_WP_MATCHING = 1 };    /* PM_SCAN_WP_MATCHING: write-protects the pages that it lists */
enum { RD_UFFD_USER_MODE_ONLY = 1 }; /* UFFD_USER_MODE_ONLY: needs no privilege */
enum { RD_UFFD_WP_UNPOPULATED = 1 << 13, RD_UFFD_WP_ASYNC = 1 << 15 };
#define RD_SCAN _IOWR('f', 16, struct rd_scan)

#endif
