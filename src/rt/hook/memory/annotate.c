/*
 * annotate.c - annotations that programs make for a thread sanitizer: <sanitizer/tsan_interface.h> and the older
 * Annotate* macros.
 *
 * Most annotations tell a race detector a fact that it cannot see: that code is a lock written by hand, that two
 * events are ordered. Raddle sees the atomic operations and accesses inside such a lock, schedules them, and so
 * finds the bugs in the lock, too; so most annotations rightly have no effect here. These have one: regions whose
 * accesses the program asks tools to ignore, the logical accesses of the `external` interface, happens-before
 * annotations (no visible operation may order the two events), and benign races.
 *
 * tsan's runtime ignores accesses between __tsan_mutex_pre_lock and _post_lock. Raddle must not: a thread that
 * spins there without a point would never let the owner go on.
 */
#include "rt/hook/hook.h"

/* ---- regions in which plain accesses are no operations; atomic accesses stay operations ---- */

static void ignore_begin(void) {
    if (rd_self)
        rd_self->ignore++;
}

/* Tolerates an end without a beginning: the thread may have been out of control at the beginning. */
static void ignore_end(void) {
    if (rd_self && rd_self->ignore > 0)
        rd_self->ignore--;
}

RD_API(void, __tsan_ignore_thread_begin, void) { ignore_begin(); }
RD_API(void, __tsan_ignore_thread_end, void) { ignore_end(); }
#define IGNORES(name, call)                          \
    RD_API(void, name, const char *file, int line) { \
        (void)file, (void)line;                      \
        call();                                      \
    }
IGNORES(AnnotateIgnoreReadsBegin, ignore_begin)
IGNORES(AnnotateIgnoreReadsEnd, ignore_end)
IGNORES(AnnotateIgnoreWritesBegin, ignore_begin)
IGNORES(AnnotateIgnoreWritesEnd, ignore_end)

/* ---- order and locks: the operations themselves are visible ---- */

/* An operation that only the race detector uses; not needed while the program has one thread. */
static void order(unsigned kind, const volatile void *addr, uint64_t pc) {
    if (rd_hook_on() && rd_rt.engine.world.unjoined)
        rd_rt_op((struct rd_op){.addr = (uint64_t)(uintptr_t)addr, .kind = (uint8_t)kind, .pc = pc});
}

#define ORDERS(name, kind)                                                        \
    RD_API(void, name, const char *file, int line, const volatile void *object) { \
        (void)file, (void)line;                                                   \
        order(kind, object, RD_PC());                                             \
    }
RD_API(void, __tsan_acquire, void *addr) { order(RD_OP_ACQUIRE, addr, RD_PC()); }
RD_API(void, __tsan_release, void *addr) { order(RD_OP_RELEASE, addr, RD_PC()); }
ORDERS(AnnotateHappensBefore, RD_OP_RELEASE)
ORDERS(AnnotateHappensAfter, RD_OP_ACQUIRE)
ORDERS(WTFAnnotateHappensBefore, RD_OP_RELEASE)
ORDERS(WTFAnnotateHappensAfter, RD_OP_ACQUIRE)

/* ---- benign races ---- */

#define BENIGN(name)                                                                                            \
    RD_API(void, name, const char *file, int line, const volatile void *memory, size_t size, const char *why) { \
        (void)file, (void)line, (void)why;                                                                      \
        rd_hook_annotation(RD_ANNOTATION_BENIGN, memory, size, "");                                             \
    }
BENIGN(AnnotateBenignRaceSized)
BENIGN(WTFAnnotateBenignRaceSized)

