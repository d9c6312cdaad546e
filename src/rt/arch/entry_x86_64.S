/*
 * entry_x86_64.S - where the program enters those hooks that a loop can wait with. Before a compiled function can
 * use them for itself, the registers that belong to the caller are kept in the thread's `entry` (rt.h), with the
 * stack pointer: rt/stack/local_state.c makes the local state of them. Then the hook itself goes on, as if it had been called.
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

#include "rt/arch/entry.def"

/*
 * The last call of an instrumented function, with what it returns in registers already. The compiler keeps what it
 * needs; a main() without a return value leaves there what its last call returned, as it does without hooks.
 */
        .globl  __tsan_func_exit
        .type   __tsan_func_exit, @function
        .hidden rd_func_exit
        .p2align 4
__tsan_func_exit:
        .cfi_startproc
        endbr64
        cmpb    $0, 1+rd_rt(%rip)       /* rd_rt.threaded */
        je      2f
        subq    $56, %rsp
        .cfi_adjust_cfa_offset 56
        movq    %rax, (%rsp)
        movq    %rdx, 8(%rsp)
        movups  %xmm0, 16(%rsp)
        movups  %xmm1, 32(%rsp)
        movq    56(%rsp), %rdi
        call    rd_func_exit
        movq    (%rsp), %rax
        movq    8(%rsp), %rdx
        movups  16(%rsp), %xmm0
        movups  32(%rsp), %xmm1
        addq    $56, %rsp
        .cfi_adjust_cfa_offset -56
2:      ret
        .cfi_endproc
        .size   __tsan_func_exit, . - __tsan_func_exit

        .section .note.GNU-stack, "", @progbits
