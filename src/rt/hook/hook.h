/*
 * hook.h - what the interposers share: export, the first test of every hook, accesses of any size.
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

/* An exported function that no header declares: the prototype beside the definition keeps it checked. */
#define RD_API(type, name, ...)       \
    RD_EXPORT type name(__VA_ARGS__); \
    RD_EXPORT type name(__VA_ARGS__)

/* The same for one that is entered through entry_*.S, which exports the name. */
#define RD_ENTERED(type, name, ...)           \
    RD_HIDDEN type rd_in_##name(__VA_ARGS__); \
    type rd_in_##name(__VA_ARGS__)

/* An extern declaration is not hidden by -fvisibility=hidden; without this every access goes through the GOT. */
extern struct rd_rt rd_rt RD_HIDDEN;
extern struct rd_real rd_real RD_HIDDEN;
extern __thread struct rd_vthread *rd_self __attribute__((tls_model("initial-exec"))) RD_HIDDEN;

/* module.c: does a module refer to this function of another one? For what dl_iterate_phdr gives. */
bool rd_module_refers(const struct dl_phdr_info *info, const char *name) RD_HIDDEN;
/*
 * What a module needs of others is in its relocations. How many symbols there are is not always known: where a
 * module defines none, the linker's hash table says that there is one.
 */
struct rd_imports {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * table[2];
    size_t size[2];
};
void rd_module_imports(struct rd_imports *n, const struct dl_phdr_info *info) RD_HIDDEN;

/* Does the program run more than one thread under control, and is this one of them, outside the runtime? */
static inline bool rd_hook_on(void) { return RD_UNLIKELY(rd_rt.threaded) && rd_rt_active(); }

/* One plain access; call before it is done. */
static inline bool rd_hook_access(const volatile void *addr, uint32_t size, unsigned kind, uint64_t pc) {
    return rd_hook_on() && rd_rt_access((uint64_t)(uintptr_t)addr, size, kind, pc);
}

/* The same for any number of bytes: one operation, unless its size would not fit into rd_op.size. */
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
 * Where a call stores what it returns, as an operation of that name has it: `size` bytes at `to`. Only where the
 * caller is seen: what others do with such memory is not known, and theirs is often the hooked function's own.
 */
static inline void rd_hook_stores(struct rd_op *op, const volatile void *to, uint32_t size) {
    bool seen = to && rd_rt.all_accesses && !rd_self->ignore && rd_place_is_instrumented(op->pc);
    op->addr = seen ? (uintptr_t)to : 0;
    op->size = seen ? size : 0;
}

/* What a call reads before its operation: an access of its own. Cheaper than a row where there is mostly none. */
static inline void rd_hook_argument(const volatile void *from, uint32_t size, uint64_t pc) {
    if (from && rd_hook_on() && rd_place_is_instrumented(pc))
        rd_rt_access((uintptr_t)from, size, RD_OP_READ, pc);
}

/* A result that the hook is about to store at `to`: a write, announced after the call's operation, before the
 * store. */
static inline void rd_hook_result(const volatile void *to, uint32_t size, uint64_t pc) {
    if (to && rd_hook_on() && rd_place_is_instrumented(pc))
        rd_rt_access((uintptr_t)to, size, RD_OP_WRITE, pc);
}

/*
 * object.c: is this an object of that kind (enum rd_object_kind)? One that was destroyed, or never was one, is a
 * finding, as far as its memory can tell. What is destroyed is marked in its memory.
 */
void rd_hook_check_object(unsigned kind, const void *object, uint64_t pc);
void rd_hook_mark_destroyed(unsigned kind, void *object);
/* It was initialised: who is about to use it, by an operation from … to …, finds it so. */
void rd_hook_remade(const void *object, unsigned from, unsigned to, uint64_t arg);

/* malloc.c: gives a block back to where it came from. */
void rd_hook_free(void *p, uint64_t pc);

