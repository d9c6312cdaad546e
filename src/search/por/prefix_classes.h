/*
 * prefix_classes.h - the happens-before classes of all prefixes of an execution, and of what would come of its
 * alternatives, for searches that remember where they have been.
 */
#ifndef RD_SEARCH_POR_PREFIX_CLASSES_H
#define RD_SEARCH_POR_PREFIX_CLASSES_H

#include "trace/hb_class.h"

struct rd_prefix_classes {
    struct {
        RD_VEC(uint64_t);
    } after; /* by step: the class of the prefix that ends with it; 0: inside an operation */
    struct {
        RD_VEC(uint64_t);
    } instead; /* by candidate: of the prefix that ends with its step in the place of the one taken; 0: not known */
    struct {
        RD_VEC(uint32_t);
    } base; /* by step: its first candidate in `instead` */
};

void rd_prefix_classes_of(struct rd_prefix_classes *c, struct rd_arena *a, const struct rd_record *r);
/* The class when this thread goes on at this step. */
uint64_t rd_prefix_classes_instead(const struct rd_prefix_classes *c, const struct rd_record *r, uint32_t step,
                                   rd_tid tid);
/* What the arena has not used yet, for what is needed for a moment: gone with the next allocation from the arena.
 */
struct rd_arena rd_arena_rest(const struct rd_arena *a);

#endif
