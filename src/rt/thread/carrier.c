/*
 * carrier.c - carriers. The address of a thread's stack depends only on the thread's number, so pointers into
 * stacks (and pthread_t values, which point to the top of a stack) are the same in every execution, in every
 * process, with either backend. A stack of another than the standard size lies in the lower half of the thread's
 * slot. A thread for which the program provides a stack runs on that.
 */
#include "rt/thread/carrier.h"

#include "rt/layout.h"
#include "rt/libc/libc_functions.h"
#include "rt/raw.h"
#include "rt/thread/vthread.h"
#include "rt/watch/unseen_activity.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>

enum { GUARD = 64 << 10 };
static_assert(RD_STACK_SHIFTS * 4096 + 2 * GUARD < RD_STACK_SLOT / 2, "each half of a slot has room for a stack");

void rd_carrier_wait(uint32_t *word, uint32_t value) { rd_raw(SYS_futex, word, FUTEX_WAIT_PRIVATE, value); }
void rd_carrier_wake(uint32_t *word) { rd_raw(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1); }

/* Maps a stack with its guard below it; returns its low end, or NULL when there is no room. */
static void *map_stack(rd_tid tid, size_t size, bool standard) {
    uint64_t half = RD_STACK_SLOT / 2;
    RD_CHECK(tid > 0 && tid < RD_TID_MAX && size % 4096 == 0); /* the kernel made the stack of the first thread */
    if (size > half - RD_STACK_SHIFTS * 4096 - 2 * GUARD)
        return NULL;
    uint64_t top = RD_STACK_TOP(tid) - (standard ? 0 : half);
    char *p = mmap((void *)(top - size - GUARD), size + GUARD, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (mprotect(p + GUARD, size, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    return p + GUARD;
}

bool rd_carrier_stack(const pthread_attr_t *attr, void **provided, size_t *size) {
    size_t standard;
    pthread_attr_t defaults;
    pthread_getattr_default_np(&defaults);
    pthread_attr_getstacksize(&defaults, &standard);
    pthread_attr_destroy(&defaults);
    *provided = NULL;
    *size = standard;
    if (!attr)
        return true;
    pthread_attr_getstack(attr, provided, size);
    /* without a stack of the program's glibc notes 0 for its top, and getstack subtracts the size from that */
    if ((uintptr_t)*provided + *size <= *size)
        *provided = NULL;
    pthread_attr_getstacksize(attr, size);
    return !*provided && *size == standard;
}

/* Sets stack_low and stack_top of the thread, and the stack in the attributes of the real thread. */
static int choose_stack(struct rd_vthread *v, const pthread_attr_t *attr, pthread_attr_t *real) {
    size_t size;
    void *provided;
    bool standard = rd_carrier_stack(attr, &provided, &size);
    if (provided) {
        v->stack_low = provided;
    } else {
        size = (size + 4095) & ~(size_t)4095;
        v->stack_low = map_stack(v->tid, size, standard);
        if (!v->stack_low)
            return EAGAIN;
    }
    v->stack_top = (char *)v->stack_low + size;
    return pthread_attr_setstack(real, v->stack_low, size);
}

int rd_carrier_start(struct rd_vthread *v, const pthread_attr_t *attr, void *(*start)(void *)) {
    pthread_attr_t real;
    pthread_t made;
    pthread_attr_init(&real);
    pthread_attr_setdetachstate(&real, PTHREAD_CREATE_DETACHED);
    int error = choose_stack(v, attr, &real);
    if (!error)
        error = RD_REAL(pthread_create)(&made, &real, start, v);
    pthread_attr_destroy(&real);
    if (!error) {
        v->handle = made;
        rd_unseen_made();
    }
    return error;
}
