/*
 * debug_replay.h - raddle replay --gdb and --gdbserver: a replay whose process a debugger starts, as often as the
 * user wants.
 */
#ifndef RD_CLI_DEBUG_DEBUG_REPLAY_H
#define RD_CLI_DEBUG_DEBUG_REPLAY_H

#include "drive/replay_schedule.h"

enum { RD_DEBUG_ARGS = 64 };

/* What the user asks for. */
struct rd_debug {
    const char *args[RD_DEBUG_ARGS]; /* of --gdb-arg; gdb handles them after it has run the program */
    uint32_t arg_count;
    const char *server; /* of --gdbserver: where it listens; NULL: gdb itself runs the program */
    const char *file;   /* the schedule file, as an absolute path */
    uint32_t at_step;   /* stop before this step, from 1; 0: at the finding */
    bool no_run;        /* gdb does not run the program before its prompt */
};

/* The replay while the debugger runs. The debugger and its commands open the files by their paths in /proc. */
struct rd_debug_replay {
    struct rd_replay replay;
    int launch_fd, session_fd, steps_fd, prepared_fd;
    int input; /* the standard input for gdb; -1: there is none for it */
};

enum { RD_DEBUG_PATH = 64 };
/* The path by which another process opens this descriptor. */
const char *rd_debug_path(int fd, char to[RD_DEBUG_PATH]);

/* Prepares the replay. Returns 0, or the exit status after a message. */
int rd_debug_open(struct rd_debug_replay *r, const struct rd_debug *d, const struct rd_target *t,
                  const struct rd_schedule *s);
/* Ends the replay after the debugger has ended with this wait status. Returns the exit status. */
int rd_debug_close(struct rd_debug_replay *r, const struct rd_debug *d, const struct rd_schedule *s,
                   int wait_status);

/* Run the replay under gdb, or under gdbserver, until the user leaves it. Return the exit status. */
int rd_debug_gdb(const struct rd_debug *d, const struct rd_target *t, const struct rd_schedule *s);
int rd_debug_gdbserver(const struct rd_debug *d, const struct rd_target *t, const struct rd_schedule *s);

/* Starts a program from PATH that ignores no signal, with this standard input (-1: none of its own). */
pid_t rd_debug_start(char **args, int input);
/* Waits for its end; meanwhile Ctrl-C is for the program only. `tick` is called every 50 ms; NULL: it is not. */
int rd_debug_wait(pid_t pid, void (*tick)(void *ctx), void *ctx);

#endif
