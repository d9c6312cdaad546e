/*
 * sanitizer.c - the functions that all sanitizers' runtimes share (<sanitizer/common_interface_defs.h> and
 * <sanitizer/allocator_interface.h>), so that a program that calls them links and runs.
 *
 * Loads and stores are done and are operations. Queries of blocks of the heap are answered from Raddle's heap. The
 * other functions configure reports that Raddle does not write, or serve the address sanitizer and coverage tools:
 * they do nothing.
 */
#include "rt/hook/hook.h"

/* ---- accesses ---- */

#define UNALIGNED(bits)                                                                 \
    struct unaligned##bits {                                                            \
        uint##bits##_t value;                                                           \
    } __attribute__((packed, may_alias));                                               \
    RD_API(uint##bits##_t, __sanitizer_unaligned_load##bits, const void *addr) {        \
        rd_hook_access(addr, bits / 8, RD_OP_READ, RD_PC());                            \
        return ((const struct unaligned##bits *)addr)->value;                           \
    }                                                                                   \
    RD_API(void, __sanitizer_unaligned_store##bits, void *addr, uint##bits##_t value) { \
        rd_hook_access(addr, bits / 8, RD_OP_WRITE, RD_PC());                           \
        ((struct unaligned##bits *)addr)->value = value;                                \
    }
UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

/* ---- the heap ---- */

RD_API(size_t, __sanitizer_get_estimated_allocated_size, size_t size) { return size; }
RD_API(int, __sanitizer_get_ownership, const volatile void *p) { return rd_heap_owns((const void *)p); }
RD_API(size_t, __sanitizer_get_allocated_size, const volatile void *p) {
    return rd_heap_owns((const void *)p) ? rd_heap_size((const void *)p) : 0;
}
/* Totals are 0: real ones would depend on the schedule. */
RD_API(size_t, __sanitizer_get_current_allocated_bytes, void) { return 0; }
RD_API(size_t, __sanitizer_get_heap_size, void) { return 0; }
RD_API(size_t, __sanitizer_get_free_bytes, void) { return 0; }
RD_API(size_t, __sanitizer_get_unmapped_bytes, void) { return 0; }
RD_API(void, __sanitizer_purge_allocator, void) {}
RD_API(void, __sanitizer_print_memory_profile, size_t percent, size_t contexts) { (void)percent, (void)contexts; }
/* The result 0 means that the hooks were not installed. */
RD_API(int, __sanitizer_install_malloc_and_free_hooks, void (*on_malloc)(const volatile void *, size_t),
       void (*on_free)(const volatile void *)) {
    (void)on_malloc, (void)on_free;
    return 0;
}

/* ---- reports ---- */

RD_API(void, __sanitizer_set_report_path, const char *path) { (void)path; }
RD_API(void, __sanitizer_set_report_fd, void *fd) { (void)fd; }
RD_API(const char *, __sanitizer_get_report_path, void) { return NULL; }
RD_API(void, __sanitizer_report_error_summary, const char *summary) { (void)summary; }
RD_API(void, __sanitizer_set_death_callback, void (*callback)(void)) { (void)callback; }
RD_API(void, __sanitizer_sandbox_on_notify, void *arguments) { (void)arguments; }
RD_API(void, __sanitizer_print_stack_trace, void) {}
/* Returns 1 to the first caller, which may report the crash. */
RD_API(int, __sanitizer_acquire_crash_state, void) {
    static int taken;
    return !__atomic_exchange_n(&taken, 1, __ATOMIC_SEQ_CST);
}

/* The tested process has no symboliser: the result is an empty list of strings. */
static void no_name(char *to, size_t size) {
    for (size_t i = 0; i < size && i < 2; i++)
        to[i] = '\0';
}
RD_API(void, __sanitizer_symbolize_pc, void *pc, const char *format, char *to, size_t size) {
    (void)pc, (void)format;
    no_name(to, size);
}
RD_API(void, __sanitizer_symbolize_global, void *data, const char *format, char *to, size_t size) {
    (void)data, (void)format;
    no_name(to, size);
}
RD_API(int, __sanitizer_get_module_and_offset_for_pc, void *pc, char *path, size_t size, void **offset) {
    no_name(path, size);
    *offset = pc;
    return 0;
}

/* ---- containers and stacks, for the address sanitizer ---- */

RD_API(void, __sanitizer_annotate_contiguous_container, const void *low, const void *high, const void *old_middle,
       const void *new_middle) {
    (void)low, (void)high, (void)old_middle, (void)new_middle;
}
RD_API(int, __sanitizer_verify_contiguous_container, const void *low, const void *middle, const void *high) {
    (void)low, (void)middle, (void)high;
    return 1;
}
RD_API(const void *, __sanitizer_contiguous_container_find_bad_address, const void *low, const void *middle,
       const void *high) {
    (void)low, (void)middle, (void)high;
    return NULL;
}
RD_API(void, __sanitizer_start_switch_fiber, void **save, const void *bottom, size_t size) {
    (void)bottom, (void)size;
    if (save)
        *save = NULL;
}
RD_API(void, __sanitizer_finish_switch_fiber, void *saved, const void **bottom, size_t *size) {
    (void)saved;
    if (bottom)
        *bottom = NULL;
    if (size)
        *size = 0;
}

/* ---- -fsanitize-coverage: the definitions of a fuzzer that counts coverage come before these ---- */

#define COVERAGE(name, ...)                                                                 \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"") \
        RD_API(void, __sanitizer_cov_##name, __VA_ARGS__) {}                                \
    _Pragma("GCC diagnostic pop")
COVERAGE(trace_pc, void)
COVERAGE(trace_pc_guard, uint32_t *guard)
COVERAGE(trace_pc_guard_init, uint32_t *start, uint32_t *stop)
COVERAGE(trace_pc_indir, uintptr_t callee)
COVERAGE(trace_cmp, void)
COVERAGE(trace_cmp1, uint8_t a, uint8_t b)
COVERAGE(trace_cmp2, uint16_t a, uint16_t b)
COVERAGE(trace_cmp4, uint32_t a, uint32_t b)
COVERAGE(trace_cmp8, uint64_t a, uint64_t b)
COVERAGE(trace_cmpf, float a, float b)
COVERAGE(trace_cmpd, double a, double b)
COVERAGE(trace_const_cmp1, uint8_t a, uint8_t b)
COVERAGE(trace_const_cmp2, uint16_t a, uint16_t b)
COVERAGE(trace_const_cmp4, uint32_t a, uint32_t b)
COVERAGE(trace_const_cmp8, uint64_t a, uint64_t b)
COVERAGE(trace_switch, uint64_t value, uint64_t *cases)
COVERAGE(trace_div4, uint32_t value)
COVERAGE(trace_div8, uint64_t value)
COVERAGE(trace_gep, uintptr_t index)
COVERAGE(load1, uint8_t *addr)
COVERAGE(load2, uint16_t *addr)
COVERAGE(load4, uint32_t *addr)
COVERAGE(load8, uint64_t *addr)
COVERAGE(load16, void *addr)
COVERAGE(store1, uint8_t *addr)
COVERAGE(store2, uint16_t *addr)
COVERAGE(store4, uint32_t *addr)
COVERAGE(store8, uint64_t *addr)
COVERAGE(store16, void *addr)
COVERAGE(8bit_counters_init, uint8_t *start, uint8_t *stop)
COVERAGE(bool_flag_init, bool *start, bool *stop)
COVERAGE(pcs_init, const uintptr_t *start, const uintptr_t *stop)
COVERAGE(dump, void)
COVERAGE(reset, void)
RD_API(void, __sanitizer_dump_coverage, const uintptr_t *pcs, uintptr_t count) { (void)pcs, (void)count; }
RD_API(void, __sanitizer_dump_trace_pc_guard_coverage, void) {}
