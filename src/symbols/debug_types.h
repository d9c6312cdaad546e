/* debug_types.h - inside the symbols part: types of the debug information. They are without typedefs and
 * qualifiers. */
#ifndef RD_SYMBOLS_DEBUG_TYPES_H
#define RD_SYMBOLS_DEBUG_TYPES_H

#include "symbols/image.h"

struct rd_type {
    Dwarf_Die die;
    uint64_t count;   /* of a block: so many elements of the type */
    uint64_t at;      /* of a block: offset of the first element; before it is what the C++ library adds */
    const char *name; /* as the program spells it: "struct node", "Session" */
};

/* variable_path.c */
/* The type of a variable, member or element. */
bool rd_die_type(Dwarf_Die *die, Dwarf_Die *type);
/* The size of a type; 0: not known. */
uint64_t rd_type_size(Dwarf_Die *type);
/* The offset of a member in its structure. False: it is not constant. */
bool rd_member_offset(Dwarf_Die *member, uint64_t *offset);
/*
 * Finds the object of the program's that a node of a container of the C++ library holds, as in std::list: its type,
 * and its offset in the node, which is added to *offset. pre: depth 0
 */
bool rd_type_held(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *held, unsigned depth);
/*
 * Writes the path to a member or element: ".next", "[3].x", with "+0x4" for what is left of the offset. *leaf is
 * the type of that part. Returns whether the part begins at the offset.
 */
bool rd_type_path(Dwarf_Die *whole, uint64_t offset, char *to, size_t room, Dwarf_Die *leaf);
/* The member with this name, which can be one of a base class or of an unnamed struct. Its type goes to *to, and
 * its offset is added to *offset. pre: depth 0 */
bool rd_type_member(Dwarf_Die *type, const char *name, size_t length, uint64_t *offset, Dwarf_Die *to,
                    unsigned depth);

/* type_words.c */
/* The value in the terms of its type, as rd_symbols_value. */
enum rd_value_form rd_type_value(const struct rd_type *t, uint64_t value, uint32_t size, char *to, size_t room);
/* The name of a type, with what the program calls it, in the arena; NULL: it has none. */
const char *rd_type_name(struct rd_arena *a, Dwarf_Die *type);

/*
 * block_type.c: the type of the block that the call at the frame with this index (0 is the innermost) allocated.
 * `line` is the line of source of the call, NULL if it is not known. *outer is set if the function only wraps the
 * allocation, so that its caller tells what the block is. The result is in the arena; NULL: not known.
 */
const struct rd_type *rd_block_type_at(struct rd_image *m, struct rd_arena *a, uint64_t address, uint32_t index,
                                       const char *line, uint64_t size, bool *outer);

#endif
