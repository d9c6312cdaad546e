// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O1 -std=gnu17 -pthread -fno-builtin
//
// Plain accesses of every width: packed and unaligned, bit-fields, long double, complex, vectors, arrays of
// variable length, structs of many sizes copied, passed and returned.
#include "check.h"

#include <complex.h>
#include <stdint.h>

struct packed {
    char c;
    uint16_t h;
    uint32_t w;
    uint64_t d;
    double f;
    long double ld;
} __attribute__((packed));

struct bits {
    unsigned a : 3, b : 7, c : 1;
    int d : 13;
    uint64_t e : 40, f : 24;
};

struct odd {
    char c[7];
};
struct big {
    int v[100];
};
typedef int v4 __attribute__((vector_size(16)));
typedef double v4d __attribute__((vector_size(32)));
union any {
    uint64_t whole;
    uint8_t bytes[8];
    float f;
};

// All data is reached through a pointer that is opaque to the compiler, so that no access is optimised away.
struct data {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    __int128 i128;
    struct packed packed, packed2;
    struct bits bits;
    struct odd odd, odd2;
    struct big big, big2;
    long double ld;
    double complex z;
    v4 v;
    v4d vd;
    union any any;
};

static void scalars(struct data *d) {
    d->i8 = -1, d->i16 = -2, d->i32 = -3, d->i64 = -4, d->i128 = -5;
    d->i8++, d->i16--, d->i32 += 10, d->i64 *= 3, d->i128 <<= 70;
    CHECK(d->i8 == 0 && d->i16 == -3 && d->i32 == 7 && d->i64 == -12 && d->i128 >> 70 == -5);
    d->ld = 1.0L / 3;
    d->ld *= 3;
    d->z = 1 + 2 * I;
    d->z *= I;
    CHECK(d->ld == 1 && __real__ d->z == -2 && __imag__ d->z == 1);
    d->any.whole = 0;
    d->any.bytes[3] = 0x3f, d->any.bytes[2] = 0x80;
    CHECK(d->any.f == 1.0f || d->any.bytes[0] == 0x3f);
}

static void packed(struct data *d) {
    d->packed = (struct packed){.c = 1, .h = 2, .w = 3, .d = 4, .f = 5.5, .ld = 6};
    d->packed.h++, d->packed.w += 2, d->packed.d -= 5, d->packed.f *= 2, d->packed.ld += 1;
    d->packed2 = d->packed;
    CHECK(d->packed2.h == 3 && d->packed2.w == 5 && d->packed2.d == UINT64_MAX && d->packed2.f == 11);
    CHECK(d->packed2.ld == 7 && d->packed2.c == 1);
    struct word {
        uint32_t v;
    } __attribute__((packed, may_alias)) *w = (void *)((char *)&d->packed + 2);
    w->v = 0x01020304;
    CHECK(w->v == 0x01020304);
}

static void bits(struct data *d) {
    d->bits = (struct bits){0};
    d->bits.a = 1, d->bits.b = 100, d->bits.c = 1, d->bits.d = -4000, d->bits.e = 1ull << 39, d->bits.f = 77;
    d->bits.b++, d->bits.d -= 90, d->bits.e |= 5;
    CHECK(d->bits.a == 1 && d->bits.b == 101 && d->bits.c == 1 && d->bits.d == -4090);
    CHECK(d->bits.e == ((1ull << 39) | 5) && d->bits.f == 77);
}

static struct big grow(struct big b, int by) {
    for (int i = 0; i < 100; i += 33)
        b.v[i] += by;
    return b;
}

static void copies(struct data *d) {
    d->odd = (struct odd){"abcdef"};
    d->odd2 = d->odd;
    CHECK(d->odd2.c[5] == 'f' && d->odd2.c[6] == 0);
    d->big = (struct big){{1, 2, 3}};
    d->big2 = d->big;
    d->big = grow(d->big2, 5);
    CHECK(d->big.v[0] == 6 && d->big.v[33] == 5 && d->big.v[99] == 5 && d->big.v[1] == 2 && d->big2.v[99] == 0);
}

static void vectors(struct data *d) {
    d->v = (v4){1, 2, 3, 4};
    d->v += (v4){10, 10, 10, 10};
    d->v[2] = 7;
    CHECK(d->v[0] == 11 && d->v[2] == 7 && d->v[3] == 14);
    d->vd = (v4d){1, 2, 3, 4};
    d->vd *= d->vd;
    CHECK(d->vd[0] == 1 && d->vd[3] == 16);
}

static int variable(int n) {
    int sum = 0, a[n][n + 1];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++)
            a[i][j] = i * j;
    for (int i = 0; i < n; i++)
        sum += a[i][n];
    return sum;
}

static void test(void) {
    struct data *d = aligned_alloc(64, (sizeof *d + 63) / 64 * 64);
    CHECK(d);
    scalars(d);
    packed(d);
    bits(d);
    copies(d);
    vectors(d);
    CHECK(variable(5) == 50);
    free(d);
}
