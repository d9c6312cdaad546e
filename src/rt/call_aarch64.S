/* call_aarch64.S - there are no thunks for this architecture yet: calls out of instrumented code are not seen. */
        .section .note.GNU-stack, "", %progbits
