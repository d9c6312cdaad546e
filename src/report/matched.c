/*
 * matched.c - all code of a function or source file whose name matches a pattern with shell wildcards: the function
 * itself, the copies of it that the compiler has put into others, and the lines of the file. For suppressions.
 */
#include "report/image.h"
#include "trace/place.h"

#include <dwarf.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { DIES_MAX = 2000000, DEPTH_MAX = 64 };

struct walk {
    const char *pattern;
    struct rd_range *to;
    uint32_t count, max, left; /* left: entries that may still be looked at */
    uint64_t bias;
};

static bool matches(const char *pattern, const char *name) { return name && fnmatch(pattern, name, 0) == 0; }

/* As in the symbol table, as it is written in the source, and without what it is a member of. */
static bool function_matches(const char *pattern, const char *symbol) {
    if (matches(pattern, symbol))
        return true;
    if (strncmp(symbol, "_Z", 2) != 0)
        return false;
    char *name = rd_demangle(symbol);
    rd_demangle_strip(name);
    const char *last = strrchr(name, ':');
    bool same = matches(pattern, name) || (last && matches(pattern, last + 1));
    free(name);
    return same;
}

static bool file_matches(const char *pattern, const char *path) {
    for (const char *p = path; p; p = strchr(p, '/')) {
        p += *p == '/';
        if (matches(pattern, p))
            return true;
    }
    return matches(pattern, path);
}

/* The addresses to which calls in it return. */
static void add(struct walk *w, uint64_t low, uint64_t high) {
    rd_place first = rd_place_make(RD_PLACE_MODULE, low + 1), last = rd_place_make(RD_PLACE_MODULE, high);
    if (high <= low)
        return;
    if (w->count && w->to[w->count - 1].last + 1 == first)
        w->to[w->count - 1].last = last;
    else if (w->count < w->max)
        w->to[w->count++] = (struct rd_range){.first = first, .last = last};
}

static void add_die(struct walk *w, Dwarf_Die *die) {
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;)
        add(w, low + w->bias, high + w->bias);
}

static bool die_matches(const char *pattern, Dwarf_Die *die) {
    Dwarf_Attribute attr;
    const char *linkage = dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ? dwarf_formstring(&attr) : NULL;
    return matches(pattern, dwarf_diename(die)) || (linkage && function_matches(pattern, linkage));
}

static void look_for_copies(struct walk *w, Dwarf_Die *parent, unsigned depth) {
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        if (w->left == 0 || w->count == w->max)
            return;
        w->left--;
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine && die_matches(w->pattern, &die))
            add_die(w, &die);
        else if (dwarf_haschildren(&die) > 0)
            look_for_copies(w, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* A line of the table is about the code up to the next one. */
static void look_for_lines(struct walk *w, Dwarf_Die *unit) {
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
            same = file_matches(w->pattern, path);
        known = path;
        if (same)
            add(w, low + w->bias, high + w->bias);
    }
}

uint32_t rd_image_matched(struct rd_image *m, struct rd_arena *a, const char *pattern, struct rd_range *to,
                          uint32_t max) {
    rd_image_symbols(m, a);
    rd_dwarf_units(m, a);
    struct walk w = {.pattern = pattern, .to = to, .max = max, .left = DIES_MAX, .bias = m->bias};
    for (uint32_t i = 0; i < m->symbols.count; i++) {
        const struct rd_symbol *s = &m->symbols.at[i];
        if (s->code && function_matches(pattern, s->name))
            add(&w, s->start, s->start + RD_MAX(s->size, (uint64_t)1));
    }
    for (uint32_t i = 0; i < m->units.count; i++) {
        look_for_copies(&w, &m->units.at[i].die, 0);
        look_for_lines(&w, &m->units.at[i].die);
    }
    return w.count;
}
