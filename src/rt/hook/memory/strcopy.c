/*
 * strcopy.c - the string functions that write: strcpy, strcat and their relatives (see mem.h).
 *
 * Each is one read of the source (strcat: after a read of the destination) and one write. `__*_chk` are the
 * versions for _FORTIFY_SOURCE: they get the size of the object that they write to; the other functions pass
 * SIZE_MAX for it.
 */
#include "rt/hook/memory/mem.h"

#define WATCHED() rd_mem_watched(RD_PC())

/* Reads the string, at most `max` bytes of it, with its terminator if that is among them; returns its length. */
static size_t read_string(const char *s, size_t max, uint64_t pc) {
    size_t n;
    RD_MEM_READ(s, (n = RD_PASS(strnlen, s, max)) < max ? n + 1 : max, pc);
    return n;
}

static void check(size_t n, size_t object) {
    if (RD_UNLIKELY(n > object))
        __chk_fail();
}

/* Returns the end of the copy. */
static char *copy(char *to, const char *from, size_t object, uint64_t pc) {
    size_t n = read_string(from, SIZE_MAX, pc);
    check(n + 1, object);
    rd_mem_put(to, from, n, n + 1, pc);
    return to + n;
}

/* strncpy: writes n bytes, filled up with zeros. Returns the end of the copied string, or of the n bytes. */
static char *copy_n(char *to, const char *from, size_t n, uint64_t pc) {
    size_t used = read_string(from, n, pc);
    rd_mem_put(to, from, used, n, pc);
    return to + used;
}

static char *append(char *to, const char *from, size_t max, size_t object, uint64_t pc) {
    size_t before = read_string(to, SIZE_MAX, pc);
    size_t n = read_string(from, max, pc);
    check(before + n + 1, object);
    rd_mem_put(to + before, from, n, n + 1, pc);
    return to;
}

RD_EXPORT char *strcpy(char *to, const char *from) {
    if (!WATCHED())
        return RD_PASS(strcpy, to, from);
    copy(to, from, SIZE_MAX, RD_PC());
    return to;
}
RD_EXPORT char *stpcpy(char *to, const char *from) {
    return WATCHED() ? copy(to, from, SIZE_MAX, RD_PC()) : RD_PASS(stpcpy, to, from);
}
RD_EXPORT char *strncpy(char *to, const char *from, size_t n) {
    if (!WATCHED())
        return RD_PASS(strncpy, to, from, n);
    copy_n(to, from, n, RD_PC());
    return to;
}
RD_EXPORT char *stpncpy(char *to, const char *from, size_t n) {
    return WATCHED() ? copy_n(to, from, n, RD_PC()) : RD_PASS(stpncpy, to, from, n);
}
RD_EXPORT char *strcat(char *to, const char *from) {
    return WATCHED() ? append(to, from, SIZE_MAX, SIZE_MAX, RD_PC()) : RD_PASS(strcat, to, from);
}
RD_EXPORT char *strncat(char *to, const char *from, size_t n) {
    return WATCHED() ? append(to, from, n, SIZE_MAX, RD_PC()) : RD_PASS(strncat, to, from, n);
}

/* No other thread knows the new block yet: only the read of the source is an operation. */
RD_EXPORT char *strdup(const char *s) {
    if (WATCHED())
        read_string(s, SIZE_MAX, RD_PC());
    return RD_PASS(strdup, s);
}
RD_EXPORT char *strndup(const char *s, size_t max) {
    if (WATCHED())
        read_string(s, max, RD_PC());
    return RD_PASS(strndup, s, max);
}

/* Names that older compilers and headers use for the same functions. */
RD_API(char *, __stpcpy, char *to, const char *from) {
    return WATCHED() ? copy(to, from, SIZE_MAX, RD_PC()) : RD_PASS(stpcpy, to, from);
}
RD_API(char *, __strdup, const char *s) {
    if (WATCHED())
        read_string(s, SIZE_MAX, RD_PC());
    return RD_PASS(strdup, s);
}
RD_API(char *, __strndup, const char *s, size_t max) {
    if (WATCHED())
        read_string(s, max, RD_PC());
    return RD_PASS(strndup, s, max);
}

/* ---- checked ---- */

RD_API(char *, __strcpy_chk, char *to, const char *from, size_t object) {
    if (WATCHED()) {
        copy(to, from, object, RD_PC());
        return to;
    }
    check(RD_PASS(strlen, from) + 1, object);
    return RD_PASS(strcpy, to, from);
}
RD_API(char *, __stpcpy_chk, char *to, const char *from, size_t object) {
    if (WATCHED())
        return copy(to, from, object, RD_PC());
    check(RD_PASS(strlen, from) + 1, object);
    return RD_PASS(stpcpy, to, from);
}
RD_API(char *, __strncpy_chk, char *to, const char *from, size_t n, size_t object) {
    check(n, object);
    if (!WATCHED())
        return RD_PASS(strncpy, to, from, n);
    copy_n(to, from, n, RD_PC());
    return to;
}
RD_API(char *, __stpncpy_chk, char *to, const char *from, size_t n, size_t object) {
    check(n, object);
    return WATCHED() ? copy_n(to, from, n, RD_PC()) : RD_PASS(stpncpy, to, from, n);
}
RD_API(char *, __strcat_chk, char *to, const char *from, size_t object) {
    if (WATCHED())
        return append(to, from, SIZE_MAX, object, RD_PC());
    check(RD_PASS(strlen, to) + RD_PASS(strlen, from) + 1, object);
    return RD_PASS(strcat, to, from);
}
RD_API(char *, __strncat_chk, char *to, const char *from, size_t n, size_t object) {
    if (WATCHED())
        return append(to, from, n, object, RD_PC());
    check(RD_PASS(strlen, to) + RD_PASS(strnlen, from, n) + 1, object);
    return RD_PASS(strncat, to, from, n);
}
