/*
 * launch.h - the one way in which a tested program is started, by the driver itself or by a debugger: its name, its
 * arguments, its environment, its descriptors, and where its stack begins.
 */
#ifndef RD_DRIVE_PROCESS_LAUNCH_H
#define RD_DRIVE_PROCESS_LAUNCH_H

#include "drive/process/worker.h"

struct rd_launch {
    const char *path;
    char **args;        /* from args[0] on, to a NULL */
    char **environment; /* the same */
    int input, output, error, channel;
    bool owned; /* all of it was allocated (rd_launch_read) */
};

/* Returns 0, or -1 with a message. */
int rd_launch_make(struct rd_launch *l, const struct rd_worker *w, const struct rd_target *t,
                   struct rd_error *error);
void rd_launch_free(struct rd_launch *l);
/* This process becomes the program; comes back only with an error (errno). */
void rd_launch_become(const struct rd_launch *l);

/* For a process that is started by another program than the driver, which still runs: what it is to become. */
int rd_launch_write(const struct rd_launch *l, int fd);
/* What rd_launch_write has written there, with descriptors of its own. False: it cannot be read (errno). */
bool rd_launch_read(struct rd_launch *l, const char *file);

/* Path of libraddle.so, beside the driver or where it is installed. */
const char *rd_library_path(void);

#endif
