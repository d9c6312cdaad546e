/*
 * inlined.c - the copies of a function that the compiler has inlined into others. A static function that is called
 * once often exists only as such a copy, and the user still names the function.
 */
#include "symbols/image.h"
#include "trace/place.h"

#include <dwarf.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

/* True if the function has this name in the source, with or without the namespaces and classes around it. */
static bool is_named(const char *name, Dwarf_Die *die) {
    const char *plain = dwarf_diename(die), *linkage = rd_dwarf_linkage(die);
    if (plain && fnmatch(name, plain, 0) == 0)
        return true;
    if (!linkage || !strstr(name, "::"))
        return false;
    char *readable = rd_demangle(linkage);
    rd_demangle_strip(readable);
    size_t n = strlen(readable), m = strlen(name);
    bool same =
        n >= m && strcmp(readable + n - m, name) == 0 && (n == m || strncmp(readable + n - m - 2, "::", 2) == 0);
    free(readable);
    return same;
}

const char *rd_dwarf_linkage(Dwarf_Die *die) {
    Dwarf_Attribute attr;
    return dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ? dwarf_formstring(&attr) : NULL;
}

void rd_code_add(struct rd_code_walk *w, uint64_t low, uint64_t high) {
    rd_place first = rd_place_make(RD_PLACE_MODULE, low + 1), last = rd_place_make(RD_PLACE_MODULE, high);
    RD_ASSERT(w->count <= w->max);
    if (high <= low)
        return;
    if (w->count && w->to[w->count - 1].last + 1 == first)
        w->to[w->count - 1].last = last;
    else if (w->count < w->max)
        w->to[w->count++] = (struct rd_range){.first = first, .last = last};
}

/* Adds all pieces of code of the entry. */
static void add(struct rd_code_walk *w, Dwarf_Die *die) {
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;)
        rd_code_add(w, low + w->bias, high + w->bias);
}

/* Visits the entries below the parent. */
static void look(struct rd_code_walk *w, Dwarf_Die *parent, unsigned depth) {
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        if (w->left == 0 || w->count == w->max)
            return;
        w->left--;
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine && w->wanted(w->name, &die))
            add(w, &die);
        else if (dwarf_haschildren(&die) > 0)
            look(w, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

void rd_code_copies(struct rd_code_walk *w, Dwarf_Die *unit) { look(w, unit, 0); }

uint32_t rd_dwarf_inlined(struct rd_image *m, struct rd_arena *a, const char *name, struct rd_range *to,
                          uint32_t max) {
    rd_dwarf_units(m, a);
    struct rd_code_walk w = {
        .name = name, .wanted = is_named, .to = to, .max = max, .left = RD_CODE_DIES_MAX, .bias = m->bias};
    for (uint32_t i = 0; i < m->units.count; i++)
        rd_code_copies(&w, &m->units.at[i].die);
    return w.count;
}
