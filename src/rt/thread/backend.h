/*
 * backend.h - how threads of the program get the processor. The virtual backend (virtual_backend.c) runs all of
 * them in one kernel thread and switches stacks; the kernel backend (kernel_backend.c) has a kernel thread for each
 * and passes a baton. The scheduler does not know which of the two is in use.
 */
#ifndef RD_RT_THREAD_BACKEND_H
#define RD_RT_THREAD_BACKEND_H

#include "rt/thread/vthread.h"

struct rd_backend_ops {
    const char *name;
    /* Makes carriers ready for threads 1 to `count`, as far as that is possible. */
    void (*pool)(uint32_t count);
    /* Gives a new thread with these attributes a carrier. Returns 0 or an errno value. */
    int (*carrier)(struct rd_vthread *v, const pthread_attr_t *attr);
    /* Gives control from the calling thread to another one; returns when control comes back. */
    void (*pass)(struct rd_vthread *from, struct rd_vthread *to);
    /* The same for a calling thread that has ended: control never comes back to it. */
    void (*leave)(struct rd_vthread *from, struct rd_vthread *to);
};
extern const struct rd_backend_ops rd_backend_virtual, rd_backend_kernel;

/* virtual_backend.c: gives the thread with this number a second carrier, with a stack of that size, which stays for
 * all executions. Returns 0 or an errno value. */
int rd_virtual_provide(rd_tid tid, size_t size);

#endif
