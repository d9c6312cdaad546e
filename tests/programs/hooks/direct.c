// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O1 -std=gnu17 -pthread
//
// Calls the hooks by name: also those that only other compilers emit, in every size. They are weak, so that the program
// also runs without a runtime. This file itself is not instrumented, which does not matter to the hooks.
#include "check.h"

#include <stdint.h>
#include <string.h>

typedef unsigned __int128 uint128_t;
static _Thread_local _Alignas(16) unsigned char room[64];

#define ACCESS(name)                                  \
    void __tsan_##name(void *) __attribute__((weak)); \
    static void call_##name(void) { __tsan_##name(room + 1); }
#define ACCESS_PC(name)                                            \
    void __tsan_##name##_pc(void *, void *) __attribute__((weak)); \
    static void call_##name##_pc(void) { __tsan_##name##_pc(room, __builtin_return_address(0)); }
#define FAMILY(X, Y, n)                                                                                          \
    X(read##n)                                                                                                   \
    X(write##n) X(unaligned_read##n) X(unaligned_write##n) X(volatile_read##n) X(volatile_write##n)              \
        X(unaligned_volatile_read##n) X(unaligned_volatile_write##n) X(read_write##n) X(unaligned_read_write##n) \
            Y(read##n) Y(write##n)
#define ALL(X, Y) FAMILY(X, Y, 1) FAMILY(X, Y, 2) FAMILY(X, Y, 4) FAMILY(X, Y, 8) FAMILY(X, Y, 16)
ALL(ACCESS, ACCESS_PC)

static void accesses(void) {
#define CALL(name) call_##name();
#define CALL_PC(name) call_##name##_pc();
    ALL(CALL, CALL_PC)
    for (size_t i = 0; i < sizeof room; i++)
        CHECK(room[i] == 0); // a hook announces, the program accesses
}

#define ATOMIC(bits)                                                                                              \
    typedef uint##bits##_t T##bits;                                                                               \
    T##bits __tsan_atomic##bits##_load(const volatile T##bits *, int) __attribute__((weak));                      \
    void __tsan_atomic##bits##_store(volatile T##bits *, T##bits, int) __attribute__((weak));                     \
    FETCH(bits, exchange)                                                                                         \
    FETCH(bits, fetch_add) FETCH(bits, fetch_sub) FETCH(bits, fetch_and) FETCH(bits, fetch_or)                    \
        FETCH(bits, fetch_xor) FETCH(bits, fetch_nand)                                                            \
            _Bool __tsan_atomic##bits##_compare_exchange_strong(volatile T##bits *, T##bits *, T##bits, int, int) \
                __attribute__((weak));                                                                            \
    _Bool __tsan_atomic##bits##_compare_exchange_weak(volatile T##bits *, T##bits *, T##bits, int, int)           \
        __attribute__((weak));                                                                                    \
    T##bits __tsan_atomic##bits##_compare_exchange_val(volatile T##bits *, T##bits, T##bits, int, int)            \
        __attribute__((weak));                                                                                    \
    static void atomic##bits(int order) {                                                                         \
        static _Thread_local _Alignas(16) T##bits x;                                                              \
        const T##bits ones = (T##bits) - 1;                                                                       \
        T##bits seen = 1;                                                                                         \
        __tsan_atomic##bits##_store(&x, ones, order);                                                             \
        CHECK(__tsan_atomic##bits##_load(&x, order) == ones);                                                     \
        CHECK(__tsan_atomic##bits##_fetch_add(&x, 2, order) == ones && x == 1);                                   \
        CHECK(__tsan_atomic##bits##_fetch_sub(&x, 3, order) == 1 && x == (T##bits) - 2);                          \
        CHECK(__tsan_atomic##bits##_fetch_and(&x, 14, order) == (T##bits) - 2 && x == 14);                        \
        CHECK(__tsan_atomic##bits##_fetch_or(&x, 1, order) == 14 && x == 15);                                     \
        CHECK(__tsan_atomic##bits##_fetch_xor(&x, 5, order) == 15 && x == 10);                                    \
        CHECK(__tsan_atomic##bits##_fetch_nand(&x, 3, order) == 10 && x == (T##bits) ~2);                         \
        CHECK(__tsan_atomic##bits##_exchange(&x, 7, order) == (T##bits) ~2 && x == 7);                            \
        CHECK(!__tsan_atomic##bits##_compare_exchange_strong(&x, &seen, 9, order, 0) && seen == 7 && x == 7);     \
        CHECK(__tsan_atomic##bits##_compare_exchange_strong(&x, &seen, 9, order, 0) && seen == 7 && x == 9);      \
        CHECK(!__tsan_atomic##bits##_compare_exchange_weak(&x, &seen, 3, order, 0) && seen == 9 && x == 9);       \
        CHECK(__tsan_atomic##bits##_compare_exchange_weak(&x, &seen, ones, order, 0) && x == ones);               \
        CHECK(__tsan_atomic##bits##_compare_exchange_val(&x, 1, 2, order, 0) == ones && x == ones);               \
        CHECK(__tsan_atomic##bits##_compare_exchange_val(&x, ones, 2, order, 0) == ones && x == 2);               \
    }
#define FETCH(bits, op) T##bits __tsan_atomic##bits##_##op(volatile T##bits *, T##bits, int) __attribute__((weak));
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
ATOMIC(128)

void __tsan_init(void) __attribute__((weak));
void __tsan_func_entry(void *) __attribute__((weak));
void __tsan_func_exit(void) __attribute__((weak));
void __tsan_read_range(void *, size_t) __attribute__((weak));
void __tsan_write_range(void *, size_t) __attribute__((weak));
void __tsan_read_range_pc(void *, size_t, void *) __attribute__((weak));
void __tsan_write_range_pc(void *, size_t, void *) __attribute__((weak));
void __tsan_vptr_update(void **, void *) __attribute__((weak));
void __tsan_vptr_read(void **) __attribute__((weak));
void __tsan_atomic_thread_fence(int) __attribute__((weak));
void __tsan_atomic_signal_fence(int) __attribute__((weak));
void *__tsan_memcpy(void *, const void *, size_t) __attribute__((weak));
void *__tsan_memmove(void *, const void *, size_t) __attribute__((weak));
void *__tsan_memset(void *, int, size_t) __attribute__((weak));

static void others(void) {
    void *table = &table, *was = table;
    __tsan_init();
    __tsan_func_entry(__builtin_return_address(0));
    __tsan_read_range(room, sizeof room);
    __tsan_write_range(room, 0);
    __tsan_read_range_pc(room, 3, __builtin_return_address(0));
    __tsan_write_range_pc(room, 3, __builtin_return_address(0));
    __tsan_vptr_update(&table, NULL);
    __tsan_vptr_update(&table, table);
    __tsan_vptr_read(&table);
    CHECK(table == was);
    for (int order = 0; order <= 5; order++)
        __tsan_atomic_thread_fence(order), __tsan_atomic_signal_fence(order);
    CHECK(__tsan_memset(room, 'a', 8) == room && __tsan_memset(room + 8, 'b', 8) == room + 8);
    CHECK(__tsan_memmove(room + 2, room, 10) == room + 2 && memcmp(room, "aaaaaaaaaabbbbbb", 16) == 0);
    CHECK(__tsan_memcpy(room + 20, room + 8, 4) == room + 20 && memcmp(room + 20, "aabb", 4) == 0);
    __tsan_func_exit();
}

static void test(void) {
    if (!__tsan_init || !__tsan_memcpy)
        return;
    accesses();
    const int orders[] = {0, 1, 2, 3, 4, 5, 0x8005, 0x10002}; // the last: __sync, and a hint for transactions
    for (unsigned i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        atomic8(orders[i]);
        atomic16(orders[i]);
        atomic32(orders[i]);
        atomic64(orders[i]);
        atomic128(orders[i]);
    }
    others();
}
