/*
 * carrier.c - carriers. A thread's stack is at an address that depends on its number only, so pointers into
 * stacks (and pthread_t values, which lie at the top of them) are the same in every execution, in every process,
 * with either backend. A thread that asks for another stack size gets it from the lower half of its slot; one that
 * brings its own stack gets that.
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

void rd_carrier_wait(uint32_t *word, uint32_t value) { rd_raw(SYS_futex, word, FUTEX_WAIT_PRIVATE, value); }
void rd_carrier_wake(uint32_t *word) { rd_raw(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1); }

/* Maps the stack; NULL when there is no room. */
static void *map_stack(rd_tid tid, size_t size, bool standard) {
    uint64_t half = RD_STACK_SLOT / 2;
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

bool rd_carrier_stack(const pthread_attr_t *attr, void **given, size_t *size) {
    size_t standard;
    pthread_attr_t defaults;
    pthread_getattr_default_np(&defaults);
    pthread_attr_getstacksize(&defaults, &standard);
    pthread_attr_destroy(&defaults);
    *given = NULL;
    *size = standard;
    if (!attr)
        return true;
    pthread_attr_getstack(attr, given, size);
    /* glibc marks "no stack given" by an address of 0, from which the size is then subtracted */
    if ((uintptr_t)*given + *size <= *size)
        *given = NULL;
    pthread_attr_getstacksize(attr, size);
    return !*given && *size == standard;
}

/* Fills in stack_low/stack_top and the attribute of the real thread. */
static int choose_stack(struct rd_vthread *v, const pthread_attr_t *attr, pthread_attr_t *real) {
    size_t size;
    void *given;
    bool standard = rd_carrier_stack(attr, &given, &size);
    if (given) {
        v->stack_low = given;
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
