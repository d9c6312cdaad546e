/* jump_aarch64.S - see jump_x86_64.S. */
        .text
        .globl  __sigsetjmp
        .type   __sigsetjmp, %function
        .p2align 4
__sigsetjmp:
        .cfi_startproc
        stp     x29, x30, [sp, #-32]!
        .cfi_adjust_cfa_offset 32
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        stp     x0, x1, [sp, #16]
        bl      rd_jump_note
        mov     x16, x0
        ldp     x0, x1, [sp, #16]
        ldp     x29, x30, [sp], #32
        .cfi_adjust_cfa_offset -32
        .cfi_restore x29
        .cfi_restore x30
        br      x16
        .cfi_endproc
        .size   __sigsetjmp, .-__sigsetjmp

        .section .note.GNU-stack, "", %progbits
