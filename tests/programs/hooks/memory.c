// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread -fno-builtin
//
// libc's memory functions: results, returned pointers, overlaps in both directions, sizes zero and one, and sizes
// beyond the buffer on the stack.
#define _GNU_SOURCE
#include "check.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { LONG = 66000 };

// Fills the memory with different bytes, by doubling the filled part.
static void pattern(unsigned char *p, size_t n) {
    memset(p, 'a', n < 7 ? n : 7);
    for (size_t have = 7; have < n; have = 2 * have + 1) {
        p[have] = (unsigned char)have;
        memcpy(p + have + 1, p, n - have - 1 < have ? n - have - 1 : have);
    }
}

// memcmp compares all bytes in one operation; a loop would be one operation for each byte.
static void moves(size_t n, size_t by) {
    unsigned char *a = malloc(n + by), *b = malloc(n + by), *c = malloc(n + by);
    CHECK(a && b && c);
    pattern(a, n + by);
    CHECK(memcpy(b, a, n + by) == b && memcmp(a, b, n + by) == 0);
    CHECK(memmove(a + by, a, n) == a + by && memcmp(a + by, b, n) == 0 && memcmp(a, b, by < n ? by : n) == 0);
    memcpy(a, b, n + by);
    CHECK(memmove(a, a + by, n) == a && memcmp(a, b + by, n) == 0);
    CHECK(mempcpy(c, b, n) == c + n && memcmp(b, c, n) == 0);
    bcopy(b, c, n + by);
    CHECK(bcmp(b, c, n + by) == 0 && memmove(c, c, n) == c);
    free(a), free(b), free(c);
}

static void fills(void) {
    unsigned char a[64], zero[64] = {0};
    CHECK(memset(a, 0x1ff, sizeof a) == a && a[0] == 0xff && a[63] == 0xff);
    size_t none = 0;
    CHECK(memset(a + 1, 7, none) == a + 1 && a[1] == 0xff);
    bzero(a, 32);
    CHECK(memcmp(a, zero, 32) == 0 && a[32] == 0xff);
    explicit_bzero(a, sizeof a);
    CHECK(memcmp(a, zero, sizeof a) == 0);
}

static void searches(void) {
    char s[] = "abcabc\0\xff";
    CHECK(memchr(s, 'c', 8) == s + 2 && memchr(s, 'c', 2) == NULL && memchr(s, 0xff, 8) == s + 7);
    CHECK(memchr(s, 'x', 0) == NULL && memchr(s, 'a', SIZE_MAX) == s);
    CHECK(memrchr(s, 'c', 8) == s + 5 && memrchr(s, 'x', 8) == NULL && rawmemchr(s, 0) == s + 6);
    CHECK(memcmp("a\x01", "a\xff", 2) < 0 && memcmp("b", "a\xff", 2) > 0 && memcmp("x", "y", 0) == 0);
}

static void test(void) {
    fills();
    searches();
    moves(0, 1);
    moves(1, 1);
    moves(100, 3);
    moves(1000, 600);
    moves(LONG, 1001);
}
