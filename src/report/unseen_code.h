/*
 * unseen_code.h - what a run could not see: the code whose memory accesses were no operations, because `raddle cc`
 * did not compile it. A claim that is silent about it would be taken for one about the whole program.
 */
#ifndef RD_REPORT_UNSEEN_CODE_H
#define RD_REPORT_UNSEEN_CODE_H

#include "result/run_result.h"

enum rd_unseen_code_why {
    RD_UNSEEN_CODE_PLAIN,      /* a compiler without hooks */
    RD_UNSEEN_CODE_ASSEMBLER,  /* assembly language: there are no hooks for it */
    RD_UNSEEN_CODE_NO_HOOKS,   /* its code has none; there is no debug information that tells more */
    RD_UNSEEN_CODE_UNREADABLE, /* the file cannot be read */
    RD_UNSEEN_CODE_INLINE,     /* inline assembly in code that has hooks */
    RD_UNSEEN_CODE_EITHER,     /* … or a compare-and-swap that the compiler has made of an atomic of OpenMP */
    RD_UNSEEN_CODE_OPENMP,     /* that, in a construct of OpenMP */
    RD_UNSEEN_CODE_WHYS
};

struct rd_unseen_code_code {
    const char *module; /* path of the program or library */
    char unit[160];     /* source file; "": all of the module, or `function` */
    char function[96];  /* "": all of the unit */
    uint8_t why;        /* enum rd_unseen_code_why */
    bool library;       /* the module is not the program itself */
};

enum { RD_UNSEEN_CODE_MAX = 64, RD_UNSEEN_CODE_WORDS = 768 };

struct rd_unseen_code {
    bool everything;   /* no code at all has hooks */
    bool accesses;     /* accesses were no operations because the user wanted it so (--points sync) */
    bool unredirected; /* calls out of instrumented code that were no operations */
    uint32_t count;
    uint32_t more; /* pieces of code for which there was no room */
    struct rd_unseen_code_code code[RD_UNSEEN_CODE_MAX];
    const char *const *calls; /* functions without hooks whose calls were operations; what they do inside was not */
    uint32_t call_count;
};

/*
 * Fills in what the table of modules tells: whether anything has hooks, and the libraries without them. Looks at no
 * file.
 */
void rd_unseen_code_modules(struct rd_unseen_code *b, const struct rd_run_result *result);
/* Adds the parts of modules with hooks that have none themselves. Reads the files. */
void rd_unseen_code_units(struct rd_unseen_code *b, const struct rd_run_result *result);

/* Was everything seen? */
bool rd_unseen_code_none(const struct rd_unseen_code *b);
/* What was not seen, in one line: "memory accesses in helper.c, libfoo.so (built without raddle cc)". */
void rd_unseen_code_words(const struct rd_unseen_code *b, char *to, size_t room);
const char *rd_unseen_code_reason(unsigned why);
/* The name that people know it by: "helper.c", "bump()", "helper.c in libfoo.so", "libfoo.so". */
void rd_unseen_code_name(const struct rd_unseen_code_code *code, char *to, size_t room);

#endif
