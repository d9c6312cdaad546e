/* row_selection.h - selects the steps of a long execution that a report shows. */
#ifndef RD_REPORT_ROW_SELECTION_H
#define RD_REPORT_ROW_SELECTION_H

#include "file/schedule.h"

enum rd_row {
    RD_ROW_SHOWN,
    RD_ROW_LEFT_OUT,
    RD_ROW_REPEATED, /* not shown: the step belongs to a round of a loop that repeats the round before it */
};

/* Fills in rows[0..step_count) with enum rd_row; about `max` of them are shown, or all if `max` is 0. */
void rd_row_selection_choose(const struct rd_schedule *s, uint32_t max, uint8_t *rows);

#endif
