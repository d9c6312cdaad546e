// RADDLE: -s random -n 20 --seed 1
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread
//
// The annotations of thread sanitizer. The functions are weak: without a runtime they do not exist.
#include "check.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define OPTIONAL(type, name, ...) type name(__VA_ARGS__) __attribute__((weak))
OPTIONAL(void, __tsan_acquire, void *);
OPTIONAL(void, __tsan_release, void *);
OPTIONAL(void, __tsan_mutex_create, void *, unsigned);
OPTIONAL(void, __tsan_mutex_destroy, void *, unsigned);
OPTIONAL(void, __tsan_mutex_pre_lock, void *, unsigned);
OPTIONAL(void, __tsan_mutex_post_lock, void *, unsigned, int);
OPTIONAL(int, __tsan_mutex_pre_unlock, void *, unsigned);
OPTIONAL(void, __tsan_mutex_post_unlock, void *, unsigned);
OPTIONAL(void, __tsan_ignore_thread_begin, void);
OPTIONAL(void, __tsan_ignore_thread_end, void);
OPTIONAL(void *, __tsan_get_current_fiber, void);
OPTIONAL(void *, __tsan_create_fiber, unsigned);
OPTIONAL(void, __tsan_switch_to_fiber, void *, unsigned);
OPTIONAL(void, __tsan_destroy_fiber, void *);
OPTIONAL(void *, __tsan_external_register_tag, const char *);
OPTIONAL(void, __tsan_external_read, void *, void *, void *);
OPTIONAL(void, __tsan_external_write, void *, void *, void *);
OPTIONAL(void, AnnotateHappensBefore, const char *, int, const volatile void *);
OPTIONAL(void, AnnotateHappensAfter, const char *, int, const volatile void *);
OPTIONAL(void, AnnotateIgnoreReadsBegin, const char *, int);
OPTIONAL(void, AnnotateIgnoreReadsEnd, const char *, int);
OPTIONAL(void, AnnotateBenignRaceSized, const char *, int, const volatile void *, size_t, const char *);
OPTIONAL(uint32_t, __sanitizer_unaligned_load32, const void *);
OPTIONAL(void, __sanitizer_unaligned_store32, void *, uint32_t);

static int shared; // protected by the lock below
static atomic_flag locked = ATOMIC_FLAG_INIT;

// A lock of the program's own, with the annotations it would have.
static void lock_and_add(void) {
    __tsan_mutex_pre_lock(&locked, 0);
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        sched_yield();
    __tsan_mutex_post_lock(&locked, 0, 0);
    shared++;
    (void)__tsan_mutex_pre_unlock(&locked, 0);
    atomic_flag_clear_explicit(&locked, memory_order_release);
    __tsan_mutex_post_unlock(&locked, 0);
}

static void fibers(void) {
    void *own = __tsan_get_current_fiber(), *a = __tsan_create_fiber(0), *b = __tsan_create_fiber(0);
    CHECK(own && a && b && own != a && a != b && own != b && __tsan_get_current_fiber() == own);
    __tsan_switch_to_fiber(a, 0);
    CHECK(__tsan_get_current_fiber() == a);
    __tsan_switch_to_fiber(own, 1);
    __tsan_destroy_fiber(a);
    __tsan_destroy_fiber(b);
}

static void test(void) {
    if (!__tsan_acquire)
        return;
    __tsan_mutex_create(&locked, 1);
    lock_and_add();
    __tsan_mutex_destroy(&locked, 1);
    __tsan_release(&shared);
    __tsan_acquire(&shared);
    __tsan_ignore_thread_begin();
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    __tsan_ignore_thread_end();
    AnnotateHappensBefore(__FILE__, __LINE__, &shared);
    AnnotateHappensAfter(__FILE__, __LINE__, &shared);
    AnnotateBenignRaceSized(__FILE__, __LINE__, &shared, sizeof shared, "for the test");
    fibers();
    char object = 0;
    void *tag = __tsan_external_register_tag("object");
    CHECK(tag);
    __tsan_external_read(&object, __builtin_return_address(0), tag);
    __tsan_external_write(&object, __builtin_return_address(0), tag);
    char bytes[8] = {0};
    __sanitizer_unaligned_store32(bytes + 1, 0x01020304);
    CHECK(__sanitizer_unaligned_load32(bytes + 1) == 0x01020304 && bytes[0] == 0 && bytes[5] == 0);
}
