// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread -mcx16 -latomic
// UNSEEN: memory accesses in libatomic.so.1 (built without raddle cc)
//
// 16-byte atomics: carries between the halves, failing compare-and-swaps with either half different, structs. Without
// -mcx16 clang calls libatomic, which has no hooks.
#include "check.h"

#include <stdatomic.h>
#include <stdint.h>

typedef unsigned __int128 u128;
#define WIDE(high, low) ((u128)(high) << 64 | (low))

struct pair {
    void *p;
    uintptr_t tag;
};

static void numbers(void) {
    _Alignas(16) u128 x = WIDE(0, UINT64_MAX);
    CHECK(__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST) == WIDE(0, UINT64_MAX) && x == WIDE(1, 0));
    CHECK(__atomic_fetch_sub(&x, 2, __ATOMIC_RELAXED) == WIDE(1, 0) && x == WIDE(0, UINT64_MAX - 1));
    x = WIDE(0x0f0f, 0xff00);
    CHECK(__atomic_fetch_and(&x, WIDE(0x00ff, 0x0ff0), __ATOMIC_ACQUIRE) == WIDE(0x0f0f, 0xff00));
    CHECK(x == WIDE(0x000f, 0x0f00));
    CHECK(__atomic_fetch_or(&x, WIDE(0xf0, 1), __ATOMIC_RELEASE) == WIDE(0x000f, 0x0f00) &&
          x == WIDE(0xff, 0x0f01));
    CHECK(__atomic_fetch_xor(&x, WIDE(0xff, 1), __ATOMIC_ACQ_REL) == WIDE(0xff, 0x0f01) && x == WIDE(0, 0x0f00));
    CHECK(__atomic_fetch_nand(&x, WIDE(3, 0x0100), __ATOMIC_SEQ_CST) == WIDE(0, 0x0f00) && x == ~WIDE(0, 0x0100));
    CHECK(__atomic_exchange_n(&x, WIDE(7, 8), __ATOMIC_SEQ_CST) == ~WIDE(0, 0x0100));
    CHECK(__atomic_load_n(&x, __ATOMIC_SEQ_CST) == WIDE(7, 8));
    __atomic_store_n(&x, WIDE(9, 10), __ATOMIC_SEQ_CST);
    CHECK(__atomic_sub_fetch(&x, WIDE(9, 11), __ATOMIC_SEQ_CST) == ~(u128)0);
}

static void swaps(void) {
    _Alignas(16) u128 x = WIDE(1, 2), seen = WIDE(1, 3);
    CHECK(!__atomic_compare_exchange_n(&x, &seen, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    CHECK(seen == WIDE(1, 2) && x == WIDE(1, 2));
    seen = WIDE(3, 2);
    CHECK(!__atomic_compare_exchange_n(&x, &seen, 5, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    CHECK(seen == WIDE(1, 2));
    CHECK(__atomic_compare_exchange_n(&x, &seen, WIDE(5, 6), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    CHECK(x == WIDE(5, 6) && seen == WIDE(1, 2));
    CHECK(__sync_val_compare_and_swap(&x, WIDE(5, 6), WIDE(7, 8)) == WIDE(5, 6));
    CHECK(!__sync_bool_compare_and_swap(&x, WIDE(5, 6), 0) && x == WIDE(7, 8));
}

static void structs(void) {
    int a, b;
    _Atomic struct pair x = (struct pair){&a, 1};
    struct pair seen = atomic_load(&x);
    CHECK(seen.p == &a && seen.tag == 1);
    seen.tag = 2;
    CHECK(!atomic_compare_exchange_strong(&x, &seen, ((struct pair){&b, 3})) && seen.tag == 1);
    CHECK(atomic_compare_exchange_strong(&x, &seen, ((struct pair){&b, 3})));
    seen = atomic_exchange(&x, ((struct pair){NULL, 4}));
    CHECK(seen.p == &b && seen.tag == 3);
    seen = x;
    CHECK(seen.p == NULL && seen.tag == 4);
}

static void test(void) {
    numbers();
    swaps();
    structs();
}
