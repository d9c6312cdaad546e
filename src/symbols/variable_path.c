/*
 * variable_path.c - the member or element at an offset in a variable: "table[3].next" for "table+0x18".
 *
 * Types from system headers are opaque: a mutex is shown by the name of the variable, not as mutex.__data.__lock.
 * One walk over all units finds the global variables. It visits DIES_MAX entries; in a larger program further
 * variables are shown with plain offsets.
 */
#include "symbols/debug_types.h"
#include "symbols/image.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIES_MAX = 400000, DEPTH_MAX = 32 };

/* The address of a variable with a fixed one; false: it has none. */
static bool address_of(Dwarf_Die *die, Dwarf_Addr *address) {
    Dwarf_Attribute attr, target;
    Dwarf_Op *ops;
    size_t count;
    if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &ops, &count) != 0 || count != 1)
        return false;
    if (ops[0].atom == DW_OP_addr) {
        *address = ops[0].number;
        return true;
    }
    return (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) &&
           dwarf_getlocation_attr(&attr, &ops[0], &target) == 0 && dwarf_formaddr(&target, address) == 0;
}

/* Adds the variables below the parent to the index of the image. */
static void index_variables(struct rd_image *m, struct rd_arena *a, Dwarf_Die *parent, unsigned depth,
                            uint32_t *left) {
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        Dwarf_Addr address;
        if (*left == 0)
            return;
        --*left;
        if (tag == DW_TAG_variable && address_of(&die, &address)) {
            Dwarf_Die *kept = rd_arena_alloc(a, sizeof die);
            *kept = die;
            *rd_map_put(&m->variables, a, address + m->bias) = (uint64_t)(uintptr_t)kept;
        } else if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block) {
            index_variables(m, a, &die, depth + 1, left);
        }
    } while (dwarf_siblingof(&die, &die) == 0);
}

static Dwarf_Die *find_variable(struct rd_image *m, struct rd_arena *a, uint64_t address) {
    if (!m->variables_read) {
        m->variables_read = true;
        rd_dwarf_units(m, a);
        uint32_t left = DIES_MAX;
        for (uint32_t i = 0; i < m->units.count && left; i++)
            index_variables(m, a, &m->units.at[i].die, 0, &left);
    }
    uint64_t *found = rd_map_get(&m->variables, address);
    return found ? (Dwarf_Die *)(uintptr_t)*found : NULL;
}

bool rd_die_type(Dwarf_Die *die, Dwarf_Die *type) {
    Dwarf_Attribute attr;
    return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type) &&
           dwarf_peel_type(type, type) == 0;
}

/* True if a system header declares the type. */
static bool of_system(Dwarf_Die *type) {
    const char *file = dwarf_decl_file(type), *name = dwarf_diename(type);
    bool pair = name && strncmp(name, "pair<", 5) == 0; /* its members are for the program to use */
    return file && rd_dwarf_system_file(file) && !pair;
}

/* Does a member of this type hold an object of the program's in a node of a container of the C++ library? */
static bool is_storage(Dwarf_Die *type) {
    const char *name = dwarf_diename(type);
    return name && (strncmp(name, "__aligned_membuf<", 17) == 0 || strncmp(name, "__aligned_buffer<", 17) == 0);
}

bool rd_type_held(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *held, unsigned depth) {
    Dwarf_Die die, inner;
    if (depth > DEPTH_MAX)
        return false;
    for (bool more = dwarf_child(type, &die) == 0; more; more = dwarf_siblingof(&die, &die) == 0) {
        int tag = dwarf_tag(&die);
        uint64_t at;
        if (depth && is_storage(type) && tag == DW_TAG_template_type_parameter)
            return rd_die_type(&die, held);
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !rd_die_type(&die, &inner) ||
            dwarf_tag(&inner) == DW_TAG_pointer_type || !rd_member_offset(&die, &at))
            continue;
        if (!rd_type_held(&inner, offset, held, depth + 1))
            continue;
        *offset += at;
        return true;
    }
    return false;
}

