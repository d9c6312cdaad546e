/*
 * entry_x86_64.S - where the program enters those hooks that a loop can wait with. Before a compiled function can
 * use them for itself, the registers that belong to the caller are kept in the thread's `entry` (rt.h), with the
 * stack pointer: rt/local.c makes the local state of them. Then the hook itself goes on, as if it had been called.
 */
        .text

        .macro  ENTRY name
        .globl  \name
        .type   \name, @function
        .hidden rd_in_\name
        .p2align 4
\name:
        .cfi_startproc
        endbr64
        cmpb    $0, 1+rd_rt(%rip)       /* rd_rt.threaded */
        je      1f
        movq    rd_self@gottpoff(%rip), %r11
        movq    %fs:(%r11), %r11
        testq   %r11, %r11
        je      1f
        movq    %rbx, 0(%r11)
        movq    %rbp, 8(%r11)
        movq    %r12, 16(%r11)
        movq    %r13, 24(%r11)
        movq    %r14, 32(%r11)
        movq    %r15, 40(%r11)
        movq    %rsp, 48(%r11)
1:      jmp     rd_in_\name
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .hidden rd_rt
        .hidden rd_self

#include "rt/entry.def"

        .section .note.GNU-stack, "", @progbits
