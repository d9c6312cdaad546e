/*
 * atfork.c - the handlers of pthread_atfork. They are code of the program and take its locks, so they run outside
 * libc's fork, under the scheduler, in the order that POSIX prescribes. libc knows only one set of handlers, those
 * of this file: when libc forks by itself (forkpty, daemon), they call the program's, and the child leaves control.
 */
#include "rt/hook/process/child.h"
#include "rt/hook/hook.h"
#include "rt/raw.h"

#include <errno.h>

enum { HANDLERS_MAX = 512 };

/* The program's handlers, in the order of their registration; all NULL: the library that they were in is gone. */
static struct {
    void (*prepare)(void), (*parent)(void), (*child)(void);
    void *dso; /* the library that registered them */
} handlers[HANDLERS_MAX];
static unsigned handler_count;
static unsigned by_libc;     /* handler_count at the beginning of libc's own fork */
static pid_t by_libc_parent; /* the kernel's number of the process that forks then */

bool rd_atfork_by_us;

unsigned rd_atfork_prepare(void) {
    unsigned count = handler_count;
    for (unsigned i = count; i-- > 0;)
        if (handlers[i].prepare)
            handlers[i].prepare();
    return count;
}

void rd_atfork_parent(unsigned count) {
    RD_CHECK(count <= handler_count);
    for (unsigned i = 0; i < count; i++)
        if (handlers[i].parent)
            handlers[i].parent();
}

void rd_atfork_child(unsigned count) {
    RD_CHECK(count <= handler_count);
    for (unsigned i = 0; i < count; i++)
        if (handlers[i].child)
            handlers[i].child();
}

static void libc_prepare(void) {
    if (rd_atfork_by_us)
        return;
    by_libc = rd_atfork_prepare();
    by_libc_parent = (pid_t)rd_raw(SYS_getpid);
    if (rd_rt_active()) {
        rd_io_shared();
        rd_rt.engine.rec.out->children = 1;
    }
}

static void libc_parent(void) {
    if (!rd_atfork_by_us)
        rd_atfork_parent(by_libc);
}

static void libc_child(void) {
    if (rd_atfork_by_us)
        return;
    if (rd_rt_active()) {
        rd_rt.on = false;
        rd_self = NULL;
        rd_pid_copied(0, by_libc_parent);
        rd_child_locks();
    }
    rd_atfork_child(by_libc);
}

static int add(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso) {
    return ((int (*)(void (*)(void), void (*)(void), void (*)(void), void *))rd_real_get(
        &rd_real.__register_atfork))(prepare, parent, child, dso);
}

void rd_atfork_init(void) {
    static bool known;
    if (!known)
        known = add(libc_prepare, libc_parent, libc_child, NULL) == 0;
}

/* pthread_atfork is a function in the program itself (libc_nonshared.a) that calls this one. */
RD_API(int, __register_atfork, void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso) {
    if (handler_count == HANDLERS_MAX)
        return ENOMEM;
    rd_atfork_init();
    handlers[handler_count].prepare = prepare;
    handlers[handler_count].parent = parent;
    handlers[handler_count].child = child;
    handlers[handler_count++].dso = dso;
    return 0;
}

/* Called when a library is unloaded: forgets its handlers. (dso NULL: at the exit of the program.) */
RD_API(void, __cxa_finalize, void *dso) {
    for (unsigned i = 0; dso && i < handler_count; i++)
        if (handlers[i].dso == dso) {
            handlers[i].prepare = handlers[i].parent = handlers[i].child = NULL;
            handlers[i].dso = NULL;
        }
    ((void (*)(void *))rd_real_get(&rd_real.__cxa_finalize))(dso);
}