uint64_t rd_type_size(Dwarf_Die *type) {
    Dwarf_Word size;
    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

bool rd_member_offset(Dwarf_Die *member, uint64_t *offset) {
    Dwarf_Attribute attr;
    Dwarf_Word at = 0;
    if (dwarf_attr(member, DW_AT_data_bit_offset, &attr)) {
        if (dwarf_formudata(&attr, &at) != 0)
            return false;
        at /= 8;
    } else if (dwarf_attr(member, DW_AT_data_member_location, &attr) && dwarf_formudata(&attr, &at) != 0) {
        return false;
    }
    *offset = at;
    return true;
}

/*
 * The member or base class that the offset is in; *offset becomes the offset in that. A member of a derived class
 * can lie in the padding of its base class: the one that begins last has the offset. (In a union it is the first
 * one.)
 */
static bool member_at(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *member, Dwarf_Die *member_type) {
    Dwarf_Die die, inner;
    bool found = false;
    uint64_t begin = 0;
    if (dwarf_child(type, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        uint64_t at;
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !rd_member_offset(&die, &at))
            continue;
        if (at > *offset || !rd_die_type(&die, &inner) || *offset - at >= rd_type_size(&inner))
            continue;
        if (found && at <= begin)
            continue;
        found = true;
        begin = at;
        *member = die;
        *member_type = inner;
    } while (dwarf_siblingof(&die, &die) == 0);
    *offset -= begin;
    return found;
}

/*
 * Writes the names of the bit-fields that lie in the same bytes as this one: ".ready|count". Compilers read and
 * write these bytes as a whole, so an access does not tell which of them is meant.
 */
static size_t write_bit_fields(Dwarf_Die *type, Dwarf_Die *first, char *to, size_t room) {
    enum { NAMES = 4 };
    Dwarf_Die die, inner;
    uint64_t begin, size, at;
    size_t used = 0;
    unsigned names = 0;
    if (!rd_member_offset(first, &begin) || !rd_die_type(first, &inner) || dwarf_child(type, &die) != 0)
        return 0;
    size = rd_type_size(&inner);
    do {
        const char *name = dwarf_tag(&die) == DW_TAG_member ? dwarf_diename(&die) : NULL;
        if (!name || !dwarf_hasattr(&die, DW_AT_bit_size) || !rd_member_offset(&die, &at) || at - begin >= size ||
            used >= room)
            continue;
        if (names < NAMES)
            used += (size_t)snprintf(to + used, room - used, "%s%s", names ? "|" : ".", name);
        else if (names == NAMES)
            used += (size_t)snprintf(to + used, room - used, "|...");
        names++;
    } while (dwarf_siblingof(&die, &die) == 0);
    return RD_MIN(used, room);
}

/* The element that the offset is in; *offset becomes the offset in that. Arrays of several dimensions are not
 * opened. */
static bool element_at(Dwarf_Die *type, uint64_t *offset, uint64_t *index, Dwarf_Die *element) {
    Dwarf_Die dimension, second;
    uint64_t size = rd_die_type(type, element) ? rd_type_size(element) : 0;
    if (size == 0 || dwarf_child(type, &dimension) != 0)
        return false;
    if (dwarf_siblingof(&dimension, &second) == 0)
        return false;
    *index = *offset / size;
    *offset %= size;
    return true;
}

uint64_t rd_variable_size(Dwarf_Die *variable) {
    Dwarf_Die type;
    return rd_die_type(variable, &type) ? rd_type_size(&type) : 0;
}

bool rd_type_path(Dwarf_Die *whole, uint64_t offset, char *to, size_t room, Dwarf_Die *leaf) {
    Dwarf_Die type = *whole;
    size_t used = 0;
    to[0] = 0;
    for (unsigned depth = 0; depth < DEPTH_MAX && used < room; depth++) {
        int tag = dwarf_tag(&type);
        Dwarf_Die inner, member;
        uint64_t index;
        bool record = tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
        if (record && !of_system(&type) && member_at(&type, &offset, &member, &inner)) {
            const char *name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
            if (name && dwarf_hasattr(&member, DW_AT_bit_size)) {
                write_bit_fields(&type, &member, to + used, room - used);
                *leaf = inner;
                return false; /* the value is that of all of them */
            }
            if (name)
                used += (size_t)snprintf(to + used, room - used, ".%s", name);
        } else if (tag == DW_TAG_array_type && element_at(&type, &offset, &index, &inner)) {
            used += (size_t)snprintf(to + used, room - used, "[%llu]", (unsigned long long)index);
        } else {
            break;
        }
        type = inner;
    }
    if (offset && used < room)
        snprintf(to + used, room - used, "+0x%llx", (unsigned long long)offset);
    *leaf = type;
    return offset == 0;
}

bool rd_variable_path(Dwarf_Die *variable, uint64_t offset, char *to, size_t room) {
    Dwarf_Die type, leaf;
    to[0] = 0;
    if (!rd_die_type(variable, &type))
        return false;
    rd_type_path(&type, offset, to, room, &leaf);
    return true;
}

Dwarf_Die *rd_variable_at(struct rd_image *m, struct rd_arena *a, uint64_t address) {
    return find_variable(m, a, address);
}

bool rd_variable_member(struct rd_image *m, struct rd_arena *a, const struct rd_symbol *s, uint64_t offset,
                        char *to, size_t room) {
    Dwarf_Die *variable = find_variable(m, a, s->start);
    to[0] = 0;
    return variable && rd_variable_path(variable, offset, to, room);
}

bool rd_type_member(Dwarf_Die *type, const char *name, size_t length, uint64_t *offset, Dwarf_Die *to,
                    unsigned depth) {
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(type, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        uint64_t at;
        Dwarf_Die inner;
        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !rd_die_type(&die, &inner) ||
            !rd_member_offset(&die, &at))
            continue;
        const char *own = tag == DW_TAG_member ? dwarf_diename(&die) : NULL;
        bool same = own && strlen(own) == length && memcmp(own, name, length) == 0;
        if (!same && (own || !rd_type_member(&inner, name, length, offset, to, depth + 1)))
            continue;
        *offset += at;
        if (same)
            *to = inner;
        return true;
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
}

bool rd_variable_part(struct rd_image *m, struct rd_arena *a, const struct rd_symbol *s, const char *path,
                      uint64_t *offset, uint64_t *size) {
    Dwarf_Die *variable = find_variable(m, a, s->start), type, inner;
    *offset = 0;
    if (!variable || !rd_die_type(variable, &type))
        return false;
    while (*path == '.' || *path == '[') {
        uint64_t index, first = 0;
        if (*path == '.') {
            size_t length = strcspn(path + 1, ".[");
            if (!rd_type_member(&type, path + 1, length, offset, &inner, 0))
                return false;
            path += 1 + length;
        } else {
            char *end;
            uint64_t wanted = strtoull(path + 1, &end, 10);
            if (path[1] < '0' || path[1] > '9' || *end != ']' || dwarf_tag(&type) != DW_TAG_array_type ||
                !element_at(&type, &first, &index, &inner))
                return false;
            *offset += wanted * rd_type_size(&inner);
            path = end + 1;
        }
        type = inner;
    }
    *size = rd_type_size(&type);
    return *path == 0 && *size && *offset + *size <= s->size;
}
