/* compiler_record.h - inside the symbols part: how a module was compiled. */
#ifndef RD_SYMBOLS_COMPILER_RECORD_H
#define RD_SYMBOLS_COMPILER_RECORD_H

#include "base/arena.h"

struct rd_image;

/* Compiler, version and optimisation level out of DW_AT_producer; false: not a compiler that is known. */
bool rd_compiler_record_text(const char *producer, char *to, size_t room);
/*
 * Is it C++20 or later, by DW_AT_producer and DW_AT_language? gcc says so by the name of the language, and both
 * compilers by -std= where the command line is recorded, as 'raddle c++' asks clang to do. False, too, when that is
 * not known.
 */
bool rd_compiler_record_is_cxx20(const char *producer, unsigned language);
struct rd_cxx20;
/* The code of a module that is; what does not fit is left out. */
void rd_compiler_record_cxx20(struct rd_image *m, struct rd_arena *a, struct rd_cxx20 *to);
/* Those of all units of a module, each once. */
bool rd_compiler_record_list(struct rd_image *m, struct rd_arena *a, char *to, size_t room);

#endif
