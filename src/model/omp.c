/*
 * team.c - what a thread does in a team of OpenMP: it takes part of a loop, waits for work, for its turn, or for
 * tasks. The state is the runtime's (rt/hook/omp/omp.h), which changes it only in steps on the operation's object;
 * so it is asked in how many ways the pending operation can happen: 0, it waits; more than one, which task is taken
 * is a choice (its result is which, as that of model/choose.c). In the simulator there is nobody to ask.
 */
#include "model/model.h"

RD_MODEL_ENABLED(rd_team_enabled) {
    (void)op;
    return !w->team || w->team(tid) > 0;
}

RD_MODEL_WAYS(rd_team_ways) {
    (void)op;
    return w->team ? w->team(tid) : 1;
}
