/*
 * launch.h - the one way in which a tested program is started, by the driver or by a debugger. Program name,
 * arguments, environment, descriptors and the beginning of the stack are the same in both, so the program takes the
 * same course.
 */
#ifndef RD_DRIVE_PROCESS_LAUNCH_H
#define RD_DRIVE_PROCESS_LAUNCH_H

#include "drive/process/worker.h"

struct rd_launch {
    const char *path;
    char **args;        /* args[0] is the program's own name; NULL at the end */
    char **environment; /* NULL at the end */
    int input, output, error, channel;
    int prepared; /* of a copy of the channel, for a program that is started several times; -1: there is none */
    bool owned;   /* rd_launch_free frees path and args, too: rd_launch_read has allocated them */
};

/* Describes how to start the target for this worker. Returns 0, or -1 with a message. pre: the worker is open. */
int rd_launch_make(struct rd_launch *l, const struct rd_worker *w, const struct rd_target *t,
                   struct rd_error *error);
void rd_launch_free(struct rd_launch *l);
/* To be called at the start of Raddle: the program inherits the descriptors that are open now, and no others. */
void rd_launch_note_descriptors(void);
/* Exec will close all others. What the program is to get is copied (dup2) after this. */
void rd_launch_drop_descriptors(void);
/* Clears what an earlier process has left in the channel and in the files of the output. Returns 0, or -1 (errno).
 */
int rd_launch_rewind(const struct rd_launch *l);
/* Replaces this process by the program (exec). Returns only after an error, which is in errno. */
void rd_launch_become(const struct rd_launch *l);

/*
 * Writes the launch to a file, for a process that a debugger starts while this process still runs: the file names
 * descriptors of this process. `prepared` is one of them.
 */
int rd_launch_write(const struct rd_launch *l, int fd);
/* Reads what rd_launch_write has written, and opens descriptors of its own. False: it cannot be read (errno). */
bool rd_launch_read(struct rd_launch *l, const char *file);

/* Path of libraddle.so, beside the driver or where it is installed. */
const char *rd_library_path(void);

#endif
