/*
 * str.c - the string functions that only read: lengths, comparisons, searches (see mem.h).
 *
 * A string is read up to the character that decides the result: its end, the first difference, the character that
 * is searched for.
 */
#include "rt/hook/memory/mem.h"

#include <strings.h>

#define WATCHED() rd_mem_watched(RD_PC())

/* Bytes of the string with its terminator. */
static size_t whole(const char *s) { return RD_PASS(strlen, s) + 1; }

static size_t whole_n(const char *s, size_t max) {
    size_t n = RD_PASS(strnlen, s, max);
    return n < max ? n + 1 : max;
}

/* ---- lengths ---- */

RD_EXPORT size_t strlen(const char *s) {
    if (WATCHED())
        RD_MEM_READ(s, whole(s), RD_PC());
    return RD_PASS(strlen, s);
}

RD_EXPORT size_t strnlen(const char *s, size_t max) {
    if (WATCHED())
        RD_MEM_READ(s, whole_n(s, max), RD_PC());
    return RD_PASS(strnlen, s, max);
}

/* ---- comparisons ---- */

static bool same(char a, char b, bool fold) { return a == b || (fold && RD_PASS(strncasecmp, &a, &b, 1) == 0); }

/* The number of bytes that a comparison reads of each string: up to the first difference or the end of both. */
static size_t deciding(const char *a, const char *b, size_t max, bool fold) {
    for (size_t i = 0; i < max; i++)
        if (!same(a[i], b[i], fold) || a[i] == '\0')
            return i + 1;
    return max;
}

/*
 * b may change after a was read into `kept` and before the read of b has its turn. When the comparison then needs
 * more of a than was read, both reads are announced again. Strings that are equal for longer than `kept` are
 * compared as they are after the second read.
 */
static int compare(const char *a, const char *b, size_t max, bool fold, uint64_t pc) {
    for (size_t want; (want = deciding(a, b, max, fold)) > 0;) {
        size_t keep = RD_MIN(want, rd_mem_room());
        char kept[keep];
        rd_hook_range(a, want, RD_OP_READ, pc);
        RD_PASS(memmove, kept, a, keep);
        rd_hook_range(b, want, RD_OP_READ, pc);
        size_t n = deciding(kept, b, keep, fold);
        const char *x = kept;
        if (n == keep && n < max && same(kept[n - 1], b[n - 1], fold) && kept[n - 1] != '\0') {
            if (keep == want)
                continue;
            x = a;
            n = max;
        }
        return fold ? RD_PASS(strncasecmp, x, b, n) : RD_PASS(strncmp, x, b, n);
    }
    return 0;
}

RD_EXPORT int strcmp(const char *a, const char *b) {
    return WATCHED() ? compare(a, b, SIZE_MAX, false, RD_PC()) : RD_PASS(strcmp, a, b);
}
RD_EXPORT int strncmp(const char *a, const char *b, size_t n) {
    return WATCHED() ? compare(a, b, n, false, RD_PC()) : RD_PASS(strncmp, a, b, n);
}
RD_EXPORT int strcasecmp(const char *a, const char *b) {
    return WATCHED() ? compare(a, b, SIZE_MAX, true, RD_PC()) : RD_PASS(strcasecmp, a, b);
}
RD_EXPORT int strncasecmp(const char *a, const char *b, size_t n) {
    return WATCHED() ? compare(a, b, n, true, RD_PC()) : RD_PASS(strncasecmp, a, b, n);
}

/* ---- searches for one character ---- */

RD_EXPORT char *strchr(const char *s, int c) {
    if (WATCHED())
        RD_MEM_READ(s, (size_t)(RD_PASS(strchrnul, s, c) - s) + 1, RD_PC());
    return RD_PASS(strchr, s, c);
}
RD_EXPORT char *strchrnul(const char *s, int c) {
    if (WATCHED())
        RD_MEM_READ(s, (size_t)(RD_PASS(strchrnul, s, c) - s) + 1, RD_PC());
    return RD_PASS(strchrnul, s, c);
}
RD_EXPORT char *strrchr(const char *s, int c) {
    if (WATCHED())
        RD_MEM_READ(s, whole(s), RD_PC());
    return RD_PASS(strrchr, s, c);
}
RD_EXPORT char *index(const char *s, int c) {
    if (WATCHED())
        RD_MEM_READ(s, (size_t)(RD_PASS(strchrnul, s, c) - s) + 1, RD_PC());
    return RD_PASS(strchr, s, c);
}
RD_EXPORT char *rindex(const char *s, int c) {
    if (WATCHED())
        RD_MEM_READ(s, whole(s), RD_PC());
    return RD_PASS(strrchr, s, c);
}

/*
 * ---- searches for a string or a set ----
 * The second argument is nearly always a constant, so it is read first and not kept.
 */
RD_EXPORT char *strstr(const char *s, const char *part) {
    if (WATCHED()) {
        RD_MEM_READ(part, whole(part), RD_PC());
        RD_MEM_READ(s, whole(s), RD_PC());
    }
    return RD_PASS(strstr, s, part);
}
RD_EXPORT size_t strspn(const char *s, const char *set) {
    if (WATCHED()) {
        RD_MEM_READ(set, whole(set), RD_PC());
        RD_MEM_READ(s, RD_PASS(strspn, s, set) + 1, RD_PC());
    }
    return RD_PASS(strspn, s, set);
}
RD_EXPORT size_t strcspn(const char *s, const char *set) {
    if (WATCHED()) {
        RD_MEM_READ(set, whole(set), RD_PC());
        RD_MEM_READ(s, RD_PASS(strcspn, s, set) + 1, RD_PC());
    }
    return RD_PASS(strcspn, s, set);
}
RD_EXPORT char *strpbrk(const char *s, const char *set) {
    if (WATCHED()) {
        RD_MEM_READ(set, whole(set), RD_PC());
        RD_MEM_READ(s, RD_PASS(strcspn, s, set) + 1, RD_PC());
    }
    return RD_PASS(strpbrk, s, set);
}
