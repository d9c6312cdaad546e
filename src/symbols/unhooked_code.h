/*
 * unhooked_code.h - inside the symbols part: which code of a module the compiler has put no hooks into. "Plain" is
 * what `raddle cc` did not compile.
 */
#ifndef RD_SYMBOLS_UNHOOKED_CODE_H
#define RD_SYMBOLS_UNHOOKED_CODE_H

#include "symbols/image.h"

struct rd_unhooked {
    const char *unit;     /* source file; NULL: not known */
    const char *function; /* where the unit is not known; NULL: it has no name either */
    uint64_t address;     /* of its code */
    bool assembler;       /* it was written in assembly language */
    bool inlined;         /* it has hooks, and atomic instructions that have none: inline assembly, or OpenMP's */
    bool compares;        /* … and all of these are compare-and-swaps, which may be OpenMP's */
    bool openmp;          /* … and in code that the compiler has made for OpenMP: they order nothing */
};

/* Plain compile units, each once, and plain functions whose unit is not known. */
struct rd_unhooked_list {
    RD_VEC(struct rd_unhooked);
};

/* False: the module's file cannot be read. */
bool rd_unhooked_find(struct rd_image *m, struct rd_arena *a, struct rd_unhooked_list *found);
/* Code that the compiler, its own libraries or the start-up files bring along, by the name of a function. */
bool rd_unhooked_support(const char *name, bool hidden);

#endif