#define MUTEX(event) \
    RD_API(void, __tsan_mutex_##event, void *addr, unsigned flags) { (void)addr, (void)flags; }
MUTEX(create)
MUTEX(destroy)
MUTEX(pre_lock)
MUTEX(post_unlock)
MUTEX(pre_signal)
MUTEX(post_signal)
MUTEX(pre_divert)
MUTEX(post_divert)
RD_API(void, __tsan_mutex_post_lock, void *addr, unsigned flags, int recursion) {
    (void)addr, (void)flags, (void)recursion;
}
/* Returns the number of recursion levels released, which the program passes to post_lock. */
RD_API(int, __tsan_mutex_pre_unlock, void *addr, unsigned flags) {
    (void)addr, (void)flags;
    return 1;
}

/* ---- logical accesses to an object of a library that is not instrumented itself ---- */

/* A tag names a kind of object in reports; a result that is not NULL means success. */
RD_API(void *, __tsan_external_register_tag, const char *type) {
    (void)type;
    static char tag;
    return &tag;
}
RD_API(void, __tsan_external_register_header, void *tag, const char *header) { (void)tag, (void)header; }
RD_API(void, __tsan_external_assign_tag, void *addr, void *tag) { (void)addr, (void)tag; }
RD_API(void, __tsan_external_read, void *addr, void *caller_pc, void *tag) {
    (void)tag;
    rd_hook_access(addr, 1, RD_OP_READ, (uint64_t)(uintptr_t)caller_pc);
}
RD_API(void, __tsan_external_write, void *addr, void *caller_pc, void *tag) {
    (void)tag;
    rd_hook_access(addr, 1, RD_OP_WRITE, (uint64_t)(uintptr_t)caller_pc);
}

/*
 * ---- fibers ----
 * A fiber switch is a change of stack within one thread; the operations on the new stack are still that thread's,
 * and the runtime keeps no state by stack. The program needs a handle that is not NULL and different for each
 * fiber, and to read back the current one. A handle is made of the thread's number and a count, so it does not
 * depend on the schedule.
 */
static __thread void *fiber __attribute__((tls_model("initial-exec")));
static __thread uint32_t fibers __attribute__((tls_model("initial-exec")));

static void *fiber_handle(uint32_t n) {
    uint64_t owner = rd_self ? rd_self->tid : (uint64_t)(uintptr_t)&fibers >> 4;
    return (void *)(uintptr_t)(((owner + 1) << 20 | n) << 4);
}

RD_API(void *, __tsan_get_current_fiber, void) { return fiber ? fiber : fiber_handle(0); }
RD_API(void *, __tsan_create_fiber, unsigned flags) {
    (void)flags;
    return fiber_handle(++fibers);
}
RD_API(void, __tsan_destroy_fiber, void *handle) { (void)handle; }
RD_API(void, __tsan_switch_to_fiber, void *handle, unsigned flags) {
    (void)flags;
    fiber = handle;
}
RD_API(void, __tsan_set_fiber_name, void *handle, const char *name) { (void)handle, (void)name; }

/*
 * ---- reports of tsan's runtime ----
 * A program may define __tsan_on_report and ask for details of a report in it. Raddle makes no such reports and
 * never calls the callbacks; these functions exist so that such a program links. They return 0 and ignore their
 * arguments.
 */
#define NO_ANSWER(name) \
    RD_API(int, name, void) { return 0; }
NO_ANSWER(__tsan_get_report_data)
NO_ANSWER(__tsan_get_report_tag)
NO_ANSWER(__tsan_get_report_stack)
NO_ANSWER(__tsan_get_report_mop)
NO_ANSWER(__tsan_get_report_loc)
NO_ANSWER(__tsan_get_report_loc_object_type)
NO_ANSWER(__tsan_get_report_mutex)
NO_ANSWER(__tsan_get_report_thread)
NO_ANSWER(__tsan_get_report_unique_tid)
NO_ANSWER(__tsan_get_alloc_stack)
RD_API(void *, __tsan_get_current_report, void) { return NULL; }
RD_API(const char *, __tsan_locate_address, void *addr, char *name, size_t size, void **start, size_t *length) {
    if (size > 0)
        name[0] = '\0';
    *start = addr;
    *length = 0;
    return "";
}
RD_API(void, __tsan_flush_memory, void) {}

/*
 * Callbacks and options that the program may define itself: the dynamic linker finds the program's definition
 * first.
 */
RD_API(void, __tsan_on_report, void *report) { (void)report; }
RD_API(void, __tsan_on_initialize, void) {}
RD_API(int, __tsan_on_finalize, int failed) { return failed; }
RD_API(const char *, __tsan_default_options, void) { return ""; }
RD_API(const char *, __tsan_default_suppressions, void) { return ""; }

/*
 * ---- Annotate*: the older interface of valgrind's and Google's tools ----
 * The first arguments of each are file and line. They have no effect.
 */
#define ANNOTATE(name, ...)                                                                 \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"") \
        RD_API(void, name, const char *file, int line __VA_OPT__(, ) __VA_ARGS__) {}        \
    _Pragma("GCC diagnostic pop")
ANNOTATE(AnnotateCondVarSignal, const volatile void *cond)
ANNOTATE(AnnotateCondVarSignalAll, const volatile void *cond)
ANNOTATE(AnnotateCondVarWait, const volatile void *cond, const volatile void *lock)
ANNOTATE(AnnotateMutexIsNotPHB, const volatile void *mutex)
ANNOTATE(AnnotateMutexIsUsedAsCondVar, const volatile void *mutex)
ANNOTATE(AnnotateRWLockCreate, const volatile void *lock)
ANNOTATE(AnnotateRWLockCreateStatic, const volatile void *lock)
ANNOTATE(AnnotateRWLockDestroy, const volatile void *lock)
ANNOTATE(AnnotateRWLockAcquired, const volatile void *lock, long is_write)
ANNOTATE(AnnotateRWLockReleased, const volatile void *lock, long is_write)
ANNOTATE(AnnotateBarrierInit, const volatile void *barrier, long count, long reinitialization_allowed)
ANNOTATE(AnnotateBarrierWaitBefore, const volatile void *barrier)
ANNOTATE(AnnotateBarrierWaitAfter, const volatile void *barrier)
ANNOTATE(AnnotateBarrierDestroy, const volatile void *barrier)
ANNOTATE(AnnotatePCQCreate, const volatile void *queue)
ANNOTATE(AnnotatePCQDestroy, const volatile void *queue)
ANNOTATE(AnnotatePCQPut, const volatile void *queue)
ANNOTATE(AnnotatePCQGet, const volatile void *queue)
ANNOTATE(AnnotateNewMemory, const volatile void *memory, long size)
ANNOTATE(AnnotatePublishMemoryRange, const volatile void *memory, long size)
ANNOTATE(AnnotateUnpublishMemoryRange, const volatile void *memory, long size)
ANNOTATE(AnnotateMemoryIsInitialized, const volatile void *memory, long size)
ANNOTATE(AnnotateMemoryIsUninitialized, const volatile void *memory, long size)
ANNOTATE(AnnotateBenignRace, const volatile void *memory, const char *why)
ANNOTATE(AnnotateExpectRace, const volatile void *memory, const char *why)
ANNOTATE(AnnotateFlushExpectedRaces)
ANNOTATE(AnnotateFlushState)
ANNOTATE(AnnotateEnableRaceDetection, int enable)
ANNOTATE(AnnotateIgnoreSyncBegin)
ANNOTATE(AnnotateIgnoreSyncEnd)
ANNOTATE(AnnotateTraceMemory, const volatile void *memory)
ANNOTATE(AnnotateThreadName, const char *name)
ANNOTATE(AnnotateNoOp, const volatile void *argument)

/*
 * Programs ask these in order to wait longer, or to do less, under a slow tool. With virtual time they need
 * neither.
 */
RD_API(int, RunningOnValgrind, void) { return 0; }
RD_API(double, ValgrindSlowdown, void) { return 1.0; }
RD_API(const char *, ThreadSanitizerQuery, const char *what) {
    (void)what;
    return "0";
}
