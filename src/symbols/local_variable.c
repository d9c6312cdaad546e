/*
 * local_variable.c - the local variable or parameter that a place in a stack belongs to.
 *
 * Debug information says where a variable lies relative to the frame base of its function. The frame base is the
 * canonical frame address (gcc), or the register that holds the frame pointer or the stack pointer (clang). A
 * variable that is in a register has no place, and memory whose frame base is another one has no name.
 */
#include "symbols/image.h"

#include "trace/place.h"

#include <dwarf.h>
#include <stdio.h>

enum { DEPTH_MAX = 64 };
/* On x86-64 a function with a frame pointer has saved the old one below its return address: rbp is the frame
 * address less two words. */
enum { FRAME_POINTER_BELOW = 16 };

/* What is looked for. Addresses are relative to the top of the stack. */
struct local {
    Dwarf_Addr pc;        /* in the debug information */
    int64_t frame, stack; /* the canonical frame address, and the stack pointer */
    int64_t base;         /* frame base of the function */
    bool based;           /* the frame base is known */
    int64_t wanted;       /* address of the memory */
    const char *function; /* name of the inlined function around it; NULL: none */
    Dwarf_Die variable;   /* the result */
    uint64_t offset;      /* of the memory in the variable */
};

/* The one operation of an expression that is valid at the pc; NULL: there is none, or more than one. */
static const Dwarf_Op *only_operation(Dwarf_Die *die, unsigned name, Dwarf_Addr pc) {
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t count;
    if (!dwarf_attr_integrate(die, name, &attr) || dwarf_getlocation_addr(&attr, pc, &ops, &count, 1) != 1)
        return NULL;
    return count == 1 ? &ops[0] : NULL;
}

static void find_base(struct local *l, Dwarf_Die *function) {
    const Dwarf_Op *op = only_operation(function, DW_AT_frame_base, l->pc);
    l->based = true;
    if (op && op->atom == DW_OP_call_frame_cfa)
        l->base = l->frame;
    else if (op && op->atom == DW_OP_reg6) /* rbp */
        l->base = l->frame - FRAME_POINTER_BELOW;
    else if (op && (op->atom == DW_OP_reg7 || op->atom == DW_OP_reg31)) /* rsp; sp of AArch64 */
        l->base = l->stack;
    else
        l->based = false;
}

/* The variable is the wanted one if the memory lies in it. */
static bool is_wanted(struct local *l, Dwarf_Die *die) {
    const Dwarf_Op *op = only_operation(die, DW_AT_location, l->pc);
    if (!op)
        return false;
    int64_t at;
    if (op->atom == DW_OP_fbreg && l->based)
        at = l->base + (int64_t)op->number;
    else if (op->atom == DW_OP_breg7 || op->atom == DW_OP_breg31)
        at = l->stack + (int64_t)op->number;
    else
        return false;
    if (l->wanted < at || (uint64_t)(l->wanted - at) >= rd_variable_size(die) || !dwarf_diename(die))
        return false;
    l->variable = *die;
    l->offset = (uint64_t)(l->wanted - at);
    return true;
}

/* Looks in a scope for the variable; only blocks that are active at the pc have theirs. */
static bool find_in(struct local *l, Dwarf_Die *scope, unsigned depth) {
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(scope, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && is_wanted(l, &die))
            return true;
        bool inner = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
        if (inner && dwarf_haspc(&die, l->pc) > 0 && find_in(l, &die, depth + 1)) {
            if (tag == DW_TAG_inlined_subroutine && !l->function)
                l->function = dwarf_diename(&die);
            return true;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

bool rd_local_variable(struct rd_image *m, struct rd_arena *a, const struct rd_stack_part *part, rd_place place,
                       struct rd_local *to) {
    uint64_t code = rd_place_offset(part->pc) - 1; /* in the call, before its return address */
    Dwarf_Die whole;
    if (!rd_dwarf_function(m, a, code, &whole))
        return false;
    struct local l = {.pc = code - m->bias,
                      .frame = -(int64_t)rd_place_offset(part->high),
                      .stack = -(int64_t)rd_place_offset(part->low),
                      .wanted = -(int64_t)rd_place_offset(place)};
    find_base(&l, &whole);
    if (!find_in(&l, &whole, 0))
        return false;
    *to = (struct rd_local){.variable = l.variable, .offset = l.offset, .function = l.function};
    return true;
}
