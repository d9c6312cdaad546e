/* search_memory.c - maps the memory of the search at its fixed address: the driver's, or one of this process. */
#include "rt/isolate/search_memory.h"

#include "base/base.h"
#include "rt/layout.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static bool attached; /* the driver's memory is mapped; set before the program begins */

/* Maps memory for the search: a file in memory, or anonymous memory (-1). Returns NULL if there is no room. */
static void *map(int how, int fd) {
    void *at = mmap((void *)RD_SEARCH_AT, RD_SEARCH_SIZE, PROT_READ | PROT_WRITE,
                    how | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    madvise(at, RD_SEARCH_SIZE, MADV_DONTFORK); /* a child that is forked for an execution does not see it */
    madvise(at, RD_SEARCH_SIZE, MADV_HUGEPAGE);
    return at;
}

void rd_search_memory_attach(int fd) {
    struct rlimit r;
    RD_CHECK(!attached);
    /* to make a file larger than the limit raises a signal */
    bool may = getrlimit(RLIMIT_FSIZE, &r) == 0 && r.rlim_cur >= RD_SEARCH_SIZE;
    attached = may && ftruncate(fd, (off_t)RD_SEARCH_SIZE) == 0 && map(MAP_SHARED, fd);
    if (attached)
        madvise((void *)RD_SEARCH_AT, RD_SEARCH_SIZE, MADV_DONTDUMP); /* it is large, and mostly empty */
    close(fd);
}

void *rd_search_memory_get(bool *outlives) {
    *outlives = attached;
    return attached ? (void *)RD_SEARCH_AT : map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
}
