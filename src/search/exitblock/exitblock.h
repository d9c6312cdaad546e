/* exitblock.h - the counts of a search over atomic blocks, for its claim and its tests. */
#ifndef RD_SEARCH_EXITBLOCK_EXITBLOCK_H
#define RD_SEARCH_EXITBLOCK_EXITBLOCK_H

#include "search/search.h"

struct rd_exitblock_count {
    uint64_t paths;
    uint64_t aborted; /* paths that ended at a lock that was not free */
    uint64_t pruned;  /* paths that ended with threads left whose blocks change nothing there */
    uint32_t length;  /* steps of the last path, without a block that did not happen */
    uint32_t begun;   /* how often the search has begun, again because blocks had to be smaller */
};

struct rd_exitblock_count rd_exitblock_count(const void *state);

#endif
