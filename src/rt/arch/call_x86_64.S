/*
 * call_x86_64.S - the thunks (call.h): one for each function that instrumented code calls. A thunk may use %r11 only:
 * %rax counts the vector registers of variable arguments, and %r10 is the chain of a nested function.
 */
        .text

        .hidden rd_rt
        .hidden rd_call_targets
        .hidden rd_call_vectors
        .hidden rd_call_out
        .hidden rd_call_back
        .hidden rd_call_thunks
        .hidden rd_sync_thunks

        .globl  rd_call_thunks
        .type   rd_call_thunks, @function
        .p2align 4
rd_call_thunks:
        .cfi_startproc
        .set    index, 0
        .rept   RD_CALL_THUNKS
        .p2align 4
        movl    $index, %r11d
        jmp     common
        .set    index, index + 1
        .endr
        .cfi_endproc
        .size   rd_call_thunks, . - rd_call_thunks

/* The same for functions with a rule that says how they synchronise: those count before there are threads, too. */
        .globl  rd_sync_thunks
        .type   rd_sync_thunks, @function
        .p2align 4
rd_sync_thunks:
        .cfi_startproc
        .rept   RD_SYNC_THUNKS
        .p2align 4
        movl    $index, %r11d
        jmp     always
        .set    index, index + 1
        .endr
        .cfi_endproc
        .size   rd_sync_thunks, . - rd_sync_thunks

/*
 * struct rd_call_frame is 6 * 8 + 8 * 16 + 8 + 8 = 192 bytes. Behind it are the whole vector registers, where they are
 * longer than that and their upper parts are in use: other threads run before the function is called. The last byte says
 * how many there are: 0 the 16 that the frame has, 1 32 bytes (AVX), 2 64 bytes (AVX-512).
 */
        .macro  RESTORE
        cmpb    $1, 704(%rsp)
        jb      7f
        ja      8f
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        vmovups 192+\n*64(%rsp), %ymm\n
        .endr
        jmp     9f
8:      .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        vmovups 192+\n*64(%rsp), %zmm\n
        .endr
        jmp     9f
7:      cmpb    $0, rd_call_vectors(%rip)
        je      5f
        vzeroupper                      /* they were not in use, and others may have used them since */
5:      movups  48(%rsp), %xmm0
        movups  64(%rsp), %xmm1
        movups  80(%rsp), %xmm2
        movups  96(%rsp), %xmm3
        movups  112(%rsp), %xmm4
        movups  128(%rsp), %xmm5
        movups  144(%rsp), %xmm6
        movups  160(%rsp), %xmm7
9:
        movq    0(%rsp), %rdi
        movq    8(%rsp), %rsi
        movq    16(%rsp), %rdx
        movq    24(%rsp), %rcx
        movq    32(%rsp), %r8
        movq    40(%rsp), %r9
        movq    176(%rsp), %rax
        movq    184(%rsp), %r10
        .endm

        .type   common, @function
        .p2align 4
common:
        .cfi_startproc
        cmpb    $0, 1+rd_rt(%rip)       /* rd_rt.threaded */
        jne     always
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        leaq    rd_call_targets(%rip), %rax
        movq    (%rax,%r11,8), %r11
        popq    %rax
        .cfi_adjust_cfa_offset -8
        jmp     *%r11
always: pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        subq    $720, %rsp
        andq    $-16, %rsp
        movq    %rdi, 0(%rsp)
        movq    %rsi, 8(%rsp)
        movq    %rdx, 16(%rsp)
        movq    %rcx, 24(%rsp)
        movq    %r8, 32(%rsp)
        movq    %r9, 40(%rsp)
        movups  %xmm0, 48(%rsp)
        movups  %xmm1, 64(%rsp)
        movups  %xmm2, 80(%rsp)
        movups  %xmm3, 96(%rsp)
        movups  %xmm4, 112(%rsp)
        movups  %xmm5, 128(%rsp)
        movups  %xmm6, 144(%rsp)
        movups  %xmm7, 160(%rsp)
        movq    %rax, 176(%rsp)
        movq    %r10, 184(%rsp)
        movzbl  rd_call_vectors(%rip), %r8d
        testb   $4, %r8b                /* can be asked which are in use */
        je      6f
        movl    $1, %ecx
        xgetbv
        movl    $2, %r8d
        testb   $0x40, %al
        jne     6f
        movl    $1, %r8d
        testb   $4, %al
        jne     6f
        xorl    %r8d, %r8d
6:      movb    %r8b, 704(%rsp)
        cmpb    $1, %r8b
        jb      7f
        ja      8f
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        vmovups %ymm\n, 192+\n*64(%rsp)
        .endr
        jmp     7f
8:      .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        vmovups %zmm\n, 192+\n*64(%rsp)
        .endr
7:      movl    %r11d, %edi
        movq    %rsp, %rsi
        leaq    8(%rbp), %rdx           /* where the return address is */
        call    rd_call_out
        movq    %rax, %r11
        testq   %rdx, %rdx
        jne     2f
        RESTORE
        leave
        .cfi_remember_state
        .cfi_def_cfa %rsp, 8
        .cfi_restore %rbp
        jmp     *%r11
        .cfi_restore_state
        .cfi_remember_state
2:      cmpq    $2, %rdx
        jne     3f
        movq    %r11, %rax              /* it was called already, or is not to be: this is its result */
        leave
        .cfi_def_cfa %rsp, 8
        .cfi_restore %rbp
        ret
        .cfi_restore_state
3:      RESTORE                         /* it calls functions of the program: come back here */
        call    *%r11
        .globl  rd_call_nested_return
        .hidden rd_call_nested_return
rd_call_nested_return:
        movq    %rax, 0(%rsp)
        movq    %rdx, 8(%rsp)
        movups  %xmm0, 48(%rsp)
        movups  %xmm1, 64(%rsp)
        movq    %rsp, %rdi
        call    rd_call_back
        movq    0(%rsp), %rax
        movq    8(%rsp), %rdx
        movups  48(%rsp), %xmm0
        movups  64(%rsp), %xmm1
        leave
        .cfi_def_cfa %rsp, 8
        .cfi_restore %rbp
        ret
        .cfi_endproc
        .size   common, . - common

        .section .note.GNU-stack, "", @progbits
