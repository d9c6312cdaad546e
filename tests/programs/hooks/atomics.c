// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread
//
// Every __atomic operation in 8 to 64 bits: results, failing compare-and-swaps, wrap-around, every memory order.
#include "check.h"

#include <stdint.h>

#define RELAXED __ATOMIC_RELAXED
#define ACQUIRE __ATOMIC_ACQUIRE
#define RELEASE __ATOMIC_RELEASE
#define ACQ_REL __ATOMIC_ACQ_REL
#define SEQ_CST __ATOMIC_SEQ_CST

#define FETCHES(T, order)                                                                           \
    do {                                                                                            \
        T x = (T) ~(T)0, k = (T)0x5a;                                                               \
        CHECK(__atomic_fetch_add(&x, 1, order) == (T) ~(T)0 && x == 0);                             \
        CHECK(__atomic_fetch_sub(&x, 1, order) == 0 && x == (T) ~(T)0);                             \
        CHECK(__atomic_fetch_and(&x, k, order) == (T) ~(T)0 && x == k);                             \
        CHECK(__atomic_fetch_or(&x, 1, order) == k && x == (T)(k | 1));                             \
        CHECK(__atomic_fetch_xor(&x, (T)0xff, order) == (T)(k | 1) && x == (T)((k | 1) ^ (T)0xff)); \
        x = k;                                                                                      \
        CHECK(__atomic_fetch_nand(&x, (T)0x0f, order) == k && x == (T) ~(k & (T)0x0f));             \
        x = 1;                                                                                      \
        CHECK(__atomic_add_fetch(&x, 2, order) == 3 && __atomic_sub_fetch(&x, 4, order) == (T)-1);  \
        CHECK(__atomic_and_fetch(&x, 6, order) == 6 && __atomic_or_fetch(&x, 1, order) == 7);       \
        CHECK(__atomic_xor_fetch(&x, 2, order) == 5 && __atomic_nand_fetch(&x, 4, order) == (T)~4); \
        CHECK(__atomic_exchange_n(&x, (T)9, order) == (T)~4 && x == 9);                             \
    } while (0)

#define SWAPS(T, weak, success, failure)                                              \
    do {                                                                              \
        T x = (T)-7, seen = (T)-6;                                                    \
        CHECK(!__atomic_compare_exchange_n(&x, &seen, 1, weak, success, failure));    \
        CHECK(x == (T)-7 && seen == (T)-7);                                           \
        while (!__atomic_compare_exchange_n(&x, &seen, (T)1, weak, success, failure)) \
            CHECK(weak);                                                              \
        CHECK(x == 1 && seen == (T)-7);                                               \
    } while (0)

#define ALL(T)                                                                                  \
    static void test_##T(int order) {                                                           \
        T x = 0, y = (T)-1, z;                                                                  \
        __atomic_store_n(&x, (T)-5, RELAXED);                                                   \
        CHECK(__atomic_load_n(&x, RELAXED) == (T)-5);                                           \
        __atomic_store_n(&x, (T)6, RELEASE);                                                    \
        CHECK(__atomic_load_n(&x, ACQUIRE) == 6 && __atomic_load_n(&x, __ATOMIC_CONSUME) == 6); \
        __atomic_store(&x, &y, SEQ_CST);                                                        \
        __atomic_load(&x, &z, SEQ_CST);                                                         \
        CHECK(z == (T)-1);                                                                      \
        y = 3;                                                                                  \
        __atomic_exchange(&x, &y, &z, ACQ_REL);                                                 \
        CHECK(x == 3 && z == (T)-1);                                                            \
        FETCHES(T, RELAXED);                                                                    \
        FETCHES(T, ACQUIRE);                                                                    \
        FETCHES(T, RELEASE);                                                                    \
        FETCHES(T, ACQ_REL);                                                                    \
        FETCHES(T, SEQ_CST);                                                                    \
        FETCHES(T, order); /* not a constant */                                                 \
        SWAPS(T, 0, RELAXED, RELAXED);                                                          \
        SWAPS(T, 0, ACQUIRE, RELAXED);                                                          \
        SWAPS(T, 0, RELEASE, RELAXED);                                                          \
        SWAPS(T, 0, ACQ_REL, ACQUIRE);                                                          \
        SWAPS(T, 0, SEQ_CST, SEQ_CST);                                                          \
        SWAPS(T, 1, RELAXED, RELAXED);                                                          \
        SWAPS(T, 1, ACQ_REL, RELAXED);                                                          \
        SWAPS(T, 1, SEQ_CST, ACQUIRE);                                                          \
    }
ALL(int8_t)
ALL(uint8_t)
ALL(int16_t)
ALL(uint16_t)
ALL(int32_t)
ALL(uint32_t)
ALL(int64_t)
ALL(uint64_t)

static int any_order = SEQ_CST;

static void test(void) {
    test_int8_t(any_order);
    test_uint8_t(any_order);
    test_int16_t(any_order);
    test_uint16_t(any_order);
    test_int32_t(any_order);
    test_uint32_t(any_order);
    test_int64_t(any_order);
    test_uint64_t(any_order);
}
