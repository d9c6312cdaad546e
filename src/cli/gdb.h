/* gdb.h - a replay under gdb. */
#ifndef RD_CLI_GDB_H
#define RD_CLI_GDB_H

#include "drive/replay_schedule.h"

enum { RD_GDB_ARGS = 64 };

struct rd_gdb {
    const char *args[RD_GDB_ARGS]; /* the user's, after the program has stopped */
    uint32_t arg_count;
};

/* Returns the exit status. */
int rd_gdb_replay(struct rd_gdb *g, const struct rd_target *t, const struct rd_schedule *s);

/* Reads a schedule, goes to its directory, finds its program and checks that it is the same build. 0 or exit
 * status. */
int rd_schedule_open(struct rd_schedule *s, struct rd_target *t, const char *file);

#endif
