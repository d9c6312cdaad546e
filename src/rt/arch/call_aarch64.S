/* call_aarch64.S - there are no thunks for this architecture yet: calls out of instrumented code are not seen. */
        .globl  rd_call_nested_return
        .hidden rd_call_nested_return
rd_call_nested_return:
        .section .note.GNU-stack, "", %progbits
