/*
 * worker.h - a tested process: its channel, its output, and the wait for its end under the watchdog.
 *
 * Call order: rd_worker_open once; then any number of times rd_worker_start and rd_worker_wait (exec isolation
 * starts one process for each execution on the same channel); then rd_worker_close. A caller that waits for several
 * workers calls rd_worker_ended for each of them instead of rd_worker_wait.
 */
#ifndef RD_DRIVE_PROCESS_WORKER_H
#define RD_DRIVE_PROCESS_WORKER_H

#include "drive/process/target.h"
#include "channel/channel.h"

#include <sys/types.h>

struct rd_worker {
    struct rd_channel *channel;
    uint64_t size;           /* of the channel, in bytes */
    uint64_t sum;            /* of the pages of the channel that no tested process may write (rd_worker_seal) */
    struct rd_config config; /* as it stood there */
    int channel_fd, output_fd, input_fd;
    int extents_fd;    /* of the table of extents; -1: there is none */
    int hub_fd;        /* of the memory that several workers share; 0: there is none */
    int search_fd;     /* of the memory of the search (explore/resume.h); 0: there is none */
    int error_fd;      /* of standard error: output_fd unless the configuration wants the two separate */
    bool lazy;         /* calls are bound at their first use: the program does not start if all are bound at once */
    pid_t pid;         /* of the process; 0: none runs */
    bool shot;         /* the watchdog has killed it because its search showed no sign of life */
    uint32_t replaced; /* how often the process was replaced after its death (replace_worker.h) … */
    uint64_t replaced_at;       /* … and the number of executions at the last replacement */
    uint32_t idle_replacements; /* replacements in a row between which no execution has ended */
    double execution_s_max;     /* limit for one execution; 0: that of the watchdog (watchdog.h) */
    double started_s;           /* when the process was started, on the monotonic clock */
    double longest_s;           /* bound of the longest execution that has ended; 0: none has */
    uint32_t hangs; /* 1 + the steps of the replayed schedule if it is known to hang at its end; else 0 */
    double spare_s; /* how much later than the command's deadline this worker's is (deadline.h) */
    bool late;      /* it was killed because of the deadline */
    void (*tick)(const struct rd_progress *p); /* called about every 20 ms while rd_worker_wait waits; NULL: not */
};

/* Creates the channel with this configuration. Returns 0, or -1 with a message. */
int rd_worker_open(struct rd_worker *w, const struct rd_config *config, const struct rd_channel_size *size,
                   struct rd_error *error);
/*
 * Remembers what stands in head and configuration. Called whenever the driver has completed or changed them, while
 * the worker has no process.
 */
void rd_worker_seal(struct rd_worker *w);
/* Are head and configuration of the channel still as they were sealed, and all canaries alive? */
bool rd_worker_is_whole(const struct rd_worker *w);
/*
 * Starts the program and waits for its end. A program that cannot bind all of its calls at once, because of some
 * that it never makes, is started again with lazy binding. Returns 0, or -1 with a message.
 */
int rd_worker_run(struct rd_worker *w, const struct rd_target *t, int *status, struct rd_error *error);
/* Did the program not start because it cannot bind all of its calls at once? */
bool rd_worker_needs_lazy(const struct rd_worker *w, int status);
/* Empties the files that hold the output of the program. */
void rd_worker_clear_output(const struct rd_worker *w);
/*
 * Sends a signal to the process of an execution. Its number stands in shared memory, where a broken program can
 * write: only the worker's own process and its children get the signal.
 */
void rd_worker_signal(const struct rd_worker *w, pid_t pid, int sig);
/* Shows the progress of the worker's search, if anything is to be shown. */
void rd_worker_tick(const struct rd_worker *w);
/* Starts the program. Returns 0, or -1 with a message. pre: no process of this worker runs. */
int rd_worker_start(struct rd_worker *w, const struct rd_target *t, struct rd_error *error);
/*
 * The observations of the watchdog about a process; zero before the first look. Moments are of the monotonic
 * clock.
 */
struct rd_watchdog_state {
    uint64_t sequence;     /* the number of the running execution */
    pid_t pid;             /* its process */
    uint32_t steps;        /* that the execution had taken at the last look */
    double since, stepped; /* when the execution, and when its last new step was first seen */
    double began;          /* processor time of its process at `stepped` */
    double starved;        /* how long its task had been without a processor when the execution was first seen */
    double warned;         /* when the signal was sent; 0: it was not */
    double looked,
        used;     /* when rd_blocked_for_good was last called, and the processor time used from `began` to it */
    bool blocked; /* … and its answer */
    struct {
        uint64_t sequence;
        uint32_t beats;
        double since; /* when the search last showed a sign of life */
    } search;
};
/* How much later than the command's deadline the one of this worker is; negative: so much earlier (deadline.h). */
double rd_worker_spare(const struct rd_worker *w);
/* Completes the summary of a search whose process was killed at the deadline before it could write its result. */
void rd_worker_settle(const struct rd_worker *w);
/* Has the process ended? If not, keeps it to its deadline, or calls the watchdog. pre: the process was started. */
bool rd_worker_ended(struct rd_worker *w, struct rd_watchdog_state *k, int *status);
/* Waits for the end of the process. Returns its wait status. */
int rd_worker_wait(struct rd_worker *w);
/* Of a long output the first RD_OUTPUT_MAX bytes and at least the last RD_OUTPUT_END bytes are kept. */
enum { RD_OUTPUT_END = 16 << 20 };
/* Copies the standard output of the last process, at most `room` bytes. Returns the size of all of it. */
uint64_t rd_worker_output(const struct rd_worker *w, char *to, uint64_t room);
void rd_worker_close(struct rd_worker *w);

#endif
