/* target.h - the program under test: its file, its arguments, and the identity of its build. */
#ifndef RD_DRIVE_PROCESS_TARGET_H
#define RD_DRIVE_PROCESS_TARGET_H

#include "base/error.h"
#include "channel/channel.h"

#include <limits.h>

struct rd_target {
    char path[PATH_MAX]; /* absolute */
    char **args;         /* args[0] is the program's own name; NULL at the end; owned by the caller */
    uint32_t arg_count;
    uint8_t build_id[20], build_id_size; /* a hash of the file if it has no build ID */
    char cwd[PATH_MAX];
    /* rd_target_open leaves the rest zero; cli/run/named_code.c fills it in from the debug information. */
    struct rd_cxx20 cxx20;
    bool inline_atomics; /* inline assembly has instructions that are or may be atomic */
    bool unseen_code;    /* a part of the code has no hooks, or accesses memory in inline assembly */
    bool void_main;      /* main() returns void: the exit status has no meaning */
};

/* Copies the facts about the program's code into the configuration of a tested process. */
static inline void rd_target_tell(const struct rd_target *t, struct rd_config *c) {
    c->cxx20 = t->cxx20;
    c->inline_atomics = t->inline_atomics;
}

/* Finds and checks the program args[0]. Returns 0, or -1 with a message that says why Raddle cannot run it. */
int rd_target_open(struct rd_target *t, char **args, struct rd_error *error);

#endif
