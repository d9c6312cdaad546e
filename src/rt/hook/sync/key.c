/*
 * key.c - thread-specific data. glibc keeps the values, in the thread's own block. The destructors are kept here,
 * too, because the runtime, not glibc, ends a thread (rt/thread/vthread.c).
 */
#include "rt/hook/hook.h"

#include <errno.h>
#include <limits.h>

typedef void (*destructor)(void *);
static destructor destructors[PTHREAD_KEYS_MAX]; /* by key; NULL: none, or the key does not exist */
/* By key: where it was deleted. */
static struct {
    rd_tid tid;
    rd_place pc; /* 0: it was not, or was created anew since */
} deleted[PTHREAD_KEYS_MAX];
static pthread_key_t keys_end; /* no key at or above it has a destructor */

RD_EXPORT int pthread_key_create(pthread_key_t *key, destructor fn) {
    if (!rd_self)
        return RD_REAL(pthread_key_create)(key, fn);
    int error = RD_REAL(pthread_key_create)(key, fn);
    if (!error && *key < PTHREAD_KEYS_MAX) {
        destructors[*key] = fn;
        deleted[*key].pc = 0;
        keys_end = RD_MAX(keys_end, *key + 1);
    }
    return error;
}

/*
 * The destructor of a deleted key is not run, so deletions and the running of destructors are operations on one
 * object. The object is an address in libc: addresses in the runtime have no name, and searches would not see that
 * the operations depend on each other. A deletion depends on everything, because other threads' uses of the key are
 * calls (functions.def).
 */
static void operate(unsigned kind, uint64_t pc) {
    rd_rt_op((struct rd_op){.kind = (uint8_t)kind,
                            .addr = (uintptr_t)RD_REAL(pthread_key_delete),
                            .order = kind == RD_OP_KEY_DELETE ? RD_ACCESS_WIDE : RD_ACCESS_PLAIN,
                            .pc = pc});
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
    int error = RD_REAL(pthread_key_delete)(key);
    if (!rd_rt_active() || key >= PTHREAD_KEYS_MAX)
        return error;
    if (error && deleted[key].pc)
        rd_hook_misuse_since("deletion of a key that was deleted before", RD_PC(), deleted[key].tid,
                             deleted[key].pc);
    rd_rt_enter();
    deleted[key].tid = rd_self->tid;
    deleted[key].pc = error ? 0 : rd_place_code(RD_PC());
    rd_rt_leave();
    return error;
}

void rd_key_run_dtors(void) {
    if (!any_to_run())
        return;
    RD_CHECK(keys_end <= PTHREAD_KEYS_MAX);
    operate(RD_OP_KEY_DESTRUCTORS, (uintptr_t)rd_self->fn);
    bool again = true;
    for (int round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        again = false;
        for (pthread_key_t k = 0; k < keys_end; k++) {
            void *value = destructors[k] ? RD_REAL(pthread_getspecific)(k) : NULL;
            if (!value)
                continue;
            RD_REAL(pthread_setspecific)(k, NULL);
            rd_self->callback = (uintptr_t)destructors[k];
            destructors[k](value);
            rd_self->callback = 0;
            again = true;
        }
    }
}

RD_EXPORT int pthread_setspecific(pthread_key_t key, const void *value) {
    int error = RD_REAL(pthread_setspecific)(key, value);
    if (error == EINVAL && rd_rt_active()) {
        bool before = key < PTHREAD_KEYS_MAX && deleted[key].pc;
        rd_hook_misuse_since(before ? "use of a key that was deleted" : "use of a key that does not exist", RD_PC(),
                             before ? deleted[key].tid : RD_TID_NONE, before ? deleted[key].pc : 0);
    }
    return error;
}
