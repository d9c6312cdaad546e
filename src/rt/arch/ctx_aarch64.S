/*
 * ctx_aarch64.S - the switch for aarch64. Saved on the stack: x19-x30, d8-d15, fpcr. The thread pointer is
 * tpidr_el0, which user space may set.
 */
        .text
        .globl  rd_ctx_switch
        .hidden rd_ctx_switch
        .type   rd_ctx_switch, %function
        .p2align 4
rd_ctx_switch:
        .cfi_startproc
        sub     sp, sp, #176
        .cfi_adjust_cfa_offset 176
        stp     x29, x30, [sp]
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        stp     x19, x20, [sp, #16]
        stp     x21, x22, [sp, #32]
        stp     x23, x24, [sp, #48]
        stp     x25, x26, [sp, #64]
        stp     x27, x28, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        mrs     x9, fpcr
        str     x9, [sp, #160]
        mov     x9, sp
        str     x9, [x0]
        mov     sp, x1
        msr     tpidr_el0, x2
        ldr     x9, [sp, #160]
        msr     fpcr, x9
        ldp     d14, d15, [sp, #144]
        ldp     d12, d13, [sp, #128]
        ldp     d10, d11, [sp, #112]
        ldp     d8, d9, [sp, #96]
        ldp     x27, x28, [sp, #80]
        ldp     x25, x26, [sp, #64]
        ldp     x23, x24, [sp, #48]
        ldp     x21, x22, [sp, #32]
        ldp     x19, x20, [sp, #16]
        ldp     x29, x30, [sp]
        add     sp, sp, #176
        .cfi_adjust_cfa_offset -176
        .cfi_restore x29
        .cfi_restore x30
        ret
        .cfi_endproc
        .size   rd_ctx_switch, .-rd_ctx_switch

/* The bottom of every virtual thread: entry in x19, its argument in x20. There is no caller. */
        .globl  rd_ctx_bottom
        .hidden rd_ctx_bottom
        .type   rd_ctx_bottom, %function
        .p2align 4
rd_ctx_bottom:
        .cfi_startproc
        .cfi_undefined x30
        nop
        mov     x29, xzr
        mov     x30, xzr
        mov     x0, x20
        blr     x19
        brk     #1
        .cfi_endproc
        .size   rd_ctx_bottom, .-rd_ctx_bottom

        .globl  rd_ctx_call_on
        .hidden rd_ctx_call_on
        .type   rd_ctx_call_on, %function
        .p2align 4
rd_ctx_call_on:
        .cfi_startproc
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset x29, -16
        .cfi_offset x30, -8
        mov     x29, sp
        .cfi_def_cfa_register x29
        and     x0, x0, #-16
        mov     sp, x0
        mov     x0, x2
        blr     x1
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], #16
        .cfi_def_cfa_offset 0
        .cfi_restore x29
        .cfi_restore x30
        ret
        .cfi_endproc
        .size   rd_ctx_call_on, .-rd_ctx_call_on

        .globl  rd_ctx_park
        .hidden rd_ctx_park
        .type   rd_ctx_park, %function
        .p2align 4
rd_ctx_park:
        .cfi_startproc
        mov     x5, x1
        mov     w2, #1
        stlr    w2, [x0]
        mov     x8, #98                 /* futex */
        mov     x1, #129                /* FUTEX_WAKE_PRIVATE */
        svc     #0
1:      mov     x0, x5
        mov     x1, #128                /* FUTEX_WAIT_PRIVATE */
        mov     x2, xzr
        mov     x3, xzr
        svc     #0
        b       1b
        .cfi_endproc
        .size   rd_ctx_park, .-rd_ctx_park

        .section .note.GNU-stack, "", %progbits
