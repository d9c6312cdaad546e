/*
 * mmap.c - memory that the program maps. The kernel would choose the address of anonymous memory by the mappings of
 * all threads so far. Here each thread has a range of addresses of its own, in which an address depends only on the
 * thread's own calls and is never used twice. So anonymous memory has the same names in every execution, and the
 * race detector can tell a new mapping from an old one.
 *
 * The kernel places mappings of files, mappings at an address that the program names, with rare flags or beyond the
 * thread's range, and mappings that mremap moves.
 */
#include "rt/call/call.h"
#include "rt/hook/hook.h"
#include "rt/layout.h"
#include "rt/raw.h"
#include "rt/access/mapped_files.h"
#include "rt/access/shared_access.h"
#include "rt/isolate/syscall_trap.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>

enum { PAGE = 4096 };
static uint64_t used[RD_TID_MAX]; /* bytes of each thread's range that were given out */
static_assert(RD_MAPS_SLOT % PAGE == 0, "ranges are whole pages");

static uint64_t pages(uint64_t size) { return (size + PAGE - 1) & ~(uint64_t)(PAGE - 1); }

/* Returns whether the mapping is to lie in the calling thread's range. */
static bool is_placed(const void *hint, size_t size, int flags) {
    const int usual = MAP_PRIVATE | MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE | MAP_STACK;
    return rd_rt_active() && !hint && size && size <= RD_MAPS_SLOT && (flags & MAP_ANONYMOUS) && !(flags & ~usual);
}

/* The kernel's result: an address, 0 or -errno. */
static long call(long number, void *addr, size_t size, int prot, int flags, int fd, off_t offset) {
    const long a[6] = {(long)addr, (long)size, prot, flags, fd, offset};
    return rd_self ? rd_trap_call(number, a) : rd_raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Returns whether the kernel's result is an error, and sets errno then. */
static bool failed(long r) {
    if (r >= 0 || r < -(long)PAGE)
        return false;
    errno = (int)-r;
    return true;
}

/* Memory was unmapped: its objects are gone, unless the same memory is mapped at another address, too. */
static void vanish(uint64_t at, uint64_t size) {
    bool lives = rd_mapped_files_unmapped(at, size);
    if (!lives && rd_rt_active())
        rd_world_vanish(&rd_rt.engine.world, at, size);
}

static void *map(void *addr, size_t size, int prot, int flags, int fd, off_t offset) {
    uint64_t *mine = is_placed(addr, size, flags) ? &used[rd_self->tid] : NULL;
    long r = -1;
    if (mine && *mine + pages(size) <= RD_MAPS_SLOT) {
        RD_CHECK(*mine % PAGE == 0);
        void *at = (void *)(RD_MAPS_AT + rd_self->tid * RD_MAPS_SLOT + *mine);
        r = call(SYS_mmap, at, size, prot, flags | MAP_FIXED_NOREPLACE, fd, offset);
        *mine += pages(size) + PAGE; /* a page without memory follows, for accesses beyond the end */
    }
    if (r < 0)
        r = call(SYS_mmap, addr, size, prot, flags, fd, offset);
    if (failed(r))
        return MAP_FAILED;
    if (flags & MAP_FIXED)
        vanish((uint64_t)r, size);
    if (flags & MAP_SHARED && !(flags & MAP_ANONYMOUS) && rd_rt_active()) {
        rd_rt_enter();
        rd_mapped_files_mapped((uint64_t)r, size, rd_call_identity(fd), (uint64_t)offset);
        rd_rt_leave();
    }
    return (void *)r;
}

RD_EXPORT void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset) {
    return map(addr, size, prot, flags, fd, offset);
}

RD_EXPORT void *mmap64(void *addr, size_t size, int prot, int flags, int fd, off64_t offset) {
    return map(addr, size, prot, flags, fd, offset);
}

/* Unmapping is an RD_OP_FREE of the memory, so that a use in another thread is reported like a use after free. */
RD_EXPORT int munmap(void *addr, size_t size) {
    bool placed = (uintptr_t)addr - RD_MAPS_AT < RD_TID_MAX * RD_MAPS_SLOT;
    if (placed && rd_rt_active() && rd_rt.heap_checks && rd_rt.threaded && rd_rt.engine.world.unjoined &&
        rd_rt.all_accesses && !rd_self->ignore && rd_place_is_instrumented(RD_PC())) {
        if (rd_rt.only_raced)
            rd_sharing_free((uintptr_t)addr, size);
        rd_rt_op((struct rd_op){.kind = RD_OP_FREE,
                                .addr = (uintptr_t)addr,
                                .size = (uint32_t)RD_MIN(RD_MAX(size, (size_t)1), (size_t)UINT32_MAX),
                                .pc = RD_PC()});
    }
    bool gone = !failed(call(SYS_munmap, addr, size, 0, 0, 0, 0));
    if (gone)
        vanish((uintptr_t)addr, size);
    return gone ? 0 : -1;
}

RD_EXPORT void *mremap(void *addr, size_t old_size, size_t size, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    void *wanted = flags & (MREMAP_FIXED | MREMAP_DONTUNMAP) ? va_arg(rest, void *) : NULL;
    va_end(rest);
    void *to = RD_REAL(mremap)(addr, old_size, size, flags, wanted);
    if (to == MAP_FAILED || !rd_rt_active())
        return to;
    if (!old_size || flags & MREMAP_DONTUNMAP)
        rd_mapped_files_unseen();
    if (flags & MREMAP_FIXED)
        vanish((uintptr_t)to, size);
    if (old_size)
        rd_mapped_files_moved((uintptr_t)addr, old_size, (uintptr_t)to, size);
    return to;
}

/* Notes a System V segment that was attached at `at`; `replaces`: over mappings that were there. */
static void attached(int id, uint64_t at, bool replaces) {
    struct shmid_ds is;
    int saved = errno;
    rd_rt_enter();
    bool known = shmctl(id, IPC_STAT, &is) == 0;
    if (!known)
        rd_mapped_files_unseen();
    if (known && replaces)
        vanish(at, is.shm_segsz);
    if (known)
        rd_mapped_files_mapped(at, is.shm_segsz, rd_hash2(IPC_STAT, (uint64_t)id) | 1, 0);
    rd_rt_leave();
    errno = saved;
}

RD_EXPORT void *shmat(int id, const void *addr, int flags) {
    void *at = RD_REAL(shmat)(id, addr, flags);
    if (at != (void *)-1 && rd_rt_active())
        attached(id, (uintptr_t)at, flags & SHM_REMAP);
    return at;
}

RD_EXPORT int shmdt(const void *addr) {
    uint64_t size = rd_mapped_files_size((uintptr_t)addr);
    int r = RD_REAL(shmdt)(addr);
    if (r == 0 && size)
        vanish((uintptr_t)addr, size);
    return r;
}
