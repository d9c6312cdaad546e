/* gomp.h - shared by the entry points of gcc's OpenMP runtime (gomp*.c). */
#ifndef RD_RT_HOOK_OMP_GOMP_H
#define RD_RT_HOOK_OMP_GOMP_H

#include "rt/hook/omp/omp.h"

/* The body of a parallel region that calls fn(data); `loop`: the loop that the region consists of, or NULL. */
struct rd_omp_body rd_gomp_body(void (*fn)(void *), void *data, const struct rd_omp_share *loop);

/* Number of iterations from start to end (not included) by incr, for a range that is not empty. */
static inline uint64_t rd_gomp_iterations(bool up, uint64_t start, uint64_t end, uint64_t incr) {
    uint64_t span = up ? end - start : start - end, by = up ? incr : -incr;
    return (span + by - 1) / by;
}

/* Leaves the construct that the calling thread is in, and waits at the barrier at its end. */
void rd_gomp_end_construct(uint64_t pc);

#endif
