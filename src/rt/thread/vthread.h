/*
 * vthread.h - a thread of the program as the runtime knows it (a virtual thread): its registers, its stack, and the
 * state of hooks for this thread. The model's part of the same thread (its state and pending operation) is struct
 * rd_thread, under the same number.
 */
#ifndef RD_RT_THREAD_VTHREAD_H
#define RD_RT_THREAD_VTHREAD_H

#include "trace/types.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <unwind.h>

struct rd_called;
struct rd_cleanup;
struct rd_io_thread;
struct rd_omp;
struct rd_own_loop;
struct rd_own_store;
struct rd_spare;
struct rd_step;

/* A destructor of a C++ thread_local object, as __cxa_thread_atexit registers it. */
struct rd_dtor {
    void (*fn)(void *);
    void *obj;
    struct rd_dtor *next;
};

/* A jmp_buf without its signal mask, which is two thirds of it: glibc's own type for that has no public name. */
struct rd_jump {
    __jmp_buf registers;
    int mask_was_saved;
};
static_assert(offsetof(struct __jmp_buf_tag, __mask_was_saved) == offsetof(struct rd_jump, mask_was_saved),
              "struct rd_jump is the beginning of glibc's structure");

/*
 * Returns `j` as the type that _setjmp and longjmp take. The empty assembly hides from the compiler that the two
 * are one object: it would warn that the second type is larger than the object.
 */
static inline struct __jmp_buf_tag *rd_jump_of(struct rd_jump *j) {
    struct __jmp_buf_tag *tag = (void *)j;
    __asm__("" : "+r"(tag));
    return tag;
}

enum { RD_POLLED = 16 };

/*
 * A thread of the program. Its stack and its thread-local storage are a carrier's: a real pthread_create made them.
 *
 * It lies in the execution's arena. The fields that every access or every step touches come first, in few lines of
 * the cache. "Raw" is an address as it is, not a place.
 */
struct rd_vthread {
    /* The caller's registers at the last hook that was entered through entry_*.S, in that file's order. */
    uint64_t entry[16];

    /* Read by every hook. */
    rd_tid tid;
    bool by_new;      /* the thread is in an operator new: a block that it allocates now comes from there */
    bool passes_call; /* its next system call by inline assembly is let through (inline_syscalls.c) */
    uint32_t inside;  /* > 0: the thread is in the runtime; hooks that it enters pass straight through */
    uint32_t ignore;  /* > 0: its accesses are no operations (annotated, or in a constructor of the runtime's) */
    uint32_t nested;  /* levels of functions of the program that library functions call (rt/call/call.h) */

    /* Accesses to memory that the table of shared memory knows to be this thread's own (shared_access.h). */
    uint8_t read_cell;          /* the cell of memory that only this thread reads */
    uint8_t write_cell;         /* the cell of memory that only this thread uses */
    uint8_t handed_cell;        /* the cell of memory that its creator initialised and handed over to it */
    bool passed_by;             /* its last atomic access was no step */
    uint64_t content;           /* hash of the memory they touched, near the end of a long execution */
    uint64_t passed;            /* number of accesses since its last operation that were no operations */
    uint64_t passed_pc;         /* code location of the last one of them, raw; 0: there was none */
    bool passed_call;           /* since its last operation, calls and frees used memory and were no operations */
    struct rd_finding *failure; /* it has crashed, and other threads may go on before this ends the execution */
    uint32_t own_stores;        /* stores to own memory, since its last operation, that may have changed it */
    struct rd_own_store *own_store; /* those stores (silent_store.c); NULL: there was none yet */
    uint64_t yield_pc;          /* where it yielded first for lack of patience, raw (shared_access.c); 0: nowhere */
    struct rd_own_loop *loop;   /* memory that a loop of it uses again and again (shared_access.c), or NULL */
    uint64_t polled[RD_POLLED]; /* its last silent accesses that were checked for races, a ring (shared_access.c) */
    uint32_t polled_count;      /* how many there were */

