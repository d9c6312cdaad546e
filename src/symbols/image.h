/*
 * image.h - inside the symbols part: one opened module (an image). Addresses here are those of the file, as nm
 * prints them. The offset in a place is such an address, so the load address of a module does not matter.
 */
#ifndef RD_SYMBOLS_IMAGE_H
#define RD_SYMBOLS_IMAGE_H

#include "base/arena.h"
#include "base/map.h"
#include "symbols/symbols.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* An entry of the symbol table: a function or a variable. */
struct rd_symbol {
    uint64_t start, size;
    const char *name;
    bool code;
};

/* A piece of code of one compile unit, or of one function. */
struct rd_span {
    uint64_t low, high;
    uint32_t unit; /* index in units */
    Dwarf_Die die; /* of the function; unused for units */
};

/* A compile unit. */
struct rd_unit {
    Dwarf_Die die;
    bool indexed; /* `functions` and `scopes` are filled in */
    struct {
        RD_VEC(struct rd_span);
    } functions;
    struct rd_map scopes; /* offset of the DIE of a function -> "namespace::class::" around it */
};

/* A module: the program or a library. */
struct rd_image {
    const char *path;
    uint8_t kind; /* enum rd_frame_kind of its code, except code from system headers */
    bool opened, units_read, symbols_read, variables_read;
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf *dwarf;    /* NULL: it has no debug information, or is a library whose debug information is not read */
    Dwarf_Addr bias; /* address in this struct - address in the debug information */
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

struct rd_symbols {
    struct rd_arena arena;
    struct rd_map answers[2]; /* place -> struct frames_answer *; [1] for exact ones */
    struct rd_map names;      /* place of data -> text */
    struct rd_map locals;     /* hash of the part of a stack and the place -> text; "": not known */
    struct rd_map types;      /* place of data, or hash of a stack -> struct rd_type *; NULL: not known */
    struct rd_image *images;
    uint32_t count;
    struct rd_allocations *allocations; /* NULL: no profile is known */
    struct {
        RD_VEC(char *);
    } inline_atomics; /* names of functions, once they were asked for */
    bool unseen_code; /* the program has code without hooks */
    bool inline_read; /* `inline_atomics` and `unseen_code` are filled in */
};

/* symbols.c: the module of a place; NULL: it is in none that has a path. */
struct rd_image *rd_image_of(struct rd_symbols *s, rd_place place);

/* image.c */
void rd_image_init(struct rd_image *m, const char *path, bool program);
void rd_image_open(struct rd_image *m);
void rd_image_close(struct rd_image *m);
/* Reads the symbol table into `symbols`. */
void rd_image_symbols(struct rd_image *m, struct rd_arena *a);
/* The symbol (of code, or of data) that the address is in; NULL: none. */
const struct rd_symbol *rd_image_symbol(struct rd_image *m, struct rd_arena *a, uint64_t address, bool code);
/* The symbols with this name, at most `max`. The name can be that of the symbol table or that of the source, with
 * or without the namespaces and classes around it. */
uint32_t rd_image_named(struct rd_image *m, struct rd_arena *a, const char *name, bool code,
                        const struct rd_symbol **found, uint32_t max);

/* dwarf.c */
/* The frames at an address, innermost first, in the arena; 0: there is no debug information about the address. */
uint32_t rd_dwarf_frames(struct rd_image *m, struct rd_arena *a, uint64_t address, struct rd_frame **frames);
/* The function with the code at an address. False: there is no debug information about it. */
bool rd_dwarf_function(struct rd_image *m, struct rd_arena *a, uint64_t address, Dwarf_Die *to);
/* Reads the list of compile units. */
void rd_dwarf_units(struct rd_image *m, struct rd_arena *a);
/* The index of the unit with the code at an address; UINT32_MAX: none. pre: rd_dwarf_units was called */
uint32_t rd_dwarf_unit_at(struct rd_image *m, uint64_t address);
/* True if the source file belongs to the system: headers of the C or C++ library or of the compiler. */
bool rd_dwarf_system_file(const char *path);
/* A copy of the text in the arena. */
char *rd_arena_text(struct rd_arena *a, const char *text);

/* inlined.c: as rd_symbols_inlined. */
uint32_t rd_dwarf_inlined(struct rd_image *m, struct rd_arena *a, const char *name, struct rd_range *to,
                          uint32_t max);

/* main_type.c: as rd_symbols_void_main. */
bool rd_dwarf_void_main(struct rd_image *m, struct rd_arena *a);
/* True if the source of the unit is C. */
bool rd_dwarf_is_c(Dwarf_Die *unit);

/* name_match.c: as rd_symbols_matched. */
uint32_t rd_image_matched(struct rd_image *m, struct rd_arena *a, const char *pattern, struct rd_range *to,
                          uint32_t max);

/* The same for the global and static variables. */
uint32_t rd_image_matched_data(struct rd_image *m, struct rd_arena *a, const char *pattern, struct rd_range *to,
                               uint32_t max);

/* local_variable.c: the local variable that has this place, in a call whose address of code is in `part`. */
struct rd_local {
    Dwarf_Die variable;
    uint64_t offset;      /* of the place in it */
    const char *function; /* the inlined function that it belongs to; NULL: the function itself */
};
bool rd_local_variable(struct rd_image *m, struct rd_arena *a, const struct rd_stack_part *part, rd_place place,
                       struct rd_local *to);

/* variable_path.c: the member of a variable's type at this offset, as ".next" or "[3].x"; false: not known. */
bool rd_variable_member(struct rd_image *m, struct rd_arena *a, const struct rd_symbol *s, uint64_t offset,
                        char *to, size_t room);
/* The same for a variable of the debug information. */
bool rd_variable_path(Dwarf_Die *variable, uint64_t offset, char *to, size_t room);
/* The size of a variable; 0: not known. */
uint64_t rd_variable_size(Dwarf_Die *variable);
/* Offset and size of the part ".next" or "[3].x" of a variable. False: there is no such part, or no debug
 * information.
 */
bool rd_variable_part(struct rd_image *m, struct rd_arena *a, const struct rd_symbol *s, const char *path,
                      uint64_t *offset, uint64_t *size);

/* The variable with this address; NULL: none is known. */
Dwarf_Die *rd_variable_at(struct rd_image *m, struct rd_arena *a, uint64_t address);

/* report/allocation_names.c: the names of blocks of the heap, from a profile. */
struct rd_allocations;
struct rd_allocations *rd_allocations_open(struct rd_symbols *s, struct rd_arena *a, const struct rd_profile *p);
/* Writes "malloc at list.c:42 #3 +8", or without the offset if `whole`; false: the profile has no such block. */
bool rd_allocations_name(const struct rd_allocations *n, rd_place place, bool whole, char *to, size_t room);
/* As rd_symbols_blocks. */
uint32_t rd_allocations_named(const struct rd_allocations *n, const char *name, struct rd_range *to, uint32_t max);

/* inlined.c: a walk over debug information that collects pieces of code, as the return addresses of calls in them.
 */
enum { RD_CODE_DIES_MAX = 2000000 }; /* entries of the debug information that one walk visits at most */
struct rd_code_walk {
    const char *name;
    bool (*wanted)(const char *name, Dwarf_Die *die); /* true if the inlined call is of a function of that name */
    struct rd_range *to;                              /* the pieces: `count`, with room for `max` */
    uint32_t count, max;
    uint32_t left; /* entries of the debug information that the walk may still visit */
    uint64_t bias;
};
/* Adds the code from low to high; adjacent pieces become one. */
void rd_code_add(struct rd_code_walk *w, uint64_t low, uint64_t high);
/* Adds all wanted copies that were inlined into functions of this unit. */
void rd_code_copies(struct rd_code_walk *w, Dwarf_Die *unit);
/* The mangled name of a function; NULL: it has none. */
const char *rd_dwarf_linkage(Dwarf_Die *die);

#endif
