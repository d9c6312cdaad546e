/*
 * name_match.c - all code of the functions and source files whose names match a pattern (base/name_pattern.h): the
 * functions, their inlined copies, and the lines of the files; and the variables. For suppressions.
 */
#include "symbols/image.h"

#include "base/name_pattern.h"
#include "trace/place.h"

#include <stdlib.h>
#include <string.h>

/* True if a name of the symbol matches: mangled, as in the source, or without the namespaces and classes around it.
 */
static bool function_matches(const char *pattern, const char *symbol) {
    const char *begin = pattern + (*pattern == '^');
    bool mangled = strncmp(symbol, "_Z", 2) == 0; /* parts of such a name mean nothing */
    if ((!mangled || strncmp(begin, "_Z", 2) == 0) && rd_name_pattern_matches(pattern, symbol))
        return true;
    if (!mangled)
        return false;
    char *name = rd_demangle(symbol);
    bool same = rd_name_pattern_matches(pattern, name);
    rd_demangle_strip(name);
    const char *last = strrchr(name, ':');
    same |= rd_name_pattern_matches(pattern, name) || (last && rd_name_pattern_matches(pattern, last + 1));
    free(name);
    return same;
}

static bool die_matches(const char *pattern, Dwarf_Die *die) {
    const char *linkage = rd_dwarf_linkage(die);
    return rd_name_pattern_matches(pattern, dwarf_diename(die)) || (linkage && function_matches(pattern, linkage));
}

/* Adds the code of matching files. A row of the line table is about the code up to the address of the next row. */
static void look_for_lines(struct rd_code_walk *w, Dwarf_Die *unit) {
    Dwarf_Lines *lines;
    size_t count;
    const char *known = NULL;
    bool same = false;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return;
    for (size_t i = 0; i + 1 < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
        Dwarf_Addr low, high;
        bool end;
        const char *path = dwarf_linesrc(line, NULL, NULL);
        if (!path || dwarf_lineendsequence(line, &end) != 0 || end || dwarf_lineaddr(line, &low) != 0 ||
            dwarf_lineaddr(next, &high) != 0)
            continue;
        if (path != known)
            same = rd_path_pattern_matches(w->name, path);
        known = path;
        if (same)
            rd_code_add(w, low + w->bias, high + w->bias);
    }
}

uint32_t rd_image_matched(struct rd_image *m, struct rd_arena *a, const char *pattern, struct rd_range *to,
                          uint32_t max) {
    rd_image_symbols(m, a);
    rd_dwarf_units(m, a);
    struct rd_code_walk w = {
        .name = pattern, .wanted = die_matches, .to = to, .max = max, .left = RD_CODE_DIES_MAX, .bias = m->bias};
    for (uint32_t i = 0; i < m->symbols.count; i++) {
        const struct rd_symbol *s = &m->symbols.at[i];
        if (s->code && function_matches(pattern, s->name))
            rd_code_add(&w, s->start, s->start + RD_MAX(s->size, (uint64_t)1));
    }
    for (uint32_t i = 0; i < m->units.count; i++) {
        rd_code_copies(&w, &m->units.at[i].die);
        look_for_lines(&w, &m->units.at[i].die);
    }
    return w.count;
}

uint32_t rd_image_matched_data(struct rd_image *m, struct rd_arena *a, const char *pattern, struct rd_range *to,
                               uint32_t max) {
    uint32_t n = 0;
    rd_image_symbols(m, a);
    for (uint32_t i = 0; i < m->symbols.count && n < max; i++) {
        const struct rd_symbol *s = &m->symbols.at[i];
        if (s->code || !s->size || !function_matches(pattern, s->name))
            continue;
        to[n++] = (struct rd_range){.first = rd_place_make(RD_PLACE_MODULE, s->start),
                                    .last = rd_place_make(RD_PLACE_MODULE, s->start + s->size - 1)};
    }
    return n;
}
