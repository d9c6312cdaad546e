/* target.h - the program under test: found, looked at, and known by its build. */
#ifndef RD_DRIVE_PROCESS_TARGET_H
#define RD_DRIVE_PROCESS_TARGET_H

#include "base/error.h"
#include "channel/channel.h"

#include <limits.h>

struct rd_target {
    char path[PATH_MAX]; /* absolute */
    char **args;         /* the program's own name first; NULL at the end; borrowed */
    uint32_t arg_count;
    uint8_t build_id[20], build_id_size; /* without one: a hash of the file */
    char cwd[PATH_MAX];
    struct rd_cxx20 cxx20; /* filled in by who can read debug information, as the next one */
    bool inline_atomics;   /* there is inline assembly with atomic instructions, or what may be such */
    bool unseen_code;      /* there is code without hooks, or with accesses in inline assembly */
    bool void_main;        /* what main() returns is no exit status; for the caller to say */
};

/* Tells a tested process what is known about the program's code. */
static inline void rd_target_tell(const struct rd_target *t, struct rd_config *c) {
    c->cxx20 = t->cxx20;
    c->inline_atomics = t->inline_atomics;
}

/* Finds and checks the program. Returns 0, or -1 with a message that says why it cannot be run under Raddle. */
int rd_target_open(struct rd_target *t, char **args, struct rd_error *error);

#endif
