// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread -mcx16 -latomic
// UNSEEN: memory accesses in libatomic.so.1 (built without raddle cc)
//
// _Atomic types of C11: compound assignment, booleans, pointers, floating point, structs, arrays, const.
#include "check.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// clang gives a compound assignment the atomic type, which cannot be compared.
#define AFTER(change, x, value) \
    do {                        \
        change;                 \
        CHECK(x == value);      \
    } while (0)

struct small {
    short a, b;
};
enum colour { RED, GREEN = 1000 };
static const atomic_int constant = 77;

static void integers(void) {
    atomic_int i = 5;
    CHECK(i++ == 5 && ++i == 7 && i-- == 7 && --i == 5);
    AFTER(i += 10, i, 15);
    AFTER(i -= 20, i, -5);
    AFTER(i *= -6, i, 30);
    AFTER(i /= 4, i, 7);
    AFTER(i %= 4, i, 3);
    AFTER(i <<= 4, i, 48);
    AFTER(i >>= 1, i, 24);
    AFTER(i &= 8, i, 8);
    AFTER(i |= 3, i, 11);
    AFTER(i ^= 1, i, 10);
    _Atomic unsigned char c = 255;
    CHECK(++c == 0);
    AFTER(c -= 1, c, 255);
    AFTER(c *= 3, c, 253);
    _Atomic short s = INT16_MAX;
    s++;
    CHECK(s == INT16_MIN);
    atomic_ullong u = 0;
    CHECK(--u == UINT64_MAX);
    _Atomic enum colour e = RED;
    e = GREEN;
    CHECK(e == GREEN);
    CHECK(constant == 77 && atomic_load_explicit(&constant, memory_order_acquire) == 77);
    volatile atomic_int v = 1;
    CHECK(atomic_fetch_add_explicit(&v, 2, memory_order_relaxed) == 1 && v == 3);
}

static void booleans_and_pointers(void) {
    atomic_bool b = false;
    CHECK(!atomic_exchange(&b, true) && b);
    b &= false;
    CHECK(!b);
    b |= true;
    CHECK(atomic_load(&b) == 1);
    int array[4] = {1, 2, 3, 4};
    int *_Atomic p = array;
    CHECK(*p++ == 1 && *p == 2 && *++p == 3);
    p = p - 2;
    CHECK(p == array);
    atomic_store(&p, array + 3);
    int *seen = array;
    CHECK(!atomic_compare_exchange_strong(&p, &seen, NULL) && seen == array + 3);
    CHECK(atomic_compare_exchange_strong(&p, &seen, NULL) && p == NULL);
    void (*_Atomic f)(void) = test;
    CHECK(f == test);
}

static void floats(void) {
    _Atomic float f = 1.5f;
    _Atomic double d = -2.25;
    _Atomic long double ld = 3;
    AFTER(f += 1, f, 2.5f);
    AFTER(f *= 2, f, 5);
    CHECK(f++ == 5);
    CHECK(f == 6);
    AFTER(d -= 0.75, d, -3);
    AFTER(d /= 2, d, -1.5);
    CHECK(atomic_exchange(&d, 8) == -1.5);
    AFTER(ld += 1, ld, 4);
    CHECK(ld == 4);
    _Atomic _Complex float z = 1.0f;
    z += 2;
    CHECK(z == 3);
}

static void structs(void) {
    _Atomic struct small s = (struct small){1, -2};
    struct small seen = s;
    CHECK(seen.a == 1 && seen.b == -2);
    CHECK(atomic_compare_exchange_strong(&s, &seen, ((struct small){3, 4})));
    CHECK(!atomic_compare_exchange_weak(&s, &seen, ((struct small){5, 6})) && seen.a == 3 && seen.b == 4);
    s = (struct small){7, 8};
    seen = atomic_exchange(&s, ((struct small){9, 9}));
    CHECK(seen.a == 7 && seen.b == 8);
    atomic_int array[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        array[i] += i;
    CHECK(array[0] == 1 && array[1] == 3 && array[2] == 5);
}

static void test(void) {
    integers();
    booleans_and_pointers();
    floats();
    structs();
}
