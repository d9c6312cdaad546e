/*
 * rt.h - the runtime inside the tested process: state, threads, and what the interposers in hook/ call.
 *
 * Delicate rules, for all code in src/rt:
 *   - No libc function that takes a lock, allocates, or may be interposed, except through rd_real.
 *   - Every entry from the program goes through rd_rt_enter/rd_rt_leave (or a function that does): while a thread
 *     is inside, interposed functions pass straight through, so the runtime never schedules itself.
 *   - Nothing runs between the recording of a choice and the switch that carries it out.
 *   - Only the thread that holds the baton touches rd_rt. `rd_self` is NULL in threads that are not controlled.
 *   - The library is linked with -z now: a lazily bound call in a signal handler could recurse for ever.
 */
#ifndef RD_RT_RT_H
#define RD_RT_RT_H

#include "engine/engine.h"
#include "rt/layout.h"
#include "channel/channel.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <unwind.h>

struct rd_dtor {
    void (*fn)(void *);
    void *obj;
    struct rd_dtor *next;
};

enum { RD_ENTRY_SP = 6 }; /* where the stack pointer is in `entry`; 0: used up */

/* A thread of the program. Its stack and thread-local storage are a carrier's: a real pthread_create made them. */
/* A jmp_buf without its signal mask, which is two thirds of it: glibc's own type for that has no public name. */
struct rd_jump {
    __jmp_buf registers;
    int mask_was_saved;
};
/* The compiler is not told that the two are one object: it would warn that the second is larger. */
static inline struct __jmp_buf_tag *rd_jump_of(struct rd_jump *j) {
    struct __jmp_buf_tag *tag = (void *)j;
    __asm__("" : "+r"(tag));
    return tag;
}
static_assert(offsetof(struct __jmp_buf_tag, __mask_was_saved) == offsetof(struct rd_jump, mask_was_saved),
              "the same");

struct rd_vthread {
    uint64_t entry[16]; /* the caller's registers at the last hook that came through entry_*.S */
    rd_tid tid;
    bool by_new;      /* it is in an operator new */
    bool passes_call; /* its next system call by inline assembly is let through (inline_syscalls.c) */
    uint32_t inside;  /* > 0: in the runtime */
    uint32_t ignore;  /* > 0: accesses are not operations (annotated, or in a constructor of our own) */
    uint32_t nested;  /* > 0: in a function of the program that a library function calls (rt/call/call.h) */
    uint8_t read_cell, write_cell; /* what cells are that only this thread reads, or uses (sharing.h) */
    uint8_t handed_cell;           /* … or that it was given by its creator */
    bool passed_by;                /* its last access was no step */
    uint64_t content;              /* of the memory of those, near the end of a long execution (livelock_cycle.h) */
    uint64_t passed;               /* accesses since its last operation that were none */
    uint64_t passed_pc;            /* … where the last one was, raw */
    uint32_t own_stores;           /* stores among them that may have changed something (store.c) */
    struct rd_own_store *own_store; /* NULL: there was none yet */
    uint64_t yield_pc;              /* where it has lost its patience first, raw (sharing.c) */
    struct rd_own_loop *loop;       /* sharing.c: what it uses again and again; NULL: that was never looked at */
    uint32_t guard;                 /* the size of its stack's guard, as it was asked for */
    void *sp;                       /* virtual backend: saved stack pointer */
    void *tp;                       /* thread pointer */
    pthread_t handle;               /* what pthread_self() is in it */
    uint32_t baton;                 /* kernel backend: 1 when it may run */
    int kernel_tid;                 /* kernel backend */
    uint32_t ready;                 /* its carrier waits for work */
    uint32_t processes;             /* child processes started so far */
    struct rd_spare *spare;         /* virtual backend: another carrier that it may have */
    void *stack_low, *stack_top;
    void *(*fn)(void *);
    void *arg, *retval;
    void *base_frame;    /* where pthread_exit stops unwinding */
    struct rd_jump base; /* and goes */
    struct _Unwind_Exception unwind;
    struct rd_dtor *dtors;      /* C++ thread_local destructors, newest first */
    struct rd_cleanup *cleanup; /* pthread_cleanup_push in C without -fexceptions, newest first */
    uint64_t random;            /* numbers drawn so far */
    char name[16];
    stack_t *alternate;         /* what sigaltstack said; NULL: nothing yet */
    cpu_set_t *processors;      /* what pthread_setaffinity_np said; NULL: nothing yet */
    struct rd_step *last_write; /* detail mode: the step whose written value is not yet known */
    uint64_t last_write_addr;
    struct {
        const volatile void *addr;
        uint64_t before[2];   /* what was there */
        uint32_t size;        /* 0: there is none */
    } store;                  /* its last operation, when that was a store and it is not known what it changed */
    struct rd_io_thread *io;  /* io_wait.c */
    uint64_t exit_pc;         /* where it has called exit(), raw; 0: it has not */
    uint32_t exit_after;      /* how many steps there were then */
    struct rd_called *called; /* rt/call/call.h; NULL: it has called nothing yet */
    struct rd_omp *omp;       /* hook/omp.h; NULL: it has not used OpenMP */
    uint64_t given;  /* a function that the program has given, and that the runtime calls directly, raw; 0: none */
    uint64_t via_pc; /* the program's call, when an interposer stands for another one; 0: the caller of this one */
};

