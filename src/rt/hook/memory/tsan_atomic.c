/*
 * tsan_atomic.c - C11/C++11 atomics and gcc's __sync and __atomic builtins, as calls that the compilers emit.
 *
 * With -fsanitize=thread an atomic operation is *replaced* by a call: the hook is a point first, and then does the
 * operation, with sequential consistency for every memory order, and returns its exact result. A real atomic
 * operation, rather than plain accesses, keeps a program correct that runs without Raddle, on real threads.
 *
 * 16-byte operations are built on one compare-and-swap in assembly: the builtins would call libatomic.
 * A weak compare-and-swap never fails spuriously.
 */
#include "rt/hook/hook.h"

/*
 * The compilers add bits to the order: hints for lock elision, gcc's mark for __sync. A bad value counts as
 * seq_cst.
 */
static inline int plain_order(int order) { return RD_MIN(order & 7, __ATOMIC_SEQ_CST); }
static_assert(RD_ORDER_CAS(__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) <= UINT8_MAX,
              "rd_op.order has room for both orders");

static inline void point(const volatile void *addr, uint32_t size, unsigned kind, int order, uint64_t pc) {
    if (rd_hook_on())
        rd_rt_atomic((uint64_t)(uintptr_t)addr, size, kind, plain_order(order), pc);
}

static inline void point_cas(const volatile void *addr, uint32_t size, int order, int failure, uint64_t pc) {
    order = RD_ORDER_CAS(plain_order(order), plain_order(failure));
    if (rd_hook_on())
        rd_rt_atomic((uint64_t)(uintptr_t)addr, size, RD_OP_ATOMIC_CAS, order, pc);
}

/* Tells the engine whether the compare-and-swap that had its turn has failed: then it was only a load. */
static inline bool swapped(bool done) {
    if (!done && rd_hook_on())
        rd_rt_not_swapped();
    return done;
}

/* Tells the engine that the read-modify-write that had its turn has stored the value that was there. */
static inline void unchanged(bool same) {
    if (same && rd_hook_on())
        rd_rt_unchanged();
}

/* ---- 8 to 64 bits: by the compiler's builtins ---- */

#define NATIVE_LOAD(a) __atomic_load_n(a, __ATOMIC_SEQ_CST)
#define NATIVE_STORE(a, v) __atomic_store_n(a, v, __ATOMIC_SEQ_CST)
#define NATIVE_EXCHANGE(a, v) __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST)
#define NATIVE_CAS(a, expected, v) \
    __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define NATIVE_FETCH(op, a, v) __atomic_fetch_##op(a, v, __ATOMIC_SEQ_CST)

/* ---- 128 bits ---- */

typedef unsigned __int128 u128;

static inline u128 join(uint64_t low, uint64_t high) { return (u128)high << 64 | low; }

#if defined __x86_64__

static inline bool cas128(volatile u128 *a, u128 *expected, u128 v) {
    uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
    bool done;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*a), "+a"(low), "+d"(high)
                     : "b"((uint64_t)v), "c"((uint64_t)(v >> 64))
                     : "memory");
    *expected = join(low, high);
    return done;
}

/*
 * A compare-and-swap that fails still writes, and would fault on read-only memory. Every processor with AVX loads
 * 16 aligned bytes atomically.
 */
static inline u128 load128(volatile u128 *a) {
    if (RD_LIKELY(__builtin_cpu_supports("avx"))) {
        typedef uint64_t half2 __attribute__((vector_size(16)));
        half2 v;
        __asm__ volatile("movdqa %1, %0" : "=x"(v) : "m"(*a) : "memory");
        return join(v[0], v[1]);
    }
    u128 seen = 0;
    cas128(a, &seen, 0);
    return seen;
}

#elif defined __aarch64__

/*
 * A pair is known to be loaded atomically only when the exclusive store succeeds, so the old value is stored back.
 */
static inline bool cas128(volatile u128 *a, u128 *expected, u128 v) {
    uint64_t want_low = (uint64_t)*expected, want_high = (uint64_t)(*expected >> 64);
    uint64_t low, high, new_low, new_high;
    uint32_t failed;
    __asm__ volatile("1: ldaxp %[low], %[high], %[a]\n"
                     "   cmp   %[low], %[want_low]\n"
                     "   ccmp  %[high], %[want_high], #0, eq\n"
                     "   csel  %[new_low], %[v_low], %[low], eq\n"
                     "   csel  %[new_high], %[v_high], %[high], eq\n"
                     "   stlxp %w[failed], %[new_low], %[new_high], %[a]\n"
                     "   cbnz  %w[failed], 1b\n"
                     : [low] "=&r"(low), [high] "=&r"(high), [new_low] "=&r"(new_low), [new_high] "=&r"(new_high),
                       [failed] "=&r"(failed), [a] "+Q"(*a)
                     : [want_low] "r"(want_low), [want_high] "r"(want_high), [v_low] "r"((uint64_t)v),
                       [v_high] "r"((uint64_t)(v >> 64))
                     : "cc", "memory");
    *expected = join(low, high);
    return low == want_low && high == want_high;
}

