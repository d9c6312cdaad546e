/*
 * machine_code.h - inside the symbols part: what a piece of machine code does, as far as it matters to the question
 * whether the compiler has put its hooks into it. Nothing is executed, and only lengths and memory operands are
 * decoded.
 */
#ifndef RD_SYMBOLS_MACHINE_CODE_H
#define RD_SYMBOLS_MACHINE_CODE_H

#include "base/base.h"

/* One instruction. */
struct rd_insn {
    uint32_t length; /* 0: it cannot be decoded */
    bool call;       /* it calls a function */
    bool locked;     /* an atomic access, which compilers mostly leave to a hook: inline assembly, or OpenMP's */
    bool compares;   /* … and a compare-and-swap, which is what compilers make of an atomic of OpenMP */
    bool based;      /* it accesses memory by a register that is neither the stack's nor the frame's */
    bool at;         /* it accesses memory at `address` */
    uint64_t address;
};

/* Decodes the instruction at `code`, which has `room` bytes and is at `address` in the program. */
struct rd_insn rd_insn_x86_64(const uint8_t *code, size_t room, uint64_t address);
struct rd_insn rd_insn_aarch64(const uint8_t *code, size_t room, uint64_t address);

/* Where a call or a jump goes. */
struct rd_branch {
    bool found, slot; /* slot: the address of the function is read from there */
    uint64_t address;
};

/*
 * The target if a direct call or jump, or one through a fixed slot, begins at `code`. The code may be in the middle
 * of another instruction: whoever asks knows which targets count.
 */
struct rd_branch rd_branch_x86_64(const uint8_t *code, size_t room, uint64_t address);
struct rd_branch rd_branch_aarch64(const uint8_t *code, size_t room, uint64_t address);
/* The slot that an entry of the procedure linkage table jumps through. */
struct rd_branch rd_plt_x86_64(const uint8_t *code, size_t room, uint64_t address);
struct rd_branch rd_plt_aarch64(const uint8_t *code, size_t room, uint64_t address);

#endif
