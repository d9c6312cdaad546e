/*
 * machine_code.h - inside the symbols part: decodes machine code as far as needed to tell whether the compiler has
 * put hooks into it: lengths of instructions, operands in memory, calls. The bytes come from a file and may be
 * anything; no decoder reads beyond them.
 */
#ifndef RD_SYMBOLS_MACHINE_CODE_H
#define RD_SYMBOLS_MACHINE_CODE_H

#include "base/base.h"

/* One instruction. */
struct rd_insn {
    uint32_t length; /* 0: it cannot be decoded */
    bool call;       /* it calls a function */
    bool locked;     /* it is an atomic access without a hook: from inline assembly, or from an OpenMP construct */
    bool compares;   /* locked: it is a compare-and-swap, which compilers make of an atomic construct of OpenMP */
    bool based;      /* it accesses memory relative to a register other than stack and frame pointer */
    bool at;         /* it accesses memory at the fixed `address` */
    uint64_t address;
};

/* The target of a call or a jump. */
struct rd_branch {
    bool found; /* there is a target */
    bool slot;  /* `address` is that of a slot that holds the address of the function */
    uint64_t address;
};

/*
 * The decoder for one machine. All functions get `room` bytes of code, which are at `address` in the program.
 */
struct rd_decoder {
    uint16_t machine; /* e_machine of ELF files */
    uint8_t step;     /* instructions begin at multiples of so many bytes */
    /* Decodes the instruction at `code`. */
    struct rd_insn (*insn)(const uint8_t *code, size_t room, uint64_t address);
    /*
     * The target, if the bytes at `code` are a call or a jump, direct or through a fixed slot. They may be the
     * middle of another instruction: the caller knows which targets are possible.
     */
    struct rd_branch (*branch)(const uint8_t *code, size_t room, uint64_t address);
    /* The slot that an entry of the procedure linkage table jumps through. */
    struct rd_branch (*plt)(const uint8_t *code, size_t room, uint64_t address);
};
extern const struct rd_decoder rd_decoder_x86_64, rd_decoder_aarch64;

#endif
