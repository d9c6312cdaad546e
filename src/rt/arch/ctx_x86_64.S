/*
 * ctx_x86_64.S - the switch for x86-64. Saved on the stack, from the top: return address, rbp, rbx, r12-r15, and
 * the two control words (SSE and x87). The thread pointer is the FS base: set by wrfsbase where the kernel allows
 * it, else by arch_prctl.
 */
        .text
        .globl  rd_ctx_switch
        .hidden rd_ctx_switch
        .type   rd_ctx_switch, @function
        .p2align 4
rd_ctx_switch:
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r13, 0
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r14, 0
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r15, 0
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movl    (%rsp), %eax
        movzwl  4(%rsp), %ecx
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        cmpl    $0, rd_ctx_wrfsbase(%rip)
        je      2f
        wrfsbase %rdx
1:      cmpl    %eax, (%rsp)            /* to set a control word takes longer than to see that it is the same */
        jne     3f
        cmpw    %cx, 4(%rsp)
        jne     3f
4:      addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r15
        popq    %r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r14
        popq    %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r13
        popq    %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r12
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbp
        ret
        .cfi_adjust_cfa_offset 56
2:      movl    $158, %eax              /* arch_prctl */
        movl    $0x1002, %edi           /* ARCH_SET_FS */
        movq    %rdx, %rsi
        syscall
3:      ldmxcsr (%rsp)
        fldcw   4(%rsp)
        jmp     4b
        .cfi_endproc
        .size   rd_ctx_switch, .-rd_ctx_switch

/* The bottom of every virtual thread: entry in rbx, its argument in r12. There is no caller. */
        .globl  rd_ctx_bottom
        .hidden rd_ctx_bottom
        .type   rd_ctx_bottom, @function
        .p2align 4
rd_ctx_bottom:
        .cfi_startproc
        .cfi_undefined %rip
        nop
        movq    %r12, %rdi
        xorl    %ebp, %ebp
        call    *%rbx
        ud2
        .cfi_endproc
        .size   rd_ctx_bottom, .-rd_ctx_bottom

        .globl  rd_ctx_call_on
        .hidden rd_ctx_call_on
        .type   rd_ctx_call_on, @function
        .p2align 4
rd_ctx_call_on:
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movq    %rdi, %rsp
        andq    $-16, %rsp
        movq    %rdx, %rdi
        call    *%rsi
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   rd_ctx_call_on, .-rd_ctx_call_on

        .globl  rd_ctx_park
        .hidden rd_ctx_park
        .type   rd_ctx_park, @function
        .p2align 4
rd_ctx_park:
        .cfi_startproc
        endbr64
        movq    %rsi, %r8
        movl    $1, (%rdi)
        movl    $202, %eax              /* futex */
        movl    $129, %esi              /* FUTEX_WAKE_PRIVATE */
        movl    $1, %edx
        syscall
1:      movl    $202, %eax
        movq    %r8, %rdi
        movl    $128, %esi              /* FUTEX_WAIT_PRIVATE */
        xorl    %edx, %edx
        xorl    %r10d, %r10d
        syscall
        jmp     1b
        .cfi_endproc
        .size   rd_ctx_park, .-rd_ctx_park

        .section .note.GNU-stack, "", @progbits
