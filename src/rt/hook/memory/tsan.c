/*
 * tsan.c - plain memory accesses, as the compilers' thread-sanitizer passes announce them.
 *
 * `-fsanitize=thread` puts a call before each load and store that may be shared: `__tsan_read4(&x)`. Each hook here
 * is a point: when it returns, it is this thread's turn to do the access, which the program then does itself.
 *
 * The set of hooks is the union of the calls that gcc 12 and clang 14 emit and of the functions that their own
 * runtimes export; newer compilers add only __tsan_mem* (mem.c). tests/tidy/tsan-symbols.sh compares the set with
 * the installed compilers.
 *
 * Invariants: a hook allocates nothing, takes no lock, and keeps errno. The program counter is taken in the
 * exported function itself, which must therefore not be wrapped in another one.
 */
#include "rt/call/call.h"
#include "rt/hook/hook.h"

/*
 * Unaligned and volatile accesses are treated as the others: an unaligned access is one access to the bytes that it
 * covers, and `volatile` orders nothing between threads.
 */
/*
 * The store follows the hook: rd_rt_stores keeps the value before it, to see whether the store changes the memory.
 */
#define WRITE(name, size)                                     \
    RD_API(void, __tsan_##name##size, void *addr) {           \
        if (rd_hook_access(addr, size, RD_OP_WRITE, RD_PC())) \
            rd_rt_stores(addr, size);                         \
    }
#define READ(name, size) \
    RD_ENTERED(void, __tsan_##name##size, void *addr) { rd_hook_access(addr, size, RD_OP_READ, RD_PC()); }

/*
 * clang's merged form of a load and a store of the same variable, with -tsan-compound-read-before-write. The call
 * is before the store; the program has loaded the value already.
 */
#define READ_WRITE(name, size)                                \
    RD_API(void, __tsan_##name##size, void *addr) {           \
        rd_hook_access(addr, size, RD_OP_READ, RD_PC());      \
        if (rd_hook_access(addr, size, RD_OP_WRITE, RD_PC())) \
            rd_rt_stores(addr, size);                         \
    }

/* The caller passes the place of the access: for code that calls the hooks by a function of its own. */
#define ACCESS_PC(name, size, kind)                                \
    RD_API(void, __tsan_##name##size##_pc, void *addr, void *pc) { \
        rd_hook_access(addr, size, kind, (uint64_t)(uintptr_t)pc); \
    }

#define EVERY_SIZE(size)                   \
    READ(read, size)                       \
    WRITE(write, size)                     \
    READ(unaligned_read, size)             \
    WRITE(unaligned_write, size)           \
    READ(volatile_read, size)              \
    WRITE(volatile_write, size)            \
    READ(unaligned_volatile_read, size)    \
    WRITE(unaligned_volatile_write, size)  \
    READ_WRITE(read_write, size)           \
    READ_WRITE(unaligned_read_write, size) \
    ACCESS_PC(read, size, RD_OP_READ)      \
    ACCESS_PC(write, size, RD_OP_WRITE)

EVERY_SIZE(1)
EVERY_SIZE(2)
EVERY_SIZE(4)
EVERY_SIZE(8)
EVERY_SIZE(16)

/*
 * Called by a constructor of each instrumented module. gcc with optimisation *jumps* here from that constructor;
 * the return address is the dynamic linker's then, and instrumented.c recognises the module by its imports.
 */
RD_API(void, __tsan_init, void) {
    rd_place_instrumented(RD_PC());
    rd_call_scan();
}

/*
 * The runtime unwinds a stack when it needs one, so calls leave no trace here. Programs can be compiled without
 * these two hooks (clang: -fno-sanitize-thread-func-entry-exit, gcc: --param=tsan-instrument-func-entry-exit=0).
 */
RD_API(void, __tsan_func_entry, void *pc) {
    (void)pc;
    if (rd_hook_on())
        rd_rt_idle(RD_PC());
}

/*
 * Called by entry_*.S, which saves the registers of the function's result: __tsan_func_exit must not change them.
 */
__attribute__((visibility("hidden"))) void rd_func_exit(uint64_t pc);
__attribute__((visibility("hidden"))) void rd_func_exit(uint64_t pc) {
    if (rd_hook_on())
        rd_rt_idle(pc);
}

/*
 * gcc: all other sizes, and whole structs. For `a = b` it calls write_range(a), read_range(b) and then copies: the
 * store happens at the point of the read.
 */
RD_API(void, __tsan_read_range, void *addr, size_t size) { rd_hook_range(addr, size, RD_OP_READ, RD_PC()); }
RD_API(void, __tsan_write_range, void *addr, size_t size) { rd_hook_range(addr, size, RD_OP_WRITE, RD_PC()); }
RD_API(void, __tsan_read_range_pc, void *addr, size_t size, void *pc) {
    rd_hook_range(addr, size, RD_OP_READ, (uint64_t)(uintptr_t)pc);
}
RD_API(void, __tsan_write_range_pc, void *addr, size_t size, void *pc) {
    rd_hook_range(addr, size, RD_OP_WRITE, (uint64_t)(uintptr_t)pc);
}

/*
 * A constructor or destructor stores the pointer to the table of virtual functions; each class of a hierarchy does
 * so. Storing the value that is already there changes nothing that another thread could see, and is no operation.
 */
RD_API(void, __tsan_vptr_update, void **vptr, void *value) {
    if (rd_hook_on() && *vptr != value)
        rd_rt_access((uint64_t)(uintptr_t)vptr, sizeof *vptr, RD_OP_WRITE, RD_PC());
}
RD_API(void, __tsan_vptr_read, void **vptr) { rd_hook_access(vptr, sizeof *vptr, RD_OP_READ, RD_PC()); }
