// Volatile accesses of every width, aligned and not; a compiler that is told to gives them hooks of their own.
#include "check.h"

#include <stdint.h>

struct packed {
    char c;
    volatile uint16_t h;
    volatile uint32_t w;
    volatile uint64_t d;
    volatile __int128 q;
} __attribute__((packed));

struct natural {
    volatile uint8_t b;
    volatile uint16_t h;
    volatile uint32_t w;
    volatile uint64_t d;
    volatile __int128 q;
    volatile double f;
};

static void test(void) {
    struct natural *n = malloc(sizeof *n);
    struct packed *p = malloc(sizeof *p);
    CHECK(n && p);
    n->b = 255, n->h = 2, n->w = 3, n->d = 4, n->q = -5, n->f = 0.5;
    n->b++, n->h++, n->w++, n->d++, n->q++, n->f *= 4;
    CHECK(n->b == 0 && n->h == 3 && n->w == 4 && n->d == 5 && n->q == -4 && n->f == 2);
    p->h = 2, p->w = 3, p->d = 4, p->q = -5;
    p->h += 0xffff, p->w *= 2, p->d -= 5, p->q--;
    CHECK(p->h == 1 && p->w == 6 && p->d == UINT64_MAX && p->q == -6);
    free(n);
    free(p);
}