/* mutex.c: the type of the program's own mutex, as enum rd_mutex_type. */
uint64_t rd_mutex_type_of(const pthread_mutex_t *m);

/* signal.c: a set as bits; a signal that this thread has just taken is forgotten, and this is what came with it. */
uint64_t rd_hook_signal_bits(const sigset_t *set);
void rd_hook_signal_info(int sig, siginfo_t *info);
/* The thread's mask while a call waits, as ppoll has it; returns the one before. */
uint64_t rd_hook_mask(const sigset_t *set);
void rd_hook_unmask(uint64_t before);
/* So much more is blocked; returns what was before. */
uint64_t rd_hook_mask_more(uint64_t bits);
/* As sigprocmask(SIG_SETMASK): what waits is delivered. */
void rd_hook_mask_back(uint64_t bits, uint64_t pc);
/* The kernel's mask is the thread's own until `before` is put back: a child process inherits it. */
void rd_hook_mask_lend(sigset_t *before);
bool rd_signal_blocked(int sig); /* in every thread */
/* A timer has sent it: to a thread, or with RD_TID_NONE to the process. */
void rd_signal_comes(rd_tid to, int sig, int code, union sigval value);

/* sigchld.c: the program's own action, and setting it to the default; what is known of the child's end. */
int rd_signal_action(int sig, struct sigaction *to);
void rd_signal_reset(int sig);
void rd_sigchld_info(siginfo_t *info);

/* What the pthread and the C11 interposers share; `pc` is the program's call. */
int rd_hook_create(pthread_t *to, const pthread_attr_t *attr, void *(*fn)(void *), void *arg, uint64_t entry,
                   uint64_t pc);
/* The result of the thread goes to `to`, as a pointer or as an int. */
int rd_hook_join(pthread_t t, void *to, uint32_t size, uint64_t deadline, unsigned kind, uint64_t pc);
int rd_hook_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline, uint64_t pc);
int rd_hook_sleep(const struct timespec *wanted, uint64_t pc); /* 0 or EINVAL */
/* An assertion of the program's failed, or it aborts. */
_Noreturn void rd_hook_failed(const char *what, const char *file, unsigned line, const char *function, uint64_t pc);
/* The program says something of this memory (enum rd_annotation_kind). */
void rd_hook_annotation(unsigned kind, const volatile void *address, size_t size, const char *name);
/* refuse.c: is this a call that restricts the system calls of the program? Ours are among them. */
void rd_hook_no_seccomp(bool is_one);
/* The name of the calling thread is asked for or set. False: the kernel is to be called, too, or alone. */
bool rd_hook_prctl(long what, long arg);
/* A call that breaks the rules of its function, as the interposer itself can tell. */
_Noreturn void rd_hook_misuse(const char *what, uint64_t pc);
/* The same with the other place that makes it so. */
_Noreturn void rd_hook_misuse_since(const char *what, uint64_t pc, rd_tid tid, rd_place other);
int rd_hook_kill_self(int sig, uint64_t pc); /* as kill(): 0, or -1 with errno */
/* as sigqueue() */
union sigval;
int rd_hook_queue_self(int sig, union sigval value, uint64_t pc);
int rd_hook_kill_thread(const struct rd_vthread *v, int sig, uint64_t pc); /* 0 or an error */
int rd_hook_clock_sleep(clockid_t clock, int flags, const struct timespec *wanted, uint64_t pc);
/* process.c: what was read from a device of random numbers is replaced by numbers that are the same every time. */
void rd_hook_random_device(int fd, void *to, size_t size);
_Noreturn void rd_hook_exit(int status, uint64_t pc); /* at once, without exit handlers */
/* exec.c: execve() or execveat() by inline assembly; what the kernel returns if it fails. */
long rd_hook_exec_raw(long number, const long a[6], uint64_t pc);
void rd_hook_once(int *control, void (*routine)(void), uint64_t pc);

#endif
