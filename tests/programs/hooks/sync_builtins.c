// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread -w
//
// gcc's older __sync builtins, test-and-set, atomic_flag, fences.
#include "check.h"

#include <stdatomic.h>
#include <stdint.h>

#define ALL(T)                                                                                           \
    static void test_##T(void) {                                                                         \
        T x = 5;                                                                                         \
        CHECK(__sync_fetch_and_add(&x, 2) == 5 && __sync_fetch_and_sub(&x, 8) == 7 && x == (T)-1);       \
        CHECK(__sync_fetch_and_and(&x, 12) == (T)-1 && __sync_fetch_and_or(&x, 1) == 12 && x == 13);     \
        CHECK(__sync_fetch_and_xor(&x, 4) == 13 && __sync_fetch_and_nand(&x, 8) == 9 && x == (T)~8);     \
        x = 5;                                                                                           \
        CHECK(__sync_add_and_fetch(&x, 2) == 7 && __sync_sub_and_fetch(&x, 1) == 6);                     \
        CHECK(__sync_and_and_fetch(&x, 3) == 2 && __sync_or_and_fetch(&x, 4) == 6);                      \
        CHECK(__sync_xor_and_fetch(&x, 2) == 4 && __sync_nand_and_fetch(&x, 4) == (T)~4);                \
        x = 3;                                                                                           \
        CHECK(__sync_bool_compare_and_swap(&x, 3, 4) && !__sync_bool_compare_and_swap(&x, 3, 5));        \
        CHECK(__sync_val_compare_and_swap(&x, 4, 6) == 4 && __sync_val_compare_and_swap(&x, 4, 7) == 6); \
        CHECK(__sync_lock_test_and_set(&x, 1) == 6 && x == 1);                                           \
        __sync_lock_release(&x);                                                                         \
        CHECK(x == 0);                                                                                   \
        __sync_synchronize();                                                                            \
    }
ALL(int8_t)
ALL(uint16_t)
ALL(int32_t)
ALL(uint64_t)

static void flags(void) {
    atomic_flag f = ATOMIC_FLAG_INIT;
    CHECK(!atomic_flag_test_and_set(&f) && atomic_flag_test_and_set_explicit(&f, memory_order_acquire));
    atomic_flag_clear(&f);
    CHECK(!atomic_flag_test_and_set(&f));
    atomic_flag_clear_explicit(&f, memory_order_release);
    char c = 0;
    CHECK(!__atomic_test_and_set(&c, __ATOMIC_SEQ_CST) && __atomic_test_and_set(&c, __ATOMIC_RELAXED));
    __atomic_clear(&c, __ATOMIC_RELEASE);
    CHECK(c == 0);
}

static void test(void) {
    test_int8_t();
    test_uint16_t();
    test_int32_t();
    test_uint64_t();
    flags();
    atomic_thread_fence(memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    atomic_thread_fence(memory_order_release);
    atomic_thread_fence(memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
}
