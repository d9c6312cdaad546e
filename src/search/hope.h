/*
 * hope.h - will a proof fit into the budget? Its own estimate is about the tree as it is known, and there is none
 * while that still grows. Samples know that there are at least so many orders of events, and when most were seen,
 * how many. Several workers tell each other, so that all come to the same answer.
 */
#ifndef RD_HOPE_H
#define RD_HOPE_H

#include "search/rotate.h"

enum rd_hope { RD_HOPE_UNKNOWN, RD_HOPE_FITS, RD_HOPE_NEVER };

/* In memory that workers share. */
struct rd_hope_common {
    double estimate; /* of the proof, by whoever had one last */
    double orders;   /* by samples: the most that anybody has made of them */
};

/* `samples` NULL: the proof runs more than one execution of an order. `common` NULL: there is one worker. */
enum rd_hope rd_hope_of(const struct rd_part *proof, const struct rd_rotation *samples,
                        struct rd_hope_common *common, uint64_t left);

#endif
