/* replay_schedule.h - runs one execution under a recorded schedule, and records its values and stacks. */
#ifndef RD_DRIVE_REPLAY_SCHEDULE_H
#define RD_DRIVE_REPLAY_SCHEDULE_H

#include "drive/process/worker.h"
#include "drive/take_result.h"
#include "file/schedule.h"

struct rd_replay {
    struct rd_worker worker; /* its files hold the output of the program */
    struct rd_run_result result;
    bool is_open;
};

/*
 * Runs the schedule; a departure from it ends the execution as a divergence, which is a result. Returns 0, and the
 * caller calls rd_replay_close; or -1 with a message, and there is nothing to close.
 */
int rd_replay_run(struct rd_replay *r, const struct rd_target *t, const struct rd_schedule *schedule,
                  enum rd_backend backend, double execution_s_max, struct rd_error *error);
void rd_replay_close(struct rd_replay *r);
/* Does the command's deadline leave time for a replay (deadline.h)? */
bool rd_replay_has_time(void);
/*
 * Prepares a replay in r->worker whose process a debugger starts, with a kernel thread for each thread of the
 * program. Returns 0, and the caller calls rd_replay_take_debugged when the debugger has ended; or -1 with a
 * message.
 */
int rd_replay_prepare_debugged(struct rd_replay *r, const struct rd_target *t, const struct rd_schedule *schedule,
                               struct rd_error *error);
/* Fills in the result. Returns NULL, or why there is none. */
const char *rd_replay_take_debugged(struct rd_replay *r);

#endif
