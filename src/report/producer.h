/* producer.h - inside the symbols part: how a module was compiled. */
#ifndef RD_PRODUCER_H
#define RD_PRODUCER_H

#include "base/arena.h"

struct rd_image;

/* Compiler, version and optimisation level out of DW_AT_producer; false: not a compiler that is known. */
bool rd_producer_text(const char *producer, char *to, size_t room);
/* Those of all units of a module, each once. */
bool rd_producer_list(struct rd_image *m, struct rd_arena *a, char *to, size_t room);

#endif
