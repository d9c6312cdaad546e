/*
 * jump_x86_64.S - sigsetjmp. It returns a second time to where it was called from, so it cannot be called by a
 * function of ours: what is to be known of it is noted, and libc's own is jumped to, with the stack as it was.
 */
        .text
        .globl  __sigsetjmp
        .type   __sigsetjmp, @function
        .p2align 4
__sigsetjmp:
        .cfi_startproc
        endbr64
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    rd_jump_note
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   __sigsetjmp, .-__sigsetjmp

        .section .note.GNU-stack, "", @progbits
