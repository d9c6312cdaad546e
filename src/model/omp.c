/*
 * omp.c - operations of a thread in an OpenMP team: it takes part of a loop, or waits for work, for its turn, or
 * for tasks. The runtime holds the state (rt/hook/omp/omp.h) and changes it only in steps on the object of the
 * operation. So the model asks the runtime in how many ways the pending operation can complete: 0, it is blocked;
 * more than 1, it is a choice which task the thread takes, and the result is the index of the task, as in choose.c.
 * In the simulator such an operation always completes in one way.
 */
#include "model/primitives.h"

RD_MODEL_ENABLED(rd_team_enabled) {
    (void)op;
    return !w->team || w->team(tid) > 0;
}

RD_MODEL_WAYS(rd_team_ways) {
    (void)op;
    return w->team ? w->team(tid) : 1;
}
