/*
 * dwarf.c - function names and source lines, with inlined calls, from the debug information.
 *
 * libdw finds the unit of an address through .debug_aranges, which clang does not write, and walks a unit from its
 * top for each question. So this file has an index of units by their ranges, and for each unit an index of its
 * functions, made with the first question about an address in it. Debug information that is wrong gives wrong or no
 * names; walks are bounded in depth.
 */
#include "symbols/image.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

char *rd_arena_text(struct rd_arena *a, const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(rd_arena_alloc(a, n), text, n);
}

bool rd_dwarf_system_file(const char *path) {
    static const char *const roots[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/c++/", "/rustc/"};
    for (size_t i = 0; i < RD_COUNT(roots); i++)
        if (strncmp(path, roots[i], strlen(roots[i])) == 0)
            return true;
    return strstr(path, "/include/c++/") || strstr(path, "/rustlib/src/") || strstr(path, "/sysdeps/");
}

/* Removes "." and ".." from a path, in place (clang names its headers /usr/bin/../lib/…). */
static void clean(char *path) {
    char *end = path, *keep = path + (path[0] == '/'); /* ".." does not remove directories before `keep` */
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/"), step = n + (p[n] == '/');
        bool up = n == 2 && strncmp(p, "..", 2) == 0;
        if (up && end > keep) { /* `end` is after a slash: remove the directory before it */
            for (end--; end > keep && end[-1] != '/'; end--)
                ;
        } else if (!(n == 1 && p[0] == '.') && (n > 0 || p == path)) {
            memmove(end, p, step);
            end += step;
            if (up)
                keep = end;
        }
        p += step;
    }
    *end = 0;
}

/* The path of a source file; a relative one is taken from the directory of its unit. NULL stays NULL. */
static const char *source_path(struct rd_arena *a, Dwarf_Die *unit, const char *path) {
    if (!path || strcmp(path, "???") == 0)
        return NULL;
    Dwarf_Attribute attr;
    const char *dir = path[0] != '/' && dwarf_attr(unit, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) : NULL;
    size_t n = dir ? strlen(dir) : 0;
    char *to = rd_arena_alloc(a, n + strlen(path) + 2);
    if (dir) {
        memcpy(to, dir, n);
        to[n++] = '/';
    }
    strcpy(to + n, path);
    clean(to);
    return to;
}

static int by_low(const void *a, const void *b) {
    const struct rd_span *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* The innermost span around the address; NULL: none. */
static const struct rd_span *find(const struct rd_span *at, uint32_t count, uint64_t address) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = low; i > 0 && low - i < 16; i--) /* spans may nest */
        if (address < at[i - 1].high)
            return &at[i - 1];
    return NULL;
}

void rd_dwarf_units(struct rd_image *m, struct rd_arena *a) {
    rd_image_open(m);
    if (m->units_read || !m->dwarf)
        return;
    m->units_read = true;
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, split;
    while (dwarf_get_units(m->dwarf, cu, &cu, NULL, NULL, &die, &split) == 0) {
        int tag = dwarf_tag(&die);
        if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
            continue;
        uint32_t unit = m->units.count;
        rd_vec_push(a, &m->units, (struct rd_unit){.die = dwarf_tag(&split) == DW_TAG_compile_unit ? split : die});
        Dwarf_Addr base, low, high;
        for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;)
            rd_vec_push(a, &m->spans, (struct rd_span){.low = low, .high = high, .unit = unit});
    }
    if (m->spans.count)
        qsort(m->spans.at, m->spans.count, sizeof *m->spans.at, by_low);
}

uint32_t rd_dwarf_unit_at(struct rd_image *m, uint64_t address) {
    const struct rd_span *span = find(m->spans.at, m->spans.count, address - m->bias);
    return span ? span->unit : UINT32_MAX;
}

/* True for entries that can have functions inside: namespaces, classes, and other functions (lambdas, local
 * classes). */
