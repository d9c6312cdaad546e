/*
 * hook.h - declarations for all hooks: how a hook is exported, the first test of every hook, announcing accesses of
 * any size, and the functions that hooks of different files call.
 *
 * Hooks run in every process that loads the library, controlled or not, and some of them (memcpy, strlen …) before
 * the dynamic linker has relocated it. So the first thing they look at is `rd_rt.threaded`, declared hidden here:
 * it is reached relative to the program counter, needs no relocation, and is false until the program's second
 * thread is created. Only then is the thread-local `rd_self` read.
 */
#ifndef RD_RT_HOOK_HOOK_H
#define RD_RT_HOOK_HOOK_H

#include "rt/rt.h"

#include <link.h>
#include <signal.h>

/*
 * Two hooks with the same body must stay two: gcc would make one jump to the other by name, and "memcmp is bcmp"
 * and "bcmp is memcmp" together never end. (clang does not merge functions.)
 */
#ifdef __clang__
#define RD_EXPORT __attribute__((visibility("default")))
#else
#define RD_EXPORT __attribute__((visibility("default"), no_icf))
#endif
#define RD_HIDDEN __attribute__((visibility("hidden")))

/* Defines an exported function that no header declares: the prototype beside it stands for the header's. */
#define RD_API(type, name, ...)       \
    RD_EXPORT type name(__VA_ARGS__); \
    RD_EXPORT type name(__VA_ARGS__)

/*
 * The same for a hook that entry_*.S exports: the assembly notes the caller's registers and jumps to rd_in_<name>.
 */
#define RD_ENTERED(type, name, ...)           \
    RD_HIDDEN type rd_in_##name(__VA_ARGS__); \
    type rd_in_##name(__VA_ARGS__)

/* -fvisibility=hidden does not hide extern declarations; without RD_HIDDEN every access goes through the GOT. */
extern struct rd_rt rd_rt RD_HIDDEN;
extern struct rd_real rd_real RD_HIDDEN;
extern __thread struct rd_vthread *rd_self __attribute__((tls_model("initial-exec"))) RD_HIDDEN;

/* instrumented.c: returns whether the module (as dl_iterate_phdr describes it) imports a function of this name. */
bool rd_module_refers(const struct dl_phdr_info *info, const char *name) RD_HIDDEN;
/*
 * The relocations of a module, which name the symbols that it imports: table[0] belongs to the PLT, table[1] is the
 * other one; `size` is in bytes. The symbol table itself cannot be walked, as its length is not always known: for a
 * module that defines no symbol the linker's hash table says that there is one.
 */
struct rd_imports {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * table[2];
    size_t size[2];
};
void rd_module_imports(struct rd_imports *n, const struct dl_phdr_info *info) RD_HIDDEN;

/* Returns whether the program is past the checkpoint and the caller is one of its threads, outside the runtime. */
static inline bool rd_hook_on(void) { return RD_UNLIKELY(rd_rt.threaded) && rd_rt_active(); }

/* Announces one plain access, before the program makes it. True: the access is a step, and its turn has come. */
static inline bool rd_hook_access(const volatile void *addr, uint32_t size, unsigned kind, uint64_t pc) {
    return rd_hook_on() && rd_rt_access((uint64_t)(uintptr_t)addr, size, kind, pc);
}

/*
 * Announces an access of any number of bytes: one operation, or several where rd_op.size is too small for `size`.
 */
static inline void rd_hook_range(const volatile void *addr, size_t size, unsigned kind, uint64_t pc) {
    const volatile char *p = addr;
    while (rd_hook_on() && size > 0) {
        uint32_t part = (uint32_t)RD_MIN(size, (size_t)1 << 30);
        rd_rt_access((uint64_t)(uintptr_t)p, part, kind, pc);
        p += part;
        size -= part;
    }
}

/*
 * For operations with the flag RD_F_STORES: notes in *op that the call stores a result of `size` bytes at `to`
 * (NULL: it stores none). The store is noted only where the caller is instrumented: how code without hooks uses
 * such memory is not known, and a library's result often lies in memory of its own.
 */
static inline void rd_hook_stores(struct rd_op *op, const volatile void *to, uint32_t size) {
    RD_CHECK(rd_op_flags(op->kind) & RD_F_STORES);
    bool seen = to && rd_rt.all_accesses && !rd_self->ignore && rd_place_is_instrumented(op->pc);
    op->addr = seen ? (uintptr_t)to : 0;
    op->size = seen ? size : 0;
}

/*
 * Announces that a call reads `size` bytes at `from` (NULL: none) before its operation. An access of its own is
 * cheaper than a row in functions.def for arguments that are mostly NULL.
 */
static inline void rd_hook_argument(const volatile void *from, uint32_t size, uint64_t pc) {
    if (from && rd_hook_on() && rd_place_is_instrumented(pc))
        rd_rt_access((uintptr_t)from, size, RD_OP_READ, pc);
}

/*
 * Announces, after the call's operation, that the hook is about to store a result of `size` bytes at `to` (NULL:
 * nowhere).
 */
static inline void rd_hook_result(const volatile void *to, uint32_t size, uint64_t pc) {
    if (to && rd_hook_on() && rd_place_is_instrumented(pc))
        rd_rt_access((uintptr_t)to, size, RD_OP_WRITE, pc);
}

/*
 * object.c: looks at the memory of a synchronisation object that an operation is about to use, and reports a
 * finding (and does not return) where the memory shows that the object was destroyed or never initialised.
 */
