/*
 * mem.c - memcpy, memmove, memset, memcmp, memchr and their relatives (see mem.h).
 *
 * A copy is one read and one write; it is split into pieces when it is longer than the copy that the stack can keep
 * between the two. clang also turns assignments of structs into calls of these functions; newer clangs call
 * __tsan_memcpy and its relatives instead, whose callers are instrumented by definition.
 */
#include "rt/hook/memory/mem.h"

enum {
    PIECE = 64 * 1024, /* longest piece, in bytes */
    PIECE_SMALL =
        512, /* longest piece on a stack that is short or not the thread's own (a fiber, a signal stack) */
    STACK_LEFT = 64 * 1024, /* bytes of stack that must remain below a longest piece */
};

size_t rd_mem_room(void) {
    const char *here = __builtin_frame_address(0), *low = rd_self->stack_low;
    bool own = low != NULL && here > low && here < (const char *)rd_self->stack_top;
    return own && here - low > PIECE + STACK_LEFT ? PIECE : PIECE_SMALL;
}

/* Writes `size` bytes of `from`, which have been read, and zeros up to `total` bytes. pre: size <= rd_mem_room() */
static void put_piece(void *to, const void *from, size_t size, size_t total, uint64_t pc) {
    RD_ASSERT(size <= PIECE && size <= total);
    char kept[size + 1];
    RD_PASS(memmove, kept, from, size);
    rd_hook_range(to, total, RD_OP_WRITE, pc);
    RD_PASS(memmove, to, kept, size);
    RD_PASS(memset, (char *)to + size, 0, total - size);
}

void rd_mem_copy(void *to, const void *from, size_t size, uint64_t pc) {
    size_t room = rd_mem_room(), done = 0;
    bool last_first = (uintptr_t)to - (uintptr_t)from < size; /* `to` begins inside `from` */
    while (done < size) {
        size_t piece = RD_MIN(room, size - done);
        size_t at = last_first ? size - done - piece : done;
        rd_hook_range((const char *)from + at, piece, RD_OP_READ, pc);
        put_piece((char *)to + at, (const char *)from + at, piece, piece, pc);
        done += piece;
    }
}

void rd_mem_put(void *to, const void *from, size_t size, size_t total, uint64_t pc) {
    if (RD_LIKELY(size <= rd_mem_room())) {
        put_piece(to, from, size, total, pc);
    } else {
        rd_mem_copy(to, from, size, pc);
        rd_mem_fill((char *)to + size, 0, total - size, pc);
    }
}

void rd_mem_fill(void *to, int byte, size_t size, uint64_t pc) {
    rd_hook_range(to, size, RD_OP_WRITE, pc);
    RD_PASS(memset, to, byte, size);
}

/* memcmp: reads both areas piece by piece, up to the first piece in which they differ. */
static int compare(const void *a, const void *b, size_t size, uint64_t pc) {
    size_t room = rd_mem_room();
    char kept[RD_MIN(size, room) + 1];
    for (size_t done = 0, piece; done < size; done += piece) {
        piece = RD_MIN(room, size - done);
        rd_hook_range((const char *)a + done, piece, RD_OP_READ, pc);
        RD_PASS(memmove, kept, (const char *)a + done, piece);
        rd_hook_range((const char *)b + done, piece, RD_OP_READ, pc);
        int r = RD_PASS(memcmp, kept, (const char *)b + done, piece);
        if (r != 0)
            return r;
    }
    return 0;
}

/* ---- the interface; inlined, so a call that is not watched costs a test and a jump ---- */

#define INLINE static inline __attribute__((always_inline))

/* glibc's memcpy is its memmove on x86-64 and aarch64, so one pointer (memmove) serves both. */
INLINE void *copy(void *to, const void *from, size_t n, bool watched, uint64_t pc) {
    if (!watched)
        return RD_PASS(memmove, to, from, n);
    rd_mem_copy(to, from, n, pc);
    return to;
}

INLINE void *fill(void *to, int byte, size_t n, bool watched, uint64_t pc) {
    if (!watched)
        return RD_PASS(memset, to, byte, n);
    rd_mem_fill(to, byte, n, pc);
    return to;
}

#define HERE rd_mem_watched(RD_PC()), RD_PC()