static bool holds_functions(int tag) {
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_module;
}

/* The scope "a::b::" of entries inside `die`, which is itself in `scope`. */
static const char *inner_scope(struct rd_arena *a, Dwarf_Die *die, const char *scope) {
    const char *name = dwarf_diename(die);
    if (dwarf_tag(die) == DW_TAG_lexical_block)
        return scope;
    if (!name)
        name = dwarf_tag(die) == DW_TAG_namespace ? "(anonymous namespace)" : "{lambda}";
    char *to = rd_arena_alloc(a, strlen(scope) + strlen(name) + 3);
    strcpy(stpcpy(stpcpy(to, scope), name), "::");
    return to;
}

/* Adds the functions below the parent to the index of the unit. */
static void index_functions(struct rd_unit *u, struct rd_arena *a, Dwarf_Die *parent, const char *scope,
                            unsigned depth) {
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        Dwarf_Addr base, low, high;
        if (tag == DW_TAG_subprogram) {
            for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;)
                rd_vec_push(a, &u->functions, (struct rd_span){.low = low, .high = high, .die = die});
            if (scope[0])
                *rd_map_put(&u->scopes, a, dwarf_dieoffset(&die)) = (uint64_t)(uintptr_t)scope;
        }
        if (holds_functions(tag) && dwarf_haschildren(&die) > 0)
            index_functions(u, a, &die, inner_scope(a, &die, scope), depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* The inlined calls at the address, calls[0] the outermost; returns their number. */
static uint32_t inlined_calls(Dwarf_Die *parent, uint64_t address, Dwarf_Die *calls, uint32_t count) {
    Dwarf_Die die;
    if (count >= DEPTH_MAX || dwarf_child(parent, &die) != 0)
        return count;
    do {
        int tag = dwarf_tag(&die);
        if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) || dwarf_haspc(&die, address) <= 0)
            continue;
        if (tag == DW_TAG_inlined_subroutine)
            calls[count++] = die;
        return inlined_calls(&die, address, calls, count);
    } while (dwarf_siblingof(&die, &die) == 0);
    return count;
}

/* The name of a function in the source: that of its declaration, with the scopes around the declaration. */
static const char *source_name(struct rd_unit *u, struct rd_arena *a, Dwarf_Die *die) {
    static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
    const char *name = dwarf_diename(die);
    if (!name)
        return "??";
    Dwarf_Die at = *die;
    for (unsigned i = 0; i < 2 * RD_COUNT(links); i++) {
        Dwarf_Attribute attr;
        uint64_t *scope = rd_map_get(&u->scopes, dwarf_dieoffset(&at));
        bool more = dwarf_attr(&at, links[i % 2], &attr) && dwarf_formref_die(&attr, &at);
        if (scope && !more) {
            const char *text = (const char *)(uintptr_t)*scope;
            char *to = rd_arena_alloc(a, strlen(text) + strlen(name) + 1);
            strcpy(stpcpy(to, text), name);
            return to;
        }
    }
    return name;
}

/* The demangled name of a function, without parameters. */
static const char *function_name(struct rd_image *m, struct rd_unit *u, struct rd_arena *a, Dwarf_Die *die) {
    Dwarf_Attribute attr;
    const char *linkage = NULL;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
        linkage = dwarf_formstring(&attr);
    Dwarf_Addr entry;
    if (!linkage && dwarf_entrypc(die, &entry) == 0 && dwarf_tag(die) == DW_TAG_subprogram) {
        const struct rd_symbol *s = rd_image_symbol(m, a, entry + m->bias, true);
        linkage = s && strncmp(s->name, "_Z", 2) == 0 ? s->name : NULL;
    }
    if (!linkage)
        return source_name(u, a, die);
    char *readable = rd_demangle(linkage);
    rd_demangle_strip(readable);
    const char *kept = rd_arena_text(a, readable);
    free(readable);
    return kept;
}

