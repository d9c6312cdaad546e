/* choose.c - a value that the program leaves open (raddle_choose): its argument says how many there are. */
#include "model/model.h"

RD_MODEL_WAYS(rd_choose_ways) {
    (void)w, (void)tid;
    return (uint32_t)op->arg;
}

RD_MODEL_PERFORM(rd_choose) {
    (void)w, (void)tid, (void)op;
    r->value = way;
}
