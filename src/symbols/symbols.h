/*
 * symbols.h - names for places: function, source line, variable, from symbol tables and debug information (libdw).
 *
 * A module is opened with the first question about it, and of its debug information only the units that questions
 * are about are read; answers are kept. Texts and frames live until rd_symbols_close. Files and debug information
 * may be missing or wrong. That is no error: the name is then unknown ("??", NULL, 0) or less precise.
 */
#ifndef RD_SYMBOLS_SYMBOLS_H
#define RD_SYMBOLS_SYMBOLS_H

#include "trace/code_ranges.h"
#include "trace/module.h"
#include "trace/profile.h"

enum rd_frame_kind {
    RD_FRAME_USER,    /* code of the program or of a library that is under test */
    RD_FRAME_LIBRARY, /* libc, the C++ library, a system header's code compiled into the program */
    RD_FRAME_RUNTIME, /* libraddle */
};

/* A function that is active at a place in the code. */
struct rd_frame {
    const char *function; /* without parameters; "??" when unknown */
    const char *file;     /* absolute if the debug information has the directory; NULL: unknown */
    const char *module;   /* path of the program or library; NULL: the place is in no module */
    rd_place pc;
    int line, column; /* 0: unknown */
    uint8_t kind;     /* enum rd_frame_kind */
    bool inlined;     /* into the next frame */
};

struct rd_symbols;

/* The table of modules must stay until rd_symbols_close. */
struct rd_symbols *rd_symbols_open(const struct rd_module *modules, uint32_t count);
void rd_symbols_close(struct rd_symbols *s);

/*
 * The frames at one place in the code, innermost first: inlined calls, then the function itself. At least one
 * frame. `exact`: pc is the instruction itself (a crash, a function's start) and not a return address.
 */
uint32_t rd_symbols_frames(struct rd_symbols *s, rd_place pc, bool exact, const struct rd_frame **frames);

/*
 * The frame to show for an operation: the innermost one in the user's code; without one, the innermost that is not
 * the runtime's; NULL for an empty stack. Stacks end at `count` or at the first 0.
 */
const struct rd_frame *rd_symbols_user_frame(struct rd_symbols *s, const rd_place *stack, uint32_t count,
                                             bool exact);
/* The same for one pc. */
const struct rd_frame *rd_symbols_at(struct rd_symbols *s, rd_place pc, bool exact);

/*
 * Writes the name of data: counter, table[3].next, stack of T1 -0x80; "malloc at list.c:42 #3 +8" for byte 8 of the
 * 4th block that this statement allocated, if the profile has the block, else heap block of T2 +0x40.
 */
void rd_symbols_data(struct rd_symbols *s, rd_place place, char *to, size_t room);
/*
 * Writes the name of a local variable, or of a part of it, that has this place in the stack, if it belongs to the
 * call of this part of the stack: "main() queue.head". False: not known.
 */
bool rd_symbols_local(struct rd_symbols *s, const struct rd_stack_part *part, rd_place place, char *to,
                      size_t room);
/* True if the place is in code; if a variable of the symbol table is there. */
bool rd_symbols_is_code(struct rd_symbols *s, rd_place place);
bool rd_symbols_has_data(struct rd_symbols *s, rd_place place);
struct rd_type; /* a type of the debug information */
/* The type of the variable, or part of it, that begins at a place in a module; NULL: not known. */
const struct rd_type *rd_symbols_data_type(struct rd_symbols *s, rd_place place);
/* The same for a local variable, as rd_symbols_local. */
const struct rd_type *rd_symbols_local_type(struct rd_symbols *s, const struct rd_stack_part *part, rd_place place);
/*
 * The type of a block of the heap, from the statement that allocated it: block_type.c. `read` gives the line of
 * source of a frame; false: it is not known. NULL: the type is not known.
 */
typedef bool (*rd_line_reader)(void *ctx, const struct rd_frame *f, char *to, size_t room);
const struct rd_type *rd_symbols_block_type(struct rd_symbols *s, const struct rd_used_block *b,
                                            rd_line_reader read, void *ctx);
