/* ctx.c - the parts of the switch that C can do: first stacks, and which way the thread pointer is set. */
#include "rt/thread/ctx.h"

#include "base/base.h"

#include <string.h>
#include <sys/auxv.h>

void rd_ctx_bottom(void);

#if defined(__x86_64__)

__attribute__((visibility("hidden"))) int rd_ctx_wrfsbase;

struct frame {
    uint32_t mxcsr, x87;
    uint64_t r15, r14, r13, r12, rbx, rbp, rip;
};

void rd_ctx_init(void) { rd_ctx_wrfsbase = (getauxval(AT_HWCAP2) & 2) != 0; }

void *rd_ctx_prepare(void *stack_top, void (*entry)(void *), void *arg) {
    uint64_t top = (uintptr_t)stack_top & ~(uint64_t)15;
    struct frame *f = (struct frame *)top - 1;
    memset(f, 0, sizeof *f);
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(f->mxcsr), "=m"(f->x87));
    f->rbx = (uintptr_t)entry;
    f->r12 = (uintptr_t)arg;
    f->rip = (uintptr_t)rd_ctx_bottom + 1; /* past the nop: the unwinder looks one byte before */
    return f;
}

void *rd_ctx_thread_pointer(void) {
    void *tp;
    __asm__("movq %%fs:0, %0" : "=r"(tp));
    return tp;
}

#elif defined(__aarch64__)

struct frame {
    uint64_t x29, x30, x19, x20, rest[8], d[8], fpcr, pad;
};
static_assert(sizeof(struct frame) == 176, "as in ctx_aarch64.S");

void rd_ctx_init(void) {}

void *rd_ctx_prepare(void *stack_top, void (*entry)(void *), void *arg) {
    uint64_t top = (uintptr_t)stack_top & ~(uint64_t)15;
    struct frame *f = (struct frame *)top - 1;
    memset(f, 0, sizeof *f);
    f->x19 = (uintptr_t)entry;
    f->x20 = (uintptr_t)arg;
    f->x30 = (uintptr_t)rd_ctx_bottom + 4;
    return f;
}

void *rd_ctx_thread_pointer(void) {
    void *tp;
    __asm__("mrs %0, tpidr_el0" : "=r"(tp));
    return tp;
}

#else
#error "raddle knows x86-64 and aarch64"
#endif
