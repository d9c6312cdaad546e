/*
 * raw.h - the runtime's own system calls. libc's syscall() has a hook (hook/syscall.c), which is for the program's
 * calls. A call made here is never an operation, needs no function of libc to be bound yet, and does not change
 * errno.
 */
#ifndef RD_RT_RAW_H
#define RD_RT_RAW_H

#include <sys/syscall.h>

/* Returns the kernel's result, -errno for an error. */
static inline long rd_raw_syscall(long number, long a, long b, long c, long d, long e, long f) {
#if defined __x86_64__
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory", "cc");
    return result;
#elif defined __aarch64__
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
    return x0;
#else
#error "no system calls for this machine"
#endif
}

/* rd_raw(SYS_x, up to six arguments) */
#define RD_RAW_ALL(n, a, b, c, d, e, f, ...) \
    rd_raw_syscall((long)(n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define rd_raw(...) RD_RAW_ALL(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

#endif
