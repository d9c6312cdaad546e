/*
 * process.c - the start of the program, random numbers and processors: hooks that hold values constant that would
 * differ between executions. Process numbers are in pid.c.
 */
#include "rt/hook/hook.h"
#include "rt/raw.h"
#include "rt/isolate/snapshot.h"

#include "base/rng.h"
#include "rt/process/child_table.h"

#include <sys/sysmacros.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

typedef int (*main_fn)(int, char **, char **);
typedef int (*start_main)(main_fn, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

RD_EXPORT int __libc_start_main(main_fn program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                                void (*rtld_fini)(void), void *stack_end) {
    rd_real_init();
    rd_rt.main = program;
    main_fn first = rd_rt.on ? rd_main_wrapper : program;
    return ((start_main)rd_real.__libc_start_main)(first, argc, argv, init, fini, rtld_fini, stack_end);
}

/* Each thread has a generator of its own, so the numbers do not depend on the schedule. */
static void random_bytes(void *to, size_t size) {
    unsigned char *p = to;
    while (size) {
        struct rd_rng r;
        rd_rng_seed(&r, rd_hash2(rd_self->tid + 1, rd_self->random++));
        uint64_t x = rd_rng_next(&r);
        size_t n = RD_MIN(size, sizeof x);
        memcpy(p, &x, n);
        p += n;
        size -= n;
    }
}

RD_EXPORT ssize_t getrandom(void *to, size_t size, unsigned flags) {
    if (!rd_rt_active())
        return RD_REAL(getrandom)(to, size, flags);
    random_bytes(to, size);
    return (ssize_t)size;
}

RD_EXPORT int getentropy(void *to, size_t size) {
    if (!rd_rt_active())
        return RD_REAL(getentropy)(to, size);
    if (size > 256) {
        errno = EIO;
        return -1;
    }
    random_bytes(to, size);
    return 0;
}

void rd_hook_random_device(int fd, void *to, size_t size) {
    enum { MEMORY_DEVICES = 1, RANDOM = 8, URANDOM = 9 };
    struct stat st = {0};
    bool is = rd_rt_active() && rd_raw(SYS_newfstatat, (long)fd, "", &st, (long)AT_EMPTY_PATH) == 0 &&
              S_ISCHR(st.st_mode) && major(st.st_rdev) == MEMORY_DEVICES &&
              (minor(st.st_rdev) == RANDOM || minor(st.st_rdev) == URANDOM);
    if (is)
        random_bytes(to, size);
}

/* std::random_device::_M_getval(): the C++ library's own reads a random number from the processor (rdrand). */
RD_API(unsigned, _ZNSt13random_device9_M_getvalEv, void *device) {
    unsigned x;
    if (!rd_rt_active())
        return ((unsigned (*)(void *))rd_real_get(&rd_real._ZNSt13random_device9_M_getvalEv))(device);
    random_bytes(&x, sizeof x);
    return x;
}

RD_EXPORT uint32_t arc4random(void) {
    uint32_t x;
    if (!rd_rt_active())
        return ((uint32_t(*)(void))rd_real.arc4random)();
    random_bytes(&x, sizeof x);
    return x;
}

RD_EXPORT void arc4random_buf(void *to, size_t size) {
    if (rd_rt_active())
        random_bytes(to, size);
    else
        ((void (*)(void *, size_t))rd_real.arc4random_buf)(to, size);
}

RD_EXPORT uint32_t arc4random_uniform(uint32_t below) {
    if (!rd_rt_active())
        return ((uint32_t(*)(uint32_t))rd_real.arc4random_uniform)(below);
    struct rd_rng r;
    rd_rng_seed(&r, rd_hash2(rd_self->tid + 1, rd_self->random++));
    return below < 2 ? 0 : rd_rng_below(&r, below);
}

static cpu_set_t processors; /* that the program may use, before the explorer restricts itself to one of them */
static int processor_count;  /* in that set; 0: it was not saved */

void rd_affinity_save(void) {
    if (RD_REAL(sched_getaffinity)(0, sizeof processors, &processors) == 0)
        processor_count = CPU_COUNT(&processors);
}

bool rd_affinity_lend(cpu_set_t *before) {
    if (rd_snapshot_running())
        rd_snapshot_unfit("the program starts another process");
    const cpu_set_t *wanted = rd_self->processors ? rd_self->processors : &processors;
    if (!processor_count || RD_REAL(sched_getaffinity)(0, sizeof *before, before) != 0)
        return false;
    return RD_REAL(sched_setaffinity)(0, sizeof *wanted, wanted) == 0;
}

void rd_affinity_return(const cpu_set_t *before) { RD_REAL(sched_setaffinity)(0, sizeof *before, before); }

/* The thread's processors as the program sees them: the set that it has asked for, else the saved set. */
static int tell(const struct rd_vthread *v, size_t size, cpu_set_t *to) {
    if (!v->processors && processor_count == 0)
        return RD_REAL(sched_getaffinity)(0, size, to) == 0 ? 0 : errno;
    memset(to, 0, size);
    memcpy(to, v->processors ? v->processors : &processors, RD_MIN(size, sizeof processors));
    return 0;
}

RD_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *to) {
    if (!rd_rt_active() || (pid != 0 && pid != RD_PID && pid != RD_PID + rd_self->tid))
        return RD_REAL(sched_getaffinity)(rd_pid_real(pid), size, to);
    int error = tell(rd_self, size, to);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

RD_EXPORT int pthread_getaffinity_np(pthread_t t, size_t size, cpu_set_t *to) {
    if (!rd_rt_active())
        return RD_REAL(pthread_getaffinity_np)(t, size, to);
    struct rd_vthread *v = rd_vthread_of(t);
    return v ? tell(v, size, to) : ESRCH;
}

/* All threads run on one processor; the set that the program asks for is only noted, for the next query. */
static void remember(struct rd_vthread *v, size_t size, const cpu_set_t *set) {
    if (!v->processors)
        v->processors = rd_arena_alloc(&rd_rt.arena, sizeof *v->processors);
    memset(v->processors, 0, sizeof *v->processors);
    memcpy(v->processors, set, RD_MIN(size, sizeof *v->processors));
}

RD_EXPORT int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set) {
    if (!rd_rt_active() || (pid != 0 && pid != RD_PID && pid != RD_PID + rd_self->tid))
        return RD_REAL(sched_setaffinity)(rd_pid_real(pid), size, set);
    if (!rd_rt.threaded && RD_REAL(sched_setaffinity)(0, size, set) != 0)
        return -1;
    remember(rd_self, size, set);
    return 0;
}

RD_EXPORT int pthread_setaffinity_np(pthread_t t, size_t size, const cpu_set_t *set) {
    if (!rd_rt_active())
        return RD_REAL(pthread_setaffinity_np)(t, size, set);
    struct rd_vthread *v = rd_vthread_of(t);
    if (!v)
        return ESRCH;
    remember(v, size, set);
    return 0;
}

RD_EXPORT long sysconf(int name) {
    bool pinned = rd_rt_active() && processor_count;
    if (pinned && name == _SC_NPROCESSORS_ONLN)
        return processor_count;
    return RD_REAL(sysconf)(name);
}

RD_EXPORT int get_nprocs(void) {
    return rd_rt_active() && processor_count ? processor_count : (int)RD_REAL(sysconf)(_SC_NPROCESSORS_ONLN);
}

RD_EXPORT int sched_getcpu(void) { return rd_rt_active() ? 0 : ((int (*)(void))rd_real.sched_getcpu)(); }
