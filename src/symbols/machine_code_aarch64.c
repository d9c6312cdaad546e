/* machine_code_aarch64.c - the decoder of machine_code.h for aarch64, where all instructions have four bytes. */
#include "symbols/machine_code.h"

#include <elf.h>
#include <string.h>

static uint32_t word(const uint8_t *code) {
    uint32_t w;
    memcpy(&w, code, sizeof w);
    return w;
}

/* The low `bits` of v as a signed number. */
static uint64_t extended(uint64_t v, unsigned bits) {
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return ((v & ((sign << 1) - 1)) ^ sign) - sign;
}

static struct rd_insn insn_at(const uint8_t *code, size_t room, uint64_t address) {
    enum { FRAME = 29, STACK = 31 };
    struct rd_insn i = {0};
    (void)address;
    if (room < 4)
        return i;
    uint32_t w = word(code), base = w >> 5 & 31;
    i.length = 4;
    i.call = w >> 26 == 0x25 || (w & 0xfffffc1f) == 0xd63f0000; /* bl, blr */
    bool load_store = (w >> 27 & 1) && !(w >> 25 & 1), literal = (w >> 27 & 7) == 3 && !(w >> 24 & 3);
    i.based = load_store && !literal && base != FRAME && base != STACK;
    return i;
}

static struct rd_branch branch_at(const uint8_t *code, size_t room, uint64_t address) {
    uint32_t w = room >= 4 ? word(code) : 0;
    if (address % 4 || (w & 0x7c000000) != 0x14000000) /* b, bl */
        return (struct rd_branch){0};
    return (struct rd_branch){.found = true, .address = address + extended((uint64_t)w << 2, 28)};
}

/* An entry is: bti c (optional); adrp x16, page; ldr x17, [x16, #offset]. */
static struct rd_branch plt_at(const uint8_t *code, size_t room, uint64_t address) {
    size_t at = room >= 4 && word(code) == 0xd503245f ? 4 : 0;
    if (at + 8 > room)
        return (struct rd_branch){0};
    uint32_t page = word(code + at), load = word(code + at + 4);
    if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
        return (struct rd_branch){0};
    uint64_t pages = extended((uint64_t)(page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3), 21);
    uint64_t from = ((address + at) & ~(uint64_t)0xfff) + (pages << 12);
    return (struct rd_branch){.found = true, .slot = true, .address = from + ((load >> 10 & 0xfff) << 3)};
}

const struct rd_decoder rd_decoder_aarch64 = {
    .machine = EM_AARCH64,
    .step = 4,
    .insn = insn_at,
    .branch = branch_at,
    .plt = plt_at,
};
