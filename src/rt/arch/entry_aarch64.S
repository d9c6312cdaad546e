/* entry_aarch64.S - see entry_x86_64.S. The return address is in x30, not on the stack: it is kept, too. */
        .text

        .macro  ENTRY name
        .globl  \name
        .type   \name, %function
        .hidden rd_in_\name
        .p2align 4
\name:
        .cfi_startproc
        bti     c
        adrp    x16, rd_rt
        add     x16, x16, :lo12:rd_rt
        ldrb    w17, [x16, #1]          /* rd_rt.threaded */
        cbz     w17, 1f
        adrp    x16, :gottprel:rd_self
        ldr     x16, [x16, #:gottprel_lo12:rd_self]
        mrs     x17, tpidr_el0
        ldr     x16, [x17, x16]
        cbz     x16, 1f
        stp     x19, x20, [x16]
        stp     x21, x22, [x16, #16]
        stp     x23, x24, [x16, #32]
        mov     x17, sp
        stp     x17, x30, [x16, #48]
        stp     x25, x26, [x16, #64]
        stp     x27, x28, [x16, #80]
        str     x29, [x16, #96]
1:      b       rd_in_\name
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .hidden rd_rt
        .hidden rd_self

#include "rt/arch/entry.def"

        .globl  __tsan_func_exit
        .type   __tsan_func_exit, %function
        .hidden rd_func_exit
        .p2align 4
__tsan_func_exit:
        .cfi_startproc
        bti     c
        adrp    x16, rd_rt
        add     x16, x16, :lo12:rd_rt
        ldrb    w17, [x16, #1]          /* rd_rt.threaded */
        cbz     w17, 2f
        stp     x29, x30, [sp, #-96]!
        .cfi_def_cfa_offset 96
        .cfi_offset 29, -96
        .cfi_offset 30, -88
        stp     x0, x1, [sp, #16]
        stp     q0, q1, [sp, #32]
        stp     q2, q3, [sp, #64]
        mov     x0, x30
        bl      rd_func_exit
        ldp     x0, x1, [sp, #16]
        ldp     q0, q1, [sp, #32]
        ldp     q2, q3, [sp, #64]
        ldp     x29, x30, [sp], #96
        .cfi_restore 29
        .cfi_restore 30
        .cfi_def_cfa_offset 0
2:      ret
        .cfi_endproc
        .size   __tsan_func_exit, . - __tsan_func_exit

        .section .note.GNU-stack, "", %progbits
