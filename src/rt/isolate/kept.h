/*
 * kept.h - what outlives an execution in the process that runs them all (snapshot isolation). All other memory of
 * the process, the runtime's own data included, is put back to what it was at the checkpoint; so whatever must be
 * known afterwards is here, at an address that needs no variable.
 */
#ifndef RD_RT_ISOLATE_KEPT_H
#define RD_RT_ISOLATE_KEPT_H

#include "base/map.h"
#include "rt/isolate/deep_checkpoint.h"
#include "rt/io/fds.h"
#include "rt/isolate/memory_guard.h"
#include "rt/layout.h"
#include "trace/sharing.h"

#include <signal.h>

enum { RD_KEPT_MAPS = 256, RD_KEPT_CHANGES = 64, RD_KEPT_FDS = 4096, RD_KEPT_SIGNALS = 65, RD_KEPT_REGIONS = 512 };

/* A page that is put back after every execution. */
struct rd_hot {
    uint64_t at, copy; /* copy 0: it was empty */
};

/* Pages that the kernel lists, as it does it. */
struct rd_scan_region {
    uint64_t start, end, categories;
};

/* As the kernel has it. */
struct rd_kernel_action {
    uint64_t handler, flags, restorer, mask;
};

struct rd_kept {
    /* snapshot.c: the two stacks this kernel thread goes between */
    void *explorer_sp, *program_sp, *tp;
    const struct rd_isolation_ops *isolation; /* of the next execution (isolation.c); NULL: not chosen yet */
    uint32_t running;                         /* … one does now */
    uint32_t apart;                           /* … but not the next one: a process has died of it */
    uint32_t forked;                          /* this is the process of one execution */
    int32_t status;                           /* what it ended with, as wait() would say it */
    uint32_t carriers;                        /* it was ended because so many are needed; 0: it was not */
    uint32_t stack_tid;                       /* … or because this thread */
    uint64_t stack_size;                      /* has a stack of this size; 0: it has not */
    uint32_t heap_tid;                        /* … or because the heap of this thread */
    uint64_t heap_open;                       /* is to be so large; 0: it is large enough */
    uint64_t arena_base, arena_open;          /* the arena: used at the start, accessible */
    uint64_t arena_more;                      /* … or because it needs so much more of it; 0: it does not */
    char unfit[192];                          /* it was ended because of this; "": it was not */
    uint32_t timed;
    uint64_t restore_ns; /* spent on putting back, when that is measured */
    uint32_t paused;     /* the execution has come to where it is to be kept */
    void *paused_sp;
    struct rd_sharing_use sharing;          /* of the executions that `deeps` are of (trace/sharing.h) */
    const struct rd_deep_checkpoint *state; /* where memory was put back to; NULL: to the start */
    struct rd_deeps deeps;
    struct rd_profile *profile; /* as it was before the execution, where that adds to it; NULL: none did */
    uint64_t sum;               /* of what the explorer must find as it left it */
    struct rd_memory_guard guard;

    /* pages.c */
    int32_t uffd, pagemap;
    struct rd_scan_region region[RD_KEPT_REGIONS];
    struct rd_arena arena;
    struct rd_map saved; /* page -> its copy */
    struct rd_hot *hot;  /* by address */
    uint32_t hot_count, hot_room;
    struct rd_arena *search; /* the search's memory */
    uint64_t search_used;    /* … when the faults were counted */
    uint64_t restores;
    uint64_t unused;      /* pages of sets that were forgotten: each begins with the address of the next */
    uint64_t faults;      /* that the kernel had counted after the last one */
    const uint64_t *ring; /* where it counts them; NULL: it has to be asked */

    /* syscall_trap.c: what is to be undone */
    uint8_t selector;
    uint8_t called;      /* a system call of the program's was made */
    uint8_t moved;       /* a file's offset or length may have changed */
    uint8_t handlers;    /* a signal's disposition, or the mask */
    uint8_t called_ever; /* … in this execution */
    uint64_t calls;      /* system calls of executions so far, by hooks or caught */
    uint8_t named;       /* what the kernel calls this thread */
    uint8_t grown;       /* the end of the data segment */
    uint8_t opened;      /* there are descriptors in fds */
    uint8_t handled;     /* the program has handlers: an execution may end in one, with its mask */
    uint32_t map_count;
    uint64_t brk;
    char name[16];
    struct {
        uint64_t start, end;
    } map[RD_KEPT_MAPS];
    struct rd_kept_change {
        uint64_t start, end;
        int32_t access; /* what PROT_* it had */
        uint32_t gone;  /* it is as if it were not mapped */
    } change[RD_KEPT_CHANGES];
    uint32_t change_count;
    uint64_t fds[RD_KEPT_FDS / 64];
    struct rd_kernel_action action[RD_KEPT_SIGNALS];
    struct rd_kernel_action sys; /* what SIGSYS was for before */
    uint64_t mask;

    struct rd_fds_kept open; /* descriptors from before */
};

enum { RD_KEPT_STACK = 4 << 20 };

/* The kept memory begins with this; then comes the explorer's stack, then what its arena gives. */
static inline struct rd_kept *rd_kept(void) { return (struct rd_kept *)RD_KEPT_AT; }

#endif