/* The name of a block's type: "struct node", "Session". */
const char *rd_symbols_type_name(const struct rd_type *t);
/*
 * Writes which part of a block of this type is at the offset: ".next", "[3].x", "". Returns the type of that part;
 * NULL: the part does not begin there.
 */
const struct rd_type *rd_symbols_type_path(struct rd_symbols *s, const struct rd_type *t, uint64_t offset, char *to,
                                           size_t room);
/* Writes a value in the terms of its type: an enumerator, true or false, a number. INTEGER: as TEXT, but it may be
 * an address. */
enum rd_value_form { RD_VALUE_UNKNOWN, RD_VALUE_TEXT, RD_VALUE_INTEGER, RD_VALUE_POINTER /* nothing is written */ };
enum rd_value_form rd_symbols_value(const struct rd_type *t, uint64_t value, uint32_t size, char *to, size_t room);
/* Writes the name of the whole variable or block that the place is in: without element, member or offset. */
void rd_symbols_whole(struct rd_symbols *s, rd_place place, char *to, size_t room);
/* Uses this profile for the names of blocks of the heap from now on. */
void rd_symbols_profile(struct rd_symbols *s, const struct rd_profile *p);
/*
 * The blocks of the profile with this name: "malloc at list.c:42" are all blocks from that statement, with #3 the
 * 4th of them, with +8 its byte 8. Adjacent blocks are one range. Returns the number of ranges, at most `max`.
 */
uint32_t rd_symbols_blocks(struct rd_symbols *s, const char *name, struct rd_range *to, uint32_t max);
/* The global and static variables of the program, ascending; of those that overlap the larger one. Returns their
 * number, at most `max`. */
uint32_t rd_symbols_globals(struct rd_symbols *s, struct rd_global *to, uint32_t max);

/*
 * The functions or variables of the program itself (not of its libraries) with this name. The range of a function
 * is that of the return addresses of calls in it. With debug information the name can be that of a part of a
 * variable: queue.head, table[3]; table[*] is all of it. Returns their number, at most `max`.
 */
uint32_t rd_symbols_named(struct rd_symbols *s, const char *name, bool function, struct rd_range *to, uint32_t max);

/* As rd_symbols_named, for the functions of the module with this number. A name can have shell wildcards. */
uint32_t rd_symbols_functions(struct rd_symbols *s, uint32_t module, const char *name, struct rd_range *to,
                              uint32_t max);

/* As rd_symbols_functions, for the copies of a function of the program that were inlined into others; needs debug
 * information. */
uint32_t rd_symbols_inlined(struct rd_symbols *s, const char *name, struct rd_range *to, uint32_t max);

/* The functions of the program with atomic instructions in inline assembly, which may synchronise: their number,
 * and their names. (Atomic instructions of OpenMP constructs do not count: they add no order.) */
uint32_t rd_symbols_inline_atomics(struct rd_symbols *s, char *const **names);
/* True if the program has code whose accesses to memory have no hooks, or code that cannot be read. */
bool rd_symbols_unseen_code(struct rd_symbols *s);

/* The code of the program that its debug information says to be C++20 or later. */
void rd_symbols_cxx20(struct rd_symbols *s, struct rd_cxx20 *to);

/*
 * As rd_symbols_named, for all functions and source files that match a pattern (base/name_pattern.h), and for all
 * global and static variables.
 */
uint32_t rd_symbols_matched(struct rd_symbols *s, const char *pattern, struct rd_range *to, uint32_t max);
uint32_t rd_symbols_matched_data(struct rd_symbols *s, const char *pattern, struct rd_range *to, uint32_t max);

/* How the program was compiled: "gcc 12.2.0 -O2, clang 14.0.6". False: it has no debug information. */
bool rd_symbols_compilers(struct rd_symbols *s, char *to, size_t room);
/* True if the debug information says that main() of the program returns no value. */
bool rd_symbols_void_main(struct rd_symbols *s);

/* The readable form of a mangled C++ name, or a copy of the name. The caller frees it. */
char *rd_demangle(const char *name);
/* Removes parameters and return type from a demangled name, in place. */
void rd_demangle_strip(char *name);

#endif
