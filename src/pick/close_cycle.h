/*
 * close_cycle.h - the plan of the picker that steers an execution into a predicted deadlock. The plan's `a` is the
 * number of elements of a list that is stored behind its prefix, which must be empty. An element says that a thread
 * (`pick`) takes the lock `place` at the code `pc`, after it has done so `fp` times; `op` says which lock that is.
 */
#ifndef RD_PICK_CLOSE_CYCLE_H
#define RD_PICK_CLOSE_CYCLE_H

#include "pick/pick.h"

enum rd_cycle_part {
    RD_CYCLE_WANTS, /* the lock that the next thread of the cycle holds */
    RD_CYCLE_HOLDS, /* the lock that the thread itself holds in the cycle */
};
enum { RD_CYCLE_LIST = 2 * RD_CIRCLE_MAX }; /* the most elements */

#endif