/* The versions for _FORTIFY_SOURCE (__*_chk) get the size of the object that they write to. */
INLINE void check(size_t n, size_t object) {
    if (RD_UNLIKELY(n > object))
        __chk_fail();
}

RD_EXPORT void *memcpy(void *to, const void *from, size_t n) { return copy(to, from, n, HERE); }
RD_EXPORT void *memmove(void *to, const void *from, size_t n) { return copy(to, from, n, HERE); }
RD_EXPORT void *mempcpy(void *to, const void *from, size_t n) { return (char *)copy(to, from, n, HERE) + n; }
RD_EXPORT void bcopy(const void *from, void *to, size_t n) { copy(to, from, n, HERE); }
RD_API(void *, __mempcpy, void *to, const void *from, size_t n) { return (char *)copy(to, from, n, HERE) + n; }
RD_API(void *, __memcpy_chk, void *to, const void *from, size_t n, size_t object) {
    check(n, object);
    return copy(to, from, n, HERE);
}
RD_API(void *, __memmove_chk, void *to, const void *from, size_t n, size_t object) {
    check(n, object);
    return copy(to, from, n, HERE);
}
RD_API(void *, __mempcpy_chk, void *to, const void *from, size_t n, size_t object) {
    check(n, object);
    return (char *)copy(to, from, n, HERE) + n;
}
RD_API(void *, __tsan_memcpy, void *to, const void *from, size_t n) {
    return copy(to, from, n, rd_hook_on(), RD_PC());
}
RD_API(void *, __tsan_memmove, void *to, const void *from, size_t n) {
    return copy(to, from, n, rd_hook_on(), RD_PC());
}

RD_EXPORT void *memset(void *to, int byte, size_t n) { return fill(to, byte, n, HERE); }
RD_EXPORT void bzero(void *to, size_t n) { fill(to, 0, n, HERE); }
/* As in glibc, the compiler does not see that the call only writes: it does not remove it as a dead store. */
RD_EXPORT void explicit_bzero(void *to, size_t n) { fill(to, 0, n, HERE); }
RD_API(void *, __memset_chk, void *to, int byte, size_t n, size_t object) {
    check(n, object);
    return fill(to, byte, n, HERE);
}
RD_API(void, __explicit_bzero_chk, void *to, size_t n, size_t object) {
    check(n, object);
    fill(to, 0, n, HERE);
}
RD_API(void *, __tsan_memset, void *to, int byte, size_t n) { return fill(to, byte, n, rd_hook_on(), RD_PC()); }

RD_EXPORT int memcmp(const void *a, const void *b, size_t n) {
    return rd_mem_watched(RD_PC()) ? compare(a, b, n, RD_PC()) : RD_PASS(memcmp, a, b, n);
}
RD_EXPORT int bcmp(const void *a, const void *b, size_t n) {
    return rd_mem_watched(RD_PC()) ? compare(a, b, n, RD_PC()) : RD_PASS(memcmp, a, b, n);
}
/* glibc's name (since 2.35) for a memcmp whose sign does not matter; gcc may call it. */
RD_API(int, __memcmpeq, const void *a, const void *b, size_t n) {
    return rd_mem_watched(RD_PC()) ? compare(a, b, n, RD_PC()) : RD_PASS(memcmp, a, b, n);
}

/* The bytes from s to the one found, that one included; `otherwise` if none was found. */
static size_t up_to(const void *s, const void *found, size_t otherwise) {
    return found ? (size_t)((const char *)found - (const char *)s) + 1 : otherwise;
}

RD_EXPORT void *memchr(const void *s, int byte, size_t n) {
    if (rd_mem_watched(RD_PC()))
        RD_MEM_READ(s, up_to(s, RD_PASS(memchr, s, byte, n), n), RD_PC());
    return RD_PASS(memchr, s, byte, n);
}

RD_EXPORT void *rawmemchr(const void *s, int byte) {
    if (rd_mem_watched(RD_PC()))
        RD_MEM_READ(s, up_to(s, RD_PASS(rawmemchr, s, byte), 0), RD_PC());
    return RD_PASS(rawmemchr, s, byte);
}

/* Announces a read of the whole area, although the search begins at its end. */
RD_EXPORT void *memrchr(const void *s, int byte, size_t n) {
    if (rd_mem_watched(RD_PC()))
        rd_hook_range(s, n, RD_OP_READ, RD_PC());
    return RD_PASS(memrchr, s, byte, n);
}
