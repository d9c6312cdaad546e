/* exitblock.h - the counts of a search over atomic blocks, for its claim and its tests. */
#ifndef RD_SEARCH_EXITBLOCK_EXITBLOCK_H
#define RD_SEARCH_EXITBLOCK_EXITBLOCK_H

#include "search/search.h"

struct rd_exitblock_count {
    uint64_t paths;
    uint64_t aborted; /* paths that ended at a lock that was not free */
    /* paths that ended although delayed threads were left: their blocks would give no new order */
    uint64_t pruned;
    uint32_t length; /* steps of the last path, without a block in which its thread was stopped */
    uint32_t begun;  /* how often the search has begun: once, and again whenever blocks had to be smaller */
};

struct rd_exitblock_count rd_exitblock_count(const void *state);

#endif
