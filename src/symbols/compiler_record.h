/* compiler_record.h - inside the symbols part: how a module was compiled. */
#ifndef RD_SYMBOLS_COMPILER_RECORD_H
#define RD_SYMBOLS_COMPILER_RECORD_H

#include "base/arena.h"

struct rd_image;

/* Writes compiler, version and optimisation level from DW_AT_producer; false: the compiler is not gcc or clang. */
bool rd_compiler_record_text(const char *producer, char *to, size_t room);
/*
 * True if a unit with this DW_AT_producer and DW_AT_language is known to be C++20 or later. gcc records the name of
 * the language, and both compilers -std= where they record their command line, as 'raddle c++' asks clang to do.
 */
bool rd_compiler_record_is_cxx20(const char *producer, unsigned language);
struct rd_cxx20;
/* The code of the module's C++20 units, as ranges of return addresses; further ranges than fit are left out. */
void rd_compiler_record_cxx20(struct rd_image *m, struct rd_arena *a, struct rd_cxx20 *to);
/* Writes the texts of all units of the module (rd_compiler_record_text), each once; false: there is none. */
bool rd_compiler_record_list(struct rd_image *m, struct rd_arena *a, char *to, size_t room);

#endif
