/*
 * worker.h - a tested process: the channel to it, its output, and the watch over it.
 *
 * rd_worker_open once; then rd_worker_start and rd_worker_wait as often as wanted (exec isolation starts one
 * process an execution on the same channel); rd_worker_close.
 */
#ifndef RD_DRIVE_PROCESS_WORKER_H
#define RD_DRIVE_PROCESS_WORKER_H

#include "drive/process/target.h"
#include "channel/channel.h"

#include <sys/types.h>

struct rd_worker {
    struct rd_channel *channel;
    uint64_t size;           /* of the channel */
    uint64_t sum;            /* of the pages of the channel that no tested process may write (rd_worker_seal) */
    struct rd_config config; /* as it stood there */
    int channel_fd, output_fd, input_fd;
    int extents_fd; /* of the table of extents; -1: there is none */
    int hub_fd;     /* of the memory that several workers share; 0: there is none */
    int search_fd;  /* of the memory of the search (explore/resume.h); 0: there is none */
    int error_fd;   /* of standard error: the same as output_fd unless the configuration wants them separate */
    bool lazy;      /* the program does not start when all its calls are bound at once */
    pid_t pid;
    bool shot;              /* its search showed no sign of life, and was ended (watchdog.h) */
    uint32_t replaced;      /* how often it was started again after it had died (replace_worker.h) … */
    uint64_t replaced_at;   /* … and after how many executions, the last time */
    uint32_t stands;        /* how often it was since it has done anything */
    double execution_s_max; /* watchdog: for one execution; 0: nobody has said (watchdog.h) */
    double started_s;       /* when the process was */
    double longest_s;       /* that an execution took, so far; 0: none has ended */
    uint32_t hangs;         /* 1 + the steps of a schedule that is known to hang at its end; 0: it is not */
    double spare_s;         /* beyond the end of the command (deadline.h): that of a replay may begin then */
    bool late;              /* it was killed because the command is to be over */
    void (*tick)(const struct rd_progress *p); /* called every now and then while waiting; NULL: not */
};

/* Creates the channel with this configuration. Returns 0, or -1 with a message. */
int rd_worker_open(struct rd_worker *w, const struct rd_config *config, const struct rd_channel_size *size,
                   struct rd_error *error);
/* The driver has completed head and configuration: remembers what stands there. rd_worker_start does it, too. */
void rd_worker_seal(struct rd_worker *w);
/* Are head and configuration of the channel still as they were sealed? A broken program can write there. */
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
/* Shows the progress of the worker's search, if anything is to be shown. */
void rd_worker_tick(const struct rd_worker *w);
int rd_worker_start(struct rd_worker *w, const struct rd_target *t, struct rd_error *error);
/* What the watchdog has seen. */
struct rd_watchdog_state {
    uint64_t sequence;
    pid_t pid;
    uint32_t steps;        /* of the execution */
    double since, stepped; /* when it began, and when it was seen to take a step */
    double began;          /* what its process had computed then, in seconds */
    double starved;        /* how long it had waited for a processor when the execution began */
    double warned;         /* when it was told that it has taken too long; 0: it was not */
    double looked, used;   /* when it was looked at whether all are blocked, and what it had computed since */
    bool quiet;            /* … and were they? */
    struct {
        uint64_t sequence;
        uint32_t beats;
        double since; /* when it last showed that it goes on */
    } search;
};
/* How much later than the end of the command that of this worker is; less than 0: so much earlier (deadline.h). */
double rd_worker_spare(const struct rd_worker *w);
/* The process of a search was killed because the command is to be over: what it has said is what there is. */
void rd_worker_settle(const struct rd_worker *w);
/* Has the process ended? If not, it is looked after. */
bool rd_worker_ended(struct rd_worker *w, struct rd_watchdog_state *k, int *status);
/* Waits for the end of the process; its wait status. */
int rd_worker_wait(struct rd_worker *w);
/* Of a long output the first RD_OUTPUT_MAX bytes are kept, and at least this many at its end. */
enum { RD_OUTPUT_END = 16 << 20 };
/* What the last process printed on standard output: as much as there is room for, and how much there is. */
uint64_t rd_worker_output(const struct rd_worker *w, char *to, uint64_t room);
void rd_worker_close(struct rd_worker *w);

#endif
