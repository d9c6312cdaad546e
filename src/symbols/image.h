/*
 * image.h - inside the symbols part: one opened module. Addresses here are the file's own (as in nm), which is what
 * the offset in a place is, so a module's load address never matters.
 */
#ifndef RD_SYMBOLS_IMAGE_H
#define RD_SYMBOLS_IMAGE_H

#include "base/arena.h"
#include "base/map.h"
#include "symbols/symbols.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

struct rd_symbol {
    uint64_t start, size;
    const char *name;
    bool code;
};

/* A stretch of code and the unit or function it belongs to. */
struct rd_span {
    uint64_t low, high;
    uint32_t unit; /* index in units */
    Dwarf_Die die; /* of the function; unused for units */
};

struct rd_unit {
    Dwarf_Die die;
    bool indexed; /* its functions are known */
    struct {
        RD_VEC(struct rd_span);
    } functions;
    struct rd_map scopes; /* offset of a function's DIE -> "namespace::class::" it is in */
};

struct rd_image {
    const char *path;
    uint8_t kind; /* enum rd_frame_kind, of code that is not a header's */
    bool opened, units_read, symbols_read, variables_read;
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf *dwarf; /* NULL: no debug information, or not wanted */
    Dwarf_Addr bias;
    struct {
        RD_VEC(struct rd_symbol);
    } symbols; /* sorted by start */
    struct {
        RD_VEC(struct rd_unit);
    } units;
    struct {
        RD_VEC(struct rd_span);
    } spans;                 /* of units, sorted */
    struct rd_map variables; /* address -> Dwarf_Die * */
};

/* image.c */
void rd_image_init(struct rd_image *m, const char *path, bool program);
void rd_image_open(struct rd_image *m);
void rd_image_close(struct rd_image *m);
void rd_image_symbols(struct rd_image *m, struct rd_arena *a); /* all of them are in `symbols` then */
const struct rd_symbol *rd_image_symbol(struct rd_image *m, struct rd_arena *a, uint64_t address, bool code);
/* All that have this name, at most `max`: as in the symbol table, or as it is written in the source, with what it
 * is a member of or without. */
uint32_t rd_image_named(struct rd_image *m, struct rd_arena *a, const char *name, bool code,
                        const struct rd_symbol **found, uint32_t max);

/* dwarf.c */
/* The frames at an address, innermost first, in the arena; 0: no debug information about it. */
uint32_t rd_dwarf_frames(struct rd_image *m, struct rd_arena *a, uint64_t address, struct rd_frame **frames);
void rd_dwarf_units(struct rd_image *m, struct rd_arena *a);
/* The index of the unit that has the code at an address, when they have been read; UINT32_MAX: none has. */
uint32_t rd_dwarf_unit_at(struct rd_image *m, uint64_t address);
/* Is it a file of the system: the C or C++ library's or the compiler's headers? */
bool rd_dwarf_system_file(const char *path);
char *rd_arena_text(struct rd_arena *a, const char *text);

/* inlined.c: as rd_symbols_inlined. */
uint32_t rd_dwarf_inlined(struct rd_image *m, struct rd_arena *a, const char *name, struct rd_range *to,
                          uint32_t max);

/* main_type.c: as rd_symbols_void_main. */
bool rd_dwarf_void_main(struct rd_image *m, struct rd_arena *a);

/* name_match.c: as rd_symbols_matched. */
uint32_t rd_image_matched(struct rd_image *m, struct rd_arena *a, const char *pattern, struct rd_range *to,
                          uint32_t max);

/* variable_path.c: the member of a variable's type at this offset, as ".next" or "[3].x"; false: not known. */
bool rd_variable_member(struct rd_image *m, struct rd_arena *a, const struct rd_symbol *s, uint64_t offset,
                        char *to, size_t room);
/* The other way round: where in the variable ".next" or "[3].x" is. False: there is no such part, or it is not
 * known. */
bool rd_variable_part(struct rd_image *m, struct rd_arena *a, const struct rd_symbol *s, const char *path,
                      uint64_t *offset, uint64_t *size);

/* allocation_names.c: the names of blocks. */
struct rd_allocations;
struct rd_allocations *rd_allocations_open(struct rd_symbols *s, struct rd_arena *a, const struct rd_profile *p);
/* "malloc at list.c:42 #3 +8"; false: the profile has no such block. */
bool rd_allocations_name(const struct rd_allocations *n, rd_place place, bool whole, char *to, size_t room);
/* As rd_symbols_blocks. */
uint32_t rd_allocations_named(const struct rd_allocations *n, const char *name, struct rd_range *to, uint32_t max);

/* inlined.c: collects stretches of code, as the addresses to which calls in them return. */
enum { RD_CODE_DIES_MAX = 2000000 };
struct rd_code_walk {
    const char *name;
    bool (*wanted)(const char *name, Dwarf_Die *die); /* is it a copy of what is looked for? */
    struct rd_range *to;
    uint32_t count, max, left; /* left: entries that may still be looked at */
    uint64_t bias;
};
void rd_code_add(struct rd_code_walk *w, uint64_t low, uint64_t high);
/* All copies that the compiler has put into functions of this unit. */
void rd_code_copies(struct rd_code_walk *w, Dwarf_Die *unit);
const char *rd_dwarf_linkage(Dwarf_Die *die); /* NULL: it has none */

#endif
