// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread -fno-builtin
//
// libc's string functions: results, returned pointers, bytes that must and must not be written.
#define _GNU_SOURCE
#include "check.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

static void lengths(void) {
    CHECK(strlen("") == 0 && strlen("abc") == 3);
    CHECK(strnlen("abc", 2) == 2 && strnlen("abc", 9) == 3 && strnlen("abc", 0) == 0 && strnlen("", SIZE_MAX) == 0);
}

static void copies(void) {
    char a[32], *d;
    memset(a, '#', sizeof a);
    CHECK(strcpy(a, "hello") == a && memcmp(a, "hello\0#", 7) == 0);
    CHECK(stpcpy(a, "abc") == a + 3 && memcmp(a, "abc\0o\0#", 7) == 0);
    CHECK(strncpy(a, "xy", 5) == a && memcmp(a, "xy\0\0\0\0#", 7) == 0);
    CHECK(strncpy(a, "12345", 3) == a && memcmp(a, "123\0", 4) == 0);
    CHECK(stpncpy(a, "ab", 4) == a + 2 && stpncpy(a, "abcdef", 4) == a + 4);
    strcpy(a, "one");
    CHECK(strcat(a, "+two") == a && strcmp(a, "one+two") == 0);
    CHECK(strncat(a, "threefour", 5) == a && strcmp(a, "one+twothree") == 0);
    CHECK(strncat(a, "!", 9) == a && strcmp(a, "one+twothree!") == 0 && *strcat(a, "") == 'o');
    CHECK((d = strdup(a)) != NULL && d != a && strcmp(a, d) == 0);
    free(d);
    CHECK((d = strndup(a, 3)) != NULL && strcmp(d, "one") == 0);
    free(d);
}

static void comparisons(void) {
    CHECK(strcmp("a", "a") == 0 && strcmp("a", "ab") < 0 && strcmp("b", "ab") > 0 && strcmp("\xff", "a") > 0);
    CHECK(strncmp("abx", "aby", 2) == 0 && strncmp("abx", "aby", 3) < 0 && strncmp("a", "b", 0) == 0);
    CHECK(strncmp("ab", "ab", SIZE_MAX) == 0 && strncmp("ab", "abc", 3) < 0);
    CHECK(strcasecmp("HeLLo", "hEllO") == 0 && strcasecmp("abc", "ABD") < 0 && strcasecmp("a", "") > 0);
    CHECK(strncasecmp("HELLOx", "helloy", 5) == 0 && strncasecmp("HELLOx", "helloy", 6) < 0);
}

static void searches(void) {
    const char *s = "a,b;c,d";
    CHECK(strchr(s, ',') == s + 1 && strchr(s, 'x') == NULL && strchr(s, 0) == s + 7);
    CHECK(strrchr(s, ',') == s + 5 && strrchr(s, 'x') == NULL && strchrnul(s, 'x') == s + 7);
    CHECK(index(s, 'b') == s + 2 && rindex(s, 'a') == s);
    CHECK(strstr(s, "c,") == s + 4 && strstr(s, "") == s && strstr(s, "zz") == NULL);
    CHECK(strspn(s, "ab,") == 3 && strcspn(s, ";") == 3 && strpbrk(s, ";d") == s + 3 && strpbrk(s, "xyz") == NULL);
}

// A function must not read past the byte that decides its result: there is no memory after `edge`.
static void at_the_edge(void) {
    size_t page = 4096;
    char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED && mprotect(p + page, page, PROT_NONE) == 0);
    char *edge = p + page - 4;
    memcpy(edge, "abcd", 4);
    CHECK(strnlen(edge, 4) == 4 && strncmp(edge, "abcd", 4) == 0 && strcmp(edge, "abx") < 0);
    CHECK(strchr(edge, 'c') == edge + 2 && memchr(edge, 'd', 100) == edge + 3 && strcasecmp(edge, "ABX") < 0);
    char copy[8], *d = strndup(edge, 4);
    CHECK(d && strcmp(d, "abcd") == 0 && strncpy(copy, edge, 4) == copy && memcmp(copy, edge, 4) == 0);
    copy[0] = 0;
    CHECK(strcmp(strncat(copy, edge, 4), "abcd") == 0);
    free(d);
    munmap(p, 2 * page);
}

static void long_ones(void) {
    size_t n = 66000;
    char *a = malloc(n + 1), *b = malloc(n + 1);
    CHECK(a && b);
    memset(a, 'x', n);
    a[n] = 0;
    CHECK(strcpy(b, a) == b && strlen(b) == n && strcmp(a, b) == 0);
    b[n - 1] = 'y';
    CHECK(strcmp(a, b) < 0 && strchr(b, 'y') == b + n - 1 && strncmp(a, b, n - 1) == 0);
    free(a), free(b);
}

static void test(void) {
    lengths();
    copies();
    comparisons();
    searches();
    at_the_edge();
    long_ones();
}