static_assert(offsetof(struct rd_vthread, entry) == 0, "known to entry_*.S");

struct rd_backend_ops {
    const char *name;
    /* Makes carriers ready for threads up to `count`. */
    void (*pool)(uint32_t count);
    /* A carrier for a new thread with these attributes; 0 or an errno value. */
    int (*carrier)(struct rd_vthread *v, const pthread_attr_t *attr);
    /* Gives control to another thread; returns when control comes back. */
    void (*pass)(struct rd_vthread *from, struct rd_vthread *to);
    /* The same, from a thread that is over. Does not return in the virtual backend. */
    void (*leave)(struct rd_vthread *from, struct rd_vthread *to);
};
extern const struct rd_backend_ops rd_backend_virtual, rd_backend_kernel;
/* virtual_backend.c: a carrier for this thread with a stack of that size; 0 or an errno value. */
int rd_virtual_provide(rd_tid tid, size_t size);

/* The module of the last place that was looked up in one, not this library: mostly the next one is in it, too. */
struct rd_place_near {
    uint64_t start, size, base;
    rd_place first;
    struct rd_module *module;
};

struct rd_rt {
    bool on;            /* this process is controlled */
    bool threaded;      /* past the checkpoint: a second thread was created */
    bool ending;        /* a verdict has been reached */
    bool snapshot;      /* executions run in the explorer's process (snapshot.h) */
    uint32_t exit_work; /* functions that the program has asked to be called at its end */
    struct rd_channel *channel;
    const struct rd_backend_ops *backend;
    struct rd_place_near near;
    struct rd_sharing_use sharing; /* version 0: every access is a point */
    uint64_t passed;               /* accesses that were no points, in whole times of `sharing.patience` */
    bool all_accesses;             /* plain accesses are points */
    bool detail;                   /* values and stacks are recorded */
    bool heap_checks;              /* misuse of the heap is looked for */
    bool heap_stacks;              /* the stacks of allocations and frees are kept */
    bool heap_marks;               /* the heap knows what may be used: for the checks, or for leaks */
    struct rd_arena arena;         /* the execution's */
    struct rd_engine
        engine; /* it ends with the picker's state, which is large: what executions write comes before */
    struct rd_vthread *threads[RD_TID_MAX];
    int (*main)(int, char **, char **);
    char first_name[16]; /* of every thread that the program has not named */
    int output_fd;       /* the driver's file for the program's output */
    int error_fd;        /* and for its standard error, where that is another one, or 0 */
    bool traps;          /* calls of the program's own to the kernel raise SIGSYS (inline_syscalls.h) */
};
static_assert(offsetof(struct rd_rt, threaded) == 1, "known to entry_*.S");
extern struct rd_rt rd_rt;

/* The program does what another process of it, at the same time, would do, too: writes a file, takes an address. */
static inline void rd_rt_outside(void) {
    if (rd_rt.channel)
        rd_rt.channel->outside = 1;
}
extern __thread struct rd_vthread *rd_self __attribute__((tls_model("initial-exec")));

/* Is the caller a thread of the program that Raddle controls, outside the runtime? The first test of every hook. */
static inline bool rd_rt_active(void) {
    struct rd_vthread *v = rd_self;
    return RD_LIKELY(v != NULL) && v->inside == 0;
}
static inline void rd_rt_enter(void) { rd_self->inside++; }
static inline void rd_rt_leave(void) { rd_self->inside--; }

/* Puts errno back. What is written is put back after an execution, page by page: so only if it has changed. */
static inline void rd_errno_back(int saved) {
    if (errno != saved)
        errno = saved;
}

/* The code location of the program's call, for rd_op.pc. Use in the interposer itself. */
#define RD_PC() ((uint64_t)(uintptr_t)__builtin_return_address(0))

/*
 * scheduling_point.c - the operation happens when the scheduler says so. addr, addr2 and pc are raw; places are
 * filled in. Preserves errno. Call only when rd_rt_active(). _instant: at once, unless it is a point and there are
 * threads.
 */
