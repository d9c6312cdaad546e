/*
 * key.c - thread-specific data. The values live where glibc keeps them, in the thread's own block; the
 * destructors are kept here too, because the end of a thread is ours (rt/vthread.c).
 */
#include "rt/hook/hook.h"

#include <errno.h>
#include <limits.h>

typedef void (*destructor)(void *);
static destructor destructors[PTHREAD_KEYS_MAX];
static pthread_key_t keys_end; /* no key at or above it has a destructor */

RD_EXPORT int pthread_key_create(pthread_key_t *key, destructor fn) {
    if (!rd_self)
        return RD_REAL(pthread_key_create)(key, fn);
    int error = RD_REAL(pthread_key_create)(key, fn);
    if (!error && *key < PTHREAD_KEYS_MAX) {
        destructors[*key] = fn;
        keys_end = RD_MAX(keys_end, *key + 1);
    }
    return error;
}

/* A deleted key's destructor is not run: the two are ordered like operations on one object. */
static void operate(unsigned kind, uint64_t pc) {
    rd_rt_op((struct rd_op){.kind = (uint8_t)kind, .addr = (uintptr_t)destructors, .pc = pc});
}

static bool any_to_run(void) {
    for (pthread_key_t k = 0; k < keys_end; k++)
        if (destructors[k] && RD_REAL(pthread_getspecific)(k))
            return true;
    return false;
}

RD_EXPORT int pthread_key_delete(pthread_key_t key) {
    if (rd_rt_active())
        operate(RD_OP_KEY_DELETE, RD_PC());
    if (rd_self && key < PTHREAD_KEYS_MAX)
        destructors[key] = NULL;
    return RD_REAL(pthread_key_delete)(key);
}

void rd_key_run_dtors(void) {
    if (!any_to_run())
        return;
    operate(RD_OP_KEY_DESTRUCTORS, (uintptr_t)rd_self->fn);
    bool again = true;
    for (int round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        again = false;
        for (pthread_key_t k = 0; k < keys_end; k++) {
            void *value = destructors[k] ? RD_REAL(pthread_getspecific)(k) : NULL;
            if (!value)
                continue;
            RD_REAL(pthread_setspecific)(k, NULL);
            destructors[k](value);
            again = true;
        }
    }
}

RD_EXPORT int pthread_setspecific(pthread_key_t key, const void *value) {
    int error = RD_REAL(pthread_setspecific)(key, value);
    if (error == EINVAL && rd_rt_active())
        rd_hook_misuse("use of a key that does not exist, or was deleted", RD_PC());
    return error;
}
