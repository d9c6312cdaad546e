/*
 * compiler_record.c - how the program was compiled, from DW_AT_producer and DW_AT_language. Optimisation removes
 * and moves accesses, so a report names the level. gcc records its options; clang records only its version, or with
 * -grecord-command-line its command line as well.
 */
#include "symbols/image.h"
#include "symbols/compiler_record.h"
#include "trace/code_ranges.h"
#include "trace/place.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

/* "GNU C++17 12.2.0 -mtune=… -O2" and "Debian clang version 14.0.6" become "gcc 12.2.0 -O2" and "clang 14.0.6". */
bool rd_compiler_record_text(const char *producer, char *to, size_t room) {
    char version[32] = "";
    const char *name = NULL, *clang = strstr(producer, "clang version ");
    bool gnu = strncmp(producer, "GNU ", 4) == 0;
    if (clang && sscanf(clang, "clang version %31[^ (]", version) == 1)
        name = "clang";
    else if (gnu && strncmp(producer + 4, "AS ", 3) != 0 && sscanf(producer, "GNU %*s %31s", version) == 1)
        name = "gcc";
    if (!name)
        return false;
    const char *level = NULL; /* the last -O option is the effective one */
    for (const char *p = producer; (p = strstr(p, " -O")) != NULL; p++)
        level = p + 1;
    int length = level ? (int)strcspn(level, " ") : 0;
    if (level)
        snprintf(to, room, "%s %s %.*s", name, version, length, level);
    else
        snprintf(to, room, "%s %s%s", name, version, gnu ? " -O0" : "");
    return true;
}

/* True if the list, whose elements are separated by ", ", has this text. */
static bool mentioned(const char *list, const char *text) {
    size_t n = strlen(text);
    for (const char *p = list; (p = strstr(p, text)) != NULL; p++)
        if ((p == list || p[-1] == ' ') && (p[n] == 0 || p[n] == ','))
            return true;
    return false;
}

/* True for a unit of gcc's own that it links into every program with hooks: its options are not those of the
 * program. */
static bool is_own(Dwarf_Die *unit) {
    const char *name = dwarf_diename(unit);
    return name && strstr(name, "libsanitizer/tsan/") != NULL;
}

bool rd_compiler_record_list(struct rd_image *m, struct rd_arena *a, char *to, size_t room) {
    to[0] = 0;
    rd_dwarf_units(m, a);
    for (uint32_t i = 0; i < m->units.count; i++) {
        Dwarf_Attribute attr;
        char one[64];
        const char *producer =
            dwarf_attr(&m->units.at[i].die, DW_AT_producer, &attr) ? dwarf_formstring(&attr) : NULL;
        if (!producer || is_own(&m->units.at[i].die) || !rd_compiler_record_text(producer, one, sizeof one) ||
            mentioned(to, one))
            continue;
        size_t used = strlen(to);
        if (used + strlen(one) + 3 < room)
            snprintf(to + used, room - used, "%s%s", used ? ", " : "", one);
    }
    return to[0] != 0;
}

/* True for the name of C++20 or a later standard: "c++20", "gnu++2a", "C++23". */
static bool is_later(const char *name) {
    const char *year = strstr(name, "++");
    return year && year[2] == '2';
}

bool rd_compiler_record_is_cxx20(const char *producer, unsigned language) {
    enum { CXX_20 = 0x2b, CXX_23 = 0x3a };
    const char *last = NULL;
    char name[32];
    if (language == CXX_20 || language == CXX_23)
        return true;
    for (const char *p = producer; (p = strstr(p, "-std=")) != NULL; p++)
        last = p;
    if (last)
        return sscanf(last, "-std=%31s", name) == 1 && is_later(name);
    return sscanf(producer, "GNU %31s", name) == 1 && is_later(name);
}

static bool unit_is_cxx20(struct rd_image *m, uint32_t unit) {
    Dwarf_Die *die = &m->units.at[unit].die;
    Dwarf_Attribute attr;
    Dwarf_Word language = 0;
    const char *producer = dwarf_attr(die, DW_AT_producer, &attr) ? dwarf_formstring(&attr) : NULL;
    if (dwarf_attr(die, DW_AT_language, &attr))
        dwarf_formudata(&attr, &language);
    return rd_compiler_record_is_cxx20(producer ? producer : "", (unsigned)language);
}

void rd_compiler_record_cxx20(struct rd_image *m, struct rd_arena *a, struct rd_cxx20 *to) {
    bool before = false;
    to->count = 0;
    rd_dwarf_units(m, a);
    for (uint32_t i = 0; i < m->spans.count; i++) { /* in ascending order: neighbours become one range */
        const struct rd_span *s = &m->spans.at[i];
        bool is = unit_is_cxx20(m, s->unit), grows = is && before;
        if (is && !grows && to->count == RD_CXX20_MAX)
            return;
        if (is && !grows)
            to->at[to->count++] = (struct rd_range){.first = rd_place_make(RD_PLACE_MODULE, s->low + 1)};
        if (is) { /* ranges are of return addresses */
            struct rd_range *r = &to->at[to->count - 1];
            r->last = RD_MAX(r->last, rd_place_make(RD_PLACE_MODULE, s->high));
        }
        before = is;
    }
}
