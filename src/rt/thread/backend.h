/*
 * backend.h - the backends, which let the chosen thread of the program run. The virtual backend (virtual_backend.c)
 * runs all threads in one kernel thread and switches stacks; the kernel backend (kernel_backend.c) has a kernel
 * thread for each and passes the baton between them. The engine does not know which of the two is in use.
 */
#ifndef RD_RT_THREAD_BACKEND_H
#define RD_RT_THREAD_BACKEND_H

#include "rt/thread/vthread.h"

struct rd_backend_ops {
    const char *name;
    /* Makes carriers for threads 1 to `count` in advance, as far as that is possible. */
    void (*pool)(uint32_t count);
    /* Gives a new thread with these attributes a carrier. Returns 0 or an errno value. */
    int (*carrier)(struct rd_vthread *v, const pthread_attr_t *attr);
    /* Passes the baton from the calling thread to another one; returns when the caller has the baton again. */
    void (*pass)(struct rd_vthread *from, struct rd_vthread *to);
    /* The same for a calling thread that has ended: it never gets the baton again. */
    void (*leave)(struct rd_vthread *from, struct rd_vthread *to);
};
extern const struct rd_backend_ops rd_backend_virtual, rd_backend_kernel;

/*
 * virtual_backend.c: gives the thread with this number a second carrier, with a stack of this size, for all
 * executions from now on. Returns 0 or an errno value. pre: no execution runs
 */
int rd_virtual_provide(rd_tid tid, size_t size);

#endif
