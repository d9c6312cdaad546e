/* bug.c - how Raddle dies of its own mistakes: one line on standard error, then a trap. No libc state is used. */
#include "base/base.h"

#include <string.h>
#include <unistd.h>

void (*rd_bug_hook)(const char *file, int line, const char *what);

static void put(const char *s) {
    ssize_t n = write(2, s, strlen(s));
    (void)n;
}

void rd_bug(const char *file, int line, const char *what) {
    void (*save)(const char *, int, const char *) = rd_bug_hook;
    rd_bug_hook = NULL; /* what the hook does can fail a check, too */
    if (save)
        save(file, line, what);
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
    put(what);
    put("\n");
    __builtin_trap();
}
