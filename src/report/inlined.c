/*
 * inlined.c - where the compiler has put copies of a function into others. A static function that is called once
 * often exists in no other form, and its user still calls it by its name.
 */
#include "report/image.h"
#include "trace/place.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { DIES_MAX = 400000, DEPTH_MAX = 64 };

struct walk {
    const char *name;
    struct rd_range *to;
    uint32_t count, max, left; /* left: entries that may still be looked at */
    uint64_t bias;
};

/* As it is written in the source, with what it is a member of or without. */
static bool is_named(Dwarf_Die *die, const char *name) {
    Dwarf_Attribute attr;
    const char *plain = dwarf_diename(die);
    if (plain && strcmp(plain, name) == 0)
        return true;
    const char *linkage = dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ? dwarf_formstring(&attr) : NULL;
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

/* The addresses to which calls in the copy return. */
static void add(struct walk *w, Dwarf_Die *die) {
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0 && w->count < w->max;)
        if (high > low)
            w->to[w->count++] = (struct rd_range){.first = rd_place_make(RD_PLACE_MODULE, low + w->bias + 1),
                                                  .last = rd_place_make(RD_PLACE_MODULE, high + w->bias)};
}

static void look(struct walk *w, Dwarf_Die *parent, unsigned depth) {
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        if (w->left == 0 || w->count == w->max)
            return;
        w->left--;
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine && is_named(&die, w->name))
            add(w, &die);
        else if (dwarf_haschildren(&die) > 0)
            look(w, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

uint32_t rd_dwarf_inlined(struct rd_image *m, struct rd_arena *a, const char *name, struct rd_range *to,
                          uint32_t max) {
    rd_dwarf_units(m, a);
    struct walk w = {.name = name, .to = to, .max = max, .left = DIES_MAX, .bias = m->bias};
    for (uint32_t i = 0; i < m->units.count; i++)
        look(&w, &m->units.at[i].die, 0);
    return w.count;
}
