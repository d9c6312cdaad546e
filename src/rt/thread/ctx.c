/* ctx.c - the parts of the switch that are in C: preparing a stack, and choosing how the thread pointer is set. */
#include "rt/thread/ctx.h"

#include "base/base.h"

#include <string.h>
#include <sys/auxv.h>

void rd_ctx_bottom(void);

#if defined(__x86_64__)

__attribute__((visibility("hidden"))) int rd_ctx_wrfsbase;

/* What rd_ctx_switch has on the stack of a thread that does not run. */
struct saved_x86_64 {
    uint32_t mxcsr, x87;
    uint64_t r15, r14, r13, r12, rbx, rbp, rip;
};
static_assert(sizeof(struct saved_x86_64) == 64, "as in ctx_x86_64.S");

void rd_ctx_init(void) { rd_ctx_wrfsbase = (getauxval(AT_HWCAP2) & 2) != 0; }

void *rd_ctx_prepare(void *stack_top, void (*entry)(void *), void *arg) {
    uint64_t top = (uintptr_t)stack_top & ~(uint64_t)15;
    struct saved_x86_64 *s = (struct saved_x86_64 *)top - 1;
    memset(s, 0, sizeof *s);
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(s->mxcsr), "=m"(s->x87));
    s->rbx = (uintptr_t)entry;
    s->r12 = (uintptr_t)arg;
    s->rip = (uintptr_t)rd_ctx_bottom + 1; /* after the nop: the unwinder looks up the byte before */
    return s;
}

void *rd_ctx_thread_pointer(void) {
    void *tp;
    __asm__("movq %%fs:0, %0" : "=r"(tp));
    return tp;
}

#elif defined(__aarch64__)

struct saved_aarch64 {
    uint64_t x29, x30, x19, x20, rest[8], d[8], fpcr, pad;
};
static_assert(sizeof(struct saved_aarch64) == 176, "as in ctx_aarch64.S");

void rd_ctx_init(void) {}

void *rd_ctx_prepare(void *stack_top, void (*entry)(void *), void *arg) {
    uint64_t top = (uintptr_t)stack_top & ~(uint64_t)15;
    struct saved_aarch64 *s = (struct saved_aarch64 *)top - 1;
    memset(s, 0, sizeof *s);
    s->x19 = (uintptr_t)entry;
    s->x20 = (uintptr_t)arg;
    s->x30 = (uintptr_t)rd_ctx_bottom + 4;
    return s;
}

void *rd_ctx_thread_pointer(void) {
    void *tp;
    __asm__("mrs %0, tpidr_el0" : "=r"(tp));
    return tp;
}

#else
#error "raddle knows x86-64 and aarch64"
#endif