static inline u128 load128(volatile u128 *a) {
    u128 seen = 0;
    cas128(a, &seen, 0);
    return seen;
}

#else
#error "16-byte atomics: only x86-64 and aarch64"
#endif

#define UPDATE128(name, result)                                \
    static inline u128 wide_##name(volatile u128 *a, u128 v) { \
        u128 old = 0;                                          \
        while (!cas128(a, &old, (result)))                     \
            ;                                                  \
        return old;                                            \
    }
UPDATE128(exchange, v)
UPDATE128(add, old + v)
UPDATE128(sub, old - v)
UPDATE128(and, ~(~old | ~v)) /* clang-format takes a plain & here for a pointer */
UPDATE128(or, old | v)
UPDATE128(xor, old ^ v)
UPDATE128(nand, ~old | ~v)

#define WIDE_LOAD(a) load128(a)
#define WIDE_STORE(a, v) ((void)wide_exchange(a, v))
#define WIDE_EXCHANGE(a, v) wide_exchange(a, v)
#define WIDE_CAS(a, expected, v) cas128(a, expected, v)
#define WIDE_FETCH(op, a, v) wide_##op(a, v)

/* ---- the interface, for one size; IMPL is NATIVE or WIDE ---- */

#define FETCH(IMPL, bits, T, op)                                                     \
    RD_ENTERED(T, __tsan_atomic##bits##_fetch_##op, volatile T *a, T v, int order) { \
        point(a, sizeof(T), RD_OP_ATOMIC_RMW, order, RD_PC());                       \
        T old = IMPL##_FETCH(op, a, v);                                              \
        unchanged(IMPL##_LOAD(a) == old);                                            \
        return old;                                                                  \
    }

#define CAS(IMPL, bits, T, strength)                                                                        \
    RD_ENTERED(int, __tsan_atomic##bits##_compare_exchange_##strength, volatile T *a, T *c, T v, int order, \
               int failure) {                                                                               \
        point_cas(a, sizeof(T), order, failure, RD_PC());                                                   \
        return swapped(IMPL##_CAS(a, c, v));                                                                \
    }

#define ATOMIC(IMPL, bits, T)                                                                                    \
    RD_ENTERED(T, __tsan_atomic##bits##_load, volatile T *a, int order) {                                        \
        point(a, sizeof(T), RD_OP_ATOMIC_LOAD, order, RD_PC());                                                  \
        return IMPL##_LOAD(a);                                                                                   \
    }                                                                                                            \
    RD_API(void, __tsan_atomic##bits##_store, volatile T *a, T v, int order) {                                   \
        point(a, sizeof(T), RD_OP_ATOMIC_STORE, order, RD_PC());                                                 \
        if (rd_hook_on())                                                                                        \
            rd_rt_stores(a, sizeof(T));                                                                          \
        IMPL##_STORE(a, v);                                                                                      \
    }                                                                                                            \
    RD_ENTERED(T, __tsan_atomic##bits##_exchange, volatile T *a, T v, int order) {                               \
        point(a, sizeof(T), RD_OP_ATOMIC_RMW, order, RD_PC());                                                   \
        T old = IMPL##_EXCHANGE(a, v);                                                                           \
        unchanged(old == v);                                                                                     \
        return old;                                                                                              \
    }                                                                                                            \
    FETCH(IMPL, bits, T, add)                                                                                    \
    FETCH(IMPL, bits, T, sub)                                                                                    \
    FETCH(IMPL, bits, T, and)                                                                                    \
    FETCH(IMPL, bits, T, or)                                                                                     \
    FETCH(IMPL, bits, T, xor)                                                                                    \
    FETCH(IMPL, bits, T, nand)                                                                                   \
    CAS(IMPL, bits, T, strong)                                                                                   \
    CAS(IMPL, bits, T, weak)                                                                                     \
    /* clang: the expected value is passed by value; the result is the old value */                              \
    RD_ENTERED(T, __tsan_atomic##bits##_compare_exchange_val, volatile T *a, T c, T v, int order, int failure) { \
        point_cas(a, sizeof(T), order, failure, RD_PC());                                                        \
        swapped(IMPL##_CAS(a, &c, v));                                                                           \
        return c;                                                                                                \
    }

ATOMIC(NATIVE, 8, uint8_t)
ATOMIC(NATIVE, 16, uint16_t)
ATOMIC(NATIVE, 32, uint32_t)
ATOMIC(NATIVE, 64, uint64_t)
ATOMIC(WIDE, 128, u128)

/* ---- fences ---- */

RD_API(void, __tsan_atomic_thread_fence, int order) {
    point(NULL, 0, RD_OP_FENCE, order, RD_PC());
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Orders a thread only with its own signal handlers; the call as such keeps the compiler from reordering. */
RD_API(void, __tsan_atomic_signal_fence, int order) { (void)order; }
