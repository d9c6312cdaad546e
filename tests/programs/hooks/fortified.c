// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread -D_FORTIFY_SOURCE=2
//
// The checked versions of the memory and string functions: every call is in bounds, sizes are unknown at compile time.
#define _GNU_SOURCE
#include "check.h"

#include <string.h>

static volatile int five = 5;

static void test(void) {
    char a[16], b[16];
    size_t n = (size_t)five;
    char *s = strdup("hello world");
    CHECK(s);
    memset(a, '#', n + 11);
    CHECK(memcpy(a, s, n) == a && memcmp(a, "hello#", 6) == 0);
    CHECK(memmove(a + 1, a, n) == a + 1 && memcmp(a, "hhello#", 7) == 0);
    CHECK(mempcpy(a, s, n) == a + 5);
    CHECK(strcpy(b, s) == b && strcmp(b, "hello world") == 0);
    CHECK(stpcpy(b, s + n) == b + 6 && strcmp(b, " world") == 0);
    CHECK(strncpy(b, s, n) == b && strncmp(b, "hello", 5) == 0);
    CHECK(stpncpy(b, s, n + 8) == b + 11);
    b[n] = 0;
    CHECK(strcat(b, s + n) == b && strcmp(b, "hello world") == 0);
    b[n] = 0;
    CHECK(strncat(b, s, n - 3) == b && strcmp(b, "hellohe") == 0);
    explicit_bzero(b, n);
    CHECK(b[4] == 0 && b[5] == 'h');
    free(s);
}
