/* gdb.h - raddle replay --gdb: the replay of a schedule under gdb. */
#ifndef RD_CLI_GDB_H
#define RD_CLI_GDB_H

#include "drive/replay_schedule.h"

enum { RD_GDB_ARGS = 64 };

struct rd_gdb {
    const char *args[RD_GDB_ARGS]; /* of --gdb-arg; gdb handles them after its script has run the program */
    uint32_t arg_count;
};

/* Runs the replay until the user leaves gdb. Returns the exit status. */
int rd_gdb_replay(struct rd_gdb *g, const struct rd_target *t, const struct rd_schedule *s);

#endif