struct rd_result rd_rt_op(struct rd_op op);
/* The same in place, for what is done often; op is changed. What is no access publishes blocks of the heap first.
 */
void rd_rt_operate(struct rd_op *op, struct rd_result *r);
struct rd_result rd_rt_instant(struct rd_op op);

/*
 * Memory accesses. Call before the access; when it returns, it is this thread's turn to do it.
 * Cheap no-ops when not active, before the first thread exists, or when the kind is no point.
 */
bool rd_rt_access(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc);
void rd_rt_atomic(uint64_t addr, uint32_t size, unsigned kind, int order, uint64_t pc);
void rd_rt_not_swapped(void); /* after a compare-and-swap: it failed */
/* store.c - behind a point that is a store, before it is done; and before the thread's next operation. */
void rd_rt_stores(const volatile void *addr, uint32_t size);
void rd_rt_settle_store(struct rd_vthread *v);
/* The same of a store to memory of the thread's own. */
void rd_rt_own_store(uint64_t addr, uint32_t size);
void rd_rt_settle_own(struct rd_vthread *v);
/* What is in the memory that the operation is about to access. False: it is not certain that there is any. */
bool rd_rt_look(const struct rd_op *op, uint64_t to[2]);
void rd_rt_unchanged(void);   /* after another read-modify-write: the value is as it was */
void rd_rt_idle(uint64_t pc); /* a hook that has nothing to do was called from here */

/* hook/signal.c: the handler of a signal that was sent to this thread; is a wait that it interrupts begun again? */
void rd_signal_run(int sig);
bool rd_signal_restarts(int sig, unsigned op);

/* Reads up to 8 bytes of the program's memory without trusting them to be there. */
bool rd_rt_peek(uint64_t addr, uint32_t size, uint64_t *value);
/* Detail mode: the value that the thread's last write left, now that it has been done. */
void rd_rt_settle_write(struct rd_vthread *v);

/* vthread.c */
void rd_vthread_init_main(void);
struct rd_vthread *rd_vthread_new(rd_tid tid);
struct rd_vthread *rd_vthread_of(pthread_t t);
_Noreturn void rd_vthread_body(struct rd_vthread *v);
_Noreturn void rd_vthread_exit(void *retval);
_Noreturn void rd_vthread_quit(int status, uint64_t pc); /* by a system call: nothing of it is run any more */
void rd_vthread_add_dtor(void (*fn)(void *), void *obj);
void rd_vthread_run_dtors(struct rd_vthread *v);
void rd_key_run_dtors(void); /* hook/key.c */
int rd_main_wrapper(int argc, char **argv, char **envp);

/* explorer.c: the checkpoint; in the explorer's process it does not return. */
void rd_rt_checkpoint(void);

/* hook/futex.c: 0 when the program's word has the expected value, else EAGAIN or what is wrong with its address. */
int rd_futex_compare(uint64_t addr, uint32_t expected);

/* hook/object.c: is the object that was destroyed there (enum rd_object_kind) as it was left? */
bool rd_object_is_left(uint64_t addr, unsigned kind);

/* hook/process.c: the processors the program may use, before the explorer keeps to one of them. */
void rd_affinity_save(void);
/* A child process is about to be made: it gets them all. True: `before` is to be put back. */
bool rd_affinity_lend(cpu_set_t *before);
void rd_affinity_return(const cpu_set_t *before);

/* hook/atfork.c: a copy of this process that libc makes by itself leaves control, too. */
void rd_atfork_init(void);

/* finding.c - ways for the execution to end */
void rd_finding_init(void);
void rd_finding_thread(rd_tid tid); /* a kernel thread of its own needs a signal stack of its own */
bool rd_finding_owns(int sig);      /* the program has no handler of its own for it */
struct sigaction;
bool rd_finding_is_default(
    const struct sigaction *a);   /* what the program has as the default, or ours in its place */
void rd_finding_default(int sig); /* of a fault: it is a finding again */
void rd_finding_fatal(int sig, siginfo_t *info, void *context); /* the handler of signals that end a program */
void rd_rt_finish_outcome(void);
void rd_rt_end(void);            /* the last of the program's own code has run */
void rd_rt_end_quickly(void);    /* … by quick_exit() */
void rd_exit_last(void);         /* hook/exit.c: from now on rd_rt_end() runs at the end */
void rd_rt_last_exit(void);      /* an operation, if handlers have run since the one that began the exit */
_Noreturn void rd_rt_over(void); /* the engine's verdict stands: finish the outcome and end the process */
_Noreturn void rd_rt_found(const struct rd_finding *f);
_Noreturn void rd_rt_refuse(const char *what);

