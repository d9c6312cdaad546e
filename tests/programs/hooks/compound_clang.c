// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: clang
// FLAGS: -O1 -std=gnu17 -pthread -mllvm -tsan-compound-read-before-write=1
//
// clang's merged hooks for a load and a store of the same variable, __tsan_read_write4 and so on.
#include "check.h"

#include <stdint.h>

struct packed {
    char c;
    uint16_t h;
    uint32_t w;
    uint64_t d;
    __int128 q;
} __attribute__((packed));

struct natural {
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t d;
    __int128 q;
};

static __attribute__((noinline)) void bump(struct natural *n, struct packed *p) {
    n->b++, n->h++, n->w++, n->d++, n->q++;
    p->c++, p->h++, p->w++, p->d++, p->q++;
}

static void test(void) {
    struct natural n = {1, 2, 3, 4, -5};
    struct packed p = {1, 2, 3, 4, -5};
    bump(&n, &p);
    CHECK(n.b == 2 && n.h == 3 && n.w == 4 && n.d == 5 && n.q == -4);
    CHECK(p.c == 2 && p.h == 3 && p.w == 4 && p.d == 5 && p.q == -4);
}