    /* Stack, thread pointer and carrier. */
    uint32_t guard;              /* size of its stack's guard, as the program asked for it */
    void *sp;                    /* virtual backend: its stack pointer while another thread runs */
    void *tp;                    /* its thread pointer */
    pthread_t handle;            /* the value of pthread_self() in it */
    uint32_t baton;              /* kernel backend, a futex word: 1 when it may run */
    int kernel_tid;              /* kernel backend: the kernel's number of its carrier */
    uint32_t ready;              /* virtual backend, a futex word: 1 when its carrier is parked and can be used */
    uint32_t processes;          /* child processes that it has started so far */
    struct rd_spare *spare;      /* virtual backend: a second carrier with a stack of another size, or NULL */
    void *stack_low, *stack_top; /* bounds of its stack */

    /* Its function, and its end. */
    void *(*fn)(void *);             /* start routine */
    void *arg, *retval;              /* … its argument and result */
    void *base_frame;                /* the frame of the runtime below which pthread_exit unwinds all frames */
    struct rd_jump base;             /* the jump into that frame */
    struct _Unwind_Exception unwind; /* the forced unwind of pthread_exit */
    struct rd_dtor *dtors;           /* C++ thread_local destructors, newest first */
    struct rd_cleanup *cleanup;      /* pthread_cleanup_push in C without -fexceptions, newest first */
    uint64_t exit_pc;                /* where it called exit(), raw; 0: nowhere */
    uint32_t exit_after;             /* number of steps of the execution then */

    /* Set by the program, by calls of libc; NULL or empty where it has made no such call. */
    uint64_t random;       /* random numbers that it has drawn so far */
    char name[16];         /* its name, by pthread_setname_np or prctl */
    stack_t *alternate;    /* the alternate signal stack of sigaltstack */
    cpu_set_t *processors; /* the processors of pthread_setaffinity_np */

    /* A store whose effect is not known yet: the compiler calls the hook before the store. */
    struct rd_step *last_write; /* detail mode: the step whose written value is still to be read, or NULL */
    uint64_t last_write_addr;   /* … and where it is to be read, raw */
    struct {
        const volatile void *addr;
        uint64_t before[2]; /* the bytes there before the store */
        uint32_t size;      /* 0: its last operation was no store, or its effect is known */
    } store; /* its last operation, to find out whether the store changed the memory (silent_store.c) */

    /* State of other parts of the runtime. */
    struct rd_io_thread *io;  /* its wait for input or output (rt/io/io_wait.c), or NULL */
    struct rd_called *called; /* its calls out of instrumented code (rt/call/call.h); NULL: none yet */
    struct rd_omp *omp;       /* its OpenMP state (rt/hook/omp/omp.h); NULL: it has not used OpenMP */
    uint64_t callback;        /* the program's function that the runtime is calling in this thread, raw; or 0 */
    uint64_t via_pc;          /* the program's call, while one hook works by calling another one, raw; or 0 */
};
static_assert(offsetof(struct rd_vthread, entry) == 0, "known to entry_*.S");

enum { RD_ENTRY_SP = 6 }; /* index of the stack pointer in `entry`; a 0 there: `entry` has been used already */

/* The calling thread; NULL in kernel threads that are not a thread of the program under control. */
extern __thread struct rd_vthread *rd_self __attribute__((tls_model("initial-exec")));

/* Makes thread 0 of the thread that calls. pre: the place of its stack is known (rd_place_main_stack). */
void rd_vthread_init_main(void);
/* Returns the thread with this number; makes it if it does not exist. pre: tid < RD_TID_MAX */
struct rd_vthread *rd_vthread_new(rd_tid tid);
/* Returns the thread with this handle, or NULL. If several have had the handle: the one not yet joined or detached.
 */
struct rd_vthread *rd_vthread_of(pthread_t t);
/* Runs a thread other than the first, on its carrier's stack, to its end. pre: the engine has chosen it to begin */
_Noreturn void rd_vthread_body(struct rd_vthread *v);
/* pthread_exit: unwinds the calling thread's stack and ends it. */
_Noreturn void rd_vthread_exit(void *retval);
/* Ends the calling thread as the system call exit does: no destructor or handler of the program runs in it. */
_Noreturn void rd_vthread_quit(int status, uint64_t pc);
/* Registers a C++ thread_local destructor of the calling thread; runs all destructors that a thread has registered.
 */
void rd_vthread_add_dtor(void (*fn)(void *), void *obj);
void rd_vthread_run_dtors(struct rd_vthread *v);
/* Takes the place of the program's main() and calls it (rd_rt.main), so that pthread_exit works in the first
 * thread. */
int rd_main_wrapper(int argc, char **argv, char **envp);

#endif