void rd_hook_check_object(unsigned kind, const void *object, uint64_t pc);
/* Writes the mark of a destroyed object of this kind (enum rd_object_kind) into the object's memory. */
void rd_hook_mark_destroyed(unsigned kind, void *object);
/* The operations of initialising (none if the caller is not under control) and of destroying, with the mark. */
void rd_hook_object_init(const void *object, uint64_t pc);
void rd_hook_object_destroy(unsigned kind, void *object, uint64_t pc);
/*
 * The object was initialised: gives the new `arg` (type of a mutex, value of a semaphore …) to the pending
 * operations on it whose kind is in from … to: their threads announced them before the object was made.
 */
void rd_hook_remade(const void *object, unsigned from, unsigned to, uint64_t arg);

/* malloc.c: gives a block back to the heap, or the libc, that it came from. */
void rd_hook_free(void *p, uint64_t pc);

/* mutex.c: the type of the program's own mutex, as enum rd_mutex_type and RD_MUTEX_ROBUST. */
uint64_t rd_mutex_type_of(const pthread_mutex_t *m);

/*
 * signal.c. A set of signals as bits: bit n is signal n, for 1 to 63. rd_hook_signal_info fills in *info for a
 * signal that the calling thread has just taken, and forgets the noted sender.
 */
uint64_t rd_hook_signal_bits(const sigset_t *set);
void rd_hook_signal_info(int sig, siginfo_t *info);
/*
 * Sets the calling thread's mask for the duration of a call (as ppoll does); returns the mask before. Keep errno.
 */
uint64_t rd_hook_mask(const sigset_t *set);
void rd_hook_unmask(uint64_t before);
/* Adds `bits` to the calling thread's mask; returns the mask before. */
uint64_t rd_hook_mask_more(uint64_t bits);
/* As sigprocmask(SIG_SETMASK): pending signals that the new mask lets through are delivered. */
void rd_hook_mask_back(uint64_t bits, uint64_t pc);
/*
 * Gives the kernel thread the mask of the calling virtual thread, because a child process inherits it. *before gets
 * the kernel thread's mask, which the caller puts back; NULL: it is not wanted.
 */
void rd_hook_mask_lend(sigset_t *before);
bool rd_signal_blocked(int sig); /* in every thread */
/* A timer sends a signal to a thread, or with RD_TID_NONE to the process. */
void rd_signal_comes(rd_tid to, int sig, int code, union sigval value);

/*
 * sigchld.c: the program's own action for a signal (0, or -1 and errno); setting it to the default; replacing *info
 * by the kernel's for the last SIGCHLD that was left in the model.
 */
int rd_signal_action(int sig, struct sigaction *to);
void rd_signal_reset(int sig);
void rd_sigchld_info(siginfo_t *info);

/*
 * thread.c, cond.c, time.c: code that the hooks of pthread and C11 functions share. All results are 0 or an errno
 * value; `pc` is the program's call, `entry` the function of the program that the new thread begins with.
 */
int rd_hook_create(pthread_t *to, const pthread_attr_t *attr, void *(*fn)(void *), void *arg, uint64_t entry,
                   uint64_t pc);
/*
 * Stores the thread's result at `to` (NULL: nowhere): as an int when `size` is that of an int, else as a pointer.
 */
int rd_hook_join(pthread_t t, void *to, uint32_t size, uint64_t deadline, unsigned kind, uint64_t pc);
int rd_hook_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline, uint64_t pc);
int rd_hook_cond_notify(unsigned kind, pthread_cond_t *c, uint64_t pc); /* RD_OP_COND_SIGNAL or _BROADCAST */
int rd_hook_sleep(const struct timespec *wanted, uint64_t pc);          /* 0 or EINVAL */
int rd_hook_clock_sleep(clockid_t clock, int flags, const struct timespec *wanted, uint64_t pc);
/* exit.c: the finding of a failed assertion (line > 0) or of an abort. */
_Noreturn void rd_hook_failed(const char *what, const char *file, unsigned line, const char *function, uint64_t pc);
/*
 * raddle.c: notes in the channel that the program names this memory, or declares its races benign (enum
 * rd_annotation_kind).
 */
void rd_hook_annotation(unsigned kind, const volatile void *address, size_t size, const char *name);
/*
 * refuse.c: refuses the program if `is_one`: the call installs a seccomp filter, which would apply to the runtime,
 * too.
 */
void rd_hook_no_seccomp(bool is_one);
/*
 * thread.c: PR_GET_NAME and PR_SET_NAME of prctl() for the calling thread. False: the kernel is to be called as
 * well, or (for other options) instead.
 */
bool rd_hook_prctl(long what, long arg);
/* thread.c: the finding of a call that breaks the rules of its function, in a way that the hook itself can see. */
_Noreturn void rd_hook_misuse(const char *what, uint64_t pc);
/* The same, with the earlier call (of thread `tid`, at `other`) that makes this one wrong. */
_Noreturn void rd_hook_misuse_since(const char *what, uint64_t pc, rd_tid tid, rd_place other);
/* signal.c: kill() and sigqueue() of the own process, with their results. */
int rd_hook_kill_self(int sig, uint64_t pc);
union sigval;
int rd_hook_queue_self(int sig, union sigval value, uint64_t pc);
int rd_hook_kill_thread(const struct rd_vthread *v, int sig, uint64_t pc); /* 0 or an errno value */
/*
 * process.c: replaces bytes that were read from /dev/random or /dev/urandom by numbers that are the same every
 * time.
 */
void rd_hook_random_device(int fd, void *to, size_t size);
_Noreturn void rd_hook_exit(int status, uint64_t pc); /* exit.c: _exit() */
/* exec.c: execve() or execveat() by inline assembly; returns the kernel's result if the call fails. */
long rd_hook_exec_raw(long number, const long a[6], uint64_t pc);
/* barrier.c: pthread_once(). */
void rd_hook_once(int *control, void (*routine)(void), uint64_t pc);

#endif
