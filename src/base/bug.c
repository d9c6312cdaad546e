/*
 * bug.c - how Raddle ends because of a bug of its own: one line on standard error, then a trap. Uses no libc
 * state.
 */
#include "base/base.h"

#include <string.h>
#include <unistd.h>

void (*rd_bug_hook)(const char *file, int line, const char *invariant);

static void put(const char *s) {
    ssize_t n = write(2, s, strlen(s));
    (void)n;
}

void rd_bug(const char *file, int line, const char *invariant) {
    void (*save)(const char *, int, const char *) = rd_bug_hook;
    rd_bug_hook = NULL; /* a check that fails within the hook must not call the hook again */
    if (save)
        save(file, line, invariant);
    char digits[16];
    char *p = digits + sizeof digits - 1;
    *p = 0;
    do {
        *--p = (char)('0' + line % 10);
        line /= 10;
    } while (line > 0);
    put("raddle: BUG: ");
    put(file);
    put(":");
    put(p);
    put(": ");
    put(invariant);
    put("\n");
    __builtin_trap();
}