/*
 * stack.c: return addresses of the calling thread, as places, without the runtime's own frames; `interrupted`: in a
 * signal handler, from the interrupted frame on.
 */
uint32_t rd_stack_capture(uint64_t *to, uint32_t max, bool interrupted);
void rd_stack_fault(void); /* a fatal signal: does not return when it is the unwinder's */
void rd_stack_init(void);

/* local_state.c: a hash of the thread's registers and stack at the hook that was called from `pc` (raw); 0: not
 * known. */
uint64_t rd_local_state(uint64_t pc);

/* place.c */
void rd_place_main_stack(uint64_t top);
void rd_place_main_bounds(void **low, void **top);
void rd_place_refresh(void);
const struct rd_module *rd_place_own(void); /* this library; NULL: not known */
bool rd_place_is_own(uint64_t addr);
rd_place rd_place_of(uint64_t addr);
uint64_t rd_place_address(rd_place p);   /* the other way round; 0: not known */
rd_place rd_place_object(uint64_t addr); /* of an operation's object; 0 for the runtime's own, which have no name */
rd_place rd_place_code(uint64_t pc);     /* looks for newly loaded libraries too */
static inline rd_place rd_place_near_object(uint64_t addr) {
    const struct rd_place_near *n = &rd_rt.near;
    return RD_LIKELY(addr - n->start < n->size) ? n->first + (addr - n->base) : rd_place_object(addr);
}
static inline rd_place rd_place_near_code(uint64_t pc) {
    const struct rd_place_near *n = &rd_rt.near;
    return RD_LIKELY(pc - n->start < n->size) ? n->first + (pc - n->base) : rd_place_code(pc);
}
void rd_place_instrumented(uint64_t pc);
bool rd_place_is_instrumented(uint64_t pc);
bool rd_place_is_seen(uint64_t pc);   /* … or in a library whose functions are known */
bool rd_place_any_instrumented(void); /* is there a module whose accesses are seen? */
uint64_t rd_place_value(
    uint64_t value); /* a pointer into a stack becomes its place, so that it is the same everywhere */

/* heap.c: calls are for rd_self's region; pc is the program's call, raw. */
bool rd_heap_reserve(void);
bool rd_heap_open(rd_tid tid, uint64_t bytes); /* makes so much of a thread's region accessible */
void *rd_heap_alloc(size_t size, size_t align, uint64_t pc);
bool rd_heap_owns(const void *p);
/* The turn to free the block comes, and it is one that may be freed; then nothing may come between. False: it is
 * none, and that is known to the user. */
bool rd_heap_free_turn(const void *p, uint64_t pc);
void rd_heap_free(void *p, uint64_t pc);
size_t rd_heap_size(const void *p);
/* The thread has done what others can see: they may know of its blocks now. */
void rd_heap_published(void);
/* How much of the thread's heap others may know; whether the block was beyond that. */
uint64_t rd_heap_own(void);
bool rd_heap_private_since(uint64_t addr, uint64_t own);
bool rd_heap_private(uint64_t addr);                /* is it in a block that no other thread can know of? */
bool rd_heap_is_bad(uint64_t addr, uint32_t size);  /* memory that the program may not use */
bool rd_heap_is_used(uint64_t addr, uint32_t size); /* all of it is in blocks that are allocated */
/* heap_check.c: an access, or an operation, whose turn has come; a bad one is a finding. */
void rd_heap_look_at(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc);
static inline void rd_heap_look(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc) {
    if (rd_rt.heap_checks && addr - RD_HEAP_AT < RD_TID_MAX * RD_HEAP_SLOT)
        rd_heap_look_at(addr, size, kind, pc);
}
void rd_heap_look_op(const struct rd_op *op);
void rd_heap_object_used(const struct rd_op *op); /* the same, where nothing can be wrong yet */
/* The pointer is not from here: is it one that an allocator can have given? */
bool rd_heap_check_foreign(const void *p, uint64_t pc);
void rd_heap_look_stuck(void); /* heap_wait.c: a deadlock of who waits in freed memory is a use of it */

/* libc_functions.c: libc's own functions, bound once at start; libc_functions.def lists them. */
struct rd_real {
#define RD_REAL_NAME(name) void *name;
#include "rt/libc_functions.def"
#undef RD_REAL_NAME
};
extern struct rd_real rd_real;
void rd_real_init(void);
/* The real function with the type of the declaration in scope. */
#define RD_REAL(name) ((__typeof__(&name))rd_real_get(&rd_real.name))
static inline void *rd_real_get(void **slot) {
    if (RD_UNLIKELY(!*slot))
        rd_real_init(); /* called before the library's own start, by another library's */
    return *slot;
}

#endif
