/*
 * prefix_classes.h - the happens-before class of every prefix of an execution, and of each prefix in which the last
 * step is replaced by another candidate, for searches that remember which prefixes were covered (visited.h).
 */
#ifndef RD_SEARCH_POR_PREFIX_CLASSES_H
#define RD_SEARCH_POR_PREFIX_CLASSES_H

#include "trace/hb_class.h"

struct rd_prefix_classes {
    struct {
        RD_VEC(uint64_t);
    } after; /* by step: the class of the prefix that ends with it; 0: the step is inside an operation */
    struct {
        RD_VEC(uint64_t);
        /*
         * by candidate: the class of the prefix that ends with the candidate's event in place of the step; 0:
         * unknown
         */
    } instead;
    struct {
        RD_VEC(uint32_t);
    } base; /* by step: index of its first candidate in `instead` */
};

void rd_prefix_classes_of(struct rd_prefix_classes *c, struct rd_arena *a, const struct rd_record *r);
/* Returns the class of the prefix in which this thread is chosen at this step; 0: unknown. */
uint64_t rd_prefix_classes_instead(const struct rd_prefix_classes *c, const struct rd_record *r, uint32_t step,
                                   rd_tid tid);
/*
 * Returns the unused rest of the arena as an arena for temporary data, which the next allocation from `a`
 * overwrites.
 */
struct rd_arena rd_arena_rest(const struct rd_arena *a);

#endif
