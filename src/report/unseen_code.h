/*
 * unseen_code.h - the code whose memory accesses were no operations in a run, mostly because `raddle cc` did not
 * compile it. The summary names this code beside its claim, which readers would otherwise take for a claim about
 * the whole program.
 */
#ifndef RD_REPORT_UNSEEN_CODE_H
#define RD_REPORT_UNSEEN_CODE_H

#include "result/run_result.h"

enum rd_unseen_code_why {
    RD_UNSEEN_CODE_PLAIN,      /* compiled without hooks */
    RD_UNSEEN_CODE_ASSEMBLER,  /* written in assembly language, which gets no hooks */
    RD_UNSEEN_CODE_NO_HOOKS,   /* the code has no hooks, and no debug information says why */
    RD_UNSEEN_CODE_UNREADABLE, /* the file of the module cannot be read */
    RD_UNSEEN_CODE_INLINE,     /* inline assembly in code that has hooks */
    RD_UNSEEN_CODE_EITHER,     /* inline assembly, or a compare-and-swap that implements an OpenMP atomic */
    RD_UNSEEN_CODE_OPENMP,     /* a compare-and-swap that implements an OpenMP atomic or reduction */
    RD_UNSEEN_CODE_WHYS
};

/* One piece of unseen code: a module, a compilation unit in it, or a function. */
struct rd_unseen_part {
    const char *module; /* path of the program or library */
    char unit[160];     /* source file; "": the whole module, or `function` of it */
    char function[96];  /* "": the whole unit */
    uint8_t why;        /* enum rd_unseen_code_why */
    bool library;       /* the module is not the program itself */
};

enum { RD_UNSEEN_CODE_MAX = 64, RD_UNSEEN_CODE_WORDS = 768 }; /* the latter: room for rd_unseen_code_words */

struct rd_unseen_code {
    bool everything;   /* no module has hooks: every access is unseen, and `code` is empty */
    bool accesses;     /* plain accesses were neither operations nor checked for races, because of --points sync */
    bool unredirected; /* some calls out of instrumented code were no operations */
    uint32_t count;
    uint32_t more; /* further pieces of code, for which there was no room */
    struct rd_unseen_part code[RD_UNSEEN_CODE_MAX];
    const char *const
        *calls; /* functions without hooks: their calls were operations, the accesses in them were not */
    uint32_t call_count;
};

/*
 * Fills in *b from the table of modules in the channel: whether any module has hooks, and the modules that have
 * none. Reads no file.
 */
void rd_unseen_code_modules(struct rd_unseen_code *b, const struct rd_run_result *result);
/* Adds the units and functions without hooks of modules that have hooks. Reads the files of the modules. */
void rd_unseen_code_units(struct rd_unseen_code *b, const struct rd_run_result *result);

/* Was every memory access and every call seen? */
bool rd_unseen_code_none(const struct rd_unseen_code *b);
/* The unseen code in one line: "memory accesses in helper.c, libfoo.so (built without raddle cc)". */
void rd_unseen_code_words(const struct rd_unseen_code *b, char *to, size_t room);
/* Why code is unseen (enum rd_unseen_code_why), for users. */
const char *rd_unseen_code_reason(unsigned why);
/* The name of a piece of code for users: "helper.c", "bump()", "helper.c in libfoo.so", "libfoo.so". */
void rd_unseen_code_name(const struct rd_unseen_part *code, char *to, size_t room);

#endif
