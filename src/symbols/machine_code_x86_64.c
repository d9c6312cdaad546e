/*
 * machine_code_x86_64.c - the decoder of machine_code.h for x86-64. The length of an instruction is that of its
 * prefixes, opcode, ModRM byte with SIB and displacement, and immediate operand; two functions say which opcodes
 * have which. Opcodes that compilers do not emit may be decoded wrongly, but never to a length beyond the code.
 */
#include "symbols/machine_code.h"

#include <elf.h>
#include <string.h>

/* The parts of an instruction after its opcode, as bits. */
enum { NONE, MODRM = 1, IMM8 = 2, IMM16 = 4, IMMZ = 8, MOFFS = 16 };

/* The instruction that is being decoded. */
struct decoder {
    const uint8_t *code;
    size_t room;  /* bytes of the code */
    size_t at;    /* bytes decoded so far; more than room: the instruction does not end in the code */
    uint8_t rex;  /* the REX prefix, or its base bit from a VEX prefix; 0: none */
    bool narrow;  /* 66: operands of 16 bits */
    bool segment; /* fs or gs: thread-local data */
    bool lock;    /* F0 */
    bool vector;  /* VEX or EVEX */
    unsigned map; /* 1: one byte, 2: after 0F, 3: after 0F 38, 4: after 0F 3A */
    uint8_t op;
    bool frame; /* the operand is in memory whose address is in rbp */
};

/* The next byte; 0 beyond the code. */
static uint8_t next(struct decoder *d) {
    uint8_t byte = d->at < d->room ? d->code[d->at] : 0;
    d->at++;
    return byte;
}

