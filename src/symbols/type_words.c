/*
 * type_words.c - types and values in words: "struct node", "Session", "Job *"; the enumerator of a value, true and
 * false, numbers with the sign that their type has.
 */
#include "symbols/debug_types.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 8, NAME_MAX_BYTES = 160 };

/* The word before the name of a type that C needs; C++ does without. */
static const char *tag_word(Dwarf_Die *type) {
    Dwarf_Die unit;
    bool c = dwarf_diecu(type, &unit, NULL, NULL) && rd_dwarf_is_c(&unit);
    int tag = dwarf_tag(type);
    if (!c)
        return "";
    return tag == DW_TAG_structure_type     ? "struct "
           : tag == DW_TAG_union_type       ? "union "
           : tag == DW_TAG_enumeration_type ? "enum "
                                            : "";
}

static bool qualifies(int tag) {
    return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
           tag == DW_TAG_atomic_type;
}

static void write_name(Dwarf_Die *type, char *to, size_t room, unsigned depth) {
    Dwarf_Die inner;
    Dwarf_Attribute attr;
    int tag = dwarf_tag(type);
    const char *name = dwarf_diename(type);
    to[0] = 0;
    if (name) {
        snprintf(to, room, "%s%s", tag_word(type), name);
        return;
    }
    bool has = dwarf_attr_integrate(type, DW_AT_type, &attr) && dwarf_formref_die(&attr, &inner);
    bool points = tag == DW_TAG_pointer_type;
    if (depth > DEPTH_MAX || (!points && !qualifies(tag)))
        return;
    if (has)
        write_name(&inner, to, room, depth + 1);
    else
        snprintf(to, room, "void");
    size_t used = strlen(to);
    if (points && used && used + 3 < room)
        strcpy(to + used, to[used - 1] == '*' ? "*" : " *");
}

const char *rd_type_name(struct rd_arena *a, Dwarf_Die *type) {
    char text[NAME_MAX_BYTES];
    write_name(type, text, sizeof text, 0);
    return text[0] ? rd_arena_text(a, text) : NULL;
}

/* A class that only wraps one member of its own size, like std::atomic<int>: the type of that member. */
static void unwrap(Dwarf_Die *type) {
    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        Dwarf_Die member, inner;
        int tag = dwarf_tag(type);
        bool record = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
        uint64_t size = rd_type_size(type);
        bool found = false;
        for (bool more = record && size && dwarf_child(type, &member) == 0; more && !found;
             more = !found && dwarf_siblingof(&member, &member) == 0) {
            int kind = dwarf_tag(&member);
            found = (kind == DW_TAG_member || kind == DW_TAG_inheritance) && rd_die_type(&member, &inner) &&
                    rd_type_size(&inner) == size;
        }
        if (!found)
            return;
        *type = inner;
    }
}

static uint64_t cut(uint64_t value, uint64_t size) {
    return size >= 8 ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

static int64_t as_signed(uint64_t value, uint64_t size) {
    unsigned unused = size > 0 && size < 8 ? 64 - 8 * (unsigned)size : 0;
    return (int64_t)(value << unused) >> unused;
}

static bool enumerator(Dwarf_Die *type, uint64_t value, uint64_t size, char *to, size_t room) {
    Dwarf_Die die;
    for (bool more = dwarf_child(type, &die) == 0; more; more = dwarf_siblingof(&die, &die) == 0) {
        Dwarf_Attribute attr;
        Dwarf_Sword at;
        if (dwarf_tag(&die) != DW_TAG_enumerator || !dwarf_attr(&die, DW_AT_const_value, &attr) ||
            dwarf_formsdata(&attr, &at) != 0 || cut((uint64_t)at, size) != cut(value, size))
            continue;
        snprintf(to, room, "%s", dwarf_diename(&die) ? dwarf_diename(&die) : "?");
        return true;
    }
    return false;
}

static bool number(Dwarf_Die *type, uint64_t value, uint64_t size, char *to, size_t room) {
    Dwarf_Attribute attr;
    Dwarf_Word encoding;
    if (!dwarf_attr_integrate(type, DW_AT_encoding, &attr) || dwarf_formudata(&attr, &encoding) != 0)
        return false;
    int64_t s = as_signed(value, size);
    uint64_t u = cut(value, size);
    bool letter = u >= 0x20 && u < 0x7f;
    float single;
    double twice;
    switch (encoding) {
    case DW_ATE_boolean:
        if (u > 1)
            return false;
        snprintf(to, room, "%s", u ? "true" : "false");
        return true;
    case DW_ATE_float:
        memcpy(&single, &value, sizeof single);
        memcpy(&twice, &value, sizeof twice);
        if (size != sizeof single && size != sizeof twice)
            return false;
        snprintf(to, room, "%g", size == sizeof single ? (double)single : twice);
        return true;
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
        if (letter)
            snprintf(to, room, "%" PRIu64 " '%c'", u, (int)u);
        else
            snprintf(to, room, "%" PRId64, encoding == DW_ATE_signed_char ? s : (int64_t)u);
        return true;
    case DW_ATE_signed:
        snprintf(to, room, "%" PRId64, s);
        return true;
    case DW_ATE_unsigned:
        snprintf(to, room, u < 1000000000 ? "%" PRIu64 : "0x%" PRIx64, u);
        return true;
    default:
        return false;
    }
}

static bool is_integer(Dwarf_Die *type) {
    Dwarf_Attribute attr;
    Dwarf_Word encoding;
    return dwarf_attr_integrate(type, DW_AT_encoding, &attr) && dwarf_formudata(&attr, &encoding) == 0 &&
           (encoding == DW_ATE_signed || encoding == DW_ATE_unsigned);
}

enum rd_value_form rd_type_value(const struct rd_type *t, uint64_t value, uint32_t size, char *to, size_t room) {
    Dwarf_Die type = t->die;
    unwrap(&type);
    int tag = dwarf_tag(&type);
    Dwarf_Word own;
    bool points = tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
    if (points && size == sizeof(void *))
        return RD_VALUE_POINTER;
    if (dwarf_aggregate_size(&type, &own) != 0 || own != size)
        return RD_VALUE_UNKNOWN;
    bool said = tag == DW_TAG_enumeration_type ? enumerator(&type, value, size, to, room)
                                               : tag == DW_TAG_base_type && number(&type, value, size, to, room);
    return !said ? RD_VALUE_UNKNOWN : is_integer(&type) ? RD_VALUE_INTEGER : RD_VALUE_TEXT;
}
