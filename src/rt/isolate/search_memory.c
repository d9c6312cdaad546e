/* search_memory.c - see search_memory.h. */
#include "rt/isolate/search_memory.h"

#include "rt/layout.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static bool attached; /* does not change once the program has begun */

static void *map(int how, int fd) {
    void *at = mmap((void *)RD_SEARCH_AT, RD_SEARCH_SIZE, PROT_READ | PROT_WRITE,
                    how | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
    if (at == MAP_FAILED)
        return NULL;
    madvise(at, RD_SEARCH_SIZE, MADV_DONTFORK); /* the process of an execution has no use for it */
    madvise(at, RD_SEARCH_SIZE, MADV_HUGEPAGE);
    return at;
}

void rd_search_memory_attach(int fd) {
    struct rlimit r;
    /* a file that is larger than the limit is a signal */
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
