/* row_selection.h - which steps of a long execution are worth a line. */
#ifndef RD_REPORT_ROW_SELECTION_H
#define RD_REPORT_ROW_SELECTION_H

#include "file/schedule.h"

enum rd_row { RD_ROW_SHOWN, RD_ROW_LEFT_OUT, RD_ROW_REPEATED };

/* Fills in rows[0..step_count): about `max` of them shown, all when it is 0. */
void rd_row_selection_choose(const struct rd_schedule *s, uint32_t max, uint8_t *rows);

#endif
