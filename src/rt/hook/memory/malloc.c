/*
 * malloc.c - the malloc family. Threads under control allocate from rt/heap/heap.c; all other callers (the dynamic
 * linker before the library has started, the runtime itself, a process that is not controlled) get blocks of glibc,
 * through the names __libc_malloc and so on, because dlsym itself allocates. A block is freed where it was
 * allocated.
 */
#include "rt/hook/hook.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

RD_EXPORT void *malloc(size_t size) {
    return rd_rt_active() ? rd_heap_alloc(size, 16, RD_PC()) : __libc_malloc(size);
}

RD_EXPORT void *calloc(size_t count, size_t size) {
    size_t all;
    if (!rd_rt_active())
        return __libc_calloc(count, size);
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return rd_heap_alloc(all, 16, RD_PC()); /* new and reused blocks are zero */
}

void rd_hook_free(void *p, uint64_t pc) {
    if (!rd_heap_owns(p)) {
        if (!rd_rt_active() || rd_heap_check_foreign(p, pc))
            __libc_free(p);
    } else if (rd_rt_active()) {
        if (rd_heap_free_turn(p, pc))
            rd_heap_free(p, pc);
    }
    /* else: the thread is no longer under control, or this is a child process: the block stays allocated */
}

RD_EXPORT void free(void *p) {
    if (p)
        rd_hook_free(p, RD_PC());
}

RD_EXPORT void cfree(void *p) {
    if (p)
        rd_hook_free(p, RD_PC());
}

static void *resize(void *p, size_t size, uint64_t pc) {
    if (!rd_rt_active() && !rd_heap_owns(p))
        return __libc_realloc(p, size);
    if (p && size == 0) {
        rd_hook_free(p, pc);
        return NULL;
    }
    bool ours = p && rd_heap_owns(p), active = rd_rt_active();
    /*
     * the copy is made when the turn to free the block has come; a pointer that was reported as wrong is not moved
     */
    if (ours && active && !rd_heap_free_turn(p, pc))
        return p;
    void *fresh = active ? rd_heap_alloc(size, 16, pc) : __libc_malloc(size);
    if (!p || !fresh)
        return fresh;
    memcpy(fresh, p, RD_MIN(malloc_usable_size(p), size));
    if (ours && active)
        rd_heap_free(p, pc);
    else
        rd_hook_free(p, pc);
    return fresh;
}

RD_EXPORT void *realloc(void *p, size_t size) { return resize(p, size, RD_PC()); }

RD_EXPORT void *reallocarray(void *p, size_t count, size_t size) {
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(p, all, RD_PC());
}

static void *aligned(size_t align, size_t size, uint64_t pc) {
    if (!rd_rt_active())
        return __libc_memalign(align, size);
    while (align & (align - 1)) /* like glibc, rounds the alignment up to a power of two */
        align = (align | (align - 1)) + 1;
    return rd_heap_alloc(size, align, pc);
}

RD_EXPORT void *memalign(size_t align, size_t size) { return aligned(align, size, RD_PC()); }
RD_EXPORT void *aligned_alloc(size_t align, size_t size) { return aligned(align, size, RD_PC()); }
RD_EXPORT void *valloc(size_t size) { return aligned((size_t)sysconf(_SC_PAGESIZE), size, RD_PC()); }

RD_EXPORT void *pvalloc(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return aligned(page, (size + page - 1) & ~(page - 1), RD_PC());
}

RD_EXPORT int posix_memalign(void **to, size_t align, size_t size) {
    if (align % sizeof(void *) || align == 0 || (align & (align - 1)))
        return EINVAL;
    void *p = aligned(align, size, RD_PC());
    if (!p)
        return ENOMEM;
    rd_hook_result(to, sizeof *to, RD_PC());
    *to = p;
    return 0;
}

RD_EXPORT size_t malloc_usable_size(void *p) {
    if (!p)
        return 0;
    if (rd_heap_owns(p))
        return rd_heap_size(p);
    /* glibc keeps the size of its block in the word before it; the low bits are flags */
    size_t word = ((const size_t *)p)[-1];
    return (word & ~(size_t)7) - (word & 2 ? 2 * sizeof word : sizeof word);
}