static int32_t word_at(const uint8_t *p) {
    int32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The parts after an opcode of one byte. */
static unsigned follows_one(uint8_t op) {
    if (op < 0x40)
        return (op & 7) < 4 ? MODRM : (op & 7) == 4 ? IMM8 : (op & 7) == 5 ? IMMZ : NONE;
    if (op >= 0x70 && op < 0x80)
        return IMM8;
    if ((op >= 0x84 && op < 0x90) || (op >= 0xd0 && op < 0xd4) || (op >= 0xd8 && op < 0xe0))
        return MODRM;
    if (op >= 0xa0 && op < 0xa4)
        return MOFFS;
    if (op >= 0xb0 && op < 0xb8)
        return IMM8;
    if (op >= 0xb8 && op < 0xc0)
        return IMMZ;
    if (op >= 0xe0 && op < 0xe8)
        return IMM8;
    switch (op) {
    case 0x63:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff: /* immediates of f6 and f7 depend on ModRM */
        return MODRM;
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6:
        return MODRM | IMM8;
    case 0x69:
    case 0x81:
    case 0xc7:
        return MODRM | IMMZ;
    case 0x68:
    case 0xa9:
    case 0xe8:
    case 0xe9:
        return IMMZ;
    case 0x6a:
    case 0xa8:
    case 0xcd:
    case 0xeb:
        return IMM8;
    case 0xc2:
    case 0xca:
        return IMM16;
    case 0xc8:
        return IMM16 | IMM8;
    default:
        return NONE;
    }
}

/* The parts after an opcode of two bytes: 0F and this one. */
static unsigned follows_two(uint8_t op) {
    if ((op >= 0x05 && op <= 0x0b && op != 0x0a) || op == 0x0e || (op >= 0x30 && op < 0x38) || op == 0x77 ||
        (op >= 0xa0 && op < 0xa3) || (op >= 0xa8 && op < 0xab) || (op >= 0xc8 && op < 0xd0))
        return NONE;
    if (op >= 0x80 && op < 0x90)
        return IMMZ;
    bool imm = (op >= 0x70 && op < 0x74) || op == 0x0f || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
               (op >= 0xc4 && op < 0xc7);
    return MODRM | (imm ? IMM8 : NONE);
}

/* True if the byte is a prefix; then it is noted. */
static bool is_prefix(struct decoder *d, uint8_t byte) {
    d->narrow |= byte == 0x66;
    d->segment |= byte == 0x64 || byte == 0x65;
    d->lock |= byte == 0xf0;
    return byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
           byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65;
}

/* Decodes prefixes and opcode. */
static void read_opcode(struct decoder *d) {
    uint8_t byte = next(d);
    while (d->at < d->room && is_prefix(d, byte))
        byte = next(d);
    if ((byte & 0xf0) == 0x40) {
        d->rex = byte;
        byte = next(d);
    }
    d->map = 1;
    if (byte == 0xc5 || byte == 0xc4 || byte == 0x62) {
        static const uint8_t maps[8] = {2, 2, 3, 4, 2, 3, 3, 2};
        uint8_t first = next(d);
        d->vector = true;
        d->map = byte == 0xc5 ? 2 : maps[first & 7];
        d->rex = byte != 0xc5 && !(first & 0x20) ? 1 : 0; /* the base register is one of the upper eight */
        if (byte != 0xc5)
            next(d);
        if (byte == 0x62)
            next(d);
        byte = next(d);
    } else if (byte == 0x0f) {
        byte = next(d);
        d->map = byte == 0x38 ? 3 : byte == 0x3a ? 4 : 2;
        if (d->map > 2)
            byte = next(d);
    }
    d->op = byte;
}

/* Decodes ModRM, SIB and displacement; *relative: the address is relative to the next instruction. */
static void read_operand(struct decoder *d, struct rd_insn *i, bool *relative) {
    uint8_t modrm = next(d), mod = modrm >> 6, base = modrm & 7;
    bool upper = d->rex & 1, indexed = false, none = false;
    if (mod == 3)
        return;
    if (base == 4) {
        uint8_t sib = next(d);
        base = sib & 7;
        indexed = (sib >> 3 & 7) != 4 || d->rex & 2;
        none = base == 5 && mod == 0;
    } else if (base == 5 && mod == 0) {
        *relative = none = true;
    }
    size_t from = d->at;
    d->at += mod == 1 ? 1 : mod == 2 || none ? 4 : 0;
    bool stack = !upper && (base == 4 || base == 5) && !none;
    i->at = none && !indexed && d->at <= d->room;
    if (i->at)
        i->address = (uint64_t)(int64_t)word_at(d->code + from);
    i->based = none ? indexed : !stack;
    d->frame = stack && base == 5;
}

/* True if the operand in memory is not accessed (lea, prefetch), or only to read the target of a jump. */
static bool is_unused(const struct decoder *d, uint8_t modrm) {
    if (d->vector)
        return false;
    if (d->map == 1)
        return d->op == 0x8d || (d->op == 0xff && (modrm >> 3 & 7) >= 2 && (modrm >> 3 & 7) <= 5);
    return d->map == 2 && (d->op == 0x0d || (d->op >= 0x18 && d->op <= 0x1f) || d->op == 0xae);
}

/* True for movs, cmps, stos, lods and scas. */
static bool is_string(const struct decoder *d) {
    return d->map == 1 && !d->vector && ((d->op >= 0xa4 && d->op < 0xa8) || (d->op >= 0xaa && d->op < 0xb0));
}

static struct rd_insn insn_at(const uint8_t *code, size_t room, uint64_t address) {
    struct decoder d = {.code = code, .room = room};
    struct rd_insn i = {0};
    read_opcode(&d);
    unsigned what = d.map == 1   ? follows_one(d.op)
                    : d.map == 2 ? follows_two(d.op)
                    : d.map == 3 ? MODRM
                                 : MODRM | IMM8;
    uint8_t modrm = d.at < room ? code[d.at] : 0;
    bool relative = false;
    if (what & MODRM)
        read_operand(&d, &i, &relative);
    if (d.map == 1 && (d.op == 0xf6 || d.op == 0xf7) && (modrm >> 3 & 7) < 2)
        what |= d.op == 0xf6 ? IMM8 : IMMZ;
    if (what & MOFFS)
        i.based = true;
    bool wide = d.map == 1 && d.op >= 0xb8 && d.op < 0xc0 && d.rex & 8;
    d.at += (what & IMM8 ? 1 : 0) + (what & IMM16 ? 2 : 0) + (what & MOFFS ? 8 : 0);
    if (what & IMMZ)
        d.at += wide ? 8 : d.narrow && d.op != 0xe8 && d.op != 0xe9 ? 2 : 4;
    if (d.at > room)
        return (struct rd_insn){0};
    i.length = (uint32_t)d.at;
    if (relative)
        i.address += address + i.length;
    i.call = d.map == 1 && !d.vector && (d.op == 0xe8 || (d.op == 0xff && (modrm >> 3 & 7) == 2));
    bool exchange = d.map == 1 && !d.vector && (d.op == 0x86 || d.op == 0x87);
    bool of_16_bytes =
        d.map == 2 && d.op == 0xc7; /* cmpxchg16b, which clang emits for a plain access to a __int128 */
    /* an address in rbp need not be one of the stack: without frame pointers rbp is an ordinary register */
    bool memory = i.based || i.at || d.frame;
    i.locked = memory && (d.lock || exchange) && !of_16_bytes;
    i.compares = i.locked && d.map == 2 && !d.vector && (d.op == 0xb0 || d.op == 0xb1);
    if (is_string(&d))
        i.based = true;
    if (d.segment || ((what & MODRM) && is_unused(&d, modrm)))
        i.based = i.at = false;
    return i;
}

static struct rd_branch branch_at(const uint8_t *code, size_t room, uint64_t address) {
    if (room >= 5 && (code[0] == 0xe8 || code[0] == 0xe9))
        return (struct rd_branch){.found = true, .address = address + 5 + (uint64_t)(int64_t)word_at(code + 1)};
    if (room >= 6 && code[0] == 0xff && (code[1] == 0x15 || code[1] == 0x25))
        return (struct rd_branch){
            .found = true, .slot = true, .address = address + 6 + (uint64_t)(int64_t)word_at(code + 2)};
    return (struct rd_branch){0};
}

static struct rd_branch plt_at(const uint8_t *code, size_t room, uint64_t address) {
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t at = room >= 4 && memcmp(code, endbr, 4) == 0 ? 4 : 0;
    at += at < room && code[at] == 0xf2;
    if (at + 6 > room || code[at] != 0xff || code[at + 1] != 0x25)
        return (struct rd_branch){0};
    return branch_at(code + at, room - at, address + at);
}

const struct rd_decoder rd_decoder_x86_64 = {
    .machine = EM_X86_64,
    .step = 1,
    .insn = insn_at,
    .branch = branch_at,
    .plt = plt_at,
};
