/*
 * unhooked_code.h - inside the symbols part: finds the code of a module without hooks: *plain* code, which `raddle
 * cc` did not compile, and instructions of compiled code that the compiler gives no hook.
 */
#ifndef RD_SYMBOLS_UNHOOKED_CODE_H
#define RD_SYMBOLS_UNHOOKED_CODE_H

#include "symbols/image.h"

/* A plain compile unit, a plain function, or a function with hooks that has atomic instructions without. */
struct rd_unhooked {
    const char *unit;     /* source file; NULL: not known */
    const char *function; /* NULL: the whole unit is meant, or the function has no name */
    uint64_t address;     /* of the function's code */
    bool assembler;       /* the unit was written in assembly language */
    bool inlined;         /* a function with hooks, and with atomic instructions of inline assembly or OpenMP */
    bool compares;        /* inlined: all of these are compare-and-swaps, which OpenMP constructs may be */
    bool openmp;          /* compares: all are in code that the compiler made for OpenMP, so they add no order */
};

/* Plain compile units, each once; plain functions whose unit is not known; functions with atomic instructions. */
struct rd_unhooked_list {
    RD_VEC(struct rd_unhooked);
};

/*
 * Appends the unhooked code of the module to the list. False: the file of the module cannot be read, or there is no
 * decoder for its machine.
 */
bool rd_unhooked_find(struct rd_image *m, struct rd_arena *a, struct rd_unhooked_list *found);
/* True if the function with this name comes from the compiler, its libraries or the start-up files. */
bool rd_unhooked_support(const char *name, bool hidden);

#endif
