/*
 * early.c - libc's memory and string functions as plain loops, for the time before libc's own are bound.
 *
 * They may run before the library is relocated: they use no data, and call only each other (and malloc, in strdup).
 * STEP() in each loop keeps the compiler from recognising a memcpy, memset or strlen in the loop and calling the
 * function that the loop implements; -fno-builtin and -fno-tree-loop-distribute-patterns do that too, but clang
 * does not know the second.
 */
#include "rt/hook/memory/mem.h"

#include <stdlib.h>

#define STEP() __asm__ volatile("" ::: "memory")

typedef unsigned char byte;

void *rd_early_memcpy(void *to, const void *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ((byte *)to)[i] = ((const byte *)from)[i];
        STEP();
    }
    return to;
}

void *rd_early_memmove(void *to, const void *from, size_t n) {
    if ((uintptr_t)to - (uintptr_t)from >= n)
        return rd_early_memcpy(to, from, n);
    for (size_t i = n; i-- > 0;) {
        ((byte *)to)[i] = ((const byte *)from)[i];
        STEP();
    }
    return to;
}

void *rd_early_memset(void *to, int value, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ((byte *)to)[i] = (byte)value;
        STEP();
    }
    return to;
}

int rd_early_memcmp(const void *a, const void *b, size_t n) {
    const byte *x = a, *y = b;
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i])
            return x[i] - y[i];
        STEP();
    }
    return 0;
}

void *rd_early_memchr(const void *s, int value, size_t n) {
    const byte *p = s;
    for (size_t i = 0; i < n; i++) {
        if (p[i] == (byte)value)
            return (void *)&p[i];
        STEP();
    }
    return NULL;
}

void *rd_early_memrchr(const void *s, int value, size_t n) {
    const byte *p = s;
    for (size_t i = n; i-- > 0;) {
        if (p[i] == (byte)value)
            return (void *)&p[i];
        STEP();
    }
    return NULL;
}

void *rd_early_rawmemchr(const void *s, int value) { return rd_early_memchr(s, value, SIZE_MAX); }

size_t rd_early_strnlen(const char *s, size_t max) {
    size_t n = 0;
    while (n < max && s[n] != '\0') {
        n++;
        STEP();
    }
    return n;
}

size_t rd_early_strlen(const char *s) { return rd_early_strnlen(s, SIZE_MAX); }

char *rd_early_stpcpy(char *to, const char *from) {
    size_t n = rd_early_strlen(from);
    rd_early_memcpy(to, from, n + 1);
    return to + n;
}

char *rd_early_strcpy(char *to, const char *from) {
    rd_early_stpcpy(to, from);
    return to;
}

char *rd_early_stpncpy(char *to, const char *from, size_t n) {
    size_t used = rd_early_strnlen(from, n);
    rd_early_memcpy(to, from, used);
    rd_early_memset(to + used, 0, n - used);
    return to + used;
}

char *rd_early_strncpy(char *to, const char *from, size_t n) {
    rd_early_stpncpy(to, from, n);
    return to;
}

char *rd_early_strcat(char *to, const char *from) {
    rd_early_stpcpy(to + rd_early_strlen(to), from);
    return to;
}

char *rd_early_strncat(char *to, const char *from, size_t n) {
    size_t used = rd_early_strnlen(from, n);
    char *end = to + rd_early_strlen(to);
    rd_early_memcpy(end, from, used);
    end[used] = '\0';
    return to;
}

int rd_early_strncmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i] || a[i] == '\0')
            return (byte)a[i] - (byte)b[i];
        STEP();
    }
    return 0;
}

int rd_early_strcmp(const char *a, const char *b) { return rd_early_strncmp(a, b, SIZE_MAX); }

/* ASCII only: no locale has been set when this runs. */
static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (byte)c; }

int rd_early_strncasecmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (lower(a[i]) != lower(b[i]) || a[i] == '\0')
            return lower(a[i]) - lower(b[i]);
        STEP();
    }
    return 0;
}

int rd_early_strcasecmp(const char *a, const char *b) { return rd_early_strncasecmp(a, b, SIZE_MAX); }

char *rd_early_strchrnul(const char *s, int c) {
    while (*s != (char)c && *s != '\0') {
        s++;
        STEP();
    }
    return (char *)s;
}

char *rd_early_strchr(const char *s, int c) {
    char *p = rd_early_strchrnul(s, c);
    return *p == (char)c ? p : NULL;
}

char *rd_early_strrchr(const char *s, int c) { return rd_early_memrchr(s, c, rd_early_strlen(s) + 1); }

char *rd_early_strstr(const char *s, const char *part) {
    size_t n = rd_early_strlen(part);
    for (; rd_early_strncmp(s, part, n) != 0; s++) {
        if (*s == '\0')
            return NULL;
        STEP();
    }
    return (char *)s;
}

/* The number of leading bytes of s that are in the set (`in`), or that are not. */
static size_t span(const char *s, const char *set, bool in) {
    size_t n = 0;
    while (s[n] != '\0' && (rd_early_strchr(set, s[n]) != NULL) == in) {
        n++;
        STEP();
    }
    return n;
}

size_t rd_early_strspn(const char *s, const char *set) { return span(s, set, true); }
size_t rd_early_strcspn(const char *s, const char *set) { return span(s, set, false); }
char *rd_early_strpbrk(const char *s, const char *set) {
    s += span(s, set, false);
    return *s ? (char *)s : NULL;
}

char *rd_early_strndup(const char *s, size_t max) {
    size_t n = rd_early_strnlen(s, max);
    char *copy = malloc(n + 1);
    if (copy) {
        rd_early_memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

char *rd_early_strdup(const char *s) { return rd_early_strndup(s, PTRDIFF_MAX - 1); }
