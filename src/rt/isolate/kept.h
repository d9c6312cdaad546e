/*
 * kept.h - the memory that outlives an execution in the process that runs all of them (snapshot isolation). All
 * other memory of the process, the runtime's own variables included, is put back to its state at the checkpoint. So
 * all that the explorer must know after an execution is in struct rd_kept, at a fixed address that needs no
 * variable.
 *
 * The program under test can write here, too, as it can write anywhere (memory_guard.h). So no value that is found
 * here after an execution is ever a reason for BUG().
 *
 * The kept memory is: struct rd_kept; a guard; the explorer's stack (RD_KEPT_STACK); the memory of rd_kept.arena;
 * and the kernel's count of page faults in the last pages.
 */
#ifndef RD_RT_ISOLATE_KEPT_H
#define RD_RT_ISOLATE_KEPT_H

#include "base/map.h"
#include "rt/io/fds.h"
#include "rt/isolate/deep_checkpoint.h"
#include "rt/isolate/memory_guard.h"
#include "rt/layout.h"
#include "trace/sharing.h"

#include <signal.h>

enum {
    RD_KEPT_MAPS = 256,    /* mappings that an execution may make */
    RD_KEPT_CHANGES = 64,  /* pieces of mappings from before that an execution may change */
    RD_KEPT_FDS = 4096,    /* descriptors that an execution may open have numbers below this */
    RD_KEPT_SIGNALS = 65,  /* one more than the largest number of a signal */
    RD_KEPT_REGIONS = 512, /* runs of pages that one call of PAGEMAP_SCAN lists */
    RD_KEPT_STACK = 4 << 20
};

/* A page that is put back after every execution. */
struct rd_hot {
    uint64_t at;   /* its address */
    uint64_t copy; /* where its contents at the checkpoint are; 0: it was empty, and is cleared */
};

/* A run of pages that PAGEMAP_SCAN lists: struct page_region of <linux/fs.h>. */
struct rd_scan_region {
    uint64_t start, end, categories;
};

/* The action of a signal as the system call rt_sigaction has it, which differs from libc's struct sigaction. */
struct rd_kernel_action {
    uint64_t handler, flags, restorer, mask;
};

struct rd_kept {
    /* The two stacks between which the kernel thread of the explorer goes (snapshot.c). */
    void *explorer_sp; /* the explorer's stack pointer while an execution runs */
    void *program_sp;  /* the program's at the checkpoint, where every execution begins */
    void *tp;          /* the thread pointer of both */

    /* Whether and how executions run in this process. */
    const struct rd_isolation_ops *isolation; /* of the next execution (isolation.c); NULL: not chosen yet */
    uint32_t running;                         /* an execution runs now, on the program's stack */
    uint32_t apart;  /* the next execution has a process of its own: one has been killed in that execution */
    uint32_t forked; /* this process was forked for one execution */

    /* How the last execution ended; struct rd_kept is all that it can tell the explorer. */
    int32_t status;      /* of its end, as wait() would say it */
    uint32_t carriers;   /* it lacked carriers: so many threads are needed; 0: it did not */
    uint32_t stack_tid;  /* it lacked a stack for this thread … */
    uint64_t stack_size; /* … of this size; 0: it did not */
    uint32_t heap_tid;   /* the heap of this thread was too small … */
    uint64_t heap_open;  /* … and must have this size; 0: it was not */
    uint64_t arena_base; /* bytes of the execution's arena that were in use at the checkpoint */
    uint64_t arena_open; /* bytes of the execution's arena that can be accessed */
    uint64_t arena_more; /* it lacked so many more of them; 0: it did not */
    char unfit[192];     /* why it is unfit for a snapshot; "": it is not */

    /* Measurement, where the user asks for it. */
    uint32_t timed;
    uint64_t restore_ns; /* time spent on putting back */

    /* Deep checkpoints (deep_checkpoint.c). */
    uint32_t paused;                        /* the execution has come to where its state is to be kept */
    void *paused_sp;                        /* its stack pointer there */
    struct rd_sharing_use sharing;          /* the version of shared memory that `deeps` were made with */
    const struct rd_deep_checkpoint *state; /* where memory was last put back to; NULL: to the start */
    struct rd_deeps deeps;
    struct rd_profile *profile; /* the profile before the execution, where executions add to it; NULL: none did */

    /* Damage by the program (snapshot.c, memory_guard.c). */
    uint64_t sum; /* sum over memory of the explorer that no execution may change */
    struct rd_memory_guard guard;

    /* Saved pages (pages.c). */
    int32_t uffd, pagemap; /* descriptors: a userfaultfd, and /proc/self/pagemap */
    struct rd_scan_region region[RD_KEPT_REGIONS];
    struct rd_arena arena; /* of copies of pages */
    struct rd_map saved;   /* address of a page -> address of its copy */
    struct rd_hot *hot;    /* in order of addresses, no page twice */
    uint32_t hot_count, hot_room;
    struct rd_arena *search; /* the search's memory */
    uint64_t search_used;    /* its size when page faults were last counted */
    uint64_t restores;       /* how often pages were put back */
    uint64_t unused;         /* free pages of forgotten sets: each begins with the address of the next; 0: none */
    uint64_t faults;         /* page faults of this thread so far, as the kernel had counted them */
    const uint64_t *ring;    /* where the kernel counts them; NULL: it has to be asked */

    /* The effects of the execution's system calls, which are undone after it (syscall_trap.c). */
    uint8_t selector;    /* read by the kernel: 1 while system calls are caught */
    uint8_t called;      /* a system call was made whose writes to memory the kernel may not count as faults */
    uint8_t moved;       /* the position or the length of a file may have changed */
    uint8_t handlers;    /* the action of a signal, or the mask of signals, has changed */
    uint8_t called_ever; /* a system call was made other than the one that ends the execution */
    uint64_t calls;      /* system calls of all executions so far, by hooks or caught */
    uint8_t named;       /* the kernel's name of this thread has changed */
    uint8_t grown;       /* the end of the data segment has moved */
    uint8_t opened;      /* `fds` is not empty */
    uint8_t handled;     /* the program has signal handlers: an execution may end in one, with its mask */
    uint32_t map_count;
    uint64_t brk;  /* the end of the data segment at the checkpoint */
    char name[16]; /* the kernel's name of this thread at the checkpoint */
    struct {
        uint64_t start, end;
    } map[RD_KEPT_MAPS]; /* mappings that the execution has made */
    struct rd_kept_change {
        uint64_t start, end;
        int32_t access;        /* the PROT_* bits at the checkpoint */
        uint32_t gone;         /* the program has unmapped it; in truth it is only inaccessible */
    } change[RD_KEPT_CHANGES]; /* pieces of mappings from before that the execution has changed */
    uint32_t change_count;
    uint64_t fds[RD_KEPT_FDS / 64];                  /* descriptors that the execution has opened, as bits */
    struct rd_kernel_action action[RD_KEPT_SIGNALS]; /* actions of signals at the checkpoint */
    struct rd_kernel_action sys;                     /* the action of SIGSYS before the runtime's own */
    uint64_t mask;                                   /* the mask of signals at the checkpoint */

    /* The changes that the execution has made to descriptors that were open at the checkpoint. */
    struct rd_fds_kept open;
};

static_assert(sizeof(struct rd_kernel_action) == 32, "as the kernel has it");
static_assert((int)RD_FDS_NUMBER_MAX <= (int)RD_KEPT_FDS, "rd_kept.fds has a bit for each number");

static inline struct rd_kept *rd_kept(void) { return (struct rd_kept *)RD_KEPT_AT; }

#endif
