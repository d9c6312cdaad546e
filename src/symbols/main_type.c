/*
 * main_type.c - whether main() of the program returns no value (`void main()`). Such a main leaves an accidental
 * value in the register of the return value, so the exit status of the program has no meaning.
 */
#include "symbols/image.h"

#include <dwarf.h>
#include <string.h>

bool rd_dwarf_is_c(Dwarf_Die *unit) {
    switch (dwarf_srclang(unit)) {
    case DW_LANG_C:
    case DW_LANG_C89:
    case DW_LANG_C99:
    case DW_LANG_C11:
        return true;
    default:
        return false;
    }
}

/* True if the definition of main in this unit has no return type. */
static bool has_void_main(Dwarf_Die *unit) {
    Dwarf_Die die;
    for (int end = dwarf_child(unit, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
        const char *name = dwarf_tag(&die) == DW_TAG_subprogram ? dwarf_diename(&die) : NULL;
        if (name && strcmp(name, "main") == 0 && !dwarf_hasattr(&die, DW_AT_declaration))
            return !dwarf_hasattr_integrate(&die, DW_AT_type);
    }
    return false;
}

bool rd_dwarf_void_main(struct rd_image *m, struct rd_arena *a) {
    const struct rd_symbol *found[1];
    if (rd_image_named(m, a, "main", true, found, RD_COUNT(found)) == 0)
        return false;
    rd_dwarf_units(m, a);
    for (uint32_t i = 0; i < m->units.count; i++) {
        Dwarf_Die *unit = &m->units.at[i].die;
        if (dwarf_haspc(unit, found[0]->start - m->bias) == 1)
            return rd_dwarf_is_c(unit) && has_void_main(unit);
    }
    return false;
}
