/*
 * symbols.h - from places to what a programmer calls them: function, source line, variable. With libdw.
 *
 * A module is opened when it is first asked for, and only the debug information of the units that are asked for
 * is read; answers are remembered. Texts and frames live until rd_symbols_close. Nothing here fails: what cannot
 * be found out stays unknown.
 */
#ifndef RD_SYMBOLS_SYMBOLS_H
#define RD_SYMBOLS_SYMBOLS_H

#include "trace/code_ranges.h"
#include "trace/module.h"
#include "trace/profile.h"

enum rd_frame_kind {
    RD_FRAME_USER,    /* code of the program or of a library that is under test */
    RD_FRAME_LIBRARY, /* libc, the C++ library, a system header's code compiled into the program */
    RD_FRAME_RUNTIME, /* Raddle's own */
};

struct rd_frame {
    const char *function; /* without parameters; "??" when unknown */
    const char *file;     /* absolute where the compiler said so; NULL: unknown */
    const char *module;   /* path of the program or library; NULL: in none */
    rd_place pc;
    int line, column; /* 0: unknown */
    uint8_t kind;     /* enum rd_frame_kind */
    bool inlined;     /* into the next frame */
};

struct rd_symbols;

/* Borrows the table of modules. */
struct rd_symbols *rd_symbols_open(const struct rd_module *modules, uint32_t count);
void rd_symbols_close(struct rd_symbols *s);

/*
 * The frames at one place in the code, innermost first: what was inlined there, then the function itself. At least
 * one. `exact`: pc is the instruction itself (a crash, a function's start) and not a return address.
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
 * The name of data: counter, table[3].next, stack of T1 -0x80; of the heap "malloc at list.c:42 #3 +8" where the
 * profile knows the block (the 4th from that statement, its byte 8), else heap block of T2 +0x40.
 */
void rd_symbols_data(struct rd_symbols *s, rd_place place, char *to, size_t room);
/* The same of all that begins there, an array or a block: its name without element, member or offset. */
void rd_symbols_whole(struct rd_symbols *s, rd_place place, char *to, size_t room);
/* From here on blocks of the heap that are in this profile are called by the statement that allocated them. */
void rd_symbols_profile(struct rd_symbols *s, const struct rd_profile *p);
/*
 * Where the profile's blocks with this name are: "malloc at list.c:42" all from that statement, with #3 that one,
 * with +8 that byte of it. Blocks beside each other are one range. How many ranges there are, at most `max`.
 */
uint32_t rd_symbols_blocks(struct rd_symbols *s, const char *name, struct rd_range *to, uint32_t max);
/* The program's global and static variables by place, those that overlap as the larger one; how many there are. */
uint32_t rd_symbols_globals(struct rd_symbols *s, struct rd_global *to, uint32_t max);

/*
 * Where in the program itself (not in its libraries) the functions or variables with this name are: for functions
 * the addresses to which a call in them returns. With debug information a variable can be a part of one:
 * queue.head, table[3]. Returns how many there are, at most `max`; 0: none.
 */
uint32_t rd_symbols_named(struct rd_symbols *s, const char *name, bool function, struct rd_range *to, uint32_t max);

/* The same of copies of a function that the compiler has put into others; needs debug information. */
uint32_t rd_symbols_inlined(struct rd_symbols *s, const char *name, struct rd_range *to, uint32_t max);

/* Functions of the program with inline assembly that has atomic instructions: it may synchronise. How many, and
 * their names. (Those of OpenMP's own constructs are not among them: they order nothing.) */
uint32_t rd_symbols_inline_atomics(struct rd_symbols *s, char *const **names);
/* Is there any code in the program whose accesses to memory are not seen, or that could not be looked at? */
bool rd_symbols_unseen_code(struct rd_symbols *s);

/* The program's code in C++20 or later, as far as its debug information says so. */
void rd_symbols_cxx20(struct rd_symbols *s, struct rd_cxx20 *to);

/* The same of all functions and source files that match a pattern with shell wildcards. */
uint32_t rd_symbols_matched(struct rd_symbols *s, const char *pattern, struct rd_range *to, uint32_t max);

/* How the program was compiled: "gcc 12.2.0 -O2, clang 14.0.6". False: it has no debug information. */
bool rd_symbols_compilers(struct rd_symbols *s, char *to, size_t room);
/* Does the program's main() return nothing? Needs debug information; without it: false. */
bool rd_symbols_void_main(struct rd_symbols *s);

/* A C++ name in readable form, or the name itself. The result is the caller's to free. */
char *rd_demangle(const char *name);
/* Takes parameters and return type off a demangled name, in place. */
void rd_demangle_strip(char *name);

#endif