static int number(Dwarf_Die *die, unsigned name, int otherwise) {
    Dwarf_Attribute attr;
    Dwarf_Word v;
    return dwarf_attr(die, name, &attr) && dwarf_formudata(&attr, &v) == 0 ? (int)v : otherwise;
}

/* Fills in file, line and column of an inlined call. */
static void call_site(struct rd_arena *a, Dwarf_Die *unit, Dwarf_Die *call, struct rd_frame *f) {
    Dwarf_Files *files;
    size_t count;
    int file = number(call, DW_AT_call_file, -1); /* 0 is the unit's own file since DWARF 5 */
    if (dwarf_getsrcfiles(unit, &files, &count) == 0 && file >= 0 && (size_t)file < count)
        f->file = source_path(a, unit, dwarf_filesrc(files, (size_t)file, NULL, NULL));
    f->line = number(call, DW_AT_call_line, 0);
    f->column = number(call, DW_AT_call_column, 0);
}

/*
 * Fills in the source line of an address. Optimised code has instructions that belong to no line (0): then it is
 * the last line before them in the function, which begins at `low`.
 */
static void source_line(struct rd_arena *a, Dwarf_Die *unit, uint64_t address, uint64_t low, struct rd_frame *f) {
    for (unsigned tries = 0; tries < 16; tries++) {
        Dwarf_Line *line = dwarf_getsrc_die(unit, address);
        Dwarf_Addr start;
        if (!line || dwarf_lineno(line, &f->line) != 0 || dwarf_lineaddr(line, &start) != 0)
            return;
        if (f->line != 0) {
            f->file = source_path(a, unit, dwarf_linesrc(line, NULL, NULL));
            dwarf_linecol(line, &f->column);
            return;
        }
        if (start <= low)
            return;
        address = start - 1;
    }
}

/* The function with the code at an address of the debug information, and its unit; NULL: none. */
static const struct rd_span *function_at(struct rd_image *m, struct rd_arena *a, uint64_t address,
                                         struct rd_unit **unit) {
    rd_dwarf_units(m, a);
    const struct rd_span *span = find(m->spans.at, m->spans.count, address);
    if (!span)
        return NULL;
    struct rd_unit *u = &m->units.at[span->unit];
    if (!u->indexed) {
        u->indexed = true;
        index_functions(u, a, &u->die, "", 0);
        if (u->functions.count)
            qsort(u->functions.at, u->functions.count, sizeof *u->functions.at, by_low);
    }
    *unit = u;
    return find(u->functions.at, u->functions.count, address);
}

bool rd_dwarf_function(struct rd_image *m, struct rd_arena *a, uint64_t address, Dwarf_Die *to) {
    struct rd_unit *unit;
    rd_dwarf_units(m, a);
    const struct rd_span *function = function_at(m, a, address - m->bias, &unit);
    if (function)
        *to = function->die;
    return function;
}

uint32_t rd_dwarf_frames(struct rd_image *m, struct rd_arena *a, uint64_t address, struct rd_frame **frames) {
    struct rd_unit *u;
    rd_dwarf_units(m, a); /* first: it makes the bias known */
    address -= m->bias;
    const struct rd_span *function = function_at(m, a, address, &u);
    if (!function)
        return 0;
    Dwarf_Die calls[DEPTH_MAX], whole = function->die;
    uint32_t inlined = inlined_calls(&whole, address, calls, 0);
    struct rd_frame *f = rd_arena_zero(a, (inlined + 1) * sizeof *f);
    source_line(a, &u->die, address, inlined ? address : function->low, &f[0]);
    for (uint32_t i = 0; i < inlined; i++) {
        Dwarf_Die *call = &calls[inlined - 1 - i];
        f[i].function = function_name(m, u, a, call);
        f[i].inlined = true;
        call_site(a, &u->die, call, &f[i + 1]);
    }
    f[inlined].function = function_name(m, u, a, &whole);
    *frames = f;
    return inlined + 1;
}
