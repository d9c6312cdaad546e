/* choose.c - a value that the program leaves open (raddle_choose): op->arg is the number of values. */
#include "model/primitives.h"

RD_MODEL_WAYS(rd_choose_ways) {
    (void)w, (void)tid;
    RD_CHECK(op->arg > 0 && op->arg <= UINT16_MAX); /* rd_choice.pick names the value */
    return (uint32_t)op->arg;
}

RD_MODEL_PERFORM(rd_choose) {
    (void)w, (void)tid, (void)op;
    r->value = way;
}
