/*
 * sort.h - sorting an array in place, also inside the tested process: no memory is allocated, and libc's qsort,
 * which may be a hook there, is not called.
 *
 * A Shell sort. Up to RD_SORT_SMALL elements it is an insertion sort, which is linear when the array is sorted
 * already; above that the gaps shrink by 5/11, which takes about n^1.3 steps. The sort is not stable: elements
 * that compare equal may change places, so where their order matters the comparison must tell them apart.
 */
#ifndef RD_BASE_SORT_H
#define RD_BASE_SORT_H

#include "base/base.h"

enum { RD_SORT_SMALL = 12 };

static inline size_t rd_sort_gap(size_t gap) { return gap == 2 ? 1 : gap * 5 / 11; }

/*
 * Sorts `count` elements of the array `list`. `before` is an expression over `a` and `b`, two names that the caller
 * chooses for pointers to elements: true if *a comes before *b. It must be a strict order: never true both ways.
 *     rd_sort(list, count, a, b, a->first < b->first);
 */
#define rd_sort(list, count, a, b, before)                                                             \
    do {                                                                                               \
        __typeof__(&(list)[0]) sort_at = (list);                                                       \
        size_t sort_count = (count);                                                                   \
        for (size_t sort_gap = sort_count <= RD_SORT_SMALL ? sort_count > 1 : rd_sort_gap(sort_count); \
             sort_gap > 0; sort_gap = rd_sort_gap(sort_gap))                                           \
            for (size_t sort_i = sort_gap; sort_i < sort_count; sort_i++) {                            \
                __typeof__(sort_at[0]) sort_moved = sort_at[sort_i];                                   \
                size_t sort_to = sort_i;                                                               \
                for (; sort_to >= sort_gap; sort_to -= sort_gap) {                                     \
                    __typeof__(&sort_at[0]) b = &sort_at[sort_to - sort_gap], a = &sort_moved;         \
                    if (!(before))                                                                     \
                        break;                                                                         \
                    sort_at[sort_to] = *b;                                                             \
                }                                                                                      \
                sort_at[sort_to] = sort_moved;                                                         \
            }                                                                                          \
    } while (0)

#endif
