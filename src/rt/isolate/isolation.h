/*
 * isolation.h - the three ways to keep executions apart, as the explorer uses them. Each is one file and one table
 * of functions:
 *
 *   - snapshot (snapshot_isolation.c): all executions in the explorer's process, which puts memory back after each;
 *   - fork (fork_isolation.c): each execution in a child that is forked for it;
 *   - exec (exec_isolation.c): each execution in a new process; the search is in the driver then.
 *
 * isolation.c alone decides which one is used, and tells the user why.
 */
#ifndef RD_RT_ISOLATE_ISOLATION_H
#define RD_RT_ISOLATE_ISOLATION_H

#include "channel/channel.h"

/* The result of rd_isolation_ops.run. */
enum rd_isolation_result {
    RD_ISOLATION_RAN,   /* the execution is over, and its outcome is in the channel */
    RD_ISOLATION_AGAIN, /* the execution lacked resources that are provided from now on: it is to be run again */
    RD_ISOLATION_UNFIT, /* this isolation cannot isolate the execution: it is to be run again with another one */
    RD_ISOLATION_HERE,  /* exec isolation only: this process is the execution, and rd_rt_checkpoint returns to the
                           program */
};

enum { RD_ISOLATION_WHY = 192 }; /* room for a reason */

/*
 * The order of calls for a snapshot: prepare, then put_back and run for each execution, then end. Fork isolation
 * that the user asks for is not prepared: it needs only put_back and run. Exec isolation is either prepared, which
 * ends this process and tells the driver to start one for each execution, or, in such a process, run once.
 */
struct rd_isolation_ops {
    const char *name;
    /*
     * Before the first execution. Returns false if this isolation is not possible; then `why` says why not. On
     * entry `why` says why the isolation before it in the order of preference is not possible; "": it was not
     * tried. The user is told that text.
     */
    bool (*prepare)(struct rd_channel *c, char why[RD_ISOLATION_WHY]);
    /*
     * Before each execution: all that earlier executions have changed is made as it was at the checkpoint, and the
     * channel is made ready for an outcome. Returns false if that cannot be done: the outcome says why.
     */
    bool (*put_back)(struct rd_channel *c);
    /*
     * Runs one execution with the channel's plan. If the execution is unfit, `why` says why; exec isolation never
     * says so, and `why` may be NULL.
     */
    enum rd_isolation_result (*run)(struct rd_channel *c, char why[RD_ISOLATION_WHY]);
    /* No execution is isolated this way any more. Called also when prepare has failed. NULL: no work is needed. */
    void (*end)(void);
};
extern const struct rd_isolation_ops rd_isolation_snapshot, rd_isolation_fork, rd_isolation_exec;

/*
 * Chooses the isolation of this search. Does not return if executions cannot be isolated from this process: the
 * driver is told why, and whether it is to run the search with exec isolation.
 */
void rd_isolation_choose(struct rd_channel *c);
/* Prepares the isolation that was chosen. pre: the search's memory is there */
void rd_isolation_begin(struct rd_channel *c);
/* Runs an execution with the channel's plan; its outcome is in the channel then. */
void rd_isolation_run(struct rd_channel *c);

/* ---- for the three ---- */

/* Returns whether the program brings a malloc of its own, which pthread_create would call for each carrier. */
bool rd_isolation_own_malloc(void);
/* Makes the outcome "refused", for the reason that the two texts make together. */
void rd_isolation_refuse(struct rd_channel *c, const char *first, const char *then);
/* Ends the explorer's process: the search is over. */
_Noreturn void rd_isolation_explorer_over(void);
/* Ends the search as trouble. pre: the outcome is "refused", and says why */
_Noreturn void rd_isolation_refused(struct rd_channel *c);
/* Ends the search because the program has written into the search's memory: not one step more with that memory. */
_Noreturn void rd_isolation_broken(struct rd_channel *c);

enum { RD_CARRIERS_FIRST = 4 };                  /* carriers that are made before the first execution */
extern const char rd_isolation_no_descriptors[]; /* the reason where descriptors cannot be made anew */

#endif
